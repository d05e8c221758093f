package change_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// emails describes accounts at USER#{id}/PROFILE whose e-mail has a lock at EMAIL#{v}/LOCK.
func emails(change ...func(*config.Constraint)) config.Layout {
	c := config.Constraint{Attribute: "email", PK: "EMAIL#{v}", SK: "LOCK"}
	for _, f := range change {
		f(&c)
	}
	return config.Layout{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{{
		PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{c},
	}}}
}

// described opens a table with a layout of the config, and with a file for answers.
func (f *fixture) described(l config.Layout, change ...func(*dynamo.Options)) *dynamo.Table {
	f.t.Helper()
	file := filepath.Join(f.t.TempDir(), "answers.jsonl")
	return f.open(l.Tables[0], append(change, func(o *dynamo.Options) { o.Layouts, o.Answers = []config.Layout{l}, file })...)
}

// keeps runs a check, repairs its findings, and tries five times to release the lock of a value. The lock must stay
// without a mark, each attempt must be refused, and only the findings listed in settled may be confirmed.
func (f *fixture) keeps(table *dynamo.Table, constraint, value string, key item, settled ...string) {
	f.t.Helper()
	at := item{"PK": key["PK"], "SK": key["SK"]}
	found := f.checkedAnyhow(table)
	for _, one := range found {
		if one.Confirmed && !slices.Contains(settled, string(one.Kind)+" "+one.Value) {
			f.t.Errorf("confirmed: %s of %q: %s", one.Kind, one.Value, one.Detail)
		}
	}
	f.mend(table, found...)
	for n := range 5 {
		p, err := f.plan(table, constraint, value)
		if err == nil {
			if r := f.changer.Apply(f.t.Context(), p, nil); r.Outcome != journal.Refused {
				f.t.Errorf("try %d: %s", n, r.Outcome)
			}
		} else if _, ok := errors.AsType[*plan.Refusal](err); !ok {
			f.t.Fatal(err)
		}
	}
	if left := f.get(table.Name, at); left == nil {
		f.t.Errorf("the lock of %q is gone", value)
	} else if left[schema.MarkAttribute] != nil {
		f.t.Errorf("a mark is left on the lock of %q", value)
	}
}

// healthy returns n accounts with their locks.
func healthy(n int) []item {
	var all []item
	for n := range n {
		v := fmt.Sprintf("u%d@x.io", n)
		all = append(all, row(fmt.Sprint("USER#", n), "PROFILE", "email", v), row("EMAIL#"+v, "LOCK"))
	}
	return all
}

