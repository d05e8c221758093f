package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/screen"
)

// mark marks the selected lock, or takes its mark away, and goes on to the next
// row.
func (a *app) mark(c screen.Content, r *dynamo.Relation) tea.Cmd {
	a.Marks.Toggle(r)
	c.List.Move(c.Rows, 1)
	return a.readAhead()
}
