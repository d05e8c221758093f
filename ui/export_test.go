package ui

import (
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// SetGrace sets how long a new dialog ignores keys.
func (m Model) SetGrace(d time.Duration) { m.app.grace = d }

// Awaits reports whether the screen still waits for a task. Some tasks do not count: the polling of counters never
// ends, and the second reading of a verdict waits as long as a release. Checks and changes show on the screen that they
// run, and so does an unreachable endpoint.
func (m Model) Awaits() bool {
	if m.app.Offline != nil {
		return false
	}
	for e := range task.Kinds {
		switch e {
		case task.Polling, task.Confirming, task.Checking, task.Changing:
		default:
			if _, busy := m.app.Tasks.Since(e); busy {
				return true
			}
		}
	}
	return false
}

// SetClock sets the clock of the model.
func (m Model) SetClock(now func() time.Time) { m.app.Now = now }

// Selected returns the screen on top, and the name of the row under the cursor. The name is empty if no row is
// selected, or if rows have no names. mayGo is true if the selection may change without a key: while the list is
// sorted, and in the lines of a layout, where the removal of a line selects its neighbour.
func (m Model) Selected() (top any, name string, mayGo bool) {
	s := m.app.top()
	c := s.Content()
	rows, ok := c.Rows.(interface {
		Len() int
		Name(n int) string
	})
	if !ok || c.List == nil || c.List.Lost || c.EmptyState != nil || c.List.Cursor >= rows.Len() {
		return s, "", false
	}
	_, sorts := m.app.Tasks.Since(task.Sorting)
	_, layout := s.(screen.Yielding)
	return s, rows.Name(c.List.Cursor), sorts || layout
}

// OpenTable returns the open table, or nil if there is none.
func (m Model) OpenTable() *dynamo.Table { return m.app.Table }

// Asks reports whether a dialog is open.
func (m Model) Asks() bool { return m.app.dialog != nil }

// named returns a tab by its name.
func (s *screens) named(name string) screen.Tab {
	return s.tabs[slices.IndexFunc(s.tabs, func(t screen.Tab) bool { return t.Info().Name == name })]
}
