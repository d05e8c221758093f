package find_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/find"
	"tallylock/internal/fixture"
)

// Readings begins with the account whose id is the query. Then comes the constraint whose values look like the query.
// The answer's locks keep the order of the layout.
func TestReadings(t *testing.T) {
	t.Parallel()
	table := fixture.New(t).Open("accounts")
	for query, want := range map[string]string{
		"ACCT#a1f9c3":     "id email held, id username held; username free, email free",
		"ada":             "username held; email free",
		"alan":            "username orphaned; email free",
		"ada@lovelace.io": "email held; username free",
		"nobody":          "username free; email free",
		"nobody@x.io":     "email free; username free",
	} {
		a, err := find.Find(t.Context(), table, query, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := readings(a); got != want {
			t.Errorf("%s: %s, not %s", query, got, want)
		}
		if a.Locks[0].Constraint.Name != "email" || a.Locks[1].Constraint.Name != "username" {
			t.Errorf("%s: the locks have another order than the layout", query)
		}
	}
}

// An account that probably holds the query is read by its key, so no sweep has to find it.
func TestFindReadsProbableHolders(t *testing.T) {
	t.Parallel()
	table := fixture.New(t).Open("accounts", func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true })
	known, err := find.Find(t.Context(), table, "ACCT#a1f9c3", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	account := known.Accounts[0].Key
	for query, want := range map[string]string{
		"ada":  "username held; email unknown",
		"alan": "username unknown; email unknown", // the account does not hold it
	} {
		a, err := find.Find(t.Context(), table, query, find.Options{Accounts: []attr.Key{account}})
		if err != nil {
			t.Fatal(err)
		}
		if got := readings(a); got != want {
			t.Errorf("%s: %s, not %s", query, got, want)
		}
	}
}

// readings writes the readings of an answer in one line: first the readings that found something, then the others.
func readings(a *find.Answer) string {
	found, nothing := a.Readings()
	var first, others []string
	for _, r := range found {
		text := r.Constraint.Name + " " + string(r.Verdict)
		if r.ByID {
			text = "id " + text
		}
		first = append(first, text)
	}
	for _, r := range nothing {
		others = append(others, r.Constraint.Name+" "+string(r.Verdict))
	}
	return strings.Join(first, ", ") + "; " + strings.Join(others, ", ")
}
