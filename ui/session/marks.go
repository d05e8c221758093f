package session

import (
	"strconv"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// Marks are the locks that were marked on the screen, to be released together, by
// table and key, in the order in which they were marked. They stay while the
// table is read again.
type Marks struct {
	Order []string
	rels  map[string]*dynamo.Relation
}

// MarkID names a lock among the marked.
func MarkID(r *dynamo.Relation) string { return r.Lock.Table + "\x00" + r.Lock.Key.ID() }

// Has reports whether a lock is marked.
func (m *Marks) Has(r *dynamo.Relation) bool {
	return len(m.rels) > 0 && m.rels[MarkID(r)] != nil
}

// Toggle marks a lock, or takes its mark away.
func (m *Marks) Toggle(r *dynamo.Relation) {
	id := MarkID(r)
	if m.rels[id] == nil {
		if m.rels == nil {
			m.rels = map[string]*dynamo.Relation{}
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
func (m *Marks) All() []*dynamo.Relation {
	out := make([]*dynamo.Relation, len(m.Order))
	for n, id := range m.Order {
		out[n] = m.rels[id]
	}
	return out
}

// Words says how many locks are marked, for the completeness line.
func (m *Marks) Words() []kit.Span {
	return []kit.Span{kit.Muted.Of(" · "), kit.Accent.Of(phrase.Group(strconv.Itoa(len(m.Order))) + " marked")}
}

// ReleaseHint says what a release would release.
func (m *Marks) ReleaseHint() string {
	if n := len(m.Order); n > 0 {
		return "release " + phrase.Group(strconv.Itoa(n))
	}
	return "release"
}
