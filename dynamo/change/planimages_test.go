package change_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout/config"
)

// secret is a value that the journal does not need.
const secret = "$2b$12$Jx8secret"

// secrets makes accounts with a password hash, and opens their table.
func secrets(t *testing.T, options ...func(*dynamo.Options)) (*fixture, *dynamo.Table) {
	t.Helper()
	f := start(t)
	f.create("odd")
	for _, i := range healthy(12) {
		if i["email"] != nil {
			i["passwordHash"], i["kind"] = str(secret), str("user")
		}
		f.put("odd", i)
	}
	l := emails()
	l.Accounts[0].Is = &config.Discriminator{Attribute: "kind", Value: "user"}
	return f, f.described(l, options...)
}

func (f *fixture) journalSays(text string) bool {
	f.t.Helper()
	data, err := os.ReadFile(f.journal)
	if err != nil {
		f.t.Fatal(err)
	}
	return bytes.Contains(data, []byte(text))
}

func (f *fixture) account(t *dynamo.Table, id string) attr.Key {
	key, _ := t.Schema.KeyOf(attr.Item{"PK": attr.String("USER#" + id), "SK": attr.String("PROFILE")})
	return key
}

// The journal has only the attributes of an account that a change compares, and the change can still be undone. Only
// for a deletion the journal has the whole account.
func TestTheJournalKeepsWhatWasCompared(t *testing.T) {
	t.Parallel()
	f, table := secrets(t)
	before := f.dump("odd")
	r := f.apply(planner.ChangeValue(t.Context(), table, f.value(table, "email", "u3@x.io"), "eve@x.io"))
	if r.Outcome != journal.Applied || f.journalSays(secret) {
		t.Errorf("%s %v; the journal has the password hash: %t", r.Outcome, r.Reasons, f.journalSays(secret))
	}
	f.undoes("a value", table, r, before)
	if f.journalSays(secret) {
		t.Error("its undo is in the journal with the password hash")
	}
	before = f.dump("odd")
	r = f.apply(planner.DeleteAccount(t.Context(), table, f.account(table, "3")))
	if !f.journalSays(secret) {
		t.Error("the journal does not keep the deleted account")
	}
	f.undoes("an account", table, r, before)
}

// With journal_images = false the journal keeps only the key of a deleted account. The plan says that undo is
// impossible, and undo says why.
func TestTheJournalKeepsNoDeletedAccount(t *testing.T) {
	t.Parallel()
	f, table := secrets(t, func(o *dynamo.Options) { o.NoImages = true })
	p, err := planner.DeleteAccount(t.Context(), table, f.account(table, "3"))
	if err != nil {
		t.Fatal(err)
	}
	if said := lines(p, string(plan.LabelUndo)); !strings.HasPrefix(said, "impossible: ") || !strings.Contains(said, "journal_images") {
		t.Errorf("the plan says %q of its undo", said)
	}
	r := f.changer.Apply(t.Context(), p, nil)
	if r.Outcome != journal.Applied || f.journalSays(secret) || !strings.Contains(r.WhyNotUndone(), "journal_images") {
		t.Fatalf("%s %v; undo: %q; the journal has the password hash: %t", r.Outcome, r.Reasons, r.WhyNotUndone(), f.journalSays(secret))
	}
	back, err := f.undo(table, r)
	if said := f.mustNot(plan.NotUndone, back, err); !strings.Contains(said, "journal_images = false") {
		t.Error(said)
	}
}

// Without an image, reads still tell the outcome of a deletion whose answer was lost. It is not sent again:
// the journal does not have its request.
func TestALostDeletionWithoutAnImage(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		arrives, changes bool
		outcome          journal.Outcome
	}{
		"it was made":                 {arrives: true, outcome: journal.Applied},
		"it never arrived":            {outcome: journal.Refused},
		"the account was changed too": {changes: true, outcome: journal.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, table := secrets(t, func(o *dynamo.Options) { o.NoImages = true })
			p, err := planner.DeleteAccount(t.Context(), table, f.account(table, "3"))
			if err != nil {
				t.Fatal(err)
			}
			f.lose(of.arrives)
			f.changer.Apply(t.Context(), p, nil)
			f.found()
			if s := f.examine(table); strings.Contains(choices(s), string(change.SendAgain)) {
				t.Errorf("it is offered to %s", choices(s))
			}
			if of.changes {
				f.put("odd", row("USER#3", "PROFILE", "email", "u3@x.io", "kind", "user", "name", "Eve"))
			}
			f.later(17 * time.Minute)
			if s := f.examine(table); s.Outcome != of.outcome || f.journalSays(secret) {
				t.Errorf("%s: %s", s.Outcome, s.Words)
			}
		})
	}
}

// The journal has no value of the account after a refused deletion, either.
func TestARefusedDeletionWithoutAnImage(t *testing.T) {
	t.Parallel()
	f, table := secrets(t, func(o *dynamo.Options) { o.NoImages = true })
	p, err := planner.DeleteAccount(t.Context(), table, f.account(table, "3"))
	if err != nil {
		t.Fatal(err)
	}
	f.put("odd", row("USER#3", "PROFILE", "email", "u3@x.io", "kind", "user", "passwordHash", secret+"2"))
	if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused || f.journalSays(secret) {
		t.Errorf("%s %v; the journal has the password hash: %t", r.Outcome, r.Reasons, f.journalSays(secret))
	}
}
