package ui_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// withPeople makes and opens a table of people without locks. The layout demands unique e-mails, but two people have
// the same e-mail.
func (s *setup) withPeople(t *testing.T, changes ...func(*dynamo.Options)) {
	t.Helper()
	var items []sdk.Item
	for n := range 31 {
		items = append(items, person(fmt.Sprintf("%02d", n), fmt.Sprintf("p%d@x.io", n%30), fmt.Sprintf("2024-03-%02dT10:00:00Z", n%30+1)))
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("people", "PK:S", "SK:S"), items...); err != nil {
		t.Fatal(err)
	}
	s.describePeople(t, changes...)
}

// describePeople opens the table of people with a layout that demands unique e-mails.
func (s *setup) describePeople(t *testing.T, changes ...func(*dynamo.Options)) {
	t.Helper()
	s.connect(t, append(changes, func(o *dynamo.Options) {
		o.Layouts = append(o.Layouts, config.Layout{Name: "people", Tables: []string{"people"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE",
			Constraints: []config.Constraint{
				{Name: "email", Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "owner"},
			},
		}}})
	})...)
	s.options.Table = "people"
}

func person(id, mail, created string) sdk.Item {
	return sdk.Item{
		"PK": sdk.S("ACCT#" + id), "SK": sdk.S("PROFILE"), "email": sdk.S(mail), "createdAt": sdk.S(created),
	}
}

// signUp makes 20 new people with their locks, as the printed transactions do.
func (s *setup) signUp(t *testing.T, changes ...func(account sdk.Item)) {
	t.Helper()
	for n := range 20 {
		id := fmt.Sprintf("new%02d", n)
		account := person(id, id+"@x.io", "2025-02-01T10:00:00Z")
		for _, change := range changes {
			change(account)
		}
		s.put(t, "people", account,
			sdk.Item{"PK": sdk.S("UNIQ#EMAIL#" + id + "@x.io"), "SK": sdk.S("LOCK"), "owner": sdk.S(id)})
	}
}

// The screen runs a whole adoption. A person starts, stops and resumes phases there.
func TestAdoptScreens(t *testing.T) {
	s := drawn(t)
	s.withPeople(t)
	changer := s.options.Connections[0].Changer
	changer.Writes = client.Pace{Rate: 1} // the first transaction uses up this rate for a minute
	term := s.run(t)
	shot := func(name string, texts ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			outer := term.t
			defer func() { term.t = outer }()
			term.t = t
			term.pictures(texts...)
			term.resize(80, 24)
			term.see(texts...)
		})
	}

	term.see("people")
	term.press("L")
	term.see("› layout", "CONSTRAINT email")
	term.press("jjU")
	term.see("adopt email", "not done", "next: survey")
	term.press("<enter>")
	shot("adopt", "next: writers", "31 values, 29 locks to put, 1 problem")

	// From the screen of the transactions, the verification of the writers begins.
	term.press("j<enter>")
	shot("adopt-transactions", "▸ JSON", "From now on")
	term.press("<right><right>")
	term.see("▸ Python", "Keeps the constraint")
	s.signUp(t)
	term.press("<enter>")
	term.see("▸", "since", "createdAt")
	term.press("tomorrow<tab>createdAt<enter><enter><enter><enter>")
	term.see("Write the time with its zone")
	term.press("<up><up><up><up><up>")
	for range "tomorrow" {
		term.press("<backspace>")
	}
	term.press("2025-01-01T00:00:00Z<enter>")
	shot("adopt-times", "2025-01-01T00:00:00Z", "Read the accounts")
	term.press("<enter><enter><enter><enter>")
	shot("adopt-judged", "20 new accounts", "Not verified: changes of the value", "the constraint, to confirm")
	term.press("emai<enter>")
	term.see("▸ Not now")
	term.press("<up>l<enter><enter>")
	term.see("confirmed changes of the value", "next: backfill")

	// The backfill reads the accounts, and asks. A person stops it between two transactions, and resumes it later.
	term.press("j<enter>")
	shot("adopt-backfill", "Backfill the locks of email", "▸ No, leave it", "only if")
	term.press("<right><enter>")
	term.see("Putting the locks: 10 of 29")
	term.meanwhile("x")
	term.see("Stopped. enter continues the backfill.", "stopped: 10 of about 29 locks put")
	changer.Writes = client.Pace{}
	term.press("<enter>")
	term.see("▸ No, leave it")
	term.press("<right><enter>")
	shot("adopt-backfilled", "done: 29 locks put, 1 duplicate", "next: survey")

	// If there is a duplicate, Verify fails, and the next phase is the survey. The rule holds after a person has repaired
	// the duplicate.
	term.press("j<enter>")
	shot("adopt-unproven", "repeat the phase survey", "next: survey")
	s.remove(t, "people", "ACCT#30", "PROFILE")
	term.press("k<enter>")
	term.see("▸ No, leave it")
	term.press("<right><enter>")
	term.see("1 lock put")
	term.press("j<enter>")
	shot("adopt-holds", "✓ verify", "the rule holds since")

	// The undo deletes the locks of the last run. The dialog that abandons the adoption names the locks that stay.
	term.press("ku")
	shot("adopt-undo", "Undo a backfill", "▸ No, leave it")
	term.press("<right><enter>")
	term.see("1 lock deleted", "undone")
	term.press("D")
	shot("adopt-abandon", "29 locks of the email stay", "Abandon the adoption")
	term.press("<right><enter>")
	term.see("The adoption of the email is abandoned.", "next: survey")
}

