package verdict_test

import (
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/internal/testrun"
)

var thin, contradicted = standing(layout.Thin), standing(layout.Contradicted)

// doubts are facts that make some verdicts less sure.
var doubts = []struct {
	name     string
	concerns string // letters of these verdicts: a NeedsAbsence, m Missing, f Foreign, d Duplicate
	add      func(*verdict.Facts)
}{
	{"it changed", "amfd", func(e *verdict.Facts) { e.Changed = true }},
	{"it names another owner at each reading", "amfd", func(e *verdict.Facts) { e.Handed = true }},
	{"others write to it", "amfd", func(e *verdict.Facts) { e.Busy = true }},
	{"no transactions", "amfd", func(e *verdict.Facts) { e.Apart = true }},
	{"only scanned", "amfd", func(e *verdict.Facts) { e.Scanned = true }},
	{"stopped", "amfd", func(e *verdict.Facts) { e.Stopped = true }},
	{"a guessed layout", "amfd", func(e *verdict.Facts) { e.Fit = thin }},
	{"a contradicted layout", "amfd", func(e *verdict.Facts) { e.Fit = contradicted }},
	{"tables unsaid", "amf", func(e *verdict.Facts) { e.TablesUnsaid = true }},
	{"other Regions write", "amf", func(e *verdict.Facts) { e.Regions = verdict.Regions{Here: "a", Others: []string{"b"}} }},
	{"digests", "am", func(e *verdict.Facts) { e.Digests = true }},
	{"a part was followed up", "m", func(e *verdict.Facts) { e.Part = true }},
	{"a digest, and a part was followed up", "am", func(e *verdict.Facts) { e.Part, e.UnknownText = true, true }},
	{"another form asks", "m", func(e *verdict.Facts) { e.OtherForm = &verdict.Holding{} }},
	{"another form holds it", "m", func(e *verdict.Facts) {
		e.OtherForm = &verdict.Holding{Answer: layout.Hold}
	}},
	{"an unsure lock in another spelling", "m", func(e *verdict.Facts) {
		e.OtherSpelling = &verdict.Judgement{Verdict: verdict.Orphaned, Provisional: true}
	}},
	{"an unknown lock in another spelling", "m", func(e *verdict.Facts) {
		e.OtherSpelling = &verdict.Judgement{Verdict: verdict.Unknown, Why: "somebody may hold it"}
	}},
	{"an item asks", "a", func(e *verdict.Facts) { e.Holders.Asks = &verdict.Holding{} }},
	{"an item holds it", "a", func(e *verdict.Facts) { e.Holders.Known = []*verdict.Holding{{}} }},
	{"too many shapes", "a", func(e *verdict.Facts) { e.Holders.Overflow = "too many shapes" }},
	{"a sign-up", "a", func(e *verdict.Facts) { e.Unlikely = "it is young" }},
	{"SQL only", "a", func(e *verdict.Facts) { e.FromSQL = true }},
	{"the owner is odd", "a", func(e *verdict.Facts) { e.OwnerOdd = "so its owner is unknown" }},
	{"nothing of others is known", "a", func(e *verdict.Facts) { e.Others, e.NowhereElse = verdict.OthersUnknown, false }},
	{"unsearched tables", "a", func(e *verdict.Facts) { e.Unsearched = []string{"archive"} }},
	{"read hastily", "amfd", func(e *verdict.Facts) { e.Hasty = true }},
	{"awaited", "amfd", func(e *verdict.Facts) { e.Awaits = "a reading" }},
	{"unsought", "amfd", func(e *verdict.Facts) { e.Unsought = "nobody looked" }},
}

// letterOf returns the letter that stands for a verdict in concerns.
func letterOf(v verdict.Verdict) string {
	switch {
	case v.NeedsAbsence():
		return "a"
	case v == verdict.Missing:
		return "m"
	case v == verdict.Foreign:
		return "f"
	case v == verdict.Duplicate:
		return "d"
	}
	return "-"
}

