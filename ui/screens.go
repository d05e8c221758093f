package ui

import (
	"slices"

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

	tabs    []screen.Tab
	layout  *layout.Screen
	stack   []screen.Screen // the screens that were opened on top of the tab
	crossed screen.Tab      // the tab that esc goes back to from an account or a lock that was shown; nil for none
	trail   []visited       // the tables and connections that esc goes back to, the last one last

	dialog dialog.Dialog
	pane   pane
}

func newScreens(s *session.Session) *screens {
	all := &screens{Session: s, browse: reading.New(s)}
	found := findings.New(s, all.browse)
	all.tabs = []screen.Tab{
		accounts.New(s, all.browse),
		locks.New(s, all.browse),
		counters.New(s, found.Last),
		found,
		journal.New(s),
	}
	s.Tab = all.tabs[0].Info()
	all.layout = layout.New(s)
	return all
}

// place is what the header calls the place that is looked at.
func (s *screens) place() string {
	at := s.ownTable()
	switch {
	case at != "":
		return at
	case s.Tab.Place != "" && len(s.stack) == 0:
		return s.Tab.Place
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
	return s.tab()
}

// tab returns the tab that is shown, or that lies below other screens.
func (s *screens) tab() screen.Tab { return s.tabOf(s.Tab) }

func (s *screens) tabOf(info *session.Tab) screen.Tab {
	return s.tabs[slices.IndexFunc(s.tabs, func(t screen.Tab) bool { return t.Info() == info })]
}

// shownTab returns the tab if no screen covers it; nil otherwise.
func (s *screens) shownTab() screen.Tab {
	if len(s.stack) > 0 {
		return nil
	}
	return s.tab()
}

// tell sends an event to all tabs.
func (s *screens) tell(event any) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.tabs {
		cmds = append(cmds, t.Receive(event))
	}
	return tea.Batch(cmds...)
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
func (s *screens) nothingBeneath() bool { return s.Table == nil && s.Wanted == "" && s.Tab.Lists }

// badge returns the count behind a tab's name, in brackets. A question mark says that a change was made since.
func badge(t screen.Tab) string {
	n, older := t.Badge()
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
	if s.Offline == nil || len(s.stack) > 0 {
		return false
	}
	online, ok := s.tab().(screen.Online)
	return s.Tab.Lists || ok && online.ShowsOutage()
}

// waiting reports whether anything on the screen moves.
func (s *screens) waiting() bool {
	if t, ok := s.tab().(screen.Waiting); s.Offline != nil || ok && t.Waits() {
		return true
	}
	for k := range task.Kinds {
		if _, busy := s.Tasks.Since(k); busy && !s.calm(k) {
			return true
		}
	}
	return false
}

// calm reports whether a tab says that a running task needs no animation.
func (s *screens) calm(k task.Kind) bool {
	return slices.ContainsFunc(s.tabs, func(t screen.Tab) bool {
		w, ok := t.(screen.Waiting)
		return ok && w.Calm(k, t == s.shownTab())
	})
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
	list, _ := s.tab().(reading.Lister)
	return s.browse.ReadAhead(list, len(s.stack) > 0, moved)
}
