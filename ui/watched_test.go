package ui_test

import (
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tallylock/ui"
)

// views is what the model made of all that it was sent.
type views struct {
	mu     sync.Mutex
	marks  int    // that came to the model
	drawn  string // the last that is to be drawn, and whether anything was awaited then
	made   int    // views that something else than a mark led to
	awaits bool   // the last of them awaits something
}

func (v *views) now() (marks, made int, awaits bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.marks, v.made, v.awaits
}

// watched is the model, which keeps count of the test's marks. Those that ask for it stand at
// the end of the window's title: a screen with a mark was drawn after all that was sent before.
type watched struct {
	ui.Model
	views *views
	last  tea.View
	stale bool // the last view is not the model's any more
}

// mark is sent by a test; a drawn one goes on to the screen.
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