// Items outside the layout hold the value of a lock that no account claims: each attempt to release the lock is refused
// until a person has answered one question.
func TestWhateverHoldsAValueKeepsItsLock(t *testing.T) {
	t.Parallel()
	list := func(texts ...string) types.AttributeValue {
		all := make([]types.AttributeValue, len(texts))
		for n, text := range texts {
			all[n] = str(text)
		}
		return &types.AttributeValueMemberL{Value: all}
	}
	account := func(more ...string) item { return row("USER#x1", "PROFILE", more...) }
	for name, tc := range map[string]struct {
		value string // the lock's value; empty means ada@x.io
		items []item
		asks  string // the items and the attribute of the question
	}{
		"another attribute of an account":      {items: []item{account("recoveryEmail", "ada@x.io")}, asks: "USER#*/PROFILE recoveryEmail"},
		"another form in another attribute":    {value: "adalove@x.io", items: []item{account("recoveryEmail", "Ada.Love+home@x.io")}, asks: "USER#*/PROFILE recoveryEmail"},
		"a list in a text":                     {items: []item{account("aliases", "a@x.io;ada@x.io")}, asks: "USER#*/PROFILE aliases"},
		"a prefix in a set":                    {items: []item{{"PK": str("USER#x1"), "SK": str("PROFILE"), "ids": &types.AttributeValueMemberSS{Value: []string{"email:ada@x.io", "y"}}}}, asks: "USER#*/PROFILE ids"},
		"a key of an index":                    {items: []item{account("GSI1PK", "$app#email_ada@x.io")}, asks: "USER#*/PROFILE GSI1PK"},
		"a list":                               {items: []item{{"PK": str("USER#x1"), "SK": str("PROFILE"), "all": list("a", "ada@x.io")}}, asks: "USER#*/PROFILE all"},
		"maps, by ids":                         {items: []item{{"PK": str("ORG#7"), "SK": str("MEMBERS"), "by": mapOf("u17", mapOf("mail", str("ADA@x.io")))}}, asks: "ORG#*/MEMBERS by.*.mail"},
		"the name in a map":                    {items: []item{{"PK": str("ORG#7"), "SK": str("MEMBERS"), "by": mapOf("ada@x.io", str("admin"))}}, asks: "ORG#*/MEMBERS by"},
		"JSON in a text":                       {items: []item{row("DOC#1", "BODY", "json", `{"to":[{"mail":"ada@x.io"}]}`)}, asks: "DOC#*/BODY json.to.mail"},
		"a sentence":                           {items: []item{row("NOTE#1", "TEXT", "body", "Call Ada (ada@x.io).")}, asks: "NOTE#*/TEXT body"},
		"bytes":                                {items: []item{{"PK": str("BLOB#1"), "SK": str("B"), "data": &types.AttributeValueMemberB{Value: []byte("ada@x.io")}}}, asks: "BLOB#*/B data"},
		"a key":                                {items: []item{row("INVITE#ada@x.io", "OPEN")}, asks: "INVITE#*/OPEN key"},
		"a setting among settings":             {items: []item{row("USER#1", "SETTING#theme", "value", "dark"), row("USER#1", "SETTING#locale", "value", "en"), row("USER#1", "SETTING#backupEmail", "value", "ada@x.io")}, asks: "USER#*/SETTING#backupEmail value"},
		"an old version":                       {items: []item{row("USER#x1", "v#0000001", "email", "ada@x.io")}, asks: "USER#*/v#* email"},
		"a soft-deleted account":               {items: []item{row("USER#x1", "deleted#7", "email", "ada@x.io")}, asks: "USER#*/deleted#* email"},
		"a number with signs":                  {value: "15551234567", items: []item{account("phone", "+1 (555) 123-4567")}, asks: "USER#*/PROFILE phone"},
		"a number":                             {value: "15551234567", items: []item{{"PK": str("USER#x1"), "SK": str("PROFILE"), "phone": num("15551234567")}}, asks: "USER#*/PROFILE phone"},
		"a number before other digits":         {value: "+49301234567", items: []item{row("NOTE#1", "TEXT", "body", "030 1234567 (24/7)")}, asks: "NOTE#*/TEXT body"},
		"two numbers":                          {value: "+491717654321", items: []item{account("phones", "+49 30 1234567 / +49 171 7654321")}, asks: "USER#*/PROFILE phones"},
		"the name of an attribute":             {items: []item{row("INDEX", "MAILS", "ada@x.io", "USER#1", "bob@x.io", "USER#2")}, asks: "INDEX/MAILS *"},
		"another form in a list":               {value: "adalove", items: []item{account("aliases", "bob; Ada_Love")}, asks: "USER#*/PROFILE aliases"},
		"a text in quotes":                     {items: []item{row("NOTE#1", "TEXT", "body", `"ada\u0040x.io"`)}, asks: "NOTE#*/TEXT body"},
		"another spelling where values belong": {items: []item{account("email", "Ada@x.io"), row("EMAIL#Ada@x.io", "LOCK")}, asks: "USER#*/PROFILE email"},
		"a list where values belong":           {items: []item{account("email", "b@x.io, ada@x.io"), row("EMAIL#b@x.io, ada@x.io", "LOCK")}, asks: "USER#*/PROFILE email"},
	} {
		for _, answer := range []layout.Answer{layout.Hold, layout.HoldNot} {
			t.Run(name+", "+string(answer), func(t *testing.T) {
				t.Parallel()
				value := tc.value
				if value == "" {
					value = "ada@x.io"
				}
				f := start(t)
				f.create("odd")
				lock := row("EMAIL#"+value, "LOCK")
				f.put("odd", append(append(healthy(4), tc.items...), lock)...)
				table := f.described(emails())
				f.keeps(table, "email", value, lock)
				_, err := f.plan(table, "email", value)
				refused, ok := errors.AsType[*plan.Refusal](err)
				if !ok || codes(refused.Reasons) != plan.Asked {
					t.Fatalf("%v; want a question", err)
				}
				asks := refused.Reasons[0].Asks
				if got := asks.Items + " " + asks.Attribute; got != tc.asks || asks.Table != "odd" {
					t.Errorf("it asks about %s; want %s", got, tc.asks)
				}
				if err := asks.Answer(answer); err != nil {
					t.Fatal(err)
				}
				p, err := f.plan(table, "email", value)
				if answer == layout.Hold {
					refused, ok := errors.AsType[*plan.Refusal](err)
					if !ok || codes(refused.Reasons) != plan.Held {
						t.Errorf("%v, %v; want it held", p, err)
					}
					f.keeps(table, "email", value, lock)
					return
				}
				if r := f.apply(p, err); r.Outcome != journal.Applied || f.get("odd", lock) != nil {
					t.Errorf("%s %v", r.Outcome, r.Reasons)
				}
			})
		}
	}
}