// A doubt never makes a verdict surer. It makes each verdict that it concerns less sure, and does not change the other
// verdicts.
func TestADoubtNeverMakesAVerdictSurer(t *testing.T) {
	testrun.OneGoroutine(t)
	n, concerned := 0, make([]int, len(doubts))
	evidences(func(e verdict.Facts, _ layout.Standing) {
		if n++; n%31 != 0 && (n%5 != 0 || e.Changed || e.Scanned || e.Apart) { // trying all takes too long
			return
		}
		before := verdict.Judge(e)
		for at, doubt := range doubts {
			more := e
			doubt.add(&more)
			after := verdict.Judge(more)
			concerns := strings.Contains(doubt.concerns, letterOf(before.Verdict))
			switch {
			case sureAndBroken(after) && (!before.Sure() || after.Verdict != before.Verdict):
				t.Fatalf("%s: %+v becomes %+v, of %+v", doubt.name, before, after, e)
			case sureAndBroken(before) && concerns:
				concerned[at]++
				if sureAndBroken(after) {
					t.Fatalf("%s: %+v stays sure, of %+v", doubt.name, before, e)
				}
			case sureAndBroken(before) && !sureAndBroken(after):
				t.Fatalf("%s: %+v becomes %+v, of %+v", doubt.name, before, after, e)
			}
		}
	})
	if at := slices.Index(concerned, 0); at >= 0 {
		t.Errorf("%s was never tried", doubts[at].name)
	}
}

func sureAndBroken(j verdict.Judgement) bool { return j.Sure() && j.Verdict.Broken() }

