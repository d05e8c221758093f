package values

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// Accounts is the tab of accounts.
var Accounts = &session.Tab{Name: "accounts", Action: keymap.Accounts, Table: true, Lists: true}

// accounts lists values under their account.
var accounts = arrangement{
	tab: Accounts, noun: "value", letters: "letters of an account, a value or a lock",
	columns: accountColumns, groups: accountGroups, name: accountName,
}

// accountColumns returns the list's columns. To add a column, add it here. The account's column gets spare room
// first, because two ids may differ in any letter. Then the lock's column gets room until all locks fit. If only
// a few ids are long, the lock's column is first. If there is too little room, the lock's column loses more than
// the value's column, because the lock's key repeats the value.
func accountColumns(w widths) []kit.Column[line] {
	return []kit.Column[line]{
		{Head: "ACCOUNT", Cells: 11, Max: w.account, Grow: w.accountGrow(), Draw: drawAccount},
		{Cells: 1, Draw: drawTree},
		{
			Head:  "VALUE",
			Cells: w.constraint,
			Draw:  func(l *kit.Line, r line, w int) { l.Fit(kit.Muted, r.Constraint.Name, w) },
		},
		{Cells: w.values + 4, Min: 15, Max: w.value + 4, Grow: 1, Rest: true, Draw: drawValue},
		{
			Head:  "LOCK",
			Cells: min(w.lock, 16),
			Min:   w.least,
			Max:   w.lock,
			Grow:  100,
			Spare: 1,
			Draw:  func(l *kit.Line, r line, w int) { say.DrawLock(l, r.Relation, w) },
		},
		{Head: "VERDICT", Cells: 12, Draw: drawVerdict},
	}
}

// begins reports whether the line is the first of its account, and ends whether it is the last.
func (r line) begins() bool {
	return r.place == 0 || !sameAccount(r.group.relations[r.place-1], r.Relation)
}

func (r line) ends() bool {
	after := r.place + 1
	return after == len(r.group.relations) || !sameAccount(r.group.relations[after], r.Relation)
}

// drawAccount draws the account's id, in the first line of the account and in the selected line. A line leads
// from a short id to the tree.
func drawAccount(l *kit.Line, r line, w int) {
	if !r.begins() && !r.selected {
		return
	}
	end := l.At + w
	name, k := say.Holder(r.Relation)
	l.Middle(k, name, w)
	if accountOf(r.Relation) != nil && end-l.At > 1 {
		l.Put(kit.Faint, " ")
		l.Run(kit.Faint, kit.RuleThin, end+1-l.At)
	}
}

// drawTree draws the tree that the values of an account form.
func drawTree(l *kit.Line, r line, _ int) {
	glyph := kit.TreeNext
	switch begins, ends := r.begins(), r.ends(); {
	case begins && ends:
		glyph = kit.RuleThin
	case begins:
		glyph = kit.TreeFirst
	case ends:
		glyph = kit.TreeLast
	}
	l.Put(kit.Faint, glyph)
}

// drawValue draws the value, and the line that joins it to its lock.
func drawValue(l *kit.Line, r line, w int) {
	end, k := l.At+w, kit.Text
	if r.Account == nil {
		k = kit.Muted
	}
	l.Fit(k, r.Shown(), w-3)
	say.JoinRelation(l, r.Relation, end)
}

func drawVerdict(l *kit.Line, r line, _ int) { say.Verdict(r.Verdict, r.Provisional).Draw(l) }

// accountName identifies a row while the table is being read. While the account of a lock is not read yet, the name of
// the lock's row is incomplete. The complete name begins with it, so the list finds the row again.
func accountName(_ group, r *verdict.Relation) string {
	name := r.Constraint.Name + "\x00" + r.Value + "\x00"
	if r.Account != nil {
		name += r.Account.Key.ID() + kit.NameEnds
	}
	return name
}

// accountGroups returns the values of all accounts, as one group.
func accountGroups(v *browse.View, _ bool, by order) []group {
	accounts := byAccounts(v.Relations)
	by.sort(accounts)
	return []group{{relations: slices.Concat(accounts...)}}
}

// byAccounts divides relations by account. A lock without a claimant comes after the values of the account
// that it names. If these have not been read yet, it comes after all accounts.
func byAccounts(relations []*verdict.Relation) [][]*verdict.Relation {
	named := map[string][]*verdict.Relation{} // by the account's id: the locks that name the account
	var out [][]*verdict.Relation
	for _, r := range relations {
		switch last := len(out) - 1; {
		case r.Account == nil && r.OwnerAccount != nil:
			id := r.OwnerAccount.Key.ID()
			named[id] = append(named[id], r)
		case last >= 0 && sameAccount(out[last][0], r):
			out[last] = append(out[last], r)
		default:
			out = append(out, []*verdict.Relation{r})
		}
	}
	if len(named) == 0 {
		return out
	}
	for n, g := range out {
		if a := g[0].Account; a != nil {
			id := a.Key.ID()
			out[n] = append(g, named[id]...)
			delete(named, id)
		}
	}
	for _, r := range relations {
		if r.Account == nil && r.OwnerAccount != nil {
			id := r.OwnerAccount.Key.ID()
			if g := named[id]; len(g) > 0 {
				out = append(out, g)
			}
			delete(named, id)
		}
	}
	return out
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
func (o order) sort(accounts [][]*verdict.Relation) {
	switch o {
	case problemsFirst:
		slices.SortStableFunc(accounts, func(a, b []*verdict.Relation) int { return cmp.Compare(broken(b), broken(a)) })
	case byAccount:
		slices.SortStableFunc(accounts, func(a, b []*verdict.Relation) int { return compareAccounts(a[0], b[0]) })
	}
}

// broken returns 1 if the account has a problem, and 0 otherwise.
func broken(account []*verdict.Relation) int { return min(len(onlyBroken(account)), 1) }

// compareAccounts compares by the account's key. Relations without an account come first.
func compareAccounts(a, b *verdict.Relation) int {
	var one, other attr.Key
	if account := accountOf(a); account != nil {
		one = account.Key
	}
	if account := accountOf(b); account != nil {
		other = account.Key
	}
	return cmp.Or(compareValues(one.Hash.Value, other.Hash.Value), compareValues(one.Range.Value, other.Range.Value))
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

// sort switches to the next order. When the rows are sorted, the cursor goes to the first row, because a person who
// sorts wants to see the first rows. It stays if a person has moved it in the meantime.
func (s *Screen) sort() tea.Cmd {
	s.order = (s.order + 1) % orders
	s.list.Moved = false
	return s.reading.Rearrange(func() tea.Cmd {
		if !s.list.Moved {
			s.list.Put(0)
		}
		return s.Say("Sorted: " + cmp.Or(s.order.name(), "as they were read") + ".")
	})
}
