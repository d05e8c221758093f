package session

import (
	"fmt"
	"sync/atomic"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
)

// Changes are what was changed from here, and what is known since that bears on it.
type Changes struct {
	Last    LastChange
	Reasons Reasons
	// Unseen are receipts that nobody was shown yet.
	Unseen  atomic.Pointer[[]change.Receipt]
	counted counted
}

// LastChange is the last change that was made from this screen.
type LastChange struct {
	Connection Connection
	Kind       change.Kind
	Made       change.Receipt // none for several that were made together
}

// counted are counters as they were read last.
type counted map[counterID]lastRead

// counterID tells the counters of all connections apart.
type counterID struct{ region, endpoint, table, name string }

type lastRead struct {
	value string
	at    time.Time
}

// Counted notes what a counter of a connection said when it was read.
func (c *Changes) Counted(conn *dynamo.Connection, read dynamo.Counter) {
	if c.counted == nil {
		c.counted = counted{}
	}
	c.counted[counterID{conn.Region(), conn.Endpoint(), read.Table, read.Name}] = lastRead{attr.CanonicalNumber(read.Value), read.ReadAt}
}

// whyCounted says that a counter was read since a change, and no longer says what the
// change left: then it is not set back. Empty where that is not known. A reading that was
// under way while the change was made may still say what was there before.
func (c *Changes) whyCounted(conn *dynamo.Connection, p *change.Plan, after string, done time.Time) string {
	read := c.counted[counterID{conn.Region(), conn.Endpoint(), p.Table, p.Counter}]
	if p.Counter == "" || after == "" || !read.at.After(done) || read.value == after || read.value == p.Before {
		return ""
	}
	return fmt.Sprintf("%s says %s by now, and the change left %s: numbers were handed out since, and are never taken back", p.Counter, phrase.Group(read.value), phrase.Group(after))
}
