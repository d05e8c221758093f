// Package values is the screen that lists the values of the open table's accounts with their locks. It is two tabs:
// accounts lists values under their account, and locks lists locks under the prefix of their keys. Without a layout for
// accounts, the tab of accounts lists the table's raw items. Package reading decides what is read, and when. Start
// reading at Screen; accounts.go and locks.go have the differences between the tabs.
package values

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/verdict"
	"tallylock/ui/items"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/reading"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen lists values with their locks, in one of two arrangements.
type Screen struct {
	*session.Session
	reading.Narrowing
	arrangement

	reading *reading.Reading
	list    kit.List
	table   kit.Table[line]
	fits    widths          // the widths that table was made for
	order   order           // the order of the accounts
	folded  map[string]bool // the prefixes of the groups of locks that are folded
	items   items.Table
}

// arrangement has the differences between the tabs of accounts and of locks.
type arrangement struct {
	tab     *session.Tab
	noun    string // the word for a row in a saved list
	letters string // the placeholder of the filter's field
	columns func(w widths) []kit.Column[line]
	// groups returns the rows in the tab's order. It runs on another goroutine.
	groups func(v *browse.View, sorted bool, by order) []group
	name   func(g group, r *verdict.Relation) string // identifies a row; see kit.List
}

// NewAccounts returns the screen of accounts. It lists the rows of a Reading.
func NewAccounts(s *session.Session, r *reading.Reading) *Screen {
	return newScreen(s, r, accounts, task.Filtering)
}

// NewLocks returns the screen of locks. It lists the rows of a Reading.
func NewLocks(s *session.Session, r *reading.Reading) *Screen {
	return newScreen(s, r, locks, task.FilteringLocks)
}

func newScreen(s *session.Session, r *reading.Reading, by arrangement, filters task.Kind) *Screen {
	v := &Screen{Session: s, arrangement: by, reading: r}
	v.Narrowing = r.ShowOn(v, by.tab.Name, &v.list, filters)
	v.Reset()
	return v
}

// ofLocks reports whether this is the tab of locks.
func (s *Screen) ofLocks() bool { return s.tab == Locks }

// Info implements screen.Tab.
func (s *Screen) Info() *session.Tab { return s.tab }

// WhyNot implements screen.Tab. Accounts can be shown before the table is open, with the first rows.
func (s *Screen) WhyNot() string {
	if s.Table != nil || s.reading.Unjudged() && !s.ofLocks() {
		return ""
	}
	return s.reading.NoTable()
}

// Enter implements screen.Tab. It reads the table again if a change was made since the last reading, unless the session
// is at its limit of read units.
func (s *Screen) Enter() tea.Cmd {
	if s.reading.Outdated && !s.Connection().UnitsSpent() {
		return s.reading.Reread()
	}
	return nil
}

// Leave implements screen.Tab. The reading goes on.
func (s *Screen) Leave() {}

// Back implements screen.Tab. It takes back the chosen example, then the examples, then the marks. Otherwise it lists
// all rows of both tabs again.
func (s *Screen) Back() (cmd tea.Cmd, used bool) {
	switch chosen := s.Examples.Chosen; {
	case chosen != nil:
		s.Examples.Chosen, s.Examples.Refused = nil, ""
		return nil, true
	case s.Examples.On:
		s.Examples = session.Examples{}
		return s.Renew(), true
	}
	if len(s.Marks.Order) > 0 {
		s.Marks.Clear()
		return nil, true
	}
	return s.reading.ShowAll()
}

// Badge implements screen.Tab.
func (s *Screen) Badge() (int, bool) { return 0, false }

// Receive implements screen.Tab. After a change, the cursor follows the changed value.
func (s *Screen) Receive(event any) tea.Cmd {
	if m, ok := event.(message.Changed); ok {
		follow(&s.list, s.values(), s.Table, s.selected(), m.Made)
	}
	return nil
}

