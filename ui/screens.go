package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/reading"
	"tallylock/ui/screen"
	"tallylock/ui/screen/adopt"
	"tallylock/ui/screen/counters"
	"tallylock/ui/screen/find"
	"tallylock/ui/screen/findings"
	"tallylock/ui/screen/item"
	"tallylock/ui/screen/journal"
	"tallylock/ui/screen/layout"
	"tallylock/ui/screen/query"
	"tallylock/ui/screen/queue"
	"tallylock/ui/screen/tables"
	"tallylock/ui/screen/values"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// screens holds all tabs, the screens on top of the current tab, and the dialog over them. The
// screens hold their own state.
type screens struct {
	*session.Session

	browse *reading.Reading

	tabs     []screen.Tab
	openers  []screen.Opener // open the screens on top of a tab
	stack    []screen.Screen // the screens on top of the tab, the top one last
	tables   screen.Screen   // the last opened screen where a person chooses a table or types a command
	choices  int             // how often the choice of tables was opened
	profiles []string        // the names of the AWS profiles, once they are read
	refused  *awsRefusal     // the AWS profile or Region that could not be used last; nil for none
	history  []place         // the places that esc goes back to, the latest last

	dialog dialog.Dialog
	pane   pane
}

func newScreens(s *session.Session, p reading.Program) *screens {
	all := &screens{Session: s, browse: reading.New(s, p)}
	known := &all.browse.Known // the part of the reading that screens show, but cannot change
	found := findings.New(s, known)
	all.tabs = []screen.Tab{
		values.NewAccounts(s, all.browse),
		values.NewLocks(s, all.browse),
		counters.New(s, found.Last),
		found,
		journal.New(s),
	}
	if s.Options.Guest != nil {
		all.tabs = append(all.tabs, queue.New(s))
	}
	s.Tab = all.tabs[0].Info()
	all.openers = []screen.Opener{
		find.Opener(s, known),
		layout.Opener(s, known),
		item.Opener(s, known),
		query.Opener(s, known),
		adopt.Opener(s, known),
		tables.Opener(s),
	}
	return all
}

// place returns the last part of the header's path: the name of a table, or another name from the tab.
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

// ownTable returns the table that the screen on top names as its own; empty for a screen about the open table.
func (s *screens) ownTable() string {
	if p, ok := s.top().(screen.Placed); ok {
		return p.TableName()
	}
	return ""
}

// top returns the screen on top: the last one of the stack, or the tab.
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

// unstack closes all screens on top of the tab, and drops their tasks.
func (s *screens) unstack() {
	for _, k := range []task.Kind{task.Finding, task.FindingSeveral, task.Fetching, task.Querying, task.Adopting} {
		s.Tasks.Drop(k)
	}
	s.stack, s.pane, s.history = nil, pane{}, s.pastTables()
}

// unaccepted warns that an action would drop unsaved input of a screen on top of the tab. It warns once. It
// returns nil after that, or if there is no unsaved input.
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

// typing returns the screen on top if its field has the cursor.
func (s *screens) typing() (screen.TextInput, bool) {
	t, ok := s.top().(screen.TextInput)
	return t, ok && t.Typing()
}

// nothingBeneath reports whether no screen lies beneath the choice of tables: the tab lists a table's rows,
// but no table is open or requested.
func (s *screens) nothingBeneath() bool { return s.Table == nil && s.Wanted == "" && s.Tab.Lists }

// badge returns the count behind a tab's name, in brackets. A question mark says that a change was made
// after the count.
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

// showsOutage reports whether the tab on the screen shows an outage. Keys that open or reload then
// only start the next try.
func (s *screens) showsOutage() bool {
	if s.Offline == nil || len(s.stack) > 0 {
		return false
	}
	online, ok := s.tab().(screen.Online)
	return s.Tab.Lists || ok && online.ShowsOutage()
}

// waiting reports whether the screen shows an animation.
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

// calm reports whether the screen needs no animation for a running task. A tab decides this.
func (s *screens) calm(k task.Kind) bool {
	return slices.ContainsFunc(s.tabs, func(t screen.Tab) bool {
		w, ok := t.(screen.Waiting)
		return ok && w.Calm(k, t == s.shownTab())
	})
}

// moved reads the data for the row to which a person has moved the cursor.
func (s *screens) moved() tea.Cmd {
	if f, ok := s.top().(screen.Follower); ok {
		return tea.Batch(f.Follow(), s.readAhead(true))
	}
	return s.readAhead(true)
}

// readAhead starts the next automatic step of the reading, if there is one. moved is true if a person has moved
// the cursor.
func (s *screens) readAhead(moved bool) tea.Cmd {
	list, _ := s.tab().(reading.Lister)
	return s.browse.ReadAhead(list, len(s.stack) > 0, moved)
}
