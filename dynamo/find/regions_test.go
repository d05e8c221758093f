package find_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fault"
	"tallylock/internal/fixture"
)

// inRegions opens the demo's accounts as a table with replicas. If writtenIn is not empty, the layout names it as the
// only Region that writes. If changedIn is not empty, an item names it as the Region of its last change.
func inRegions(t *testing.T, strong bool, writtenIn, changedIn string, regions ...string) *dynamo.Table {
	t.Helper()
	f := fixture.New(t, fault.WithReplicas("accounts", strong, regions...))
	if changedIn != "" {
		f.Put("accounts", sdk.Item{"PK": sdk.S("ORDER#1"), "SK": sdk.S("META"), client.UpdateRegion: sdk.S(changedIn)})
	}
	return f.Open("accounts", func(o *dynamo.Options) {
		if o.Asked = false; writtenIn != "" {
			l := fixture.Layout("accounts", fixture.Accounts(""))
			l.WrittenIn = writtenIn
			o.Layouts = []config.Layout{l}
		}
	})
}

// If other Regions write the table, an absence is known in one Region only. A verdict that needs an absence is then
// provisional, and says why. Verdicts on items that exist stay certain.
func TestAnAbsenceHoldsInOneRegion(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		strong    bool
		writtenIn string
		changedIn string
		regions   []string
		limited   string
	}{
		"one Region":                 {regions: nil},
		"its own, listed":            {regions: []string{"us-east-1"}},
		"two Regions":                {regions: []string{"eu-west-1"}, limited: "in us-east-1 only: eu-west-1 can write"},
		"three":                      {regions: []string{"eu-west-1", "ap-south-1", "us-east-1"}, limited: "ap-south-1 and eu-west-1 can write"},
		"an item says here":          {changedIn: "us-east-1", limited: "in us-east-1 only: another Region can write"},
		"an item says elsewhere":     {changedIn: "eu-west-1", limited: "in us-east-1 only: eu-west-1 can write"},
		"an item, written here":      {changedIn: "eu-west-1", writtenIn: "us-east-1"},
		"an item, written elsewhere": {changedIn: "us-east-1", writtenIn: "eu-west-1", limited: "writes only in eu-west-1 (written_in): look there"},
		"a replica, and an item":     {changedIn: "us-east-1", regions: []string{"eu-west-1"}, limited: "in us-east-1 only: eu-west-1 can write"},
		"written here only":          {writtenIn: "us-east-1", regions: []string{"eu-west-1"}},
		"written elsewhere":          {writtenIn: "eu-west-1", regions: []string{"eu-west-1"}, limited: "writes only in eu-west-1 (written_in): look there"},
		"strongly consistent":        {strong: true, regions: []string{"eu-west-1", "ap-south-1"}, limited: "no transactions"},
		"strong, written here alone": {strong: true, writtenIn: "us-east-1", regions: []string{"eu-west-1"}, limited: "no transactions"},
	} {
		t.Run(name, func(t *testing.T) {
			table := inRegions(t, tc.strong, tc.writtenIn, tc.changedIn, tc.regions...)
			for query, want := range map[string]verdict.Verdict{"turing": verdict.Orphaned, "hopper": verdict.Missing, "nobody": verdict.Free, "ada": verdict.Held, "margaret.hamilton@draper.test": verdict.Duplicate} {
				a, err := find.Find(t.Context(), table, query, find.Options{Scan: true})
				if err != nil {
					t.Fatal(err)
				}
				rel := relation(a, want)
				if rel == nil {
					t.Errorf("%s is not %s: %+v", query, want, a.Locks)
					continue
				}
				limited := tc.limited != "" && want != verdict.Held && want != verdict.Duplicate
				if limited != (rel.Limited() != "") || (limited && !strings.Contains(rel.Limited(), tc.limited)) {
					t.Errorf("%s: limited by %q", query, rel.Limited())
				}
				if limited && !rel.Provisional {
					t.Errorf("%s is called proven", query)
				}
				if here := strings.Contains(rel.Sentence(), "in this Region"); here != (limited && !tc.strong) {
					t.Errorf("%s: %s", query, rel.Sentence())
				}
			}
		})
	}
}

func relation(a *find.Answer, v verdict.Verdict) *verdict.Relation {
	for _, r := range a.Locks {
		if r.Verdict == v {
			return r
		}
	}
	return nil
}