// Reset implements reading.Lister.
func (s *Screen) Reset() {
	s.list, s.order, s.folded = kit.List{}, asRead, map[string]bool{}
	s.Widen()
}

// List implements reading.Lister.
func (s *Screen) List() (kit.List, kit.Source) { return s.list, s.rows() }

// Hold implements reading.Lister. If the list shows raw items before the reading and values after
// it, the cursor moves from the item to its values.
func (s *Screen) Hold() func() {
	raw := s.raw()
	item, _ := s.item()
	s.list.Hold(s.rows())
	return func() {
		switch {
		case raw && !s.raw():
			s.toItem(item.Key)
		case !raw && s.raw():
			s.list.Put(0)
		}
		s.list.Follow(s.rows())
	}
}

// toItem moves the cursor from a raw item to the first value of the item, or to the value that
// the item locks. If the cursor was on the first row, it stays there. If the list has no such
// value, no row is selected.
func (s *Screen) toItem(key attr.Key) {
	before := s.list.Cursor
	if before == 0 {
		s.list.Put(0)
		return
	}
	at := slices.IndexFunc(s.all(), func(r *verdict.Relation) bool {
		return r.Account != nil && r.Account.Key.Equal(key) || r.Lock.Key.Equal(key)
	})
	if at >= 0 {
		s.list.Put(at)
		return
	}
	s.list.Put(before)
	s.list.Lost, s.list.At = true, before
}

// Show implements screen.Targeted.
func (s *Screen) Show(target any) (fits, found bool) {
	switch m := target.(type) {
	case screen.Account:
		return !s.ofLocks(), !s.ofLocks() && s.showAccount(m.Relation)
	case screen.Lock:
		return s.ofLocks(), s.ofLocks() && s.showLock(m.Relation)
	}
	return false, false
}

// showAccount selects the row of a relation's account, or of the account that its lock names. It reports
// whether the relation has such an account.
func (s *Screen) showAccount(r *verdict.Relation) bool {
	who := accountOf(r)
	if who == nil {
		return false
	}
	s.Widen()
	for n, row := range s.all() {
		if row != r && (row.Account == nil || !row.Account.Key.Equal(who.Key)) {
			continue
		}
		s.list.Put(n)
		if row == r || row.Lock.Key.Equal(r.Lock.Key) || r.Account == nil {
			break
		}
	}
	return true
}

// showLock selects the lock of a relation. It reports whether that lock was read.
func (s *Screen) showLock(of *verdict.Relation) bool {
	s.Widen()
	if of.Lock.Key.Hash.Name == "" {
		return false
	}
	for n, g := range s.values().All {
		for i, r := range g.relations {
			if r.Lock.Table == of.Lock.Table && r.Lock.Key.Equal(of.Lock.Key) {
				s.folded[g.prefix] = false
				s.list.Put(s.values().Line(n, i))
				return true
			}
		}
	}
	return false
}

// About implements screen.Screen.
func (s *Screen) About() string {
	if r := s.selected(); r != nil {
		return s.tab.Name + ", " + say.Relation(r)
	}
	return s.tab.Name
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	rows := s.rows()
	at, of := s.list.Number(), rows.Len()
	if l, ok := rows.(list); ok {
		at, of = l.Number(s.list.Cursor)
	}
	if s.list.Lost {
		at = 0
	}
	c := screen.Content{List: &s.list, Rows: rows, Depth: 4, Old: s.reading.Old()}
	c.Cover = reading.Coverage(&s.Narrowing, at, of, s.order.name())
	c.Heads = s.table.Heads
	if s.raw() {
		c.Intro, c.Heads = s.whyItems, s.items.Heads
	}
	c.DetailSide = func(d *kit.Block) { s.detail(d, true) }
	c.DetailBelow = func(d *kit.Block) { s.detail(d, false) }
	c.Hints = reading.Hints(&s.Narrowing, rows.Len(), s.Commands)
	s.Filter.Show(s.Session, &c, s.letters)
	reading.EmptyState(&s.Narrowing, &c, of)
	return c
}
