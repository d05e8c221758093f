package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// relations is a list whose lines are values with their locks.
type relations interface {
	// relation is the value at a line; nil for a head.
	relation(n int) *dynamo.Relation
}

// marking are the ways to mark locks, to release several: one, all of a group where its head
// is selected, and all from another mark to here.
func (a *app) marking(r *dynamo.Relation) screen.Commands {
	one := screen.Command{
		Action: keymap.Mark, Full: "mark, to release several", Why: func() string { return a.WhyMark(r) },
		Run: func() tea.Cmd { return a.mark(a.top().Content(), r) },
	}
	if r == nil {
		if group := a.locks.groupAt(); a.top() == a.locks && len(group) > 0 {
			one.Full, one.Why, one.Run = "mark all of the group", nil, func() tea.Cmd { return a.markAll(group) }
		}
	}
	return screen.Commands{one, {
		Action: keymap.MarkTo, Full: "mark all up to here", Why: screen.WhyIf(len(a.Marks.Order) == 0, "mark one first: "+a.Keys.Key(keymap.Mark)), Run: a.markTo,
	}}
}

// mark marks the selected lock, or takes its mark away, and goes on to the next
// row.
func (a *app) mark(c screen.Content, r *dynamo.Relation) tea.Cmd {
	a.Marks.Toggle(r)
	c.List.Move(c.Rows, 1)
	return a.readAhead()
}

// markTo marks the rows between the selected one and the nearest that is marked.
func (a *app) markTo() tea.Cmd {
	c := a.top().Content()
	rows, ok := c.Rows.(relations)
	if !ok {
		return nil
	}
	marked := func(n int) bool {
		if n < 0 || n >= c.Rows.Len() {
			return false
		}
		r := rows.relation(n)
		return r != nil && a.Marks.Has(r)
	}
	at := c.List.Cursor
	for far := 1; far < c.Rows.Len(); far++ {
		for _, n := range [2]int{at - far, at + far} {
			if !marked(n) {
				continue
			}
			var between []*dynamo.Relation
			for line := min(n, at); line <= max(n, at); line++ {
				if r := rows.relation(line); r != nil && !a.Marks.Has(r) {
					between = append(between, r)
				}
			}
			return a.markAll(between)
		}
	}
	return a.Say("No marked row is among these.")
}

// markAll marks what can be marked of several locks, and says what cannot. Where all of them
// are marked it takes the marks away.
func (a *app) markAll(all []*dynamo.Relation) tea.Cmd {
	marked, left, why := 0, 0, ""
	for _, r := range all {
		if a.Marks.Has(r) {
			continue
		}
		if no := a.WhyMark(r); no != "" {
			left++
			why = no
			continue
		}
		a.Marks.Toggle(r)
		marked++
	}
	switch {
	case marked == 0 && left < len(all):
		for _, r := range all {
			if a.Marks.Has(r) {
				a.Marks.Toggle(r)
			}
		}
		return nil
	case left > 0:
		said := phrase.Count(marked, "lock") + " marked. " + phrase.Count(left, "other") + " cannot be released with them"
		if left == 1 {
			said += ": " + why
		}
		return a.Say(words.Sentence(said))
	}
	return nil
}
