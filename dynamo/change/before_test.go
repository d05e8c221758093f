package change_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
)

// before is a file that the last version before the journal became a package of its
// own has written. It is never written anew.
func before(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "before", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// here says of what was written of other tables that it is of these: the engine gives
// them new ids each time.
func (f *fixture) here(text []byte, written map[string]string) []byte {
	for name, id := range written {
		text = bytes.ReplaceAll(text, []byte(id), []byte(f.open(name).ID))
	}
	return text
}

func TestAJournalOfBeforeIsRead(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.journal = filepath.Join(private(t), "journal.jsonl")
	keep := func(text []byte) {
		if err := os.WriteFile(f.journal, text, 0o600); err != nil {
			t.Fatal(err)
		}
		f.changer = f.operator("tester")
	}
	text := before(t, "journal.jsonl")
	keep(text)
	if c, err := f.changer.Journal.Verify(); err != nil || c.Broken != 0 || c.Unchained != 0 || c.Unread != 0 || c.Lines != 17 {
		t.Errorf("%+v, %v", c, err)
	}
	records, err := f.changer.Journal.Records()
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]string{}
	var said []string
	for _, r := range records {
		p := planOf(r)
		if p == nil || len(p.Steps) == 0 || len(p.Images) == 0 {
			t.Fatalf("%s has the plan %+v", r.What, p)
		}
		written[p.Table] = p.TableID
		what := string(r.Outcome) + " " + r.What
		if r.Open {
			what = "open " + what
		}
		if r.Undone != "" {
			what += ", undone"
		}
		if r.Undoes != "" {
			what += ", undoes"
		}
		if why := change.WhyNotUndoable(r); why == "" {
			what += ", undoable"
		}
		said = append(said, what)
	}
	want := []string{
		"applied bump order_id, 5,000 → 5,003, undoable",
		"applied bump order_id, 5,003 → 5,004, undoable",
		`applied release username "alan" of accounts, undone`,
		`applied release username "mel" of members, undoable`,
		`applied recreate username "alan" of accounts, undoes, undoable`,
		`open unknown release username "alan" of accounts`,
		"open unknown bump order_id, 5,004 → 5,005",
	}
	if !slices.Equal(said, want) {
		t.Errorf("it says\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
	if r := records[0]; r.Reason != `three "orders" by hand <ops>` || r.Who != "tester" || r.Region != "embedded" || r.Table != "order_id" {
		t.Errorf("%+v", r)
	}

	// What is open is looked at, and what was made is taken back.
	keep(f.here(text, written))
	f.changer.Journal.Trust() // its tables are others: its lines were edited
	f.changer.Now = func() time.Time { return records[0].At.Add(24 * time.Hour) }
	for receipt, want := range map[string]string{records[5].Receipt: "give up!", records[6].Receipt: "give up!"} {
		s, err := f.changer.Examine(t.Context(), f.open("accounts").Connection(), f.record(receipt))
		if err != nil || len(s.Facts) == 0 || choices(s) != want {
			t.Errorf("%s: %v, choices %s (%s)", receipt, err, choices(s), s.Words)
		}
	}
	table := f.owners()
	f.delete("members", handle("mel")) // as it was left
	f.apply(change.PlanUndo(t.Context(), table.Connection(), f.record(records[3].Receipt)))
}

func TestFindingsOfBeforeAreMended(t *testing.T) {
	t.Parallel()
	f := start(t)
	var findings []check.Finding
	text := before(t, "findings.jsonl")
	_, id, _ := bytes.Cut(text, []byte(`"table_id":"`))
	text = f.here(text, map[string]string{"accounts": string(id[:36])})
	if err := check.Read(bytes.NewReader(text), func(one check.Finding) error {
		findings = append(findings, one)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	mends, err := f.changer.PlanMends(t.Context(), f.open("accounts"), findings...)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range mends {
		what := codes(m.Refused)
		if m.Plan != nil {
			what = string(m.Plan.Kind)
		}
		said = append(said, string(m.Finding.Kind)+" "+m.Finding.Value+": "+what)
	}
	want := []string{
		"orphaned-lock mel@oldmail.test: release", "missing-lock hopper: recreate", "orphaned-lock turing: release",
		"duplicate-value margaret.hamilton@draper.test: ByHand", "malformed-lock undefined: ByHand", "orphaned-lock alan: release",
	}
	if !slices.Equal(said, want) {
		t.Errorf("they are mended so:\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
}
