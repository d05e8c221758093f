package browse

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/kit"
)

// Lister is a screen that lists what is read.
type Lister interface {
	// Reset begins anew, for another table.
	Reset()
	// Hold remembers what is selected before rows are read again, and follow selects it again.
	Hold() (follow func())
	// Renew looks for the letters among what was read meanwhile.
	Renew() tea.Cmd
	// List is the list as it is now, and its rows.
	List() (kit.List, kit.Source)
	// Narrowed reports whether letters that somebody typed leave rows out.
	Narrowed() bool
	// Arrange is what makes its rows of what is known, in their order now, off the screen's own
	// goroutine; in the order of their keys if they are sorted.
	Arrange() func(v *dynamo.View, sorted bool) Arranged
}

// listers are the screens that list what a Reading reads.
type listers []Lister

// reset has the screens begin anew, for another table.
func (all listers) reset() {
	for _, l := range all {
		l.Reset()
	}
}

// paging is what makes a page of what is known, off the screen's own goroutine.
func (all listers) paging(sorted bool) func(dynamo.View) page {
	arrange := map[Lister]func(*dynamo.View, bool) Arranged{}
	for _, l := range all {
		arrange[l] = l.Arrange()
	}
	return func(v dynamo.View) page {
		p := page{view: v, rows: map[Lister]Arranged{}, counts: count(&v)}
		for l, rows := range arrange {
			p.rows[l] = rows(&v, sorted)
		}
		return p
	}
}
