// Package accounts is the screen of the open table's accounts, next to their locks; where no
// layout tells what an account is, of the table's items as they are. What is read and when is
// package browse's. It speaks to the program in messages; start reading at Screen, and at
// Commands for what can be done.
package accounts

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
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

// New is the screen of what is read.
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

// detail shows what is selected.
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
	m, fits := target.(message.ShowAccount)
	return fits, fits && s.show(m.Relation)
}

// show selects the account of a relation, or the account that its lock names. It reports whether there is such
// an account.
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

// shown is what is listed of the table, in an order, and the cursor in it.
type shown struct {
	*session.Session
	reading.Narrowing
	reading *reading.Reading
	list    kit.List
	order   order
	table   kit.Table[line]
	name    int // that its columns are for
	items   kit.Table[items.Row]
}

// Arrange implements browse.Lister.
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

// Reset implements browse.Lister.
func (s *shown) Reset() {
	s.list, s.order = kit.List{}, asRead
	s.Widen()
}

// List implements browse.Lister.
func (s *shown) List() (kit.List, kit.Source) { return s.list, s.rows() }

// Hold implements browse.Lister. An item that was shown as it is may be shown as the values
// that it holds afterwards.
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

// WhyNot implements screen.Tab. The first rows are shown before the table is open.
func (s *Screen) WhyNot() string {
	if s.reading.Unjudged() {
		return ""
	}
	return s.Narrowing.WhyNot()
}

// Receive implements screen.Tab. The cursor follows a value that was changed.
func (s *Screen) Receive(event any) tea.Cmd {
	if m, ok := event.(message.Changed); ok {
		relation.Follow(&s.list, s.Table, s.selected(), m.Made)
	}
	return nil
}

// listed are the rows that are listed now.
func (s *shown) listed() listed {
	rows, _ := s.Rows().(listed)
	return rows
}

// rows are the relations to show, or the raw items of a table that keeps no
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

// saving saves what is listed: values with their locks, or items as they are.
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
				return s.Send(items.ToSave(table, of, func() []items.Row { return s.listed().items }))
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

// toItem puts the cursor on the values of an item that was shown as it is, or on the value
// that it locks; at the top, where nobody has moved it, it stays there. Where neither is shown
// nothing is selected.
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

// whyItems says why a table's items are shown as they are, and what to do.
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
