package change_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/smithy-go"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/ui/say"
)

// entries reads the lines of the journal, and skips torn lines.
func entries(t *testing.T, path string) []journal.Entry {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []journal.Entry
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e journal.Entry
		if json.Unmarshal(lines.Bytes(), &e) == nil {
			out = append(out, e)
		}
	}
	return out
}

func (f *fixture) bump() change.Receipt {
	f.t.Helper()
	return f.changer.Apply(f.t.Context(), f.planBump(), nil)
}

// planBump plans to take one order number.
func (f *fixture) planBump() *plan.Plan {
	f.t.Helper()
	p, err := planner.Bump(f.t.Context(), f.counter("order_id", "order_id"), big.NewInt(1))
	if err != nil {
		f.t.Fatal(err)
	}
	return p
}

// The journal has a step before the endpoint gets it.
func TestTheJournalIsWrittenFirst(t *testing.T) {
	t.Parallel()
	f := start(t)
	known := false
	f.before = func(operation string, body []byte) error {
		if operation == "TransactWriteItems" {
			all := entries(t, f.journal)
			last := all[len(all)-1]
			known = last.Event == "send" && last.Token != "" && strings.Contains(string(body), last.Token)
		}
		return nil
	}
	r := f.bump()
	if !known {
		t.Error("the request was sent before the journal knew its token")
	}
	all := entries(t, f.journal)
	if len(all) != 2 || all[1].Event != "answer" || all[1].Outcome != journal.Applied || all[1].Receipt != r.ID || all[0].Who != "tester" {
		t.Errorf("the journal says %+v", all)
	}
	for path, want := range map[string]os.FileMode{f.journal: 0o600, filepath.Dir(f.journal): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v; want %v (%v)", path, info.Mode().Perm(), want, err)
		}
	}
}

