// Package accounts is the screen of the open table's accounts, next to their locks; where no
// layout tells what an account is, of the table's items as they are. What is read and when is
// package browse's. It speaks to the program in messages; start reading at Screen, and at
// Commands for what can be done.
package accounts

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/browse"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/safe"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen shows accounts next to their locks.
type Screen struct {
	*session.Session
	browse.Narrowing
	reading *browse.Reading
	list    kit.List
	table   kit.Table[line]
	name    int // that its columns are for
	items   kit.Table[browse.ItemRow]
}

// New is the screen of what is read.
func New(s *session.Session, reading *browse.Reading) *Screen {
	a := &Screen{Session: s, reading: reading, items: kit.Table[browse.ItemRow]{Columns: browse.ItemColumns}}
	a.Narrowing = browse.Narrow(reading, a, &a.list, task.Filtering)
	reading.ShowOn(a)
	return a
}

// Reset implements browse.Lister.
func (s *Screen) Reset() {
	s.list = kit.List{}
	s.Widen()
}

// List implements browse.Lister.
func (s *Screen) List() (kit.List, kit.Source) { return s.list, s.rows() }

// Hold implements browse.Lister. An item that was shown as it is may be shown as the values
// that it holds afterwards.
func (s *Screen) Hold() func() {
	item, raw := s.item()
	s.list.Hold(s.rows())
	return func() {
		if raw && !s.reading.Raw() {
			s.toItem(item.Key)
		}
		s.list.Follow(s.rows())
	}
}

// Keep implements browse.Lister.
func (s *Screen) Keep() func() bool {
	rel := s.selected()
	item, _ := s.item()
	return func() bool {
		at := slices.IndexFunc(s.Accounts(), func(row browse.AccountRow) bool { return rel != nil && isStill(row.Relation, rel) })
		if rel == nil {
			at = slices.IndexFunc(s.Items(), func(row browse.ItemRow) bool { return row.Key.Equal(item.Key) })
		}
		if at >= 0 {
			s.list.Put(at)
		}
		return at >= 0
	}
}

// rows are the relations to show, or the raw items of a table that keeps no
// accounts.
func (s *Screen) rows() kit.Source {
	if name := nameWidth(s.reading.Layout()); s.name != name {
		s.name, s.table = name, kit.Table[line]{Columns: columnsOf(name)}
	}
	if !s.reading.Begun() {
		return relationList{}
	}
	if s.reading.Raw() {
		return browse.ItemList{Rows: s.Items(), Table: &s.items}
	}
	return relationList{rows: s.Accounts(), table: &s.table, marks: &s.Marks}
}

// nameWidth is the room that the names of a layout's constraints need.
func nameWidth(l *layout.Layout) int {
	w := 8
	if l != nil {
		for _, c := range l.Rules() {
			w = max(w, min(kit.Width(safe.Text(c.Name)), 12))
		}
	}
	return w
}

func (s *Screen) selected() *dynamo.Relation {
	if s.list.Lost {
		return nil
	}
	if rows, ok := s.rows().(relationList); ok {
		return rows.Relation(s.list.Cursor)
	}
	return nil
}

func (s *Screen) item() (browse.ItemRow, bool) {
	if rows, ok := s.rows().(browse.ItemList); ok && !s.list.Lost && s.list.Cursor < len(rows.Rows) {
		return rows.Rows[s.list.Cursor], true
	}
	return browse.ItemRow{}, false
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	c := screen.Content{List: &s.list, Rows: s.rows(), Depth: 4, Old: s.reading.Old(), Blurred: s.Typing()}
	c.Top = s.Heading(s.Session, keymap.Filter, "letters of an account, a value or a lock")
	rel := s.selected()
	c.Cover = s.reading.Coverage(s.list.Number(), c.Rows.Len(), &s.Narrowing)
	c.Beside = func(d *kit.Block) { s.detail(d, rel, true) }
	c.Beneath = func(d *kit.Block) { s.detail(d, rel, false) }
	c.Hints = browse.Hints(s.reading, c.Rows.Len(), &s.Narrowing, s.Commands)
	if s.reading.Raw() {
		c.Above = func(d *kit.Block) { browse.NoAccounts(s.reading, d) }
		c.Heads = s.items.Heads
	} else {
		c.Heads = s.table.Heads
	}
	browse.Instead(s.reading, &c, &s.Narrowing, c.Rows.Len())
	return c
}

// detail shows what is selected.
func (s *Screen) detail(d *kit.Block, rel *dynamo.Relation, wide bool) {
	row, isItem := s.item()
	switch {
	case browse.Awaiting(s.reading, d):
	case s.list.Lost:
		s.list.Gone(d)
	case rel != nil && wide:
		relation.Beside(d, s.reading.Layout(), rel)
		s.youCan(d)
	case rel != nil:
		relation.Beneath(d, rel, s.reading.View().ReadAt)
	case isItem && wide:
		d.Head(1, "ITEM")
		relation.Item(d, row.Item, row.Key, nil)
		d.Gap()
		s.youCan(d)
	case isItem:
		d.Fact("item", kit.Text.Of(row.Key.String()))
		d.Fact("has", kit.Text.Of(phrase.Count(len(row.Item), "attribute")), kit.Muted.Of(", "+phrase.Count(row.Item.Size(), "byte")))
	}
}

// Show selects the account of a relation, or whom its lock names; it reports whether there is
// one.
func (s *Screen) Show(r *dynamo.Relation) bool {
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
