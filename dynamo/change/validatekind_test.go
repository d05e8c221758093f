package change_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
)

// edit replaces texts in the whole journal, and makes new hashes, like somebody who hides an edit.
func (f *fixture) edit(pairs ...string) {
	f.t.Helper()
	before := unchained(f.bytes())
	after := []byte(strings.NewReplacer(pairs...).Replace(string(before)))
	if bytes.Equal(before, after) {
		f.t.Fatalf("the journal has none of %q", pairs)
	}
	f.write(chained(after))
	f.changer = f.operator("tester")
}

// A stored plan whose actions do not match its kind is neither sent again nor undone, even if the hash chain is intact.
func TestAStoredPlanDoesWhatItsKindDoes(t *testing.T) {
	t.Parallel()
	for name, edits := range map[string]func(string) string{
		"a bump of another number": func(s string) string { return strings.ReplaceAll(s, `{"N":"5001"}`, `{"N":"6001"}`) },
		"another kind":             func(s string) string { return strings.ReplaceAll(s, `"kind":"bump"`, `"kind":"release"`) },
		"no kind there is":         func(s string) string { return strings.ReplaceAll(s, `"kind":"bump"`, `"kind":"tidy"`) },
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			table := f.open("order_id")
			f.lose(false)
			f.bump()
			f.found()
			text := string(unchained(f.bytes()))
			edited := edits(text)
			if edited == text {
				t.Fatalf("nothing to edit in %s", text)
			}
			f.write(chained([]byte(edited)))
			f.changer = f.operator("tester")
			writes := f.writes()
			s, err := f.changer.Examine(t.Context(), table.Connection(), f.onlyOpen())
			if err == nil {
				err = f.changer.Resolve(t.Context(), s, change.SendAgain, nil).Err
			}
			if err == nil || f.writes() != writes {
				t.Errorf("%v, %d sent; want it refused", err, f.writes()-writes)
			}
		})
	}
}

// Somebody has replaced the stored plan of a bump with the deletion of a live lock: nothing is deleted when the change
// is sent again.
func TestABumpThatWasMadeADeletion(t *testing.T) {
	t.Parallel()
	f := start(t)
	accounts, table := f.open("accounts"), f.open("order_id")
	f.lose(false)
	f.bump()
	f.found()
	send, answer, _ := bytes.Cut(unchained(f.bytes()), []byte("\n"))
	var e journal.Entry
	if err := json.Unmarshal(send, &e); err != nil {
		t.Fatal(err)
	}
	var p plan.Plan
	if err := json.Unmarshal(e.Plan, &p); err != nil {
		t.Fatal(err)
	}
	p.Tables["accounts"] = accounts.ID
	p.Steps[0].Writes = []client.Write{{
		Verb: client.Delete, Table: "accounts", Key: accounts.Schema.KeyFrom("UNIQ#HANDLE#ada", "LOCK"),
	}}
	p.Images = append(p.Images, plan.Image{Table: "accounts", Key: p.Steps[0].Writes[0].Key, Item: p.Steps[0].Writes[0].Key.Item()})
	var err error
	if e.Plan, err = json.Marshal(p); err != nil {
		t.Fatal(err)
	}
	if send, err = json.Marshal(e); err != nil {
		t.Fatal(err)
	}
	f.write(chained(append(append(send, '\n'), answer...)))
	f.changer = f.operator("tester")
	s, err := f.changer.Examine(t.Context(), table.Connection(), f.onlyOpen())
	if err == nil {
		err = f.changer.Resolve(t.Context(), s, change.SendAgain, nil).Err
	}
	if err == nil || !strings.Contains(err.Error(), "has wrong actions for a bump") || f.get("accounts", row("UNIQ#HANDLE#ada", "LOCK")) == nil {
		t.Errorf("%v; want it refused, and the lock there", err)
	}
}

// onlyOpen returns the only change of the journal.
func (f *fixture) onlyOpen() *journal.Record {
	f.t.Helper()
	records, err := f.changer.Journal.Records()
	if err != nil || len(records) != 1 {
		f.t.Fatalf("%v, %v", records, err)
	}
	return records[0]
}

