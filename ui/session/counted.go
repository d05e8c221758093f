package session

import (
	"fmt"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
)

// counted are counters as they were read last.
type counted map[counterID]lastRead

// counterID tells the counters of all connections apart.
type counterID struct{ region, endpoint, table, name string }

type lastRead struct {
	value string
	at    time.Time
}

// Counted notes what a counter of a connection said when it was read.
func (s *Session) Counted(conn *dynamo.Connection, c dynamo.Counter) {
	if s.counted == nil {
		s.counted = counted{}
	}
	s.counted[counterID{conn.Region(), conn.Endpoint(), c.Table, c.Name}] = lastRead{attr.CanonicalNumber(c.Value), c.ReadAt}
}

// whyCounted says that a counter was read since a change, and no longer says what the
// change left: then it is not set back. Empty where that is not known. A reading that was
// under way while the change was made may still say what was there before.
func (s *Session) whyCounted(conn *dynamo.Connection, p *change.Plan, after string, done time.Time) string {
	read := s.counted[counterID{conn.Region(), conn.Endpoint(), p.Table, p.Counter}]
	if p.Counter == "" || after == "" || !read.at.After(done) || read.value == after || read.value == p.Before {
		return ""
	}
	return fmt.Sprintf("%s says %s by now, and the change left %s: numbers were handed out since, and are never taken back", p.Counter, phrase.Group(read.value), phrase.Group(after))
}
