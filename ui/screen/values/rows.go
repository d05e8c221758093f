package values

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/ui/items"
	"tallylock/ui/kit"
	"tallylock/ui/reading"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// group is a part of the list. Locks of one constraint are a group with a heading. All accounts are one
// group without a heading.
type group struct {
	prefix    string // the heading
	relations []*verdict.Relation
	total     int
	// judged counts the locks with a known verdict, and broken the locks with a problem. Like total, they
	// count all locks of the constraint, including unlisted locks.
	judged, broken int
}

// listed holds the rows of the list: values with their locks, or raw items.
type listed struct {
	groups []group
	items  []items.Row
	widths widths
	raw    bool // the rows are items
}

// Arrange implements reading.Lister.
func (s *Screen) Arrange() func(*browse.View, bool) reading.Rows {
	by, groups, ofLocks, pointing := s.order, s.groups, s.ofLocks(), s.Examples.On
	return func(v *browse.View, sorted bool) reading.Rows {
		if !ofLocks && (pointing || !hasAccounts(v.Layout)) {
			return listed{items: items.Rows(v.Items, v.Schema), raw: true}
		}
		return listed{groups: groups(v, sorted, by), widths: widthsOf(v.Relations)}
	}
}

func hasAccounts(l *layout.Layout) bool { return l != nil && len(l.Accounts) > 0 }

// raw reports whether the screen lists items: the layout has no accounts, or a person points at examples.
func (s *Screen) raw() bool {
	if rows, ok := s.Unfiltered().(listed); ok {
		return rows.raw
	}
	return s.reading.Raw() && !s.ofLocks()
}

// Renew implements reading.Lister. It arranges the rows again if, since the last time, a person has begun or stopped
// pointing at examples.
func (s *Screen) Renew() tea.Cmd {
	renewed := s.Narrowing.Renew()
	rows, ok := s.Unfiltered().(listed)
	wanted := !s.ofLocks() && (s.Examples.On || s.reading.Raw())
	if !ok || rows.raw == wanted {
		return renewed
	}
	return tea.Batch(renewed, s.reading.Rearrange(func() tea.Cmd { return nil }))
}

// Len implements reading.Rows.
func (l listed) Len() int {
	n := len(l.items)
	for _, g := range l.groups {
		n += len(g.relations)
	}
	return n
}

// First implements reading.Rows.
func (l listed) First(n int) reading.Rows {
	out := listed{slices.Clone(l.groups), l.items[:min(n, len(l.items))], l.widths, l.raw}
	for i, g := range l.groups {
		out.groups[i].relations = g.relations[:min(n, len(g.relations))]
		n -= len(out.groups[i].relations)
	}
	return out
}

// Problems implements reading.Rows. Raw items have no problems, because no layout describes them.
func (l listed) Problems() reading.Rows {
	out := listed{items: l.items, widths: l.widths, raw: l.raw}
	for _, g := range l.groups {
		if g.relations = onlyBroken(g.relations); len(g.relations) > 0 {
			out.groups = append(out.groups, g)
		}
	}
	return out
}

// Holding implements reading.Rows.
func (l listed) Holding(ctx context.Context, want string) (reading.Rows, error) {
	out := listed{widths: l.widths, raw: l.raw}
	for _, g := range l.groups {
		fit, err := reading.Fitting(ctx, g.relations, func(r *verdict.Relation) bool { return reading.Holds(r, want) })
		if err != nil {
			return nil, err
		}
		if g.relations = fit; len(fit) > 0 {
			out.groups = append(out.groups, g)
		}
	}
	fit, err := reading.Fitting(ctx, l.items, func(r items.Row) bool { return r.Holds(want) })
	out.items = fit
	return out, err
}

// onlyBroken returns the relations with a problem.
func onlyBroken(all []*verdict.Relation) []*verdict.Relation {
	var out []*verdict.Relation
	for _, r := range all {
		if r.Verdict.Broken() {
			out = append(out, r)
		}
	}
	return out
}

// list implements the interfaces of a list for values.
type list struct {
	kit.Grouped[group]

	by    arrangement
	table *kit.Table[line]
	marks *session.Marks
	whole bool // the table is read to its end
}

// listed returns the rows that pass the filter. Until the first rows are read, it returns no rows and typical column
// widths.
func (s *Screen) listed() listed {
	rows, read := s.Rows().(listed)
	if !read {
		rows.widths = unmeasured
	}
	return rows
}

// rows returns the lines of the list: values, or the raw items of a table without accounts.
func (s *Screen) rows() kit.Source {
	if s.raw() {
		rows := s.listed().items
		s.items.Fit(rows)
		return items.List{Rows: rows, Table: &s.items}
	}
	return s.values()
}

