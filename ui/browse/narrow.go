package browse

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// Narrowing is what a list leaves out of what was read: what is no problem, and what does not
// hold the letters that somebody typed.
type Narrowing struct {
	screen.Filter
	OnlyProblems bool

	reading *Reading
	on      Lister
	list    *kit.List // the Lister's own

	accounts left[AccountRow]
	locks    left[LockGroup]
	items    left[ItemRow]
	all      int // rows, before the letters left any out
}

// Narrow narrows the list of a screen, as yet by nothing.
func Narrow(r *Reading, on Lister, list *kit.List) Narrowing {
	return Narrowing{reading: r, on: on, list: list}
}

// Widen leaves all rows again.
func (n *Narrowing) Widen() { *n = Narrow(n.reading, n.on, n.list) }

// Accounts are the values to list.
func (n *Narrowing) Accounts() []AccountRow {
	rows := n.reading.Rows()
	all := rows.Accounts
	if n.OnlyProblems {
		all = rows.Problems
	}
	n.all = len(all)
	return n.accounts.of(n, n.reading.pass, all, narrowAccounts)
}

// Locks are the locks to list, in their groups.
func (n *Narrowing) Locks() []LockGroup {
	rows := n.reading.Rows()
	all := rows.Locks
	if n.OnlyProblems {
		all = rows.ProblemLocks
	}
	n.all = 0
	for _, g := range all {
		n.all += len(g.Relations)
	}
	return n.locks.of(n, n.reading.pass, all, narrowLocks)
}

// Items are the items to list as they are.
func (n *Narrowing) Items() []ItemRow {
	all := n.reading.Rows().Items
	n.all = len(all)
	return n.items.of(n, n.reading.pass, all, narrowItems)
}

// left is what letters leave of rows. It is kept until one or the other changes.
type left[T any] struct {
	pass   *pass
	filled int
	only   bool
	want   string
	rows   []T
}

// of narrows all rows, or, where letters were added, those that are left.
func (l *left[T]) of(n *Narrowing, p *pass, all []T, narrow func(all []T, want string) []T) []T {
	want := n.Want()
	if want == "" || p == nil {
		*l = left[T]{}
		return all
	}
	if l.pass == p && l.filled == p.filled && l.only == n.OnlyProblems && l.want != "" {
		switch {
		case l.want == want:
			return l.rows
		case strings.HasPrefix(want, l.want):
			all = l.rows
		}
	}
	*l = left[T]{p, p.filled, n.OnlyProblems, want, narrow(all, want)}
	return l.rows
}

func narrowAccounts(all []AccountRow, want string) []AccountRow {
	var out []AccountRow
	from := 0
	for _, row := range all {
		if row.First {
			drawTree(out[from:])
			from = len(out)
		}
		if holds(row.Relation, want) {
			out = append(out, AccountRow{Relation: row.Relation})
		}
	}
	drawTree(out[from:])
	return out
}

func narrowLocks(all []LockGroup, want string) []LockGroup {
	var out []LockGroup
	for _, g := range all {
		var fit []*dynamo.Relation
		for _, r := range g.Relations {
			if holds(r, want) {
				fit = append(fit, r)
			}
		}
		if g.Relations = fit; len(fit) > 0 {
			out = append(out, g)
		}
	}
	return out
}

func narrowItems(all []ItemRow, want string) []ItemRow {
	var out []ItemRow
	for _, row := range all {
		for name, v := range row.Item {
			if screen.Holds(want, name, v.Display()) {
				out = append(out, row)
				break
			}
		}
	}
	return out
}

// holds reports whether what a row says of a value holds the letters.
func holds(r *dynamo.Relation, want string) bool {
	if screen.Holds(want, r.Value, r.Constraint.Name, r.Lock.Owner, words.Verdict(r.Verdict, false).Word) || holdsKey(r.Lock.Key, want) {
		return true
	}
	for _, a := range [2]*dynamo.Account{r.Account, r.OwnerAccount} {
		if a != nil && holdsKey(a.Key, want) {
			return true
		}
	}
	return false
}

func holdsKey(k attr.Key, want string) bool {
	return screen.Holds(want, k.Hash.Value.Display(), k.Range.Value.Display())
}

// Narrowed implements Lister.
func (n *Narrowing) Narrowed() bool { return n.On() }

// ShowAll ends showing only problems.
func (n *Narrowing) ShowAll() { n.OnlyProblems = false }

// All implements screen.Filtered.
func (n *Narrowing) All() bool {
	follow := n.on.Hold()
	if !n.Clear() {
		return false
	}
	follow()
	return true
}

// Typed takes a key of the filter's field in. The cursor stays on its row, or goes to the first;
// at the first it stays there, whichever that is.
func (n *Narrowing) Typed(msg tea.Msg) tea.Cmd {
	_, rows := n.on.List()
	first, follow := n.list.Cursor == 0, n.on.Hold()
	if !n.Filter.Typed(msg, n.list, rows) {
		return nil
	}
	if !first {
		follow()
	}
	if first || n.list.Lost { // it is the person who left it out
		n.list.Put(0)
	}
	return n.reading.Send(message.ReadAhead{})
}
