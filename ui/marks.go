package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
)

// marks are the locks that were marked on the screen, to be released together, by
// table and key, in the order in which they were marked. They stay while the
// table is read again.
type marks struct {
	order []string
	rels  map[string]*dynamo.Relation
}

func markID(r *dynamo.Relation) string { return r.Lock.Table + "\x00" + r.Lock.Key.ID() }

func (m *marks) has(r *dynamo.Relation) bool {
	return len(m.rels) > 0 && m.rels[markID(r)] != nil
}

// toggle marks a lock, or takes its mark away.
func (m *marks) toggle(r *dynamo.Relation) {
	id := markID(r)
	if m.rels[id] == nil {
		if m.rels == nil {
			m.rels = map[string]*dynamo.Relation{}
		}
		m.rels[id] = r
		m.order = append(m.order, id)
		return
	}
	delete(m.rels, id)
	for n, other := range m.order {
		if other == id {
			m.order = append(m.order[:n:n], m.order[n+1:]...)
		}
	}
}

func (m *marks) clear() { *m = marks{} }

// all are the marked locks.
func (m *marks) all() []*dynamo.Relation {
	out := make([]*dynamo.Relation, len(m.order))
	for n, id := range m.order {
		out[n] = m.rels[id]
	}
	return out
}

// releaseHint says what a release would release.
func (a *app) releaseHint() string {
	if n := len(a.marks.order); n > 0 {
		return "release " + phrase.Group(strconv.Itoa(n))
	}
	return "release"
}

// whyMark says why a lock is not marked for a release.
func (a *app) whyMark(r *dynamo.Relation) string {
	switch {
	case r == nil:
		return "nothing is selected"
	case r.Verdict == dynamo.Malformed: // never in bulk
		return "a malformed lock is released by itself: " + a.keys.Key(keymap.Release)
	}
	return a.whyRelease(r)
}

// mark marks the selected lock, or takes its mark away, and goes on to the next
// row.
func (a *app) mark(c content, r *dynamo.Relation) tea.Cmd {
	a.marks.toggle(r)
	c.list.Move(c.rows, 1)
	return a.readAhead()
}

// marked says how many locks are marked, for the completeness line.
func (a *app) marked() []kit.Span {
	return []kit.Span{kit.Muted.Of(" · "), kit.Accent.Of(phrase.Group(strconv.Itoa(len(a.marks.order))) + " marked")}
}
