package accounts

import (
	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/safe"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// relationList is the rows of the accounts screen as a list.
type relationList struct {
	rows  []row
	table *kit.Table[line]
	marks *session.Marks
}

func (s relationList) Len() int                   { return len(s.rows) }
func (s relationList) Row(n int) (int, int, bool) { return n, n, true }
func (s relationList) Name(n int) string          { return relationName(s.rows[n].Relation) }
func (s relationList) Problem(n int) bool         { return s.rows[n].Relation.Verdict.Broken() }
func (s relationList) Marked(n int) bool          { return s.marks.Has(s.rows[n].Relation) }

// line is a row as it is drawn.
type line struct {
	row
	selected bool // its account's id stands in it, too
}

// columnsOf are the list's columns: a column is a line here, and nothing elsewhere. A number of
// cells for the constraint's name is given. Room goes first to the account, since
// ids are told apart by all of their letters: a UUID and a short prefix are whole at 200 columns.
func columnsOf(name int) []kit.Column[line] {
	return []kit.Column[line]{
		{Head: "ACCOUNT", Cells: 11, Max: 41, Grow: 100, Draw: drawAccount},
		{Cells: 1, Draw: func(l *kit.Line, row line, _ int) { l.Put(kit.Faint, row.tree) }},
		{
			Head:  "VALUE",
			Cells: name,
			Draw:  func(l *kit.Line, row line, w int) { l.Fit(kit.Muted, row.Relation.Constraint.Name, w) },
		},
		{Cells: 37, Min: 15, Grow: 1, Draw: drawValue},
		{
			Head:  "LOCK",
			Cells: 27,
			Min:   13,
			Max:   60,
			Grow:  2,
			Spare: 1,
			Draw:  func(l *kit.Line, row line, w int) { relation.LockKey(l, row.Relation, w) },
		},
		{Head: "VERDICT", Cells: 12, Draw: func(l *kit.Line, row line, _ int) {
			words.Verdict(row.Relation.Verdict, row.Relation.Provisional).Draw(l)
		}},
	}
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

func (s relationList) Draw(l *kit.Line, n int, selected bool) {
	s.table.Draw(l, line{s.rows[n], selected})
}

func drawAccount(l *kit.Line, row line, w int) {
	if row.first || row.selected {
		name, k := relation.Name(row.Relation)
		l.Middle(k, name, w)
	}
}

// drawValue draws the value, and the join to its lock.
func drawValue(l *kit.Line, row line, w int) {
	end, k := l.At+w, kit.Text
	if row.Relation.Account == nil {
		k = kit.Muted
	}
	l.Fit(k, row.Relation.Value, w-3)
	words.JoinRelation(l, row.Relation, end)
}

// Relation implements relation.Lines.
func (s relationList) Relation(n int) *dynamo.Relation {
	if n < 0 || n >= len(s.rows) {
		return nil
	}
	return s.rows[n].Relation
}

// relationName is what stays of a value while the table is read: of a lock that nobody
// was seen to hold yet the account is told later.
func relationName(r *dynamo.Relation) string {
	name := r.Constraint.Name + "\x00" + r.Value + "\x00"
	if r.Account != nil {
		name += r.Account.Key.ID() + kit.NameEnds
	}
	return name
}
