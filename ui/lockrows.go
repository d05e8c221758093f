package ui

import (
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
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
	marks  *marks
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
		return g.prefix + nameEnds
	}
	r := g.rels[i]
	return g.prefix + "\x00" + r.Lock.Table + "\x00" + r.Lock.Key.ID() + nameEnds
}

func (s lockList) Problem(n int) bool {
	g, i := s.at(n)
	return i >= 0 && g.rels[i].Verdict.Broken()
}

func (s lockList) Marked(n int) bool {
	r := s.relation(n)
	return r != nil && s.marks.has(r)
}

// relation is the lock at line n, nil for a head.
func (s lockList) relation(n int) *dynamo.Relation {
	if g, i := s.at(n); i >= 0 && i < len(g.rels) {
		return g.rels[i]
	}
	return nil
}

// lockColumns are where the columns of the locks screen stand.
type lockColumns struct{ account, holds, verdict int }

func lockColumnsOf(width int) lockColumns {
	who, what := 11, 17
	if extra := width - 100; extra > 0 {
		who, what = min(who+extra/6, 24), min(what+extra/5, 34)
	}
	if width < 76 {
		what = max(width-63, 8)
	}
	c := lockColumns{verdict: width - 12}
	c.holds = c.verdict - what - 2
	c.account = c.holds - who - 2
	return c
}

func (s lockList) Draw(l *line, n int, _ bool) {
	g, i := s.at(n)
	if i < 0 {
		s.head(l, g)
		return
	}
	r := g.rels[i]
	l.put(asFaint, treeGlyph(i, len(g.rels)))
	l.put(asText, " ")
	k := asText
	l.fit(k, lockText(r, g.prefix), s.cols.account-1-l.at-4)
	reach(l, r.Verdict, s.cols.account-1)
	l.to(s.cols.account)
	name, k := accountLabel(r)
	if r.Verdict == dynamo.Unknown {
		name, k = "not read yet", asAbsent
	}
	l.middle(k, name, s.cols.holds-s.cols.account-2)
	l.to(s.cols.holds)
	text, k := holds(r)
	l.fit(k, text, s.cols.verdict-s.cols.holds-1)
	l.to(s.cols.verdict)
	verdictSign(r.Verdict, r.Provisional).draw(l)
}

func (s lockList) head(l *line, g lockRow) {
	mark := glyphOpen
	if s.folded[g.prefix] {
		mark = glyphMark
	}
	l.put(asMuted, mark)
	l.put(asText, " ")
	l.fit(asStrong, g.prefix, s.cols.account)
	total := phrase.Count(g.total, "lock")
	if !s.whole {
		total += " so far"
	}
	l.ends(asMuted, total, l.width-2)
}

// lockText is what the lock's key says after its group's prefix.
func lockText(r *dynamo.Relation, prefix string) string {
	key := r.Lock.Key.Hash.Value.Display()
	if rest, ok := strings.CutPrefix(key, prefix); ok && rest != "" {
		return rest
	}
	return key
}

// holds says what the account beside a lock holds.
func holds(r *dynamo.Relation) (string, look) {
	switch {
	case len(r.Claimants) > 1:
		return phrase.Count(len(r.Claimants), "account"), asText
	case r.Account != nil:
		return "the same", asMuted
	case r.OwnerAccount != nil:
		if v := r.OwnerAccount.Item.At(r.Constraint.Attribute); v.Exists() {
			return v.Display(), asText
		}
		return "no " + r.Constraint.Name, asAbsent
	}
	return "", asMuted
}

// reach is the join seen from the lock: it comes from there.
func reach(l *line, v dynamo.Verdict, end int) {
	switch v {
	case dynamo.Orphaned, dynamo.Malformed, dynamo.Unknown:
		k := verdictSign(v, false).look
		l.put(asText, " ")
		l.run(k, ruleThin, min(2, end-l.at-1))
		l.put(k, ruleEnds)
	default:
		join(l, v, end)
	}
}
