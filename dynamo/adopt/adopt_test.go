package adopt_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
	"tallylock/internal/testrun"
)

func TestMain(m *testing.M) {
	testrun.SideBySide("4")
	os.Exit(m.Run())
}

// rule returns an account whose constraint can be adopted. change may change this constraint.
func rule(change ...func(*config.Constraint)) config.Account {
	c := config.Constraint{
		Name: "email", Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"trim", "lower"},
		Owner: "owner", Is: &config.Discriminator{Attribute: "type", Value: "lock"},
	}
	for _, change := range change {
		change(&c)
	}
	return config.Account{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{c}}
}

func open(t *testing.T, table *dynamo.Table) *adopt.Rule {
	t.Helper()
	r, err := adopt.Open(t.Context(), table, "email")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Each kind of constraint that cannot be adopted is refused with its code.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("people", "PK:S", "SK:S")
	f.Put("people", fixture.Account("1", "ada@x.io", "ada"))
	for want, change := range map[adopt.Code]func(*config.Constraint){
		adopt.Ownerless:      func(c *config.Constraint) { c.Owner = "" },
		adopt.KeyedByAccount: func(c *config.Constraint) { c.SK, c.Owner = "{id}", "" },
		adopt.SeveralForms:   func(c *config.Constraint) { c.Also = []config.LockKey{{PK: "MAIL#{v}", SK: "LOCK"}} },
		adopt.Moves:          func(c *config.Constraint) { c.Moves = true },
		adopt.TwoSteps:       func(c *config.Constraint) { c.MultiTransaction = true },
		adopt.Lapses:         func(c *config.Constraint) { c.Lapses = true },
		adopt.Unknown:        func(c *config.Constraint) { c.Name = "mail" },
		adopt.Lockless: func(c *config.Constraint) {
			*c = config.Constraint{Name: "email", Attribute: "email", Unique: true}
		},
		adopt.OtherHolders: func(c *config.Constraint) {
			c.Holders = []config.Holder{{Table: "people", Items: "INVITE#*/I", Attribute: "email"}}
		},
	} {
		table := f.Open("people", fixture.Described(fixture.Layout("people", rule(change))))
		_, err := adopt.Open(t.Context(), table, "email")
		if refusal, ok := errors.AsType[*adopt.Refusal](err); !ok || refusal.Code != want {
			t.Errorf("%s is answered with %v", want, err)
		}
	}
	if r := open(t, f.Open("people", fixture.Described(fixture.Layout("people", rule())))); r.LockTable != "people" {
		t.Errorf("the locks are in %s", r.LockTable)
	}
}

// A lock names its account in another form than new locks would. Then the config has to describe the form.
func TestOpenRefusesAnotherOwnerForm(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("people", "PK:S", "SK:S")
	lock := fixture.Lock("EMAIL", "ada@x.io")
	lock["owner"], lock["type"] = sdk.S("ACCT#1"), sdk.S("lock")
	f.Put("people", fixture.Account("1", "ada@x.io", "ada"), lock)
	_, err := adopt.Open(t.Context(), f.Open("people", fixture.Described(fixture.Layout("people", rule()))), "email")
	if refusal, ok := errors.AsType[*adopt.Refusal](err); !ok || refusal.Code != adopt.OtherOwnerForm {
		t.Errorf("without owner_form: %v", err)
	}
	described := rule(func(c *config.Constraint) { c.OwnerForm = "ACCT#{id}" })
	open(t, f.Open("people", fixture.Described(fixture.Layout("people", described))))
}

