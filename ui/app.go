package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/browse"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/screen/accounts"
	"tallylock/ui/screen/counters"
	"tallylock/ui/screen/findings"
	"tallylock/ui/screen/journal"
	"tallylock/ui/screen/layout"
	"tallylock/ui/screen/locks"
	"tallylock/ui/screen/tables"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// app is the state of the program: which connection and table are open, what is
// looked at, and what is in flight. The screens hold their own.
type app struct {
	*session.Session
	grace time.Duration

	browse *browse.Reading

	accounts *accounts.Screen
	locks    *locks.Screen
	counters *counters.Screen
	findings *findings.Screen
	journal  *journal.Screen
	layout   *layout.Screen
	stack    []screen.Screen // what was opened on top of the tabs
	another  bool            // the table on its way is not the one that is looked at
	crossed  *session.Tab    // where esc goes back to from the other side; nil: nobody went there
	unlooked bool            // the open table's layout is to be looked at first, and was not

	dialog  dialog.Dialog
	buttons []kit.ButtonArea // of the dialog, as drawn
	list    area             // of the screen, as drawn
	hints   []kit.HintArea   // in the last line, as drawn
	clicked click            // the last one

	reading   reading
	watched   *watched // nil while no value is watched
	animating bool
	tip       bool // the line of what to try first has not been closed
}

func newApp(ctx context.Context, o session.Options) *app {
	a := &app{grace: 250 * time.Millisecond, tip: o.Tip}
	a.Session = session.New(ctx, o, func(m any) tea.Cmd { return a.receive(m) })
	a.browse = browse.New(a.Session)
	a.accounts = accounts.New(a.Session, a.browse)
	a.locks = locks.New(a.Session, a.browse)
	a.findings = findings.New(a.Session, a.browse.Unreadable)
	a.counters = counters.New(a.Session, a.findings.Last)
	a.journal = journal.New(a.Session)
	a.layout = layout.New(a.Session)
	return a
}

// begin is the first thing to do.
func (a *app) begin() tea.Cmd {
	if a.Options.Table == "" {
		return tea.Batch(a.journal.Recall(), a.showTables())
	}
	return tea.Batch(a.journal.Recall(), a.open(0, a.Options.Table))
}

// place is what the header calls the place that is looked at.
func (a *app) place() string {
	switch {
	case a.Tab == session.CountersTab && len(a.stack) == 0:
		return "all tables"
	case a.Table != nil:
		return a.Table.Name
	case a.Wanted != "" && len(a.stack) == 0:
		return a.Wanted
	}
	return "tables"
}

// top is the screen that is looked at.
func (a *app) top() screen.Screen {
	if n := len(a.stack); n > 0 {
		return a.stack[n-1]
	}
	return a.tabScreen()
}

func (a *app) tabScreen() screen.Screen {
	switch a.Tab {
	case session.LocksTab:
		return a.locks
	case session.CountersTab:
		return a.counters
	case session.FindingsTab:
		return a.findings
	case session.JournalTab:
		return a.journal
	}
	return a.accounts
}

func (a *app) push(s screen.Screen) { a.stack, a.reading = append(a.stack, s), reading{} }

// unaccepted says, once, what an action would drop of the screens on top; nil where it may.
func (a *app) unaccepted(by keymap.Action) tea.Cmd {
	for n, s := range a.stack {
		if k, ok := s.(screen.Keeper); ok {
			if ask := k.Leaving(n == len(a.stack)-1, by); ask != nil {
				return ask
			}
		}
	}
	return nil
}

// leave closes the screen on top.
func (a *app) leave() tea.Cmd {
	if len(a.stack) == 0 {
		return nil
	}
	top := a.top()
	k, keeps := top.(screen.Keeper)
	if keeps {
		if ask := k.Leaving(true, keymap.Back); ask != nil {
			return ask
		}
	}
	if _, picking := top.(*tables.Screen); picking && a.nothingBeneath() {
		return a.Say("There is nothing to go back to: choose a table, or press ctrl+c to quit.")
	}
	a.stack, a.reading = a.stack[:len(a.stack)-1], reading{}
	switch {
	case keeps:
		return k.Left()
	case a.another:
		return a.stay()
	}
	return a.lookFirst()
}

