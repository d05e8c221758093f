package ui_test

import (
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tallylock/ui"
)

// views has the results of the messages that the model has received.
type views struct {
	mu     sync.Mutex
	marks  int    // the number of marks that the model has received
	drawn  string // the suffix of the title for the last drawn mark: its number, and whether a task was running
	made   int    // the number of views after messages other than marks
	awaits bool   // whether a task was running at the last of these views
}

func (v *views) now() (marks, made int, awaits bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.marks, v.made, v.awaits
}

// watched is the model, with a count of the test's marks. A drawn mark appears at the end of the window's title. A
// screen with a mark was drawn after all messages before the mark.
type watched struct {
	ui.Model
	views *views
	last  tea.View
	stale bool // whether last is out of date
}

// mark is a message of a test. If drawn is set, the mark appears in the window's title.
type mark struct{ drawn bool }

func (w *watched) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, ok := msg.(mark)
	if !ok {
		w.stale = true
		_, cmd := w.Model.Update(msg)
		return w, cmd
	}
	w.views.mu.Lock()
	defer w.views.mu.Unlock()
	if w.views.marks++; m.drawn {
		w.views.drawn = fmt.Sprintf(" mark %d %t", w.views.marks, w.views.awaits)
	}
	return w, nil
}

func (w *watched) View() tea.View {
	fresh := w.stale || w.last.Content == ""
	if fresh {
		w.last, w.stale = w.Model.View(), false
	}
	w.views.mu.Lock()
	defer w.views.mu.Unlock()
	if fresh {
		w.views.made++
		w.views.awaits = w.Awaits()
	}
	v := w.last
	v.WindowTitle += w.views.drawn
	return v
}