func TestWithoutAJournalNothingIsSent(t *testing.T) {
	t.Parallel()
	f := start(t)
	// The journal's directory becomes a file.
	blocked := filepath.Join(t.TempDir(), "state")
	j, err := journal.Open(filepath.Join(blocked, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.changer.Journal = j
	r := f.bump()
	if r.Outcome != journal.Refused || r.Err == nil || !strings.Contains(say.Error(r.Err), "--journal") {
		t.Errorf("%s %v; want refused, with a word on --journal", r.Outcome, r.Err)
	}
	if r.ID != "" {
		t.Errorf("a receipt %s that nobody has", r.ID)
	}
	if f.writes() != 0 {
		t.Error("it was sent all the same")
	}
	if _, err := journal.Open(filepath.Join(blocked, "journal.jsonl")); err == nil {
		t.Error("a journal below a file was opened")
	}
}

func TestAJournalThatOthersCanWriteIsRefused(t *testing.T) {
	path := filepath.Join(private(t), "journal.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o622); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("%v; want it refused, with what to run", err)
	}
}

// A process that only reads a journal leaves it unchanged, and can write nothing to it.
func TestAJournalThatIsOnlyRead(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.bump()
	dir := filepath.Dir(f.journal)
	if err := os.Chmod(f.journal, 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	j := journal.OpenReadOnly(f.journal)
	if records, err := j.Records(); err != nil || len(records) != 1 {
		t.Errorf("%d records, %v", len(records), err)
	}
	if release, free, err := j.TryLockRun("run"); err != nil || !free {
		t.Errorf("%t, %v: nobody makes it", free, err)
	} else {
		release()
	}
	f.changer.Journal = j
	if r := f.bump(); r.Outcome != journal.Refused || r.Err == nil {
		t.Errorf("%s %v", r.Outcome, r.Err)
	}
	info, err := os.Stat(f.journal)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) {
		t.Errorf("%v, %v; before it was %v", after, err, before)
	}
}

// A killed process has left a lock file. A reader detects that nobody makes the change, and leaves the file, even if it
// may not write there. The next writer deletes the file.
func TestReadingLeavesWhatAKilledProcessLeft(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	left := path + ".run.lock"
	if err := os.WriteFile(left, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	hold := func(j *journal.Journal, want bool) (release func()) {
		t.Helper()
		release, free, err := j.TryLockRun("run")
		if err != nil || free != want {
			t.Fatalf("%t, %v; want %t", free, err, want)
		}
		return release
	}
	reader := journal.OpenReadOnly(path)
	hold(reader, true)()
	if _, err := os.Stat(left); err != nil {
		t.Error(err)
	}
	writer, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	release := hold(writer, true)
	hold(reader, false)
	release()
	if _, err := os.Stat(left); err == nil {
		t.Error("whoever writes did not tidy it")
	}
}

// A crash tore the last line: the next line begins on a new line.
func TestATornLineIsSurvived(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.bump()
	file, err := os.OpenFile(f.journal, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"event":"send","rec`); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	f.bump()
	if all := entries(t, f.journal); len(all) != 4 {
		t.Errorf("%d lines can be read; want 4", len(all))
	}
}

// A crash tore the line of a second sending at a place where it looks complete. The first sending counts, so the change
// stays open.
func TestATornSecondSendingLeavesTheFirst(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.lose(true)
	r := f.bump()
	f.changer.Resolve(t.Context(), f.examine(f.open("order_id")), change.SendAgain, nil)
	all, err := os.ReadFile(f.journal)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(all, []byte("\n")) // two sendings, each with its answer
	torn := append(bytes.Join(lines[:2], nil), lines[2][:bytes.LastIndexByte(lines[2][:len(lines[2])-2], '}')+1]...)
	if err := os.WriteFile(f.journal, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	if rec := f.record(r.ID); rec == nil || !rec.Open {
		t.Errorf("the journal has %+v; want it open", rec)
	}
}

// No attempt gets an answer: the outcome is unknown, whether the change was applied or not, and the journal keeps the
// change open.
func TestNoAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	for name, arrives := range map[string]bool{"applied": true, "never arrived": false} {
		f := start(t)
		tokens := map[string]bool{}
		lose := func(operation string, body []byte) error {
			if operation != "TransactWriteItems" {
				return nil
			}
			var request struct{ ClientRequestToken string }
			if err := json.Unmarshal(body, &request); err != nil {
				t.Error(err)
			}
			tokens[request.ClientRequestToken] = true
			return errCut
		}
		if arrives {
			f.after = lose
		} else {
			f.before = lose
		}
		r := f.bump()
		if r.Outcome != journal.Unknown {
			t.Errorf("%s: %s %v; want unknown", name, r.Outcome, r.Reasons)
		}
		if len(tokens) != 1 || f.writes() < 6 {
			t.Errorf("%s: %d tokens in %d attempts; want one token in at least 6", name, len(tokens), f.writes())
		}
		want := "5000"
		if arrives {
			want = "5001"
		}
		f.before, f.after = nil, nil
		if got := f.counter("order_id", "order_id").Value; got != want {
			t.Errorf("%s: the counter says %s; want %s", name, got, want)
		}
	}
}

// A change is cancelled after it was sent: its answer never arrives, so the outcome is unknown.
func TestCancelledAfterSendingIsUnknown(t *testing.T) {
	t.Parallel()
	f := start(t)
	p := f.planBump()
	ctx, cancel := context.WithCancel(t.Context())
	f.after = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			cancel()
			return ctx.Err()
		}
		return nil
	}
	if r := f.changer.Apply(ctx, p, nil); r.Outcome != journal.Unknown {
		t.Errorf("%s %v; want unknown", r.Outcome, r.Err)
	}
}

// A change is cancelled after its journal line was written, and before it is sent: the journal says that it was
// stopped, and not that the table refused it.
func TestCancelledBeforeSendingIsStopped(t *testing.T) {
	t.Parallel()
	f := start(t)
	p := f.planBump()
	ctx, cancel := context.WithCancel(t.Context())
	r := f.changer.Apply(ctx, p, func(change.Progress) { cancel() })
	if r.Outcome != journal.Refused || client.KindOf(r.Err) != client.Cancelled || f.writes() != 0 {
		t.Errorf("%s %v, %d writes; want it stopped", r.Outcome, r.Err, f.writes())
	}
	rec, err := f.changer.Journal.Record(r.ID)
	if err != nil || rec == nil || rec.Open || rec.Outcome != journal.Refused || codes(plan.ReasonsOf(rec)) != plan.Cancelled {
		t.Errorf("the journal has %+v, %v; want it stopped", rec, err)
	}
}

func TestReadOnlyIsRefusedBelow(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts", func(o *dynamo.Options) { o.Write = false })
	r := f.changer.Apply(t.Context(), f.mustPlan(table, "username", "alan"), nil)
	if r.Outcome != journal.Refused || client.KindOf(r.Err) != client.ReadOnly || f.writes() != 0 {
		t.Errorf("%s %v, %d writes; want refused by the guard", r.Outcome, r.Err, f.writes())
	}
}

// The first answer is lost, and then the credentials expire. The refusal of the second attempt says nothing about the
// first attempt, so the outcome is unknown.
func TestARefusalAfterALostAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	f := start(t)
	attempts := 0
	f.after = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" && attempts == 1 {
			return errCut
		}
		return nil
	}
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			if attempts++; attempts == 2 {
				return &smithy.GenericAPIError{Code: "ExpiredTokenException", Fault: smithy.FaultClient}
			}
		}
		return nil
	}
	if r := f.bump(); r.Outcome != journal.Unknown || attempts != 2 {
		t.Errorf("%s %v after %d attempts; want unknown", r.Outcome, r.Reasons, attempts)
	}
}

