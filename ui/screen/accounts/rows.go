package accounts

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
	"tallylock/ui/items"
	"tallylock/ui/kit"
	"tallylock/ui/reading"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// row is a value and its lock, with its place in the tree that an account's values form.
type row struct {
	*verdict.Relation
	tree  string // the glyph of the tree's line
	first bool   // this row is the first of its account, and shows the account's id
}

// listed holds the rows of the list: values with their locks, or raw items.
type listed struct {
	values []row
	items  []items.Row
}

// Len implements reading.Rows.
func (l listed) Len() int { return len(l.values) + len(l.items) }

// First implements reading.Rows.
func (l listed) First(n int) reading.Rows {
	return listed{l.values[:min(n, len(l.values))], l.items[:min(n, len(l.items))]}
}

// Holding implements reading.Rows.
func (l listed) Holding(ctx context.Context, want string) (reading.Rows, error) {
	var out listed
	tree := 0 // the index in out where the current account begins
	err := reading.Each(ctx, l.values, func(r row) {
		if r.first {
			drawTree(out.values[tree:])
			tree = len(out.values)
		}
		if reading.Holds(r.Relation, want) {
			out.values = append(out.values, row{Relation: r.Relation})
		}
	})
	drawTree(out.values[tree:])
	if err == nil {
		err = reading.Each(ctx, l.items, func(r items.Row) {
			if r.Holds(want) {
				out.items = append(out.items, r)
			}
		})
	}
	return out, err
}

// rowsOf groups relations by account. A lock without a claimant is listed under
// the account that it names, if that account was read.
func rowsOf(relations []*verdict.Relation, onlyProblems bool, by order) []row {
	under := map[string][]*verdict.Relation{}
	for _, r := range relations {
		if r.Account == nil && r.OwnerAccount != nil {
			id := r.OwnerAccount.Key.ID()
			under[id] = append(under[id], r)
		}
	}
	var groups [][]*verdict.Relation
	group := func(g []*verdict.Relation) { groups = append(groups, g) }
	var open []*verdict.Relation
	shut := func() {
		if len(open) == 0 {
			return
		}
		if a := open[0].Account; a != nil && len(under) > 0 {
			id := a.Key.ID()
			open = append(open, under[id]...)
			delete(under, id)
		}
		group(open)
		open = nil
	}
	var alone []*verdict.Relation
	for _, r := range relations {
		if r.Account == nil {
			if r.OwnerAccount == nil {
				shut()
				group([]*verdict.Relation{r})
			} else {
				alone = append(alone, r)
			}
			continue
		}
		if len(open) > 0 && !open[0].Account.Key.Equal(r.Account.Key) {
			shut()
		}
		open = append(open, r)
	}
	shut()
	for _, r := range alone { // the values of their accounts have not been read yet
		id := r.OwnerAccount.Key.ID()
		if g := under[id]; len(g) > 0 {
			delete(under, id)
			group(g)
		}
	}
	by.sort(groups)
	out := make([]row, 0, len(relations))
	for _, g := range groups {
		out = appendGroup(out, g, onlyProblems)
	}
	return out
}

// appendGroup appends the rows of one account, and draws its tree.
func appendGroup(out []row, g []*verdict.Relation, onlyProblems bool) []row {
	from := len(out)
	for _, r := range g {
		if !onlyProblems || r.Verdict.Broken() {
			out = append(out, row{Relation: r})
		}
	}
	drawTree(out[from:])
	return out
}

// drawTree sets the tree's glyphs in the rows of one account.
func drawTree(rows []row) {
	for n := range rows {
		switch {
		case len(rows) == 1:
			rows[n].tree, rows[n].first = kit.RuleThin, true
		case n == 0:
			rows[n].tree, rows[n].first = kit.TreeFirst, true
		case n == len(rows)-1:
			rows[n].tree = kit.TreeLast
		default:
			rows[n].tree = kit.TreeNext
		}
	}
}

// relationList implements the interfaces of a list for the rows of values.
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

// line is a row to draw.
type line struct {
	row
	selected bool // the selected row always shows the account's id
}

