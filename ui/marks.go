package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
)

// mark marks the selected lock, or takes its mark away, and goes on to the next
// row.
func (a *app) mark(c content, r *dynamo.Relation) tea.Cmd {
	a.Marks.Toggle(r)
	c.list.Move(c.rows, 1)
	return a.readAhead()
}