// The progress of a step that is sent again has the reason.
func TestProgressSaysWhyAStepIsSentAgain(t *testing.T) {
	t.Parallel()
	for want, fails := range map[client.Kind]error{
		client.Throttled:   &smithy.GenericAPIError{Code: "ThrottlingException", Fault: smithy.FaultClient},
		client.Unreachable: errCut,
	} {
		f := start(t)
		p, attempts := f.planBump(), 0
		f.before = func(operation string, _ []byte) error {
			if operation == "TransactWriteItems" {
				if attempts++; attempts == 1 {
					return fails
				}
			}
			return nil
		}
		var before client.Kind
		r := f.changer.Apply(t.Context(), p, func(p change.Progress) {
			if p.Attempt > 1 {
				before = p.Before
			}
		})
		if r.Outcome != journal.Applied || before != want {
			t.Errorf("%s after %q; want applied after %q", r.Outcome, before, want)
		}
	}
}

// The journal has the outcome of each change, and lists the open changes.
func TestRecords(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.bump()
	f.changer.Apply(t.Context(), f.mustPlan(f.open("accounts"), "username", "alan"), nil)
	// Interrupt a release between its mark and its deletion.
	p := f.mustPlan(f.open("accounts", func(o *dynamo.Options) { o.AutoReadUnits = 1e-9 }), "username", "turing")
	func() {
		defer func() { _ = recover() }()
		f.changer.Apply(t.Context(), p, func(p change.Progress) {
			if p.Stage == "look" {
				panic("killed") // no later code of the change runs
			}
		})
	}()
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			return errCut
		}
		return nil
	}
	f.bump()
	records, err := f.changer.Journal.Records()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range records {
		e, err := plan.Load(r)
		if err != nil {
			t.Fatal(err)
		}
		text := string(e.Plan.Kind) + " " + string(r.Outcome)
		if r.Open {
			text += " open"
		}
		got = append(got, text)
	}
	want := "bump applied, release applied, release unknown open, bump unknown open"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s; want %s", text, want)
	}
	if n, err := f.changer.Journal.Prune(t.Context(), time.Now().Add(time.Hour)); n != 2 || err != nil {
		t.Errorf("%d forgotten, %v; want the two that are closed", n, err)
	}
	if records, err = f.changer.Journal.Records(); err != nil || len(records) != 2 || len(journal.Unresolved(records)) != 2 {
		t.Errorf("%d left, %v; want the two that are open", len(records), err)
	}
	if info, err := os.Stat(f.journal); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// Two processes write one journal while it is pruned: no line is lost.
func TestTheJournalIsSharedWithPruning(t *testing.T) {
	t.Parallel()
	f := start(t)
	other, err := journal.Open(f.journal)
	if err != nil {
		t.Fatal(err)
	}
	second := &change.Changer{Journal: other, Who: "second"}
	var wg sync.WaitGroup
	for _, c := range []*change.Changer{f.changer, second} {
		wg.Go(func() {
			for range 20 {
				p, err := planner.Bump(t.Context(), f.counter("donation-data", "donation-data"), big.NewInt(1))
				if err != nil {
					t.Error(err)
					return
				}
				c.Apply(t.Context(), p, nil)
			}
		})
	}
	for range 10 {
		if _, err := other.Prune(t.Context(), time.Now().Add(-time.Hour)); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	records, err := other.Records()
	if err != nil || len(records) < 40 || len(journal.Unresolved(records)) != 0 {
		t.Errorf("%d records, %d open, %v; want 40 or more, all closed", len(records), len(journal.Unresolved(records)), err)
	}
}

// A journal may be a symbolic link. Both names share one lock, pruning keeps the link, and the directory of the link's
// target must be private, too.
func TestAJournalMayBeALink(t *testing.T) {
	f := start(t)
	dir := private(t)
	vault := filepath.Join(dir, "vault")
	if err := os.Mkdir(vault, 0o700); err != nil {
		t.Fatal(err)
	}
	file, link := filepath.Join(vault, "kept.jsonl"), filepath.Join(dir, "journal.jsonl")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(link); err == nil {
		t.Error("a link that leads nowhere is taken for a journal")
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.journal = link
	f.changer = f.operator("tester")
	f.bump()
	if n, err := f.changer.Journal.Prune(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("%d forgotten, %v", n, err)
	}
	if to, err := os.Readlink(link); to != file || err != nil {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if left, err := os.ReadFile(file); len(left) > 0 || err != nil {
		t.Errorf("%d bytes are left, %v", len(left), err)
	}
	if locks, err := filepath.Glob(link + "*.lock"); len(locks) > 0 || err != nil {
		t.Errorf("locked by the link's name: %v, %v", locks, err)
	}
	if err := os.Chmod(vault, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(link); err == nil {
		t.Error("others can put another file in the place of what it links to")
	}
}
