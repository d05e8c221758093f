package locks

import (
	"context"
	"slices"
	"strings"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/reading"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// group holds the locks of one constraint.
type group struct {
	prefix    string
	relations []*verdict.Relation
	total     int
	// judged counts the locks with a known verdict, and broken those with a problem. Like total, they count
	// all locks of the constraint, also those that are not listed.
	judged, broken int
}

// groups are the rows of the list.
type groups []group

// Arrange implements reading.Lister.
func (s *Screen) Arrange() func(*browse.View, bool) reading.Arranged {
	return func(v *browse.View, sorted bool) reading.Arranged {
		return reading.Arranged{All: groupsOf(v.Locks, false, sorted), Problems: groupsOf(v.Locks, true, sorted)}
	}
}

// Len implements reading.Rows.
func (all groups) Len() int {
	n := 0
	for _, g := range all {
		n += len(g.relations)
	}
	return n
}

// First implements reading.Rows.
func (all groups) First(n int) reading.Rows {
	out := slices.Clone(all)
	for i, g := range out {
		out[i].relations = g.relations[:min(n, len(g.relations))]
		n -= len(out[i].relations)
	}
	return out
}

// Holding implements reading.Rows.
func (all groups) Holding(ctx context.Context, want string) (reading.Rows, error) {
	var out groups
	for _, g := range all {
		var fit []*verdict.Relation
		if err := reading.Each(ctx, g.relations, func(r *verdict.Relation) {
			if reading.Holds(r, want) {
				fit = append(fit, r)
			}
		}); err != nil {
			return nil, err
		}
		if g.relations = fit; len(fit) > 0 {
			out = append(out, g)
		}
	}
	return out, nil
}

// groupsOf returns the rows of the list: one group for each constraint, named by the prefix of its keys.
func groupsOf(locks []browse.LockGroup, onlyProblems, sorted bool) groups {
	var out groups
	for _, g := range locks {
		row := group{prefix: g.Constraint.PK.Prefix(), relations: g.Relations, total: len(g.Relations)}
		for _, r := range g.Relations {
			if r.Verdict != verdict.Unknown {
				row.judged++
			}
			if r.Verdict.Broken() {
				row.broken++
			}
		}
		if onlyProblems {
			row.relations = nil
			for _, r := range g.Relations {
				if r.Verdict.Broken() {
					row.relations = append(row.relations, r)
				}
			}
			if len(row.relations) == 0 {
				continue
			}
		}
		if sorted {
			row.relations = slices.Clone(row.relations)
			slices.SortStableFunc(row.relations, func(a, b *verdict.Relation) int { return strings.Compare(a.Value, b.Value) })
		}
		if row.prefix == "" {
			row.prefix = g.Constraint.Name
		}
		out = append(out, row)
	}
	return out
}

// lockList implements the interfaces of a list for the groups of locks.
type lockList struct {
	kit.Grouped[group]

	table *kit.Table[line]
	marks *session.Marks
	whole bool // the table is read to its end
}

func (s lockList) Name(n int) string {
	g, i := s.Of(n)
	if i < 0 {
		return g.prefix + kit.NameEnds
	}
	r := g.relations[i]
	return g.prefix + "\x00" + r.Lock.Table + "\x00" + r.Lock.Key.ID() + kit.NameEnds
}

func (s lockList) Problem(n int) bool {
	g, i := s.Of(n)
	return i >= 0 && g.relations[i].Verdict.Broken()
}

func (s lockList) Marked(n int) bool {
	r := s.Relation(n)
	return r != nil && s.marks.Has(r)
}

// Relation implements relation.Lines.
func (s lockList) Relation(n int) *verdict.Relation {
	if g, i := s.Of(n); i >= 0 {
		return g.relations[i]
	}
	return nil
}

// line is a row to draw. place is its index in the group, and of is the number of locks in the group.
type line struct {
	*verdict.Relation
	prefix    string
	place, of int
}

// columns are the list's columns. To add a column, add it here.
var columns = []kit.Column[line]{
	{Head: "LOCK", Cells: 33, Min: 22, Grow: 3, Draw: drawLock},
	{Head: "ACCOUNT", Cells: 11, Max: 41, Grow: 100, Draw: drawAccount},
	{Head: "HOLDS", Cells: 18, Min: 9, Max: 34, Grow: 2, Gap: 2, Draw: drawHolds},
	{
		Head:  "VERDICT",
		Cells: 12,
		Draw:  func(l *kit.Line, r line, _ int) { say.Verdict(r.Verdict, r.Provisional).Draw(l) },
	},
}

func (s lockList) Draw(l *kit.Line, n int, _ bool) {
	g, i := s.Of(n)
	if i < 0 {
		kit.FoldMark(l, s.Folded(n))
		s.head(l, g)
		return
	}
	s.table.Draw(l, line{g.relations[i], g.prefix, i, len(g.relations)})
}

// drawLock draws the lock, and the line that joins it to its account.
func drawLock(l *kit.Line, r line, w int) {
	end := l.At + w
	l.Put(kit.Faint, kit.TreeGlyph(r.place, r.of))
	l.Put(kit.Text, " ")
	l.Fit(kit.Text, lockText(r.Relation, r.prefix), end-l.At-4)
	reach(l, r.Verdict, end)
}

func drawAccount(l *kit.Line, r line, w int) {
	name, k := say.Holder(r.Relation)
	if r.Verdict == verdict.Unknown {
		name, k = "not read yet", kit.Absent
	}
	l.Middle(k, name, w)
}

func drawHolds(l *kit.Line, r line, w int) {
	text, k := say.Holds(r.Relation)
	l.Fit(k, text, w)
}

func (s lockList) head(l *kit.Line, g group) {
	l.Fit(kit.Strong, g.prefix, l.Width/2)
	total := phrase.Count(g.total, "lock")
	if !s.whole {
		total += " so far"
	}
	l.Ends(kit.Muted, total, l.Width-2)
}

// lockText returns the lock's key without the prefix of its group.
func lockText(r *verdict.Relation, prefix string) string {
	key := r.Lock.Key.Hash.Value.Display()
	if rest, ok := strings.CutPrefix(key, prefix); ok && rest != "" {
		return rest
	}
	return key
}

// reach draws the line that joins a lock to its account. If the lock reaches no account, the line ends
// after the lock.
func reach(l *kit.Line, v verdict.Verdict, end int) {
	switch v {
	case verdict.Orphaned, verdict.Malformed, verdict.Reserved, verdict.Unknown:
		k := say.Verdict(v, false).Style
		l.Put(kit.Text, " ")
		l.Run(k, kit.RuleThin, min(2, end-l.At-1))
		l.Put(k, kit.RuleEnds)
	default:
		say.Join(l, v, end)
	}
}
