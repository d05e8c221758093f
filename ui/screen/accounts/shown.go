package accounts

import (
	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/ui/browse"
	"tallylock/ui/items"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/session"
)

// shown is what is listed of the table, in an order, and the cursor in it.
type shown struct {
	*session.Session
	browse.Narrowing
	reading *browse.Reading
	list    kit.List
	order   order
	table   kit.Table[line]
	name    int // that its columns are for
	items   kit.Table[items.Row]
}

// Arrange implements browse.Lister.
func (s *shown) Arrange() func(*dynamo.View, bool) browse.Arranged {
	by := s.order
	return func(v *dynamo.View, _ bool) browse.Arranged {
		all, problems := listed{values: rowsOf(v.Relations, false, by)}, listed{values: rowsOf(v.Relations, true, by)}
		if len(v.Relations) == 0 && len(v.Locks) == 0 {
			all.items = items.Rows(v.Items, v.Schema)
			problems.items = all.items
		}
		return browse.Arranged{All: all, Problems: problems}
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

// Changed has the cursor stay with a value that was changed from here.
func (s *shown) Changed(made []change.Receipt) {
	relation.Follow(&s.list, s.Table, s.selected(), made)
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

func (s *shown) selected() *dynamo.Relation {
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