// An item with a longer handle, or with a text that only resembles the value, does not hold the value.
func TestWhatHoldsNoValueKeepsNoLock(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", append(healthy(4), row("EMAIL#alan", "LOCK"),
		row("USER#x1", "PROFILE", "email", "the_alan"), row("EMAIL#the_alan", "LOCK"), row("NOTE#1", "TEXT", "body", "alanis, alan2, talan"))...)
	table := f.described(emails())
	if r := f.apply(f.plan(table, "email", "alan")); r.Outcome != journal.Applied {
		t.Errorf("%s %v", r.Outcome, r.Reasons)
	}
}

// A lock's own owner holds the value in another attribute: the lock is not stale.
func TestAnOwnerThatHoldsTheValueElsewhereKeepsTheLock(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	var items []item
	for n := range 30 {
		id, v := fmt.Sprint(n), fmt.Sprintf("u%d@x.io", n)
		items = append(items, row("USER#"+id, "PROFILE", "email", v), row("EMAIL#"+v, "LOCK", "userId", id))
	}
	lock := row("EMAIL#ada@x.io", "LOCK", "userId", "x1")
	f.put("odd", append(items, row("USER#x1", "PROFILE", "email", "new@x.io", "recoveryEmail", "ada@x.io"), row("EMAIL#new@x.io", "LOCK", "userId", "x1"), lock)...)
	f.keeps(f.described(emails(func(c *config.Constraint) { c.Owner = "userId" })), "email", "ada@x.io", lock)
}

// Few of very many values in other items have a lock: a sample proves nothing about these items, so the lock stays.
func TestFewOfManyOtherValuesHaveALock(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	items := healthy(4)
	for n := range 900 {
		items = append(items, row(fmt.Sprint("USER#r", n), "RECOVERY", "address", fmt.Sprintf("r%d@x.io", n)))
	}
	lock := row("EMAIL#r7@x.io", "LOCK")
	f.put("odd", append(items, lock)...)
	f.keeps(f.described(emails()), "email", "r7@x.io", lock)
}

// A repair of many locks searches every text for every value.
func TestAMendOfManyLocksSearchesAllTexts(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	items := healthy(40)
	for n := range 12 {
		items = append(items, row(fmt.Sprintf("EMAIL#gone%d@x.io", n), "LOCK"))
	}
	f.put("odd", append(items, row("NOTE#1", "TEXT", "body", "write to gone7@x.io today"))...)
	table := f.described(emails())
	f.mend(table, f.checkedAnyhow(table)...)
	for n := range 12 {
		if kept := f.get("odd", row(fmt.Sprintf("EMAIL#gone%d@x.io", n), "LOCK")) != nil; kept != (n == 7) {
			t.Errorf("the lock of gone%d is kept: %v", n, kept)
		}
	}
}

// A table with binary keys: an item outside the layout holds the value in its key.
func TestABinaryKeyHoldsAValue(t *testing.T) {
	t.Parallel()
	f := start(t)
	if err := sdk.Fill(t.Context(), f.App(), sdk.Table("bytes", "PK:B", "SK:B")); err != nil {
		t.Fatal(err)
	}
	key := func(pk, sk string, more ...string) item {
		i := item{"PK": &types.AttributeValueMemberB{Value: []byte(pk)}, "SK": &types.AttributeValueMemberB{Value: []byte(sk)}}
		for n := 0; n < len(more); n += 2 {
			i[more[n]] = str(more[n+1])
		}
		return i
	}
	lock := key("EMAIL#ada@x.io", "LOCK")
	items := []item{lock, key("INVITE#ada@x.io", "OPEN")}
	for n := range 4 {
		v := fmt.Sprintf("u%d@x.io", n)
		items = append(items, key(fmt.Sprint("USER#", n), "PROFILE", "email", v), key("EMAIL#"+v, "LOCK"))
	}
	f.put("bytes", items...)
	l := emails()
	l.Tables = []string{"bytes"}
	f.keeps(f.described(l), "email", "ada@x.io", lock)
}