// switchTo goes to a tab.
func (a *app) switchTo(t session.Tab) tea.Cmd {
	if ask := a.unaccepted(keymap.Back); ask != nil {
		return ask
	}
	a.stack, a.reading, a.crossed = nil, reading{}, nil
	if a.Tab == t {
		return a.lookFirst()
	}
	a.Tab = t
	if t == session.CountersTab {
		return a.counters.Visit()
	}
	a.Tasks.Drop(task.Polling)
	switch t {
	case session.FindingsTab:
		return a.findings.Visit()
	case session.JournalTab:
		return a.journal.Recall()
	}
	if a.browse.Outdated && t.Browses() {
		return a.browse.Reread()
	}
	return tea.Batch(a.readAhead(), a.lookFirst())
}

// refresh reads again what is looked at, after it was changed.
func (a *app) refresh() tea.Cmd {
	if a.Tab == session.CountersTab && len(a.stack) == 0 {
		return a.counters.Poll()
	}
	var cmds []tea.Cmd
	if a.Tab == session.FindingsTab {
		a.browse.Outdated = true // read again when it is looked at
	} else if a.Table != nil {
		cmds = append(cmds, a.browse.Reread())
	}
	if s, ok := a.top().(screen.Refresher); ok {
		cmds = append(cmds, s.Refresh())
	}
	return tea.Batch(cmds...)
}

// why says why an action does nothing here; empty where it does something.
func (a *app) why(s screen.Screen, action keymap.Action) string {
	switch action {
	case keymap.Back, keymap.Quit, keymap.Help, keymap.Tables, keymap.Counters, keymap.Journal:
		return ""
	case keymap.Down, keymap.Up, keymap.First, keymap.Last, keymap.HalfPageDown, keymap.HalfPageUp, keymap.PageDown, keymap.PageUp:
		if c := s.Content(); c.Instead != nil || c.Rows == nil || c.Rows.Len() == 0 {
			return "there is nothing to move through"
		}
		return ""
	case keymap.Detail:
		return a.whyDetail(s.Content())
	case keymap.Layout:
		if s == a.layout {
			return "this is it"
		}
		fallthrough
	case keymap.Locks, keymap.Accounts, keymap.Findings:
		if a.Table == nil {
			return a.browse.NoTable()
		}
		return ""
	case keymap.Find:
		if a.looksThrough(s) {
			return s.Commands().Why(action)
		}
		return a.whyFind()
	case keymap.Accept:
		if s != a.layout {
			return "a layout is accepted, on its own screen"
		}
	case keymap.NextProblem, keymap.PreviousProblem:
		if _, ok := s.Content().Rows.(kit.Problems); !ok {
			return "there are no problems to step through"
		}
	}
	return s.Commands().Why(action)
}

// whyFind says why no value can be asked for; empty where it can.
func (a *app) whyFind() string {
	switch {
	case a.Table == nil:
		return a.browse.NoTable()
	case a.Table.Sample.Vacant():
		return "this table is empty: there is nothing to find"
	case len(a.Table.Layout.Accounts) == 0:
		return "no layout tells what accounts look like here"
	}
	return ""
}

// looksThrough reports whether a screen looks through what it lists, instead of asking
// the table.
func (a *app) looksThrough(s screen.Screen) bool {
	return s == a.journal || s == a.findings && len(s.Commands().Why(keymap.Find)) == 0
}

// tabDenied reports whether a missing permission keeps a tab from being read.
func (a *app) tabDenied(t session.Tab) bool {
	return t.Browses() && client.KindOf(a.browse.Unreadable()) == client.Denied
}
