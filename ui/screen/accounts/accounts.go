// Package accounts is the screen of the open table's accounts, next to their locks; where no
// layout tells what an account is, of the table's items as they are. What is read and when is
// package browse's. It speaks to the program in messages; start reading at Screen, and at
// Commands for what can be done.
package accounts

import (
	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/browse"
	"tallylock/ui/items"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen shows accounts next to their locks.
type Screen struct{ shown }

// New is the screen of what is read.
func New(s *session.Session, reading *browse.Reading) *Screen {
	a := &Screen{shown{Session: s, reading: reading, items: kit.Table[items.Row]{Columns: items.Columns}}}
	a.Narrowing = reading.ShowOn(&a.shown, &a.list, task.Filtering)
	return a
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	c := screen.Content{List: &s.list, Rows: s.rows(), Depth: 4, Old: s.reading.Old(), Blurred: s.Typing()}
	c.Top = s.Heading(s.Session, "letters of an account, a value or a lock")
	rel := s.selected()
	c.Cover = browse.Coverage(&s.Narrowing, s.list.Number(), c.Rows.Len(), s.order.name())
	c.Beside = func(d *kit.Block) { s.detail(d, rel, true) }
	c.Beneath = func(d *kit.Block) { s.detail(d, rel, false) }
	c.Hints = browse.Hints(&s.Narrowing, c.Rows.Len(), s.Commands)
	if s.reading.Raw() {
		c.Above = s.whyItems
		c.Heads = s.items.Heads
	} else {
		c.Heads = s.table.Heads
	}
	browse.Instead(&s.Narrowing, &c, c.Rows.Len())
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