// The accounts of two tables have their locks in a third table: no finding is confirmed, and nothing is written, until
// a person has said which other tables have locks there.
func TestOtherTablesPutLocksThere(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.create("locks")
	f.create("shops")
	for n := range 6 {
		v, shop := fmt.Sprintf("u%d@x.io", n), fmt.Sprintf("shop%d@x.io", n)
		f.put("odd", row(fmt.Sprint("USER#", n), "PROFILE", "email", v))
		f.put("shops", row(fmt.Sprint("SHOP#", n), "DATA", "contact", shop))
		f.put("locks", row("EMAIL#"+v, "LOCK"), row("EMAIL#"+shop, "LOCK"))
	}
	f.put("locks", row("EMAIL#gone@x.io", "LOCK"))
	in := func(also *[]string) config.Layout {
		return emails(func(c *config.Constraint) { c.Table, c.AlsoIn = "locks", also })
	}
	confirmed := func(found []finding.Finding) (values []string) {
		for _, one := range found {
			if one.Confirmed {
				values = append(values, one.Value)
			}
		}
		return values
	}
	unsaid := f.open("odd", func(o *dynamo.Options) { o.Layouts = []config.Layout{in(nil)} })
	for _, c := range unsaid.Layout.Constraints() {
		c.AlsoIn = nil // undo the fixture's answer
	}
	found := f.checkedAnyhow(unsaid)
	if sure := confirmed(found); len(sure) > 0 || len(found) != 7 {
		t.Errorf("%d found, and confirmed %v", len(found), sure)
	}
	if p, err := f.plan(unsaid, "email", "gone@x.io"); err == nil && p.Live.Unsure == nil {
		t.Errorf("%s is planned", p)
	}
	said := f.described(in(&[]string{"shops"}))
	found = f.checkedAnyhow(said)
	if sure := confirmed(found); !slices.Equal(sure, []string{"gone@x.io"}) {
		t.Errorf("confirmed %v; want gone@x.io alone", sure)
	}
	f.mend(said, found...)
	for n := range 6 {
		if f.get("locks", row(fmt.Sprintf("EMAIL#shop%d@x.io", n), "LOCK")) == nil {
			t.Errorf("the lock of shop%d is gone", n)
		}
	}
}

// The locks have digests, but the locks of newer accounts have digests of another kind: neither these locks nor their
// accounts are repaired. A lock can be released only by its value.
func TestLocksWithTwoKindsOfDigests(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	sha := func(v string) string { return layout.Normalise([]layout.Normaliser{layout.SHA256}, v) }
	var items []item
	var live []item
	for n := range 20 {
		v := fmt.Sprintf("u%d@x.io", n)
		lock := row("EMAIL#"+sha(v), "LOCK")
		if n >= 10 {
			lock = row("EMAIL#"+sha("secret"+v), "LOCK")
		}
		live = append(live, lock)
		items = append(items, row(fmt.Sprint("USER#", n), "PROFILE", "email", v), lock)
	}
	gone := row("EMAIL#"+sha("gone@x.io"), "LOCK")
	f.put("odd", append(items, gone)...)
	table := f.described(emails(func(c *config.Constraint) { c.Normalise = []string{"sha256"} }))
	found := f.checkedAnyhow(table)
	for _, one := range found {
		if one.Confirmed {
			t.Errorf("confirmed: %s of %s", one.Kind, one.Value)
		}
	}
	before := f.writes()
	f.mend(table, found...)
	if f.writes() != before {
		t.Errorf("%d writes of a mend", f.writes()-before)
	}
	if r := f.apply(f.plan(table, "email", "gone@x.io")); r.Outcome != journal.Applied || f.get("odd", gone) != nil {
		t.Errorf("%s %v", r.Outcome, r.Reasons)
	}
	for _, lock := range live {
		if f.get("odd", lock) == nil {
			t.Errorf("a live lock is gone: %v", lock)
		}
	}
}

