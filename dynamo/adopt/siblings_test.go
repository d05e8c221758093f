package adopt_test

import (
	"path/filepath"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// Two constraints have locks with the same keys: of two kinds of accounts, or in two layouts of one table. Evidence in
// the record of one also ends the proof in the record of the other. Other locks, and an adoption that ends, are no
// evidence.
func TestEvidenceAboutTheSameLocks(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("people", "PK:S", "SK:S")
	f.Put("people", fixture.Account("7", "ada@x.io", "ada"))
	kind := func(pk, name, lock, owner string) config.Account {
		a := rule(func(c *config.Constraint) { c.Name, c.PK, c.OwnerForm = name, lock, owner })
		a.PK = pk
		return a
	}
	in := func(accounts ...config.Account) *dynamo.Table {
		return f.Open("people", fixture.Described(config.Layout{Name: "mine", Tables: []string{"people"}, Accounts: accounts}))
	}
	user := kind("ACCT#{id}", "email", "UNIQ#EMAIL#{v}", "ACCT#{id}")
	both := in(user, kind("ORG#{id}", "contact", "UNIQ#EMAIL#{v}", "ORG#{id}"))
	const contact, mail, other = "contact", "mail", "other"
	siblings := map[string]*dynamo.Table{
		contact: both,
		mail:    in(kind("ACCT#{id}", mail, "UNIQ#EMAIL#{v}", "ACCT#{id}")),
		other:   in(user, kind("ORG#{id}", other, "UNIQ#CONTACT#{v}", "ORG#{id}")),
	}
	begun := adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-2"}}
	undone := adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-2", Undone: true}}
	for name, tc := range map[string]struct {
		sibling  string
		evidence adopt.Event
		next     adopt.Phase
	}{
		"an undo begins":          {contact, adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-2", Undoing: true}}, adopt.PhaseBackfill},
		"undone":                  {contact, undone, adopt.PhaseBackfill},
		"undone, another layout":  {mail, undone, adopt.PhaseBackfill},
		"a survey with a problem": {contact, adopt.Event{Survey: &adopt.Surveyed{Duplicates: 1}}, adopt.PhaseVerify},
		"an old writer":           {contact, adopt.Event{Writers: &adopt.Writers{Judged: 25, Made: 25, Without: 1}}, adopt.PhaseVerify},
		"a check with a problem":  {mail, adopt.Event{Verify: &adopt.Verified{Missing: 1}}, adopt.PhaseVerify},
		"a backfill begins":       {contact, adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-3"}}, ""},
		"a good survey":           {contact, adopt.Event{Survey: &adopt.Surveyed{}}, ""},
		"abandoned":               {contact, adopt.Event{Abandoned: &adopt.Abandoned{}}, ""},
		"undone, other locks":     {other, undone, ""},
	} {
		journal, now := filepath.Join(t.TempDir(), "journal.jsonl"), time.Now()
		record := adopt.OpenRecord(journal, open(t, both), "sam")
		named, err := adopt.Open(t.Context(), siblings[tc.sibling], tc.sibling)
		if err != nil {
			t.Fatal(err)
		}
		sibling := adopt.OpenRecord(journal, named, "eve")
		add(t, sibling, begun)
		for _, e := range []adopt.Event{
			{Survey: &adopt.Surveyed{ToWrite: 3}},
			{Writers: &adopt.Writers{Since: now, Judged: 20, Made: 20}},
			{Backfill: &adopt.Backfill{Receipt: "R-1"}},
			{Backfill: &adopt.Backfill{Receipt: "R-1", Done: true}},
			{Verify: &adopt.Verified{Since: &now}},
		} {
			add(t, record, e)
		}
		if tc.evidence.Backfill != nil {
			// The layout may no longer have the constraint: only its name is known.
			sibling = adopt.RecordOf(journal, both, tc.sibling, "eve")
		}
		v := &adopt.Verified{Begun: time.Now(), Since: &now}
		add(t, sibling, tc.evidence)
		if s, err := record.State(); err != nil || s.Next() != tc.next || s.Backfilled() != (tc.next != adopt.PhaseBackfill) {
			t.Errorf("%s: the next phase is %q, %+v, %v", name, s.Next(), s, err)
		}
		if err := record.Withdraw(v); err != nil || (v.Since == nil) != (tc.next != "") {
			t.Errorf("%s: the proof of a simultaneous check: %+v, %v", name, v, err)
		}
		for _, e := range []adopt.Event{
			{Backfill: &adopt.Backfill{Receipt: "R-4"}},
			{Backfill: &adopt.Backfill{Receipt: "R-4", Done: true}},
			{Verify: &adopt.Verified{Since: &now}},
		} {
			add(t, record, e)
		}
		if s, err := record.State(); err != nil || s.Next() != "" {
			t.Errorf("%s: repeated, the next phase is %q, %+v, %v", name, s.Next(), s, err)
		}
	}
}
