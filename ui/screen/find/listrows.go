package find

import (
	"slices"

	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/find"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// asked is a row of a list: a value and its answer.
type asked struct {
	value  string
	byKey  float64           // the estimated price to read it by key
	answer *find.Answer      // nil until there is one
	rel    *verdict.Relation // the reading of the query that the row shows; nil if there is none
	label  string            // how the value was read: as a constraint's value, or as an account id
}

// take shows an answer in the row. If several readings of the query found something, it shows the first one with a
// problem.
func (r *asked) take(a *find.Answer) {
	*r = asked{value: r.value, byKey: r.byKey, answer: a}
	if a == nil {
		return
	}
	found, _ := a.Readings()
	if len(found) == 0 {
		return
	}
	shown := found[max(slices.IndexFunc(found, func(f find.Reading) bool { return f.Verdict.Broken() }), 0)]
	r.rel, r.label = shown.Relation, shown.Constraint.Name
	if shown.ByID {
		r.label = "account id"
	}
}

// sharesWith reports whether two rows show the same lock or values of the same account.
func (r *asked) sharesWith(at *asked) bool {
	if own, other := r.rel.Account, at.rel.Account; own != nil && other != nil && own.Key.Equal(other.Key) {
		return true
	}
	return r.rel.Lock.Table != "" && session.MarkID(r.rel) == session.MarkID(at.rel)
}

// gets reports whether a change gives the row's value to an account. p is nil if nothing was changed.
func (r *asked) gets(p *plan.Plan) bool {
	if p == nil || p.After == "" || r.answer == nil {
		return false
	}
	return slices.ContainsFunc(r.answer.Locks, func(rel *verdict.Relation) bool {
		return rel.Constraint.Name == p.Constraint && rel.Value == rel.Constraint.Normalised(p.After)
	})
}

// why says why the row shows no verdict.
func (r *asked) why() string {
	if r.answer == nil {
		return "the value is not read yet"
	}
	return "no lock can keep this value"
}

// askedRows shows the rows of a list.
type askedRows struct {
	all   []*asked
	table *kit.Table[*asked]
	marks *session.Marks
}

// listColumns are the columns of a list. To add a column, add one line here.
var listColumns = []kit.Column[*asked]{
	{Head: "VALUE", Cells: 28, Min: 20, Max: 48, Grow: 1, Draw: drawAsked},
	{Head: "ACCOUNT", Cells: 20, Min: 18, Max: 44, Grow: 1, Draw: drawAskedAccount},
	{Head: "LOCK", Cells: 24, Min: 20, Max: 43, Grow: 1, Spare: 2, Draw: drawAskedLock},
	{Head: "READ AS", Cells: 11, Spare: 1, Draw: func(l *kit.Line, r *asked, w int) { l.Words(kit.Muted, r.label, w) }},
	{Head: "VERDICT", Cells: 12, Draw: drawAskedVerdict},
}

func (s askedRows) Len() int                         { return len(s.all) }
func (s askedRows) Row(n int) (int, int, bool)       { return n, n, true }
func (s askedRows) Draw(l *kit.Line, n int, _ bool)  { s.table.Draw(l, s.all[n]) }
func (s askedRows) relation(n int) *verdict.Relation { return s.all[n].rel }
func (s askedRows) Marked(n int) bool                { return s.all[n].rel != nil && s.marks.Has(s.all[n].rel) }

func (s askedRows) Problem(n int) bool {
	return s.all[n].rel != nil && s.all[n].rel.Verdict.Broken()
}

func drawAsked(l *kit.Line, r *asked, w int) { l.Fit(kit.Text, r.value, w) }

func drawAskedAccount(l *kit.Line, r *asked, w int) {
	end := l.At + w
	if r.rel == nil {
		if r.answer == nil {
			l.Words(kit.Absent, "not read", w)
		}
		return
	}
	name, k := say.Holder(r.rel)
	if len(r.rel.Claimants) > 1 {
		name = phrase.Count(r.rel.ClaimantCount(), "account")
	}
	l.Middle(k, name, min(w-4, 36))
	say.JoinRelation(l, r.rel, end)
}

func drawAskedLock(l *kit.Line, r *asked, w int) {
	if r.rel != nil {
		say.DrawLock(l, r.rel, w)
	}
}

func drawAskedVerdict(l *kit.Line, r *asked, _ int) {
	if r.rel != nil {
		say.Verdict(r.rel.Verdict, r.rel.Provisional).Draw(l)
	}
}
