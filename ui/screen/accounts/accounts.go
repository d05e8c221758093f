// Package accounts is the screen that lists the open table's accounts, each value next to its
// lock. Without a layout for accounts, it lists the table's raw items. Package reading decides
// what is read, and when. The screen sends messages to the program. Start reading at Screen,
// and at Commands for its actions.
package accounts

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/dialog/save"
	"tallylock/ui/items"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/reading"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Tab is the tab of accounts.
var Tab = &session.Tab{Name: "accounts", Action: keymap.Accounts, Table: true, Lists: true}

// Screen shows accounts next to their locks.
type Screen struct{ shown }

// New returns the screen. It lists the rows of a Reading.
func New(s *session.Session, reading *reading.Reading) *Screen {
	a := &Screen{shown{Session: s, reading: reading, items: kit.Table[items.Row]{Columns: items.Columns}}}
	a.Narrowing = reading.ShowOn(&a.shown, Tab.Name, &a.list, task.Filtering)
	return a
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	c := screen.Content{List: &s.list, Rows: s.rows(), Depth: 4, Old: s.reading.Old(), Blurred: s.Typing()}
	c.Top = s.Heading(s.Session, "letters of an account, a value or a lock")
	rel := s.selected()
	c.Cover = reading.Coverage(&s.Narrowing, s.list.Number(), c.Rows.Len(), s.order.name())
	c.Beside = func(d *kit.Block) { s.detail(d, rel, true) }
	c.Beneath = func(d *kit.Block) { s.detail(d, rel, false) }
	c.Hints = reading.Hints(&s.Narrowing, c.Rows.Len(), s.Commands)
	if s.reading.Raw() {
		c.Above = s.whyItems
		c.Heads = s.items.Heads
	} else {
		c.Heads = s.table.Heads
	}
	reading.Instead(&s.Narrowing, &c, c.Rows.Len())
	return c
}

// detail draws the selected row: rel, or a raw item.
func (s *Screen) detail(d *kit.Block, rel *verdict.Relation, wide bool) {
	row, isItem := s.item()
	switch {
	case reading.Awaiting(s.reading, d):
	case s.list.Lost:
		s.list.Gone(d)
	case rel != nil && wide:
		relation.DrawBeside(d, s.reading.Layout(), rel)
		s.youCan(d)
	case rel != nil:
		relation.DrawBelow(d, rel, s.reading.View().ReadAt)
	case isItem && wide:
		d.Head(1, "ITEM")
		relation.Item(d, row.Item, row.Key, nil)
		d.Gap()
		s.youCan(d)
	case isItem:
		d.Fact("item", kit.Text.Of(row.Key.String()))
		d.Fact("has", kit.Text.Of(phrase.Count(len(row.Item), "attribute")),
			kit.Muted.Of(", "+phrase.Count(row.Item.Size(), "byte")))
	}
}

// Show implements screen.Targeted.
func (s *Screen) Show(target any) (fits, found bool) {
	m, fits := target.(screen.Account)
	return fits, fits && s.show(m.Relation)
}

// show selects the row of a relation's account, or of the account that its lock names. It reports whether
// the relation has such an account.
func (s *Screen) show(r *verdict.Relation) bool {
	who := r.Account
	if who == nil {
		who = r.OwnerAccount
	}
	if who == nil {
		return false
	}
	s.Widen()
	rows, _ := s.rows().(relationList)
	for n, row := range rows.rows {
		if row.Relation == r || (row.Relation.Account != nil && row.Relation.Account.Key.Equal(who.Key)) {
			s.list.Put(n)
			if row.Relation == r || row.Relation.Lock.Key.Equal(r.Lock.Key) {
				break
			}
			if r.Account == nil {
				break
			}
		}
	}
	return true
}

// shown is the list of the table's rows: its order, its columns and its cursor.
type shown struct {
	*session.Session
	reading.Narrowing
	reading *reading.Reading
	list    kit.List
	order   order
	table   kit.Table[line]
	name    int // the width of the constraint's name that table was made for
	items   kit.Table[items.Row]
}

// Arrange implements reading.Lister.
func (s *shown) Arrange() func(*browse.View, bool) reading.Arranged {
	by := s.order
	return func(v *browse.View, _ bool) reading.Arranged {
		all, problems := listed{values: rowsOf(v.Relations, false, by)}, listed{values: rowsOf(v.Relations, true, by)}
		if len(v.Relations) == 0 && len(v.Locks) == 0 {
			all.items = items.Rows(v.Items, v.Schema)
			problems.items = all.items
		}
		return reading.Arranged{All: all, Problems: problems}
	}
}

// Reset implements reading.Lister.
func (s *shown) Reset() {
	s.list, s.order = kit.List{}, asRead
	s.Widen()
}

// List implements reading.Lister.
func (s *shown) List() (kit.List, kit.Source) { return s.list, s.rows() }

// Hold implements reading.Lister. If the list shows raw items before the reading and values after
// it, the cursor moves from the item to its values.
func (s *shown) Hold() func() {
	item, raw := s.item()
	s.list.Hold(s.rows())
	return func() {
		if raw && !s.reading.Raw() {
			s.toItem(item.Key)
		}
		s.list.Follow(s.rows())
	}
}