// TestJudgeOfACheck judges the facts of a whole check.
func TestJudgeOfACheck(t *testing.T) {
	lock := func(more ...func(*verdict.Facts)) verdict.Facts {
		e := verdict.Facts{Value: "ada", Lock: schema.Lock{Exists: true}, Others: verdict.OthersSettled, Fit: standing(layout.Supported)}
		for _, add := range more {
			add(&e)
		}
		return e
	}
	claimed := func(e *verdict.Facts) { e.Claimants = make([]schema.Account, 1) }
	missing := func(e *verdict.Facts) { claimed(e); e.Lock.Exists = false }
	digests := func(e *verdict.Facts) { e.Digests = true }
	form := func(said layout.Answer) func(*verdict.Facts) {
		return func(e *verdict.Facts) { e.OtherForm = &verdict.Holding{Answer: said} }
	}
	for name, tc := range map[string]struct {
		facts       verdict.Facts
		want, seems verdict.Verdict
		sure        bool
		is          func(verdict.Judgement) bool
	}{
		"an orphan":                  {facts: lock(), want: verdict.Orphaned, sure: true},
		"an orphan that moved":       {facts: lock(func(e *verdict.Facts) { e.Changed = true }), want: verdict.Unknown, is: func(j verdict.Judgement) bool { return j.Changed }},
		"an orphan of moving values": {facts: lock(func(e *verdict.Facts) { e.Others, e.OthersWhy = verdict.OthersAbsent, "values move" }), want: verdict.Orphaned, is: func(j verdict.Judgement) bool { return j.Why == "values move" }},
		"a digest":                   {facts: lock(func(e *verdict.Facts) { e.Digests = true }), want: verdict.Unknown, seems: verdict.Orphaned, is: func(j verdict.Judgement) bool { return j.Digests }},
		"a digest of a part":         {facts: lock(func(e *verdict.Facts) { e.Part, e.UnknownText = true, true }), want: verdict.Unknown, seems: verdict.Orphaned, is: func(j verdict.Judgement) bool { return j.Digests }},
		"missing beside a digest":    {facts: lock(missing, func(e *verdict.Facts) { e.Digests = true }), want: verdict.Unknown, seems: verdict.Missing, is: func(j verdict.Judgement) bool { return j.Digests }},
		"digest and form":            {facts: lock(missing, digests, form("")), want: verdict.Unknown, seems: verdict.Missing, is: func(j verdict.Judgement) bool { return j.Digests && j.Asks != nil }},
		"digest and a said form":     {facts: lock(missing, digests, form(layout.Hold)), want: verdict.Held, sure: true},
		"digest and a denied form":   {facts: lock(missing, digests, form(layout.HoldNot)), want: verdict.Unknown, seems: verdict.Missing, is: func(j verdict.Judgement) bool { return j.Digests && j.Asks == nil }},
		"a handed lock":              {facts: lock(func(e *verdict.Facts) { e.Handed = true }), want: verdict.Unknown, is: func(j verdict.Judgement) bool { return !j.Changed }},
		"a handed lock, claimed":     {facts: lock(claimed, func(e *verdict.Facts) { e.Handed = true }), want: verdict.Unknown, is: func(j verdict.Judgement) bool { return j.Changed }},
		"missing":                    {facts: lock(missing), want: verdict.Missing, sure: true},
		"missing, its form denied":   {facts: lock(missing, func(e *verdict.Facts) { e.OtherForm = &verdict.Holding{Place: layout.Place{}, Answer: layout.HoldNot} }), want: verdict.Missing, sure: true},
		"missing, its form said":     {facts: lock(missing, func(e *verdict.Facts) { e.OtherForm = &verdict.Holding{Answer: layout.Hold} }), want: verdict.Held, sure: true},
		"missing, its form asked":    {facts: lock(missing, func(e *verdict.Facts) { e.OtherForm = &verdict.Holding{} }), want: verdict.Missing, is: func(j verdict.Judgement) bool { return j.Asks != nil }},
		"misspelt":                   {facts: lock(missing, func(e *verdict.Facts) { e.OtherSpelling = &verdict.Judgement{Verdict: verdict.Orphaned} }), want: verdict.Missing, sure: true},
		"held, one expires":          {facts: lock(claimed, func(e *verdict.Facts) { e.ExpiresAlone = true }), want: verdict.Held, sure: true, is: func(j verdict.Judgement) bool { return j.ExpiresAlone }},
		"missing, and it expires":    {facts: lock(missing, func(e *verdict.Facts) { e.ExpiresAlone = true }), want: verdict.Missing, sure: true, is: func(j verdict.Judgement) bool { return !j.ExpiresAlone }},
		"stopped":                    {facts: lock(func(e *verdict.Facts) { e.Stopped, e.Scanned = true, true }), want: verdict.Orphaned, is: func(j verdict.Judgement) bool { return strings.Contains(j.Why, "stopped") }},
	} {
		j := verdict.Judge(tc.facts)
		if tc.seems == "" {
			tc.seems = tc.want
		}
		if j.Verdict != tc.want || j.Seems() != tc.seems || j.Sure() != tc.sure || tc.is != nil && !tc.is(j) {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

// If an unclaimed lock is undecided for any reason, and another item holds its value, a person is asked about the item,
// and the answer decides. No question is asked about a lock that has changed, or that an account claims.
func TestAnItemIsAskedAboutIfTheLockIsUndecided(t *testing.T) {
	for name, tc := range map[string]struct {
		add  func(*verdict.Facts)
		asks bool
	}{
		"orphaned":              {func(*verdict.Facts) {}, true},
		"an odd owner":          {func(e *verdict.Facts) { e.OwnerOdd = "so its owner is unknown" }, true},
		"an unreadable owner":   {func(e *verdict.Facts) { e.OwnerKnown, e.OwnerUnreadable, e.Owner = true, true, &schema.Account{} }, true},
		"handed":                {func(e *verdict.Facts) { e.Handed = true }, true},
		"busy":                  {func(e *verdict.Facts) { e.Busy = true }, true},
		"others are unread":     {func(e *verdict.Facts) { e.Others, e.OthersWhy = verdict.OthersUnread, "more has to be read" }, true},
		"a digest":              {func(e *verdict.Facts) { e.Digests = true }, true},
		"an odd owner's digest": {func(e *verdict.Facts) { e.Digests, e.OwnerOdd = true, "so its owner is unknown" }, true},
		"changed":               {func(e *verdict.Facts) { e.Changed = true }, false},
		"claimed":               {func(e *verdict.Facts) { e.Claimants = make([]schema.Account, 1) }, false},
		"claimed and handed":    {func(e *verdict.Facts) { e.Claimants, e.Handed = make([]schema.Account, 1), true }, false},
	} {
		e := verdict.Facts{Value: "ada", Lock: schema.Lock{Exists: true}, Others: verdict.OthersSettled, Fit: standing(layout.Supported)}
		tc.add(&e)
		item := &verdict.Holding{}
		e.Holders.Asks = item
		j := verdict.Judge(e)
		if (j.Asks == item) != tc.asks || tc.asks && (j.Verdict != verdict.Unknown || j.Why != e.Holders.Keeps() || j.Digests != e.Digests) {
			t.Errorf("%s, asked: %+v", name, j)
		}
		e.Holders = verdict.Holders{Known: []*verdict.Holding{item}}
		if j := verdict.Judge(e); tc.asks && (j.Verdict != verdict.Held || j.HeldBy != item) {
			t.Errorf("%s, answered: %+v", name, j)
		}
	}
}