// An application completes a sign-up by an Update that adds an attribute to the lock, between the
// look and the deletion: the deletion is refused.
func TestALockThatIsCompletedAfterTheLookStays(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	var items []item
	for n := range 6 {
		v := fmt.Sprintf("u%d@x.io", n)
		items = append(items, row(fmt.Sprint("USER#", n), "PROFILE", "email", v), row("EMAIL#"+v, "LOCK", "confirmedAt", "2025-01-02T03:04:05Z"))
	}
	lock := row("EMAIL#ada@x.io", "LOCK")
	f.put("odd", append(items, lock)...)
	table := f.described(emails())
	p, err := f.plan(table, "email", "ada@x.io")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range p.Steps[:2] {
		if !lacks(step.Writes[0], "confirmedAt") {
			t.Errorf("%s requires %+v", step.Name, step.Writes[0].If)
		}
	}
	transactions := 0
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			if transactions++; transactions == 2 { // the deletion
				f.before = nil
				f.put("odd", row("USER#ada", "PROFILE", "email", "ada@x.io"))
				marked := f.get("odd", lock)
				marked["confirmedAt"] = str("2026-11-26T00:00:00Z")
				f.put("odd", marked)
			}
		}
		return nil
	}
	if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused || f.get("odd", lock) == nil {
		t.Errorf("%s %v: the account lost its lock", r.Outcome, r.Reasons)
	}
}

// The locks of incomplete sign-ups are listed unconfirmed. A repair of all findings skips them, and a release of one
// such lock requires its value to be typed.
func TestLocksOfPendingSignUps(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	var items []item
	for n := range 12 {
		v := fmt.Sprintf("u%d@x.io", n)
		items = append(items, row(fmt.Sprint("USER#", n), "PROFILE", "email", v), row("EMAIL#"+v, "LOCK", "status", "CONFIRMED", "at", "2025-01-02T03:04:05Z"))
	}
	pending := row("EMAIL#pending@x.io", "LOCK", "status", "PENDING", "at", "2025-01-02T03:04:05Z")
	gone := row("EMAIL#gone@x.io", "LOCK", "status", "CONFIRMED", "at", "2025-01-02T03:04:05Z")
	f.put("odd", append(items, pending, gone)...)
	table := f.described(emails())
	found := f.checkedAnyhow(table)
	for _, one := range found {
		if one.Confirmed != (one.Value == "gone@x.io") {
			t.Errorf("%s of %s, confirmed %v", one.Kind, one.Value, one.Confirmed)
		}
	}
	f.mend(table, found...)
	if f.get("odd", row("EMAIL#pending@x.io", "LOCK")) == nil || f.get("odd", row("EMAIL#gone@x.io", "LOCK")) != nil {
		t.Error("the mend took the pending lock, or left the other one")
	}
	p, err := f.plan(table, "email", "pending@x.io")
	if err != nil || p.Typed != "pending@x.io" || !p.Live.MustType {
		t.Fatalf("%v, %v; want the value typed", p, err)
	}
	if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
		t.Errorf("%s %v", r.Outcome, r.Reasons)
	}
}

