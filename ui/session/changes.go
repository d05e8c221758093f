package session

import (
	"fmt"
	"slices"
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
	"tallylock/ui/say"
)

// Changes holds the changes that were made from here, and later facts about them.
type Changes struct {
	Last    LastChange
	Reasons Reasons
	// Unreported holds receipts that no dialog has shown yet.
	Unreported atomic.Pointer[[]change.Receipt]
	counted    counted
}

// LastChange is the last change that was made in this session.
type LastChange struct {
	Connection Connection
	Kind       plan.Kind
	Made       change.Receipt // empty for several changes made together
}

// counted holds the last reading of each counter.
type counted map[counterID]lastRead

// counterID identifies a counter across connections. The connection is part of it, since AWS
// accounts share the endpoint of a Region. The attribute is part of it, since an item may have
// several counters of one name.
type counterID struct {
	conn                   *dynamo.Connection
	table, name, attribute string
}

type lastRead struct {
	value string
	at    time.Time
}

// Counted stores the value of a counter that was just read.
func (c *Changes) Counted(conn *dynamo.Connection, read counter.Counter) {
	if c.counted == nil {
		c.counted = counted{}
	}
	c.counted[counterID{conn, read.Table, read.Name, read.Attribute}] = lastRead{
		attr.CanonicalNumber(read.Value),
		read.ReadAt,
	}
}

// WhyCounted says that a counter no longer has the value that a change wrote, so an undo cannot set it back. It is
// empty if this is unknown. A value equal to the one before the change proves nothing: that read may have begun before
// the change.
func (c *Changes) WhyCounted(conn *dynamo.Connection, p *plan.Plan, after string, done time.Time) string {
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

// Marks are the locks that a person marked in order to release them together. They keep the order
// of marking. They survive a new read of the table.
type Marks struct {
	Order []string
	rels  map[string]*verdict.Relation
}

// MarkID identifies a lock among the marked ones, by its table and key.
func MarkID(r *verdict.Relation) string { return r.Lock.Table + "\x00" + r.Lock.Key.ID() }

// Has reports whether a lock is marked.
func (m *Marks) Has(r *verdict.Relation) bool {
	return len(m.rels) > 0 && m.rels[MarkID(r)] != nil
}

// Toggle marks a lock, or unmarks it.
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

// Clear unmarks all locks.
func (m *Marks) Clear() { *m = Marks{} }

// All returns the marked locks in the order of marking.
func (m *Marks) All() []*verdict.Relation {
	out := make([]*verdict.Relation, len(m.Order))
	for n, id := range m.Order {
		out[n] = m.rels[id]
	}
	return out
}

// Words says how many locks are marked, for the completeness line.
func (m *Marks) Words() []kit.Span {
	return []kit.Span{kit.Muted.Of(" · "), kit.Accent.Of(phrase.Number(len(m.Order)) + " marked")}
}

// Question identifies a question about a change, so that a typed reason belongs to it alone.
type Question struct {
	Connection string
	Asks       string // the option's id, such as "Release a lock"
	Of         string // the subject, unique within the connection
}

// Reasons holds the reasons that people typed. A reason comes back by itself only at the question that it was typed
// for. For another change it would be wrong, and pressing enter would already write it into the journal.
type Reasons struct {
	Given  kit.History // for any change, recalled with a key
	drafts map[Question]string
}

// Draft returns the text that a person typed at a question before leaving it. It is empty if nothing was typed, or if
// the change has been made since.
func (r *Reasons) Draft(q Question) string { return r.drafts[q] }

// Keep stores the reason typed at a question, and returns it trimmed.
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

// Made forgets the text typed at a question, because the change was made. The next change needs its
// own reason.
func (r *Reasons) Made(q Question) { delete(r.drafts, q) }

// Unreported is the error of changes that ended after the screen had closed.
type Unreported struct{ Receipts []change.Receipt }

func (u *Unreported) Error() string {
	var each []string
	for _, r := range u.Receipts {
		word := say.OutcomeWord(r)
		if r.ID != "" {
			word = fmt.Sprintf("%s (receipt %s, in the journal)", word, r.ID)
		}
		each = append(each, word)
	}
	return "a change was in progress when the screen closed: " + strings.Join(each, "; ")
}