// Info implements screen.Tab.
func (s *Screen) Info() *session.Tab { return Tab }

// WhyNot implements screen.Tab. This tab can be shown before the table is open, with the first rows.
func (s *Screen) WhyNot() string {
	if s.reading.Unjudged() {
		return ""
	}
	return s.Narrowing.WhyNot()
}

// Receive implements screen.Tab. After a change, the cursor follows the changed value.
func (s *Screen) Receive(event any) tea.Cmd {
	if m, ok := event.(message.Changed); ok {
		relation.Follow(&s.list, s.Table, s.selected(), m.Made)
	}
	return nil
}

// listed returns the rows that pass the filter.
func (s *shown) listed() listed {
	rows, _ := s.Rows().(listed)
	return rows
}

// rows returns the relations to list, or the raw items of a table without
// accounts.
func (s *shown) rows() kit.Source {
	if name := nameWidth(s.reading.Layout()); s.name != name {
		s.name, s.table = name, kit.Table[line]{Columns: columnsOf(name)}
	}
	if !s.reading.Begun() {
		return relationList{}
	}
	if s.reading.Raw() {
		return items.List{Rows: s.listed().items, Table: &s.items}
	}
	return relationList{rows: s.listed().values, table: &s.table, marks: &s.Marks}
}

func (s *shown) selected() *verdict.Relation {
	if s.list.Lost {
		return nil
	}
	if rows, ok := s.rows().(relationList); ok {
		return rows.Relation(s.list.Cursor)
	}
	return nil
}

func (s *shown) item() (items.Row, bool) {
	if rows, ok := s.rows().(items.List); ok && !s.list.Lost && s.list.Cursor < len(rows.Rows) {
		return rows.Rows[s.list.Cursor], true
	}
	return items.Row{}, false
}

// saving returns the command that saves the listed rows to a file: values with their locks, or raw items.
func (s *Screen) saving() screen.Command {
	if s.reading.Raw() {
		return screen.Command{
			Action: keymap.Save, Full: "save the list to a file", Why: func() string {
				if len(s.listed().items) == 0 {
					return "there is nothing to save"
				}
				return s.WhyPart()
			},
			Run: func() tea.Cmd {
				table := s.Table
				of := func() string { return " of " + table.Name + s.reading.SoFar() }
				return save.Ask(s.Session, items.ToSave(table, of, func() []items.Row { return s.listed().items }))
			},
		}
	}
	return relation.SaveCommand(s.Session, relation.Shown{
		Noun: "value", Count: func() int { return s.rows().Len() }, SoFar: s.reading.SoFar, WhyPart: s.WhyPart,
		Rows: func() []*verdict.Relation {
			shown, _ := s.rows().(relationList)
			out := make([]*verdict.Relation, len(shown.rows))
			for n, row := range shown.rows {
				out[n] = row.Relation
			}
			return out
		},
	})
}

// toItem moves the cursor from a raw item to the first value of the item, or to the value that
// the item locks. If the cursor was on the first row, it stays there. If the list has no such
// value, no row is selected.
func (s *shown) toItem(key attr.Key) {
	before := s.list.Cursor
	if before == 0 {
		s.list.Put(0)
		return
	}
	rows, _ := s.rows().(relationList)
	at := slices.IndexFunc(rows.rows, func(row row) bool {
		return row.Relation.Account != nil && row.Relation.Account.Key.Equal(key) || row.Relation.Lock.Key.Equal(key)
	})
	if at >= 0 {
		s.list.Put(at)
		return
	}
	s.list.Put(before)
	s.list.Lost, s.list.At = true, before
}

// whyItems says why the list shows raw items, and what to do.
func (s *Screen) whyItems(d *kit.Block) {
	t := s.Table
	if t == nil {
		d.Para(1, kit.Text, "These are the table's first items, as they are: "+s.reading.Awaits()+".")
		d.Gap()
		return
	}
	if t.Layout.Empty() && t.Sample.Unread() {
		why, do := t.Connection().WhyUnread()
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"},
			"Nothing was read to recognise the layout by, since "+why+".")
		d.Para(14, kit.Text, "Name one with --layout, describe it under [[layout]] in the config, or "+do+".")
		d.Gap()
		return
	}
	if t.Layout.Empty() {
		if leases := t.Sample.Leases(); leases != "" {
			d.Verdict(kit.Sign{Glyph: "●", Style: kit.Text, Word: "leases"},
				"This table keeps "+leases+": they come and go, and keep no value unique. They are shown as they are.")
			d.Gap()
			return
		}
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"},
			"No layout was recognised in this table: its items are shown as they are.")
		d.Para(14, kit.Text, s.Keys.Key(keymap.Layout)+" shows what was found, and can take it over.")
		d.Gap()
		return
	}
	d.Para(1, kit.Text,
		"This table keeps counters, no accounts: press "+s.Keys.Key(keymap.Counters)+". These are its items, as they are.")
	d.Gap()
}