// A stored plan may write only the items of its own subject.
func TestAStoredPlanIsAboutWhatItSays(t *testing.T) {
	t.Parallel()
	t.Run("a release that was undone on another value", func(t *testing.T) {
		f := start(t)
		table := f.open("accounts")
		done := f.apply(f.plan(table, "username", "alan"))
		f.edit("UNIQ#HANDLE#alan", "UNIQ#HANDLE#newcomer")
		p, err := f.undo(table, done)
		if text := f.mustNot(plan.NotUndone, p, err); !strings.Contains(text, "UNIQ#HANDLE#newcomer") {
			t.Errorf("%s; want the key that it would have written", text)
		}
	})
	t.Run("a release whose lock was seen under another key", func(t *testing.T) {
		f := start(t)
		table := f.open("accounts")
		done := f.apply(f.plan(table, "username", "alan"))
		text := string(unchained(f.bytes()))
		at := strings.Index(text, `"images":`)
		f.write(chained([]byte(text[:at] + strings.ReplaceAll(text[at:], "UNIQ#HANDLE#alan", "UNIQ#HANDLE#newcomer"))))
		f.changer = f.operator("tester")
		p, err := f.undo(table, done)
		f.mustNot(plan.NotUndone, p, err)
	})
	t.Run("a bump of another counter", func(t *testing.T) {
		f := start(t)
		table := f.open("order_id")
		f.lose(false)
		f.bump()
		f.found()
		f.edit(`"counter":"order_id"`, `"counter":"invoice_id"`)
		writes := f.writes()
		r := f.changer.Resolve(t.Context(), f.examine(table), change.SendAgain, nil)
		if r.Err == nil || f.writes() != writes {
			t.Errorf("%+v, %d sent; want it refused", r, f.writes()-writes)
		}
	})
	t.Run("a replaced lock of another value", func(t *testing.T) {
		f, table := misspelt(t, "")
		p, err := f.planReplace(table)
		if err != nil {
			t.Fatal(err)
		}
		f.killed(p, "look")
		f.edit(`{"PK":{"S":"UNIQ#EMAIL#Ada@x.io"}`, `{"PK":{"S":"UNIQ#EMAIL#eve@x.io"}`)
		writes := f.writes()
		r := f.changer.Resolve(t.Context(), f.examine(table), change.Finish, nil)
		if r.Err == nil || !strings.Contains(r.Err.Error(), "UNIQ#EMAIL#eve@x.io") || f.writes() != writes {
			t.Errorf("%+v, %d sent; want it refused", r, f.writes()-writes)
		}
	})
	t.Run("a mark that writes more", func(t *testing.T) {
		f := start(t)
		table := f.open("accounts")
		f.killed(f.mustPlan(table, "username", "alan"), "look")
		f.edit(`"set":[{"path":["tallylock_release"]}]`, `"set":[{"path":["tallylock_release"]},{"path":["PK"]}]`)
		if _, err := f.changer.Examine(t.Context(), table.Connection(), f.onlyOpen()); err == nil || !strings.Contains(err.Error(), "writes more than a mark") {
			t.Errorf("%v; want it refused", err)
		}
	})
}

// A person who resolves or undoes a change sees the keys of all items that its request writes or checks.
func TestTheKeysOfAStoredRequestAreShown(t *testing.T) {
	t.Parallel()
	f, odd := versioned(t)
	p, err := planner.ChangeValue(t.Context(), odd, f.value(odd, "email", "bob@x.io"), "new@x.io")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, w := range p.Steps[0].Writes {
		want = append(want, string(w.Verb)+" "+w.Key.String())
	}
	shown := func(what string, lines []plan.Line) {
		t.Helper()
		var all []string
		for _, l := range lines {
			all = append(all, string(l.Label)+" "+l.Text)
		}
		for _, w := range want {
			verb, key, _ := strings.Cut(w, " ")
			found := false
			for _, l := range all {
				found = found || strings.Contains(l, key) && strings.Contains(l, verb)
			}
			if !found {
				t.Errorf("%s: %q is not shown in %q", what, w, all)
			}
		}
	}
	f.lose(true)
	r := f.changer.Apply(t.Context(), p, nil)
	f.found()
	var facts []plan.Line
	for _, fact := range f.examine(odd).Facts {
		facts = append(facts, plan.Line{Label: plan.Label(fact.Item), Text: fact.Text})
	}
	shown("to resolve", facts)
	f.resolve(odd, change.Close, journal.Applied)
	back, err := f.undo(odd, r)
	if err != nil {
		t.Fatal(err)
	}
	shown("to undo", back.Lines)
}
