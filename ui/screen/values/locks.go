package values

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// Locks is the tab of locks.
var Locks = &session.Tab{Name: "locks", Action: keymap.Locks, Table: true, Lists: true}

// locks lists locks under the prefix of their keys.
var locks = arrangement{
	tab: Locks, noun: "lock", letters: "letters of a lock, a value or an account",
	columns: lockColumns, groups: lockGroups, name: lockName,
}

// lockColumns returns the list's columns. To add a column, add it here.
func lockColumns(w widths) []kit.Column[line] {
	return []kit.Column[line]{
		{Head: "LOCK", Cells: 33, Min: 22, Grow: 3, Draw: drawLock},
		{Head: "ACCOUNT", Cells: 11, Max: w.account, Grow: w.accountGrow(), Draw: drawHolder},
		{Head: "HOLDS", Cells: 18, Min: 9, Max: 34, Grow: 2, Gap: 2, Draw: drawHolds},
		{Head: "VERDICT", Cells: 12, Draw: drawVerdict},
	}
}

// lockGroups returns one group for each constraint, named by the prefix of its keys.
func lockGroups(v *browse.View, sorted bool, _ order) []group {
	var out []group
	for _, g := range v.Locks {
		row := group{
			prefix: cmp.Or(g.Constraint.PK.Prefix(), g.Constraint.Name), relations: g.Relations,
			total: len(g.Relations), broken: len(onlyBroken(g.Relations)),
		}
		for _, r := range g.Relations {
			if r.Verdict != verdict.Unknown {
				row.judged++
			}
		}
		if sorted {
			row.relations = slices.Clone(row.relations)
			slices.SortStableFunc(row.relations, func(a, b *verdict.Relation) int { return strings.Compare(a.Value, b.Value) })
		}
		out = append(out, row)
	}
	return out
}

// lockName identifies a row by the key of its lock.
func lockName(g group, r *verdict.Relation) string {
	return g.prefix + "\x00" + r.Lock.Table + "\x00" + r.Lock.Key.ID() + kit.NameEnds
}

// drawLock draws the lock's key without the prefix of its group, and the line that joins the lock to its
// account.
func drawLock(l *kit.Line, r line, w int) {
	end := l.At + w
	l.Put(kit.Faint, kit.TreeGlyph(r.place, len(r.group.relations)))
	l.Put(kit.Text, " ")
	key := r.Lock.Key.Hash.Value.Display()
	if rest, ok := strings.CutPrefix(key, r.group.prefix); ok && rest != "" {
		key = rest
	}
	l.Fit(kit.Text, key, end-l.At-4)
	say.JoinAccount(l, r.Verdict, end)
}

func drawHolder(l *kit.Line, r line, w int) {
	name, k := say.LockHolder(r.Relation)
	l.Middle(k, name, w)
}

func drawHolds(l *kit.Line, r line, w int) {
	text, k := say.Holds(r.Relation)
	l.Fit(k, text, w)
}

// head draws the heading of a group.
func (s list) head(l *kit.Line, g group) {
	l.Fit(kit.Strong, g.prefix, l.Width/2)
	total := phrase.Count(g.total, "lock")
	if !s.whole {
		total += " so far"
	}
	l.Ends(kit.Muted, total, l.Width-2)
}

// fold folds the group at the cursor, or unfolds it.
func (s *Screen) fold() tea.Cmd {
	kit.Fold(&s.list, s.values().Grouped, s.folded, func(g group) string { return g.prefix })
	return nil
}
