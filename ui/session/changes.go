package session

import (
	"slices"
	"sync/atomic"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
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

// counterID tells the counters of all connections apart: accounts of AWS share the endpoint of
// a Region, and an item may have several counters of one name.
type counterID struct {
	conn                   *dynamo.Connection
	table, name, attribute string
}

type lastRead struct {
	value string
	at    time.Time
}

// Counted notes what a counter of a connection said when it was read.
func (c *Changes) Counted(conn *dynamo.Connection, read dynamo.Counter) {
	if c.counted == nil {
		c.counted = counted{}
	}
	c.counted[counterID{conn, read.Table, read.Name, read.Attribute}] = lastRead{
		attr.CanonicalNumber(read.Value),
		read.ReadAt,
	}
}

// whyCounted says that a counter was read since a change, and no longer says what the
// change left: then it is not set back. Empty where that is not known. A reading that was
// under way while the change was made may still say what was there before.
func (c *Changes) whyCounted(conn *dynamo.Connection, p *change.Plan, after string, done time.Time) string {
	if p.Counter == "" || after == "" {
		return ""
	}
	var read lastRead
	for id, last := range c.counted {
		if id.conn == conn && id.table == p.Table && id.name == p.Counter && sets(p, id.attribute) {
			read = last
		}
	}
	if !read.at.After(done) || read.value == after || read.value == p.Before {
		return ""
	}
	return change.CountedOn(p.Counter, read.value, after)
}

// sets reports whether a plan writes an attribute of an item.
func sets(p *change.Plan, attribute string) bool {
	for _, step := range p.Steps {
		for _, w := range step.Writes {
			_, put := w.Item[attribute]
			if put || slices.ContainsFunc(w.Set, func(t client.Term) bool { return t.Attribute() == attribute }) {
				return true
			}
		}
	}
	return false
}
