package ui

import (
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// SetGrace sets how long a dialog that has just opened takes no keys.
func (m Model) SetGrace(d time.Duration) { m.app.grace = d }

// Awaits reports whether the screen still lacks something that was asked for.
// Counters are read all the time, the second look waits as long as a release does,
// checks and changes say themselves that they are at work, and so does an endpoint
// that is away.
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

// SetClock sets what the model takes for the time.
func (m Model) SetClock(now func() time.Time) { m.app.Now = now }

// Selected is the screen that is looked at, and the name of the row under its cursor; empty
// where nothing is selected, or rows have no names. It may go where a person sorts, and in the
// lines of a layout, where the neighbour is selected when a line is taken out.
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

// OpenTable is the table that is looked at; nil for none.
func (m Model) OpenTable() *dynamo.Table { return m.app.Table }

// Asks reports whether a dialog stands over the screen.
func (m Model) Asks() bool { return m.app.dialog != nil }

// named returns a tab by its name.
func (s *screens) named(name string) screen.Tab {
	return s.tabs[slices.IndexFunc(s.tabs, func(t screen.Tab) bool { return t.Info().Name == name })]
}
