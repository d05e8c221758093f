package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/change/journal"
	"tallylock/ui/cli"
	"tallylock/ui/cli/app"
)

// journalOf writes a journal of n changes, and returns its path.
func journalOf(t testing.TB, n int) string {
	t.Helper()
	plan := json.RawMessage(`{"kind":"bump","counter":"order_id","before":"1","after":"2","steps":[{"name":"bump","writes":[` +
		strings.TrimSuffix(strings.Repeat(`{"verb":"update","table":"order_id","key":{"PK":{"S":"COUNTER"}}},`, 30), ",") + `]}]}`)
	var text bytes.Buffer
	for i := range n {
		id := fmt.Sprintf("R-20261122-170000-%08d", i)
		e := journal.Entry{
			Event: journal.EventSend, Receipt: id, Run: id, Step: "bump", At: time.Now(), Table: "order_id", Who: "tester",
			What: "bump order_id, 1 → 2", About: journal.About{Kind: "bump", Counter: "order_id", Before: "1", After: "2"}, Plan: plan,
		}
		for range 2 {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&text, "{\"chain\":\"%064d\",%s\n", 0, line[1:])
			e = journal.Entry{Event: journal.EventAnswer, Receipt: id, Step: "bump", At: e.At, Outcome: journal.Applied, Sent: journal.Once}
		}
	}
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// listJSON lists a journal as JSON, and returns the duration.
func listJSON(t testing.TB, path string) time.Duration {
	t.Helper()
	out, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	begun, app := time.Now(), &app.App{In: out, Out: out, Err: out}
	if exit := cli.Run(t.Context(), app, []string{"journal", "--journal", path, "--output", "json"}); exit != 0 {
		t.Fatal("exit status", exit)
	}
	return time.Since(begun)
}

// A list of receipts reads the journal once, for any number of receipts.
func TestAListOfReceiptsReadsTheJournalOnce(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	path := journalOf(t, 5000)
	begun := time.Now()
	if all, err := journal.OpenReadOnly(path).Records(); err != nil || len(all) != 5000 {
		t.Fatal(len(all), err)
	}
	once := time.Since(begun)
	if took := listJSON(t, path); took > 10*once+200*time.Millisecond {
		t.Errorf("the list took %s, and reading the journal %s", took, once)
	}
}

// BenchmarkJournalJSON lists a journal of 50,000 changes.
func BenchmarkJournalJSON(b *testing.B) {
	b.Setenv("XDG_CONFIG_HOME", b.TempDir())
	path := journalOf(b, 50_000)
	for b.Loop() {
		listJSON(b, path)
	}
}