// columnsOf returns the list's columns. To add a column, add it here. name is the width of the
// constraint's name. Spare room goes to the account first, because two ids may differ in any
// letter. At 200 columns, a UUID with a short prefix fits.
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
			Draw:  func(l *kit.Line, row line, w int) { say.DrawLock(l, row.Relation, w) },
		},
		{Head: "VERDICT", Cells: 12, Draw: func(l *kit.Line, row line, _ int) {
			say.Verdict(row.Relation.Verdict, row.Relation.Provisional).Draw(l)
		}},
	}
}

// nameWidth returns the width for the names of a layout's constraints: 8 to 12 cells.
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
		name, k := say.Holder(row.Relation)
		l.Middle(k, name, w)
	}
}

// drawValue draws the value, and the line that joins it to its lock.
func drawValue(l *kit.Line, row line, w int) {
	end, k := l.At+w, kit.Text
	if row.Relation.Account == nil {
		k = kit.Muted
	}
	l.Fit(k, row.Relation.Value, w-3)
	say.JoinRelation(l, row.Relation, end)
}

// Relation implements relation.Lines.
func (s relationList) Relation(n int) *verdict.Relation {
	if n < 0 || n >= len(s.rows) {
		return nil
	}
	return s.rows[n].Relation
}

// relationName identifies a row while the table is being read. A lock whose account is not read yet gets
// a name without the end; the row's later name, with the account, begins with it.
func relationName(r *verdict.Relation) string {
	name := r.Constraint.Name + "\x00" + r.Value + "\x00"
	if r.Account != nil {
		name += r.Account.Key.ID() + kit.NameEnds
	}
	return name
}

// order is a sort order of the accounts.
type order int

const (
	asRead order = iota
	problemsFirst
	byAccount
	orders
)

// name returns the name of an order; empty for the order in which the rows were read.
func (o order) name() string {
	switch o {
	case problemsFirst:
		return "problems first"
	case byAccount:
		return "by account"
	}
	return ""
}

// sort sorts accounts with their values. Equal accounts stay in the order in which they were read.
func (o order) sort(groups [][]*verdict.Relation) {
	switch o {
	case problemsFirst:
		slices.SortStableFunc(groups, func(a, b []*verdict.Relation) int { return cmp.Compare(broken(b), broken(a)) })
	case byAccount:
		slices.SortStableFunc(groups, func(a, b []*verdict.Relation) int { return compareAccounts(a[0], b[0]) })
	}
}

// broken returns 1 if the group has a problem, and 0 otherwise.
func broken(g []*verdict.Relation) int {
	if slices.ContainsFunc(g, func(r *verdict.Relation) bool { return r.Verdict.Broken() }) {
		return 1
	}
	return 0
}

// compareAccounts compares by the account's key. Relations without an account come first.
func compareAccounts(a, b *verdict.Relation) int {
	one, other := keyOfAccount(a), keyOfAccount(b)
	return cmp.Or(compareValues(one.Hash.Value, other.Hash.Value), compareValues(one.Range.Value, other.Range.Value))
}

func keyOfAccount(r *verdict.Relation) attr.Key {
	switch {
	case r.Account != nil:
		return r.Account.Key
	case r.OwnerAccount != nil:
		return r.OwnerAccount.Key
	}
	return attr.Key{}
}

// compareValues compares whole numbers by their size, and other values by their bytes.
func compareValues(a, b attr.Value) int {
	if one, ok := say.WholeNumber(a.Text); ok && a.Kind == attr.N && b.Kind == attr.N {
		if other, ok := say.WholeNumber(b.Text); ok {
			return one.Cmp(other)
		}
	}
	return cmp.Compare(a.Text, b.Text)
}

// sort switches to the next order. When the rows are sorted, the cursor goes to the first row, because a
// person who sorts wants to see the first rows. It stays if a person has moved it in between.
func (s *shown) sort() tea.Cmd {
	s.order = (s.order + 1) % orders
	s.list.Moved = false
	return s.reading.Rearrange(func() tea.Cmd {
		if !s.list.Moved {
			s.list.Put(0)
		}
		return s.Say("Sorted: " + cmp.Or(s.order.name(), "as they were read") + ".")
	})
}
