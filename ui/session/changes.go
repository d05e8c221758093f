package session

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
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
	Kind       plan.Kind
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
func (c *Changes) Counted(conn *dynamo.Connection, read counter.Counter) {
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
func (c *Changes) whyCounted(conn *dynamo.Connection, p *plan.Plan, after string, done time.Time) string {
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
	return planner.CountedOn(p.Counter, read.value, after)
}

// sets reports whether a plan writes an attribute of an item.
func sets(p *plan.Plan, attribute string) bool {
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

// Marks are the locks that were marked on the screen, to be released together, by
// table and key, in the order in which they were marked. They stay while the
// table is read again.
type Marks struct {
	Order []string
	rels  map[string]*verdict.Relation
}

// MarkID names a lock among the marked.
func MarkID(r *verdict.Relation) string { return r.Lock.Table + "\x00" + r.Lock.Key.ID() }

// Has reports whether a lock is marked.
func (m *Marks) Has(r *verdict.Relation) bool {
	return len(m.rels) > 0 && m.rels[MarkID(r)] != nil
}

// Toggle marks a lock, or takes its mark away.
func (m *Marks) Toggle(r *verdict.Relation) {
	id := MarkID(r)
	if m.rels[id] == nil {
		if m.rels == nil {
			m.rels = map[string]*verdict.Relation{}
		}
		m.rels[id] = r
		m.Order = append(m.Order, id)
		return
	}
	delete(m.rels, id)
	for n, other := range m.Order {
		if other == id {
			m.Order = append(m.Order[:n:n], m.Order[n+1:]...)
		}
	}
}

// Clear takes all marks away.
func (m *Marks) Clear() { *m = Marks{} }

// All are the marked locks.
func (m *Marks) All() []*verdict.Relation {
	out := make([]*verdict.Relation, len(m.Order))
	for n, id := range m.Order {
		out[n] = m.rels[id]
	}
	return out
}

// Words says how many locks are marked, for the completeness line.
func (m *Marks) Words() []kit.Span {
	return []kit.Span{kit.Muted.Of(" · "), kit.Accent.Of(phrase.Group(strconv.Itoa(len(m.Order))) + " marked")}
}

// Question tells what is asked about a change from all else that is asked.
type Question struct {
	Connection string
	Asks       string // "Machine a lock"
	Of         string // what it is about, told apart from all else of the connection
}

// Reasons are what people gave as their reasons. A reason comes back by itself only to the
// question that it was typed at: of another change it would be a false entry in the journal,
// one enter away.
type Reasons struct {
	Given  kit.History // for whatever change, to be taken with a key
	drafts map[Question]string
}

// Draft is what was typed at a question that was left; empty where it was not, or where the
// change was made since.
func (r *Reasons) Draft(q Question) string { return r.drafts[q] }

// Keep remembers the reason typed at a question, and answers it trimmed.
func (r *Reasons) Keep(q Question, typed string) string {
	reason := strings.TrimSpace(typed)
	if reason != "" {
		r.Given.Add(reason)
	}
	if r.drafts == nil {
		r.drafts = map[Question]string{}
	}
	r.drafts[q] = reason
	return reason
}

// Made forgets what was typed at a question: the change was made, and the next is another.
func (r *Reasons) Made(q Question) { delete(r.drafts, q) }
