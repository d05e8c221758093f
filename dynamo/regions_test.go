package dynamo_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fault"
)

// inRegions is the demo's accounts as a table with replicas. If changedIn is not empty, an item names it
// as the Region that changed it last.
func inRegions(t *testing.T, strong bool, writtenIn, changedIn string, regions ...string) *dynamo.Table {
	t.Helper()
	d, err := demo.New(t.Context(), fault.WithReplicas("accounts", strong, regions...))
	if err != nil {
		t.Fatal(err)
	}
	if changedIn != "" {
		changed := sdk.Item{"PK": sdk.S("ORDER#1"), "SK": sdk.S("META"), client.UpdateRegion: sdk.S(changedIn)}
		if err := sdk.Put(t.Context(), d.App(), "accounts", changed); err != nil {
			t.Fatal(err)
		}
	}
	o := d.Options()
	if writtenIn != "" {
		o.Layouts = []config.Layout{uniq(writtenIn)}
	}
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	table, err := conn.Open(t.Context(), "accounts")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// uniq is the layout of the demo's accounts, written in one Region.
func uniq(writtenIn string) config.Layout {
	return config.Layout{Name: "ours", Tables: []string{"accounts"}, WrittenIn: writtenIn, Accounts: []config.Account{{
		PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{
			{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}, {Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"},
		},
	}}}
}

// What rests on something not being there holds in one Region only, where others
// write: it is never proven, and says why. What is there is there.
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
		"an item, written elsewhere": {changedIn: "us-east-1", writtenIn: "eu-west-1", limited: "eu-west-1 is written: look there"},
		"a replica, and an item":     {changedIn: "us-east-1", regions: []string{"eu-west-1"}, limited: "in us-east-1 only: eu-west-1 can write"},
		"written here only":          {writtenIn: "us-east-1", regions: []string{"eu-west-1"}},
		"written elsewhere":          {writtenIn: "eu-west-1", regions: []string{"eu-west-1"}, limited: "eu-west-1 is written: look there"},
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

// No second look confirms in a Region what another may have changed.
func TestBrowsingConfirmsNothingAcrossRegions(t *testing.T) {
	for _, strong := range []bool{false, true} {
		b := browse.New(inRegions(t, strong, "", "", "eu-west-1"))
		for {
			v, err := b.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if v.Complete {
				break
			}
		}
		v, err := b.Confirm(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		broken := 0
		for _, r := range v.Relations {
			if r.Verdict.Broken() && r.Verdict != verdict.Duplicate {
				broken++
				if !r.Provisional || r.Limited() == "" {
					t.Errorf("strong %v: %s is called proven: %s", strong, r.Value, r.Sentence())
				}
			}
		}
		if broken == 0 || !v.Confirmed.IsZero() {
			t.Errorf("strong %v: %d broken, confirmed %v", strong, broken, v.Confirmed)
		}
	}
}

// A Region that the table has no part in is a mistake of the layout.
func TestAWrongRegionIsNamed(t *testing.T) {
	d, err := demo.New(t.Context(), fault.WithReplicas("accounts", false, "eu-west-1"))
	if err != nil {
		t.Fatal(err)
	}
	o := d.Options()
	o.Layouts = []config.Layout{uniq("eu-west-9")}
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Open(t.Context(), "accounts")
	if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "eu-west-9") || !strings.Contains(err.Error(), "us-east-1 and eu-west-1") {
		t.Error(err)
	}
}
