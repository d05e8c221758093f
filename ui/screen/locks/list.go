package locks

import (
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/browse"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// lockList is the locks in their groups, as a list.
type lockList struct {
	kit.Groups

	groups []browse.LockGroup
	cols   columns
	marks  *session.Marks
	whole  bool // the table is read to its end
}

// at is the group and the place in it of line n; place −1 is the group's head, or no line.
func (s lockList) at(n int) (browse.LockGroup, int) {
	g, i, ok := s.At(n)
	if !ok {
		return browse.LockGroup{}, -1
	}
	return s.groups[g], i
}

func (s lockList) Name(n int) string {
	g, i := s.at(n)
	if i < 0 {
		return g.Prefix + kit.NameEnds
	}
	r := g.Relations[i]
	return g.Prefix + "\x00" + r.Lock.Table + "\x00" + r.Lock.Key.ID() + kit.NameEnds
}

func (s lockList) Problem(n int) bool {
	g, i := s.at(n)
	return i >= 0 && g.Relations[i].Verdict.Broken()
}

func (s lockList) Marked(n int) bool {
	r := s.Relation(n)
	return r != nil && s.marks.Has(r)
}

// Relation implements relation.Lines.
func (s lockList) Relation(n int) *dynamo.Relation {
	if g, i := s.at(n); i >= 0 {
		return g.Relations[i]
	}
	return nil
}

// columns are where the columns of the locks screen stand.
type columns struct{ account, holds, verdict int }

func columnsOf(width int) columns {
	who, what := 11, 17
	if extra := width - 100; extra > 0 {
		who, what = min(who+extra/2, 44), min(what+extra/5, 34)
	}
	if width < 76 {
		what = max(width-63, 8)
	}
	c := columns{verdict: width - 12}
	c.holds = c.verdict - what - 2
	c.account = c.holds - who - 2
	return c
}

func (s lockList) Draw(l *kit.Line, n int, _ bool) {
	g, i := s.at(n)
	if i < 0 {
		kit.FoldMark(l, s.Folded(n))
		s.head(l, g)
		return
	}
	r := g.Relations[i]
	l.Put(kit.Faint, kit.TreeGlyph(i, len(g.Relations)))
	l.Put(kit.Text, " ")
	k := kit.Text
	l.Fit(k, lockText(r, g.Prefix), s.cols.account-1-l.At-4)
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

func (s lockList) head(l *kit.Line, g browse.LockGroup) {
	l.Fit(kit.Strong, g.Prefix, s.cols.account)
	total := phrase.Count(g.Total, "lock")
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
