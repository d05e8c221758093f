package browse_test

import (
	"slices"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
	"tallylock/internal/testrun"
)

// lockless creates a town in which every second account has lost its locks. It returns a Browser with the first page,
// on a connection that may use the given number of read units unasked.
func lockless(f *fixture.Tables, t *testing.T, unasked float64) (*browse.Browser, *dynamo.Connection) {
	t.Helper()
	known := f.Town("town", 600)
	var rows []sdk.Item
	for n := range 600 {
		v := "lost" + string(rune('a'+n%26)) + string(rune('a'+n/26))
		rows = append(rows, fixture.Account(v, v+"@x.io", v))
	}
	f.Put("town", rows...)
	conn := f.Connect(func(o *dynamo.Options) { o.AutoReadUnits, o.Layouts = unasked, []config.Layout{known} })
	o, err := conn.Start(t.Context(), "town", 40)
	if err != nil {
		t.Fatal(err)
	}
	b := browse.NewOpening(o)
	for v := (browse.View{}); v.Scanned == 0 || b.Owes(); {
		if v, err = b.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return b, conn
}

// unjudged returns the relations that still need to be read again, each lock together with its accounts.
func unjudged(v browse.View) (rows []*verdict.Relation) {
	return slices.DeleteFunc(slices.Clone(v.Relations), func(r *verdict.Relation) bool { return !r.Unjudged })
}

// Undecided rows are judged a few at a time, and the rows near the cursor come first.
func TestRowsThatAreNearAreJudgedFirst(t *testing.T) {
	f := fixture.New(t)
	b, _ := lockless(f, t, 500)
	v, _, err := b.JudgeTogether(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	open := unjudged(v)
	if len(open) < 3 {
		t.Fatalf("%d rows are left", len(open))
	}
	looked := open[len(open)-1]
	f.Requests()
	v, judged, err := b.JudgeTogether(t.Context(), func(r *verdict.Relation) bool { return r.Subject() == looked.Subject() })
	if sent := f.Requests(); err != nil || judged == 0 || judged > 10 || !slices.Equal(sent, []string{"TransactGetItems"}) {
		t.Errorf("%v: %d rows by %v", err, judged, sent)
	}
	for _, r := range v.Relations {
		if r.Subject() == looked.Subject() && r.Verdict != verdict.Missing {
			t.Errorf("what was looked at is %s", r.Verdict)
		}
	}
	if !looked.Unjudged || looked.Verdict != verdict.Unknown {
		t.Error("a view changed after it was given out")
	}
}

// Judging undecided rows ends if it would exceed the budget of the page. The remaining rows stay unknown.
func TestSettlingKeepsToItsBudget(t *testing.T) {
	f := fixture.New(t)
	b, conn := lockless(f, t, 0.5)
	v := judged(t, b, browse.View{})
	if open := unjudged(v); len(open) == 0 || broken(v) == "" || conn.Units() > 120 {
		t.Errorf("%v units: %q is broken, and %d left", conn.Units(), broken(v), len(open))
	}
	for _, r := range unjudged(v) {
		if r.Verdict != verdict.Unknown || r.Why == "" {
			t.Errorf("%s is %s: %q", r.Value, r.Verdict, r.Why)
		}
	}
}

// If the layout does not fit the table, a page is read without any transaction.
func TestNothingIsJudgedByAWrongLayout(t *testing.T) {
	f := fixture.New(t)
	known := f.Town("town", 600)
	known.Accounts[0].Constraints[0].Normalise = []string{"sha256"}
	b := browse.New(f.Open("town", func(o *dynamo.Options) { o.Layouts = []config.Layout{known} }))
	f.Requests()
	v := page(t, b)
	if sent := f.Requests(); slices.Contains(sent, "TransactGetItems") {
		t.Errorf("%d rows, by %v", len(v.Relations), sent)
	}
}

// If a guess about a large table is wrong, few read units are used until this is known, and no transaction.
func TestAWrongGuessAboutALargeTable(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	known := f.Town("town", testrun.Runs(20_000, 4_000))
	for n := range 2 {
		known.Accounts[0].Constraints[n].Normalise = []string{"sha256"}
	}
	conn := f.Connect(func(o *dynamo.Options) { o.Layouts = []config.Layout{known} })
	f.Requests()
	o, err := conn.Start(t.Context(), "town", 25)
	if err != nil {
		t.Fatal(err)
	}
	b := browse.NewOpening(o)
	v, err := b.Next(t.Context())
	if sent := f.Requests(); err != nil || len(v.Relations) == 0 || conn.Units() > 2 || len(sent) != 2 {
		t.Errorf("%d rows for %v units, by %v", len(v.Relations), conn.Units(), sent)
	}
	for b.Owes() {
		v = page(t, b)
	}
	v = judged(t, b, v)
	if sent := f.Requests(); conn.Units() > 120 || slices.Contains(sent, "TransactGetItems") {
		t.Errorf("judged for %v units, by %v", conn.Units(), sent)
	}
	for _, r := range v.Relations {
		if r.Verdict != verdict.Unknown || r.Unjudged {
			t.Errorf("%s is %s: %s", r.Value, r.Verdict, r.Why)
		}
	}
}