// An application soft-deletes accounts: five locks wait for one answer, and are orphaned after this answer.
func TestSoftDeletedAccountsTakeOneAnswer(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	var items []item
	lock := func(v string) item { return row("_unique#User#uniqueEmail#"+v, "_unique#") }
	for n := range 20 {
		v := fmt.Sprintf("u%d@x.io", n)
		items = append(items, row(fmt.Sprint("user#", n), "user#", "email", v, "uniqueEmail", v), lock(v))
	}
	items = append(items, row("user#nolock", "user#", "email", "nolock@x.io", "uniqueEmail", "nolock@x.io"))
	for n := range 8 {
		v := fmt.Sprintf("gone%d@x.io", n)
		items = append(items, row(fmt.Sprint("user#d", n), "user#", "email", v))
		if n >= 3 {
			items = append(items, lock(v))
		}
	}
	f.put("odd", items...)
	table := f.described(config.Layout{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{{
		PK: "user#{id}", SK: "user#", Constraints: []config.Constraint{{Attribute: "uniqueEmail", PK: "_unique#User#uniqueEmail#{v}", SK: "_unique#"}},
	}}})
	count := func() (missing, orphans, open int) {
		for _, one := range f.checkedAnyhow(table) {
			switch {
			case one.Kind == finding.MissingLock && one.Confirmed:
				missing++
			case one.Kind == finding.OrphanedLock && one.Confirmed:
				orphans++
			default:
				open++
			}
		}
		return missing, orphans, open
	}
	if missing, orphans, open := count(); missing != 1 || orphans != 0 || open != 5 {
		t.Errorf("%d missing, %d orphans, %d open; want 1, 0, 5", missing, orphans, open)
	}
	_, err := f.plan(table, "uniqueEmail", "gone5@x.io")
	refused, ok := errors.AsType[*plan.Refusal](err)
	if !ok || codes(refused.Reasons) != plan.Asked {
		t.Fatalf("%v; want a question", err)
	}
	if err := refused.Reasons[0].Asks.Answer(layout.HoldNot); err != nil {
		t.Fatal(err)
	}
	if missing, orphans, open := count(); missing != 1 || orphans != 5 || open != 0 {
		t.Errorf("%d missing, %d orphans, %d open; want 1, 5, 0", missing, orphans, open)
	}
}

// A person has said that nothing outside the layout holds the values. A lock that names its owner is then released
// after a read of the owner's whole account, and no table is read.
func TestNothingElseHoldsTheValues(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*config.Layout)
		owner  item
		steps  int
		code   string
	}{
		"the owner is gone":               {steps: 1},
		"the owner has another value":     {owner: row("USER#x1", "PROFILE", "email", "new@x.io"), steps: 1},
		"the owner has it elsewhere":      {owner: row("USER#x1", "PROFILE", "email", "new@x.io", "backup", "ada@x.io"), code: plan.Asked},
		"values move":                     {change: func(l *config.Layout) { l.Accounts[0].Constraints[0].Moves = true }, steps: 3},
		"two steps":                       {change: func(l *config.Layout) { l.Accounts[0].Constraints[0].MultiTransaction = true }, steps: 3},
		"a template that finds no owner":  {change: func(l *config.Layout) { l.Accounts[0].SK = "PROFIL" }, code: plan.Misfit},
		"nobody has said it":              {change: func(l *config.Layout) { l.Accounts[0].Constraints[0].NowhereElse = false }, steps: 3},
		"an open question, in the sample": {change: func(l *config.Layout) { l.Accounts[0].Constraints[0].NoHolders = nil }, steps: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			f.create("odd")
			var items []item
			for n := range 20 {
				id, v := fmt.Sprint(n), fmt.Sprintf("u%d@x.io", n)
				items = append(items, row("USER#"+id, "PROFILE", "email", v), row("EMAIL#"+v, "LOCK", "userId", id))
			}
			lock := row("EMAIL#ada@x.io", "LOCK", "userId", "x1")
			f.put("odd", append(items, lock, row("ORDER#1", "META", "buyer", "u3@x.io"))...)
			if tc.owner != nil {
				f.put("odd", tc.owner)
			}
			l := emails(func(c *config.Constraint) {
				c.Owner, c.NowhereElse = "userId", true
				c.NoHolders = []layout.Place{{Table: "odd", Items: "ORDER#*/META", Attribute: "buyer"}}
			})
			if tc.change != nil {
				tc.change(&l)
			}
			table := f.described(l, func(o *dynamo.Options) { o.AutoReadUnits = 1 })
			p, err := f.plan(table, "email", "ada@x.io")
			if tc.code != "" {
				var reasons []plan.Reason
				if refused, ok := errors.AsType[*plan.Refusal](err); ok {
					reasons = refused.Reasons
				} else if err == nil {
					reasons = f.changer.Apply(t.Context(), p, nil).Reasons
				}
				if codes(reasons) != tc.code {
					t.Errorf("%v, %v; want %s", reasons, err, tc.code)
				}
				return
			}
			if err != nil || len(p.Steps) != tc.steps {
				t.Fatalf("%v, %v; want %d steps", p, err, tc.steps)
			}
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
				t.Errorf("%s %v", r.Outcome, r.Reasons)
			}
		})
	}
}
