package ui_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/layout/config"
)

// edited is a config that somebody edits while the inspector is open.
type edited struct {
	mu      sync.Mutex
	layouts []config.Layout
	err     error // the config cannot be read
}

func (e *edited) into(o *dynamo.Options) {
	e.layouts = demo.Layouts()
	o.Layouts, o.ReadLayouts = e.layouts, func() ([]config.Layout, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.layouts, e.err
	}
}

// edit changes the layout of a table.
func (e *edited) edit(t *testing.T, table string, change func(*config.Layout)) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.layouts = demo.Layouts()
	n := slices.IndexFunc(e.layouts, func(l config.Layout) bool { return slices.Contains(l.Tables, table) })
	if n < 0 {
		t.Fatal("the demo does not describe", table)
	}
	change(&e.layouts[n])
}

// If somebody edits the config while a dialog is open, the dialog refuses its change. The table is opened again with
// the new config.
func TestAnEditOfTheConfigIsHeard(t *testing.T) {
	e := &edited{}
	s := onDemo(t, e.into)
	term := s.run(t)
	term.asksRelease()
	e.edit(t, "accounts", func(l *config.Layout) {
		for n := range l.Accounts[0].Constraints {
			l.Accounts[0].Constraints[n].Holders = []config.Holder{{Table: "accounts", Items: "NOTE#*/META", Attribute: "text"}}
		}
	})
	term.press("<tab><enter>")
	frame := term.see("Refused", "describes accounts", "differently")
	if !strings.Contains(frame, "open the") {
		t.Errorf("it does not say what to do:\n%s", frame)
	}
	if lock(t, s, "UNIQ#HANDLE#alan") == nil {
		t.Error("the lock is gone")
	}
	term.press("<esc>")
	term.see("The config has changed: accounts is opened again.")
	term.asksRelease()
}

// An unreadable config does not count as a change of the config.
func TestAnUnreadableConfigIsNoChange(t *testing.T) {
	e := &edited{}
	s := onDemo(t, e.into)
	term := s.run(t)
	term.asksRelease()
	e.mu.Lock()
	e.err = errors.New("line 3 is wrong")
	e.mu.Unlock()
	term.press("<tab><enter>")
	term.see("Line 3 is wrong")
	term.press("<esc>")
	term.press("<ctrl+r>")
	if frame := term.see("READ AS"); strings.Contains(frame, "has changed") {
		t.Errorf("the table was opened again:\n%s", frame)
	}
}

// The counters of a table are read with the current config.
func TestCountersGoByTheConfigOfNow(t *testing.T) {
	e := &edited{}
	s := onDemo(t, e.into)
	term := s.run(t)
	term.see("● held")
	term.press("3")
	term.see("order_id", "5,000")
	e.edit(t, "order_id", func(l *config.Layout) { l.Counters[0].Semantics = "tally" })
	term.wait("the counter as a tally", func(frame string, _ bool) bool {
		n := strings.Index(frame, "order_id")
		return n >= 0 && strings.Contains(frame[n:strings.IndexByte(frame[n:], '\n')+n], "tally")
	})
}