// On a read-only connection, the survey and the verification of the writers work. The backfill asks for --write.
func TestAdoptOnAReadOnlyConnection(t *testing.T) {
	s := onDemo(t)
	s.withPeople(t, func(o *dynamo.Options) { o.Write = false })
	s.signUp(t)
	term := s.run(t)
	term.see("people")
	term.press("L")
	term.see("CONSTRAINT email")
	term.press("jjU")
	term.see("adopt email", "not done")
	term.press("<enter>")
	term.see("51 values, 29 locks to put, 1 problem", "decide which account")
	term.press("ja")
	term.see("Read the accounts")
	term.press("2025-01-01T00:00:00Z<tab>createdAt<enter><enter><enter><enter>")
	term.see("20 new accounts")
	term.press("email<enter><enter>")
	term.see("next: backfill")
	term.press("j<enter>")
	term.see("This connection is read-only; start with --write.")
}

// adopting makes and opens a table of people without problems. Only the phase Verify of its adoption is left.
func (s *setup) adopting(t *testing.T, changes ...func(*dynamo.Options)) {
	t.Helper()
	s.withPeople(t, changes...)
	s.remove(t, "people", "ACCT#30", "PROFILE")
	for n := range 30 {
		s.put(t, "people", sdk.Item{
			"PK": sdk.S(fmt.Sprintf("UNIQ#EMAIL#p%d@x.io", n)), "SK": sdk.S("LOCK"), "owner": sdk.S(fmt.Sprintf("%02d", n)),
		})
	}
	s.recorded(t)
}

// recorded adds events to the record of the adoption. The first two say that the survey and the writers are done.
func (s *setup) recorded(t *testing.T, events ...adopt.Event) {
	t.Helper()
	record := s.record(t)
	for _, e := range append([]adopt.Event{
		{Survey: &adopt.Surveyed{Values: 30}}, {Writers: &adopt.Writers{Since: time.Now(), Judged: 20, Made: 20}},
	}, events...) {
		if err := record.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// record returns the record of the adoption.
func (s *setup) record(t *testing.T) *adopt.Record {
	t.Helper()
	table, err := s.conn.Open(t.Context(), "people")
	if err != nil {
		t.Fatal(err)
	}
	rule, err := adopt.Open(t.Context(), table, "email")
	if err != nil {
		t.Fatal(err)
	}
	return adopt.OpenRecord(s.journal(), rule, "sam")
}

// toAdoption opens the screen of the adoption.
func (s *setup) toAdoption(t *testing.T) *terminal {
	t.Helper()
	term := s.run(t)
	term.see("people")
	term.press("L")
	term.see("CONSTRAINT email")
	term.press("jjU")
	term.see("adopt email")
	return term
}

// If Verify cannot write the receipt, it says why, and the rule does not count as proved.
func TestAdoptionWithoutAReceipt(t *testing.T) {
	s := onDemo(t)
	s.adopting(t)
	writable := s.options.Connections[0].Changer.Journal
	s.options.Connections[0].Changer.Journal = journal.OpenReadOnly(s.journal())
	term := s.toAdoption(t)
	term.see("next: verify")
	term.press("<enter>")
	term.see("open for reading only", "next: verify", "not done")
	s.options.Connections[0].Changer.Journal = writable
	term.press("<enter>")
	term.see("the rule holds since", "receipt")
}

// If another person undoes a backfill while Verify reads, Verify proves nothing, and writes no receipt.
func TestAdoptionVerifiedDuringAnUndo(t *testing.T) {
	s := onDemo(t)
	var meanwhile atomic.Pointer[func()]
	s.adopting(t, func(o *dynamo.Options) {
		next := o.Transport
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Scan") {
				if do := meanwhile.Swap(nil); do != nil {
					(*do)()
				}
			}
			return next.RoundTrip(r)
		})
	})
	record := s.record(t)
	term := s.toAdoption(t)
	term.see("next: verify")
	undo := func() {
		if err := record.Append(context.Background(), adopt.Event{Backfill: &adopt.Backfill{Receipt: "R-1", Undone: true}}); err != nil {
			t.Error(err)
		}
	}
	meanwhile.Store(&undo)
	term.press("j<enter>")
	term.see("another phase found", "next: backfill")
	records, err := s.options.Connections[0].Changer.Journal.Records()
	if err != nil || len(records) > 0 {
		t.Errorf("the journal has %+v, %v", records, err)
	}
}

// With guard = "type", a backfill begins after the person has typed the name of the constraint.
func TestTypedBackfill(t *testing.T) {
	s := onDemo(t)
	s.withPeople(t, func(o *dynamo.Options) { o.Guard = client.GuardType })
	s.remove(t, "people", "ACCT#30", "PROFILE")
	s.recorded(t, adopt.Event{Survey: &adopt.Surveyed{Values: 30, ToWrite: 30}})
	term := s.toAdoption(t)
	term.see("next: backfill")
	term.press("<enter>")
	term.see("to enable Put", "▸ No, leave it")
	term.press("<tab><tab>emai<tab>")
	term.see("▸ No, leave it")
	term.press("<tab><tab>l<tab><tab>")
	term.see("▸ Put the locks")
	term.press("<enter>")
	term.see("done: 30 locks put", "next: verify")
}
