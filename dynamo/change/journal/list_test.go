package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/change/journal"
	"tallylock/ui/say"
)

// many writes the lines of n changes, and opens the journal. Each change has a plan of the given size.
func many(t testing.TB, n, size int) *journal.Journal {
	t.Helper()
	var text bytes.Buffer
	write := func(e journal.Entry) {
		e.At, e.Step, e.Token = time.Now(), "bump", "74cd31ec-fa28-4af7-8526-3e383f536390"
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "{\"chain\":\"%064d\",%s\n", 0, line[1:])
	}
	plan := json.RawMessage(`{"sentence":"` + strings.Repeat("many words ", size/11) + `"}`)
	for i := range n {
		id := fmt.Sprintf("R-20261122-170000-%08d", i)
		write(journal.Entry{
			Event: journal.EventSend, Receipt: id, Run: id, What: "bump order_id, 5,000 → 5,001", Table: "order_id", Who: "tester",
			Account: "123456789012", Connection: "demo", Region: "us-east-1", Endpoint: "http://127.0.0.1:8000", Plan: plan,
		})
		write(journal.Entry{Event: journal.EventAnswer, Receipt: id, Outcome: journal.Applied, Sent: journal.Once})
	}
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// A file that is no journal is refused, and stays unchanged.
func TestAnotherFileIsNoJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	for name, mode := range map[string]os.FileMode{"that others may read": 0o644, "of one's own": 0o600} {
		if err := errors.Join(os.WriteFile(path, []byte("one\ntwo\n"), mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		j, err := journal.Open(path)
		if err == nil {
			err = j.CheckWritable()
		}
		if err == nil || !strings.Contains(err.Error(), "no line can be read (2 lines)") {
			t.Errorf("a file %s: %v", name, err)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("a file %s: %v, %v", name, info.Mode(), err)
		}
	}
}

// The error of a journal that cannot be read is about reading.
func TestAJournalThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	_, err := journal.OpenReadOnly(dir).Records()
	if want := "reading the journal " + dir + ": is a directory; choose another with --journal"; runtime.GOOS != "windows" && (err == nil || say.Error(err) != want) {
		t.Errorf("%v; want %s", err, want)
	}
}

// Records keeps no plans in memory: most of a journal is plans.
func TestListingKeepsNoPlans(t *testing.T) {
	const size = 16 << 20
	j := many(t, 256, size/256)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all, err := j.Records()
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err != nil || len(all) != 256 || took > size/2 {
		t.Errorf("%d changes, %v, and %d KB of memory for plans of %d KB", len(all), err, took>>10, size>>10)
	}
	if e, err := all[7].Entry(); err != nil || len(e.Plan) < size/300 {
		t.Errorf("the plan is not read when it is asked for: %v", err)
	}
}

// A line that is torn inside its plan counts as unread, wherever it is torn. A line in which another member follows the
// plan, as an editor may leave it, can still be read.
func TestALineIsReadWholeOrNotAtAll(t *testing.T) {
	plan := `{"a":{"b":{}},"c":[{}]}`
	line := `{"event":"send","receipt":"R-1","step":"bump","at":"2026-11-22T17:00:00Z","what":"bump","plan":` + plan + `}`
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	read := func(line string) (all []*journal.Record, unread int) {
		t.Helper()
		whole := strings.ReplaceAll(line, "R-1", "R-0") + "\n"
		if !json.Valid([]byte(line)) {
			whole = `{"event":"send","receipt":"R-0","step":"bump","at":"2026-11-22T17:00:00Z","what":"bump"}` + "\n"
		}
		if err := os.WriteFile(path, []byte(whole+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := journal.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		all, unread, err = j.Read()
		if err != nil {
			t.Fatal(err)
		}
		return all, unread
	}
	for end := 1; end < len(line); end++ {
		if all, unread := read(line[:end]); len(all) != 1 || unread != 1 {
			t.Errorf("torn after %s: %d changes, and %d lines unread", line[:end], len(all), unread)
		}
	}
	for name, line := range map[string]string{
		"as it was written":   line,
		"with a request":      strings.TrimSuffix(line, "}") + `,"request":{}}`,
		"the receipt is last": `{"event":"send","step":"bump","at":"2026-11-22T17:00:00Z","what":"bump","plan":` + plan + `,"receipt":"R-1"}`,
		"the plan is nested":  strings.Replace(line, `"what"`, `"other":{"x":1,"plan":{}},"what"`, 1),
	} {
		if all, unread := read(line); len(all) != 2 || unread != 0 || all[1].Receipt != "R-1" || all[1].What != "bump" {
			t.Errorf("%s: %d changes, and %d lines unread", name, len(all), unread)
		}
	}
}

// BenchmarkRecords lists a journal of 100,000 changes.
func BenchmarkRecords(b *testing.B) {
	j := many(b, 100_000, 2000)
	for b.Loop() {
		if all, err := j.Records(); err != nil || len(all) != 100_000 {
			b.Fatal(len(all), err)
		}
	}
}

// The record of a change that was sent again does not have the reasons of the first attempt.
func TestAnotherTryForgetsTheReasonsOfTheFirst(t *testing.T) {
	j := many(t, 0, 0)
	line := func(e journal.Entry) {
		e.Receipt, e.Run, e.Step, e.At = "R-1", "R-1", "bump", time.Now()
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	line(journal.Entry{Event: journal.EventSend, Token: "first"})
	line(journal.Entry{Event: journal.EventAnswer, Token: "first", Outcome: journal.Refused, Reasons: []journal.Reason{{Code: "ConditionalCheckFailed"}}, Error: "refused"})
	line(journal.Entry{Event: journal.EventSend, Token: "second"})
	r, err := j.Record("R-1")
	if err != nil || r.Outcome != journal.Unknown || len(r.Reasons) > 0 || r.Error != "" {
		t.Errorf("%+v, %v", r, err)
	}
}