// values returns the lines of values.
func (s *Screen) values() list {
	fits := s.listed().widths
	fits.constraint = nameWidth(s.reading.Layout())
	if s.fits != fits {
		s.fits, s.table = fits, kit.Table[line]{Columns: s.columns(fits)}
	}
	groups := kit.GroupsOf(s.listed().groups, func(g group) kit.Group {
		return kit.Group{Rows: len(g.relations), Folded: s.folded[g.prefix], Bare: !s.ofLocks()}
	})
	return list{Grouped: groups, by: s.arrangement, table: &s.table, marks: &s.Marks, whole: s.reading.View().Complete}
}

// all returns the values of all lines, including those in folded groups.
func (s *Screen) all() []*verdict.Relation {
	var out []*verdict.Relation
	for _, g := range s.listed().groups {
		out = append(out, g.relations...)
	}
	return out
}

// selected returns the selected value; nil if none is selected.
func (s *Screen) selected() *verdict.Relation {
	if s.list.Lost || s.raw() {
		return nil
	}
	return s.values().Relation(s.list.Cursor)
}

// item returns the selected raw item.
func (s *Screen) item() (row items.Row, ok bool) {
	if all := s.listed().items; s.raw() && !s.list.Lost && s.list.Cursor < len(all) {
		return all[s.list.Cursor], true
	}
	return row, false
}

// widths says how wide the texts of a list are, in cells. The columns follow them.
type widths struct {
	account    int // the longest id; 11 to 41, which fits a UUID with a short prefix
	accounts   int // 9 of 10 ids fit
	constraint int
	value      int // the longest value; at most 60
	values     int // 9 of 10 values fit; at most 33
	lock       int // the longest key; at most 60
	least      int // the width for the column of locks if no key fits
}

// unmeasured are the widths of a list before its first rows: typical ones, so that the headings hardly move later.
var unmeasured = widths{account: 11, accounts: 11, value: 33, values: 24, lock: 44, least: 13}

// widthsOf measures the first rows. If all rows decided, the columns would move while the table is read.
func widthsOf(rows []*verdict.Relation) widths {
	const measured = 500
	rows = rows[:min(len(rows), measured)]
	w, ids, values := widths{account: 11, least: 13}, make([]int, len(rows)), make([]int, len(rows))
	for n, r := range rows {
		name, _ := say.Holder(r)
		ids[n], values[n] = kit.Width(safe.Text(name)), kit.Width(safe.Text(r.Shown()))
		w.account, w.value = max(w.account, ids[n]), max(w.value, values[n])
		w.lock = max(w.lock, kit.Width(safe.Text(r.Lock.Key.Hash.Value.Display())))
		if r.Constraint.Lockless() {
			w.least = len(say.Lockless)
		}
	}
	w.account, w.value, w.lock = min(w.account, 41), min(w.value, 60), min(max(w.lock, w.least), 60)
	w.accounts, w.values = mostFit(ids), min(mostFit(values), 33)
	return w
}

// mostFit returns the width that fits 9 of 10 texts of the given widths.
func mostFit(all []int) int {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[(len(all)-1)*9/10]
}

// accountGrow returns the share of extra room that the column of accounts gets. It gets all the room that it needs. But
// if only a few ids are long, it gets the room that the locks leave.
func (w widths) accountGrow() int {
	if w.account > w.accounts {
		return 10
	}
	return 1000
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

// Relation implements reading.Values.
func (s list) Relation(n int) *verdict.Relation {
	if g, i := s.Of(n); i >= 0 {
		return g.relations[i]
	}
	return nil
}

// Name implements the names of a list; see kit.List.
func (s list) Name(n int) string {
	g, i := s.Of(n)
	if i < 0 {
		return g.prefix + kit.NameEnds
	}
	return s.by.name(g, g.relations[i])
}

// Problem implements kit.Problems.
func (s list) Problem(n int) bool {
	r := s.Relation(n)
	return r != nil && r.Verdict.Broken()
}

// Marked implements kit.Markable.
func (s list) Marked(n int) bool {
	r := s.Relation(n)
	return r != nil && s.marks.Has(r)
}

// Draw implements kit.Source.
func (s list) Draw(l *kit.Line, n int, selected bool) {
	g, i := s.Of(n)
	if i < 0 {
		kit.FoldMark(l, s.Folded(n))
		s.head(l, g)
		return
	}
	s.table.Draw(l, line{g.relations[i], g, i, selected})
}

// line is a row to draw: a value, its group, and its index there.
type line struct {
	*verdict.Relation
	group    group
	place    int
	selected bool
}

// accountOf returns the account that has the value, or else the account that the lock names; nil if there is
// none.
func accountOf(r *verdict.Relation) *schema.Account {
	if r.Account != nil {
		return r.Account
	}
	return r.OwnerAccount
}

// sameAccount reports whether two values have the same account.
func sameAccount(a, b *verdict.Relation) bool {
	one, other := accountOf(a), accountOf(b)
	return one != nil && other != nil && one.Key.Equal(other.Key)
}
