package ui

import (
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// lockRow is a group of locks: those of one constraint.
type lockRow struct {
	prefix string
	rels   []*dynamo.Relation
	total  int
	// judged and broken are how many of all were.
	judged, broken int
}

// lockRows groups locks by what their keys begin with.
func lockRows(groups []dynamo.LockGroup, onlyProblems, sorted bool) []lockRow {
	var out []lockRow
	for _, g := range groups {
		row := lockRow{prefix: g.Constraint.PK.Prefix(), rels: g.Relations, total: len(g.Relations)}
		for _, r := range g.Relations {
			if r.Verdict != dynamo.Unknown {
				row.judged++
			}
			if r.Verdict.Broken() {
				row.broken++
			}
		}
		if onlyProblems {
			row.rels = nil
			for _, r := range g.Relations {
				if r.Verdict.Broken() {
					row.rels = append(row.rels, r)
				}
			}
			if len(row.rels) == 0 {
				continue
			}
		}
		if sorted {
			row.rels = slices.Clone(row.rels)
			slices.SortStableFunc(row.rels, func(a, b *dynamo.Relation) int { return strings.Compare(a.Value, b.Value) })
		}
		if row.prefix == "" {
			row.prefix = g.Constraint.Name
		}
		out = append(out, row)
	}
	return out
}

// lockList is the groups as a list: a head each, and under it the locks unless
// the group is folded.
type lockList struct {
	groups []lockRow
	folded map[string]bool
	cols   lockColumns
	marks  *session.Marks
	whole  bool // the table is read to its end
}

func (s lockList) Len() int {
	n := 0
	for _, g := range s.groups {
		n += s.lines(g)
	}
	return n
}

func (s lockList) lines(g lockRow) int {
	if s.folded[g.prefix] {
		return 1
	}
	return 1 + len(g.rels)
}

// at is the group and the place in it of line n; place −1 is the group's head.
func (s lockList) at(n int) (lockRow, int) {
	for _, g := range s.groups {
		if lines := s.lines(g); n < lines {
			return g, n - 1
		} else {
			n -= lines
		}
	}
	return lockRow{}, -1
}

func (s lockList) Row(n int) (int, int, bool) { return n, n, true }

func (s lockList) Name(n int) string {
	g, i := s.at(n)
	if i < 0 {
		return g.prefix + kit.NameEnds
	}
	r := g.rels[i]
	return g.prefix + "\x00" + r.Lock.Table + "\x00" + r.Lock.Key.ID() + kit.NameEnds
}

func (s lockList) Problem(n int) bool {
	g, i := s.at(n)
	return i >= 0 && g.rels[i].Verdict.Broken()
}

func (s lockList) Marked(n int) bool {
	r := s.relation(n)
	return r != nil && s.marks.Has(r)
}

// relation is the lock at line n, nil for a head.
func (s lockList) relation(n int) *dynamo.Relation {
	if g, i := s.at(n); n >= 0 && i >= 0 && i < len(g.rels) {
		return g.rels[i]
	}
	return nil
}

// lockColumns are where the columns of the locks screen stand.
type lockColumns struct{ account, holds, verdict int }

func lockColumnsOf(width int) lockColumns {
	who, what := 11, 17
	if extra := width - 100; extra > 0 {
		who, what = min(who+extra/2, 44), min(what+extra/5, 34)
	}
	if width < 76 {
		what = max(width-63, 8)
	}
	c := lockColumns{verdict: width - 12}
	c.holds = c.verdict - what - 2
	c.account = c.holds - who - 2
	return c
}

func (s lockList) Draw(l *kit.Line, n int, _ bool) {
	g, i := s.at(n)
	if i < 0 {
		s.head(l, g)
		return
	}
	r := g.rels[i]
	l.Put(kit.Faint, kit.TreeGlyph(i, len(g.rels)))
	l.Put(kit.Text, " ")
	k := kit.Text
	l.Fit(k, lockText(r, g.prefix), s.cols.account-1-l.At-4)
	reach(l, r.Verdict, s.cols.account-1)
	l.To(s.cols.account)
	name, k := relation.Name(r)
	if r.Verdict == dynamo.Unknown {
		name, k = "not read yet", kit.Absent
	}
	l.Middle(k, name, s.cols.holds-s.cols.account-2)
	l.To(s.cols.holds)
	text, k := words.Holds(r)
	l.Fit(k, text, s.cols.verdict-s.cols.holds-1)
	l.To(s.cols.verdict)
	words.Verdict(r.Verdict, r.Provisional).Draw(l)
}

func (s lockList) head(l *kit.Line, g lockRow) {
	mark := kit.GlyphOpen
	if s.folded[g.prefix] {
		mark = kit.GlyphMark
	}
	l.Put(kit.Muted, mark)
	l.Put(kit.Text, " ")
	l.Fit(kit.Strong, g.prefix, s.cols.account)
	total := phrase.Count(g.total, "lock")
	if !s.whole {
		total += " so far"
	}
	l.Ends(kit.Muted, total, l.Width-2)
}

// lockText is what the lock's key says after its group's prefix.
func lockText(r *dynamo.Relation, prefix string) string {
	key := r.Lock.Key.Hash.Value.Display()
	if rest, ok := strings.CutPrefix(key, prefix); ok && rest != "" {
		return rest
	}
	return key
}

// reach is the join seen from the lock: it comes from there.
func reach(l *kit.Line, v dynamo.Verdict, end int) {
	switch v {
	case dynamo.Orphaned, dynamo.Malformed, dynamo.Reserved, dynamo.Unknown:
		k := words.Verdict(v, false).Style
		l.Put(kit.Text, " ")
		l.Run(k, kit.RuleThin, min(2, end-l.At-1))
		l.Put(k, kit.RuleEnds)
	default:
		words.Join(l, v, end)
	}
}