// An account needs one lock for each of its values. Values that cannot have a lock say why.
func TestWants(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	r := open(t, f.Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	item := attr.Item{"PK": attr.String("ACCT#7"), "SK": attr.String("PROFILE"), "email": attr.String(" Ada@X.io ")}
	all := r.Wants(item)
	want := attr.Item{
		"PK": attr.String("UNIQ#EMAIL#ada@x.io"), "SK": attr.String("LOCK"), "owner": attr.String("7"), "type": attr.String("lock"),
	}
	if len(all) != 1 || !all[0].Item.Equal(want) || all[0].Account.ID != "7" || all[0].Rests[0] != "email" {
		t.Fatalf("it needs %+v", all)
	}
	if lock, c, ok := r.Lock("people", want); !ok || c != r.Constraint || lock.Owner != "7" {
		t.Errorf("the lock is read as %+v, %v", lock, ok)
	}
	for name, tc := range map[string]struct {
		email attr.Value
		codes []adopt.Code
	}{
		"absent":   {attr.Value{}, nil},
		"null":     {attr.Value{Kind: attr.NULL}, nil},
		"empty":    {attr.String(""), []adopt.Code{adopt.Empty}},
		"spaces":   {attr.String("  "), []adopt.Code{adopt.Empty}},
		"nonsense": {attr.String("undefined"), []adopt.Code{adopt.Nonsense}},
		"bool":     {attr.Value{Kind: attr.BOOL}, []adopt.Code{adopt.WrongType}},
		"two":      {attr.Value{Kind: attr.SS, Set: []string{"a@x.io", "A@x.io", "b@x.io"}}, []adopt.Code{"", ""}},
		"long":     {attr.String(string(make([]byte, 3000))), []adopt.Code{adopt.NoKey}},
	} {
		item := attr.Item{"PK": attr.String("ACCT#7"), "SK": attr.String("PROFILE")}
		if tc.email.Exists() {
			item["email"] = tc.email
		}
		var codes []adopt.Code
		for _, w := range r.Wants(item) {
			codes = append(codes, w.Unfit.Code)
		}
		if len(codes) != len(tc.codes) || len(codes) > 0 && codes[0] != tc.codes[0] {
			t.Errorf("%s: %q, want %q", name, codes, tc.codes)
		}
	}
}

// The record keeps each phase, and survives a torn line. It does not count the phases of another layout.
func TestRecord(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	table := f.Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada"))
	r := open(t, table)
	journal := filepath.Join(t.TempDir(), "journal.jsonl")
	record := adopt.OpenRecord(journal, r, "sam")
	state := func() *adopt.State {
		t.Helper()
		s, err := adopt.OpenRecord(journal, r, "").State()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := state(); s.Begun() || s.Next() != adopt.PhaseSurvey || s.Allows(adopt.PhaseWriters) == nil {
		t.Errorf("it has begun: %+v", s)
	}
	keep := func(e adopt.Event) {
		t.Helper()
		add(t, record, e)
	}
	keep(adopt.Event{Survey: &adopt.Surveyed{Values: 3, ToWrite: 3}})
	tear(t, record.Path(), `{"at":"2026-`)
	keep(adopt.Event{Writers: &adopt.Writers{Since: time.Now(), Judged: 20, Made: 20, NotVerified: []adopt.Operation{adopt.Change}}})
	if s := state(); code(s.Allows(adopt.PhaseBackfill)) != adopt.Unconfirmed || s.Next() != adopt.PhaseWriters {
		t.Errorf("after the writers: %+v", s)
	}
	keep(adopt.Event{Writers: &adopt.Writers{Since: time.Now(), Judged: 25, Made: 25, Without: 2}})
	if code(state().Allows(adopt.PhaseBackfill)) != adopt.WithoutLock {
		t.Error("the backfill may begin, although accounts came without their lock")
	}
	keep(adopt.Event{Writers: &adopt.Writers{Since: time.Now(), Judged: 25, Made: 25}})
	keep(adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-1", Total: 3}})
	if s := state(); s.Unfinished() == nil || code(s.Allows(adopt.PhaseVerify)) != adopt.NoBackfill {
		t.Errorf("the run is not to be resumed: %+v", s)
	}
	keep(adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-1", Total: 3, Put: 3, Done: true}})
	if s := state(); len(s.Backfills) != 1 || s.Next() != adopt.PhaseVerify || s.Allows(adopt.PhaseVerify) != nil {
		t.Errorf("after the backfill: %+v", s)
	}
	keep(adopt.Event{Verify: &adopt.Verified{Duplicates: 1, Repeat: adopt.PhaseSurvey}})
	if s := state(); s.Next() != adopt.PhaseSurvey {
		t.Errorf("after a check that found a duplicate, the next phase is %q", s.Next())
	}
	keep(adopt.Event{Survey: &adopt.Surveyed{Values: 3}})
	if s := state(); s.Next() != adopt.PhaseVerify {
		t.Errorf("after the repeated survey, the next phase is %q", s.Next())
	}
	info, err := os.Stat(record.Path())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v: %v", info.Mode(), err)
	}
	other := rule(func(c *config.Constraint) { c.Normalise = nil })
	changed := open(t, f.Open("people", fixture.Described(fixture.Layout("people", other))))
	s, err := adopt.OpenRecord(journal, changed, "").State()
	if err != nil || code(s.Allows(adopt.PhaseWriters)) != adopt.LayoutChanged {
		t.Errorf("with another layout: %+v, %v", s, err)
	}
	keep(adopt.Event{Abandoned: &adopt.Abandoned{Locks: 3}})
	if s := state(); s.Begun() || s.AbandonedAt.IsZero() || s.Next() != adopt.PhaseSurvey {
		t.Errorf("after it was abandoned: %+v", s)
	}
}

// tear appends the beginning of a line.
func tear(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func code(err error) adopt.Code {
	if refusal, ok := errors.AsType[*adopt.Refusal](err); ok {
		return refusal.Code
	}
	return ""
}

// If accounts of two kinds share the keys of locks, the owner has to tell the kind: otherwise user 7 could delete the
// lock of organisation 7.
func TestOpenRefusesOwnersOfTwoKinds(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("people", "PK:S", "SK:S")
	f.Put("people", fixture.Account("7", "ada@x.io", "ada"))
	for _, tc := range []struct {
		user, organisation, pk string
		refused                bool
	}{
		{"", "", "UNIQ#EMAIL#{v}", true},
		{"", "ORG#{id}", "UNIQ#EMAIL#{v}", true},
		{"{id}", "ORG#{id}", "UNIQ#EMAIL#{v}", true},
		{"A{id}", "AB{id}", "UNIQ#EMAIL#{v}", true},
		{"ACCT#{id}", "ORG#{id}", "UNIQ#EMAIL#{v}", false},
		{"", "", "UNIQ#CONTACT#{v}", false},
	} {
		user := rule(func(c *config.Constraint) { c.OwnerForm = tc.user })
		organisation := rule(func(c *config.Constraint) { c.Name, c.PK, c.OwnerForm = "contact", tc.pk, tc.organisation })
		organisation.PK = "ORG#{id}"
		l := config.Layout{Name: "mine", Tables: []string{"people"}, Accounts: []config.Account{user, organisation}}
		_, err := adopt.Open(t.Context(), f.Open("people", fixture.Described(l)), "email")
		refusal, ok := errors.AsType[*adopt.Refusal](err)
		switch want := []string{"ACCT#{id} / PROFILE", "ORG#{id} / PROFILE"}; {
		case !tc.refused && err != nil:
			t.Errorf("%+v: %v", tc, err)
		case tc.refused && (!ok || refusal.Code != adopt.AmbiguousOwner || !slices.Equal(refusal.Kinds, want)):
			t.Errorf("%+v: %v", tc, err)
		}
	}
}

// A check that began before the adoption was abandoned does not begin a new adoption. If another process records
// evidence against the rule, the check proves nothing, whether it began before or after the evidence.
func TestResultsBesideAnotherProcess(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	r := open(t, f.Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	begun := time.Now().UTC()
	for name, tc := range map[string]struct {
		other     adopt.Event
		abandoned bool
	}{
		"abandoned":            {adopt.Event{Abandoned: &adopt.Abandoned{}}, true},
		"another old writer":   {adopt.Event{Writers: &adopt.Writers{Begun: begun, Judged: 30, Made: 30, Without: 2}}, false},
		"a backfill has begun": {adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-1", Total: 3}}, false},
	} {
		record := adopt.OpenRecord(filepath.Join(t.TempDir(), "journal.jsonl"), r, "sam")
		for _, e := range []adopt.Event{
			{Survey: &adopt.Surveyed{Values: 3, Begun: begun}},
			{Writers: &adopt.Writers{Begun: begun, Judged: 30, Made: 30}},
			tc.other,
		} {
			if err := record.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		for _, at := range []time.Time{begun, time.Now().UTC().Add(time.Second)} {
			v := &adopt.Verified{Begun: at, Since: &at}
			if err := record.Withdraw(v); err != nil || v.Since != nil || v.Why == "" {
				t.Errorf("%s: the proof of %s stands: %+v, %v", name, at, v, err)
			}
		}
		if err := record.Append(t.Context(), adopt.Event{Verify: &adopt.Verified{Begun: begun}}); err != nil {
			t.Fatal(err)
		}
		if s, err := record.State(); err != nil || s.AbandonedAt.IsZero() == tc.abandoned {
			t.Errorf("%s: the adoption has ended at %v, %v", name, s.AbandonedAt, err)
		}
	}
}
