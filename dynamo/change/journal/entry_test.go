package journal_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/remedy"
)

// open opens an empty journal in a directory that only its own user can write, under any umask.
func open(t *testing.T) *journal.Journal {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Every line that is written can be read again, whatever its texts contain. No bytes in the file make reading panic, or
// hide the lines after them.
func FuzzWhatIsWrittenIsRead(f *testing.F) {
	f.Add([]byte(`{"event":"send","receipt":"R-1","at":"2026-01-01T00:00:00Z","plan":{`), "bump \"x\"", "a\\b\u2028\x00")
	f.Add([]byte("{}"), "", "")
	f.Add([]byte(`{"a":"\`), "}", `"`)
	f.Fuzz(func(t *testing.T, torn []byte, what, reason string) {
		j := open(t)
		if err := os.WriteFile(j.Path(), torn, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(1_795_000_000, 7).UTC()
		do := remedy.Of(remedy.CreateWith, "7")
		plan, err := json.Marshal(what)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []journal.Entry{
			{Event: journal.EventSend, What: "do " + what, Plan: plan},
			{Event: journal.EventAnswer, Outcome: journal.Refused, Reasons: []journal.Reason{{Code: what, Text: reason, Remedy: do}}, Error: reason, Remedy: do, Sent: journal.Once},
		} {
			e.Receipt, e.Step, e.Token, e.At, e.Run, e.Reason = "R-fresh", "bump", "t", at, "R-0", reason
			if err := j.Append(context.Background(), e); err != nil {
				t.Fatal(err)
			}
		}
		r, err := j.Record("R-fresh")
		if err != nil || r == nil {
			t.Fatalf("%v, %v", r, err)
		}
		said := func(text string) string { return string([]rune(text)) } // JSON cannot have invalid UTF-8
		if r.Outcome != journal.Refused || r.Open || r.What != "do "+said(what) || r.Reason != said(reason) || r.Run != "R-0" || r.Reasons[0].Text != said(reason) {
			t.Errorf("%+v", r)
		}
		if !reflect.DeepEqual(r.Reasons[0].Remedy, do) || !reflect.DeepEqual(r.Remedy, do) {
			t.Errorf("the remedies are %+v and %+v", r.Reasons[0].Remedy, r.Remedy)
		}
		if s := r.Step("bump"); s == nil || !s.Once || !s.First.Equal(at) {
			t.Errorf("the step is %+v", s)
		}
		if e, err := r.Entry(); err != nil || string(e.Plan) != string(plan) {
			t.Errorf("%+v, %v; want the plan %s", e, err, plan)
		}
	})
}
