package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/reading"
	"tallylock/ui/screen"
	"tallylock/ui/screen/accounts"
	"tallylock/ui/screen/counters"
	"tallylock/ui/screen/findings"
	"tallylock/ui/screen/journal"
	"tallylock/ui/screen/layout"
	"tallylock/ui/screen/locks"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// screens are what can be looked at, and what of it is: a tab, what was opened on top of it,
// and a dialog over that. The screens hold their own state.
type screens struct {
	*session.Session

	browse *reading.Reading

	accounts *accounts.Screen
	locks    *locks.Screen
	counters *counters.Screen
	findings *findings.Screen
	journal  *journal.Screen
	layout   *layout.Screen
	stack    []screen.Screen // what was opened on top of the tabs
	crossed  *session.Tab    // where esc goes back to from the other side; nil: nobody went there
	trail    []visited       // where esc goes back to from other tables and connections, the last one last

	dialog dialog.Dialog
	pane   pane
}

func newScreens(s *session.Session) *screens {
	all := &screens{Session: s, browse: reading.New(s)}
	all.accounts = accounts.New(s, all.browse)
	all.locks = locks.New(s, all.browse)
	all.findings = findings.New(s, all.browse.Unreadable, func() int { return all.browse.Counts().Sure() })
	all.counters = counters.New(s, all.findings.Last)
	all.journal = journal.New(s)
	all.layout = layout.New(s)
	return all
}

// place is what the header calls the place that is looked at.
func (s *screens) place() string {
	at := s.ownTable()
	switch {
	case at != "":
		return at
	case s.Tab == session.CountersTab && len(s.stack) == 0:
		return "all tables"
	case s.Table != nil:
		return s.Table.Name
	case s.Wanted != "" && len(s.stack) == 0:
		return s.Wanted
	}
	return "tables"
}

// ownTable is the table of a screen that is about its own; empty for others.
func (s *screens) ownTable() string {
	if p, ok := s.top().(screen.Placed); ok {
		return p.TableName()
	}
	return ""
}

// top is the screen that is looked at.
func (s *screens) top() screen.Screen {
	if n := len(s.stack); n > 0 {
		return s.stack[n-1]
	}
	return s.tabScreen()
}

func (s *screens) tabScreen() screen.Screen {
	switch s.Tab {
	case session.LocksTab:
		return s.locks
	case session.CountersTab:
		return s.counters
	case session.FindingsTab:
		return s.findings
	case session.JournalTab:
		return s.journal
	}
	return s.accounts
}

func (s *screens) push(on screen.Screen) { s.stack, s.pane = append(s.stack, on), pane{} }

// unstack closes all that was opened on top of the tabs, and what was asked for it.
func (s *screens) unstack() {
	for _, k := range []task.Kind{task.Finding, task.Fetching, task.Querying} {
		s.Tasks.Drop(k)
	}
	s.stack, s.pane, s.crossed = nil, pane{}, nil
}

// unaccepted says, once, what an action would drop of the screens on top; nil where it may.
func (s *screens) unaccepted(by keymap.Action) tea.Cmd {
	for n, on := range s.stack {
		if k, ok := on.(screen.Unsaved); ok {
			if ask := k.Leaving(n == len(s.stack)-1, by); ask != nil {
				return ask
			}
		}
	}
	return nil
}

// typing is the screen whose field has the cursor, if any.
func (s *screens) typing() (screen.TextInput, bool) {
	t, ok := s.top().(screen.TextInput)
	return t, ok && t.Typing()
}

// noTable says why there is no table; empty if one is open.
func (s *screens) noTable() string {
	if s.Table != nil {
		return ""
	}
	return s.browse.NoTable()
}

// whyFind says why no value can be asked for; empty where it can.
func (s *screens) whyFind() string {
	switch {
	case s.Table == nil:
		return s.noTable()
	case s.Table.Sample.Vacant():
		return "this table is empty: there is nothing to find"
	case len(s.Table.Layout.Accounts) == 0:
		return "no layout tells what accounts look like here"
	}
	return ""
}

// nothingBeneath reports whether there is nothing to go back to from the choice of a table.
func (s *screens) nothingBeneath() bool { return s.Table == nil && s.Wanted == "" && s.Tab.Browses() }

// tabCount is what a tab's name ends in: how many problems are confirmed, by a check or, until
// one has read the whole table, by reading what is listed; how many changes are open. A count
// of before a change asks.
func (s *screens) tabCount(t session.Tab) string {
	n, older := 0, false
	switch t {
	case session.FindingsTab:
		n, older = s.findings.Confirmed()
		if listed, before := s.browse.Sure(); listed > n && !s.findings.Checked() {
			n, older = listed, before
		}
	case session.JournalTab:
		n = s.journal.Open()
	}
	if n == 0 {
		return ""
	}
	if older {
		return " (" + phrase.Number(n) + "?)"
	}
	return " (" + phrase.Number(n) + ")"
}

// showsOutage reports whether an outage is what the screen is about: there is nothing but the
// next try to ask for.
func (s *screens) showsOutage() bool {
	return s.Offline != nil && len(s.stack) == 0 &&
		(s.Tab.Browses() || s.Tab == session.CountersTab && !s.counters.Everywhere())
}

// waiting reports whether anything on the screen moves.
func (s *screens) waiting() bool {
	if s.Offline != nil || s.Tab == session.CountersTab && s.counters.Begins() {
		return true
	}
	for e := range task.Kinds {
		if _, silent := s.counters.Silence(); e == task.Polling && !s.counters.Empty() && !silent {
			continue // the figures themselves show that it lives
		}
		if e == task.Checking && s.top() != s.findings {
			continue
		}
		if _, busy := s.Tasks.Since(e); busy {
			return true
		}
	}
	return false
}

// readAhead goes on with the reading, where it should go on by itself.
func (s *screens) readAhead() tea.Cmd { return s.readFor(false) }

// readFor goes on with the reading; moved: for somebody who moved the cursor.
func (s *screens) readFor(moved bool) tea.Cmd {
	if f, ok := s.top().(screen.Follower); ok {
		return tea.Batch(f.Follow(), s.readOnAhead(moved))
	}
	return s.readOnAhead(moved)
}

func (s *screens) readOnAhead(moved bool) tea.Cmd {
	list, _ := s.tabScreen().(reading.Lister)
	ahead := s.browse.ReadAhead(list, len(s.stack) > 0, moved)
	if s.Tab == session.JournalTab && len(s.stack) == 0 {
		return tea.Batch(s.journal.Load(), ahead)
	}
	return ahead
}
