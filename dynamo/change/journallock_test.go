package change_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/internal/testrun"
)

// Only one process at a time can make a change. Other processes are refused, even at the moment when the change ends
// and its lock file is deleted.
func TestAChangeIsMadeByOneAtATime(t *testing.T) {
	t.Parallel()
	f := start(t)
	p, err := planner.Lower(t.Context(), f.counter("order_id", "order_id"), number("10"))
	if err != nil {
		t.Fatal(err)
	}
	f.put("order_id", item{"id": num("0"), "order_number": num("1")}) // so each attempt is refused
	many := int32(testrun.Runs(300, 6))
	var at, most, made atomic.Int32
	f.before = func(operation string, _ []byte) error {
		if n := at.Add(1); n > 1 {
			most.Store(n)
		}
		return nil
	}
	f.after = func(string, []byte) error {
		at.Add(-1)
		made.Add(1)
		return nil
	}
	var all sync.WaitGroup
	for range testrun.Runs(8, 3) {
		all.Go(func() {
			c := f.operator("one of many")
			for made.Load() < many && most.Load() == 0 && c.Apply(t.Context(), p, nil).Outcome == journal.Refused {
			}
		})
	}
	all.Wait()
	if most.Load() > 0 || made.Load() < many {
		t.Errorf("%d made it at once, after %d times", most.Load(), made.Load())
	}
}

// Another process hangs while it holds the journal's lock: a change waits for the lock for 10 s, or until somebody
// cancels the change.
func TestAJournalThatIsKeptLocked(t *testing.T) {
	t.Parallel()
	for name, cancelled := range map[string]bool{"waited for": false, "cancelled": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := start(t)
				f.bump()
				p, err := planner.Lower(t.Context(), f.counter("order_id", "order_id"), number("10"))
				if err != nil {
					t.Fatal(err)
				}
				writes := f.writes()
				other := flock.New(f.journal + ".lock")
				if err := other.Lock(); err != nil {
					t.Fatal(err)
				}
				defer func() { _ = other.Unlock() }()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if cancelled {
					time.AfterFunc(time.Second, cancel)
				}
				begin := time.Now()
				r := f.changer.Apply(ctx, p, nil)
				took := time.Since(begin).Round(time.Second)
				if r.Outcome != journal.Refused || r.Err == nil || f.writes() != writes {
					t.Fatalf("%s %v, %d sent; want nothing sent", r.Outcome, r.Err, f.writes()-writes)
				}
				if cancelled && (client.KindOf(r.Err) != client.Cancelled || took != time.Second) {
					t.Errorf("after %v: %v", took, r.Err)
				}
				if !cancelled && (!strings.Contains(r.Err.Error(), other.Path()) || took != 10*time.Second) {
					t.Errorf("after %v: %v; want a word on %s", took, r.Err, other.Path())
				}
			})
		})
	}
}

// The answer is written into the journal even if somebody has cancelled the change.
func TestAnAnswerIsWrittenDownAfterACancel(t *testing.T) {
	t.Parallel()
	f := start(t)
	p, err := planner.Lower(t.Context(), f.counter("order_id", "order_id"), number("10"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.after = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			cancel()
		}
		return nil
	}
	r := f.changer.Apply(ctx, p, nil)
	if rec := f.record(r.ID); rec.Outcome != r.Outcome || len(entries(t, f.journal)) != 2 {
		t.Errorf("it was %s, and the journal says %s in %d lines", r.Outcome, rec.Outcome, len(entries(t, f.journal)))
	}
}

// Pruning deletes the files that killed processes have left beside the journal. A lock file in use stays.
func TestPruningSweeps(t *testing.T) {
	f := start(t)
	f.bump()
	held := flock.New(f.journal + ".R-held.lock")
	if err := held.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Unlock() }()
	for _, left := range []string{f.journal + ".R-killed.lock", f.journal + ".backup", filepath.Join(filepath.Dir(f.journal), "other.lock")} {
		if err := os.WriteFile(left, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.changer.Journal.Prune(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Dir(f.journal))
	var names []string
	for _, file := range files {
		names = append(names, file.Name())
	}
	if got, want := strings.Join(names, " "), "journal.jsonl journal.jsonl.R-held.lock journal.jsonl.backup journal.jsonl.lock other.lock"; got != want || err != nil {
		t.Errorf("there are %s, %v; want %s", got, err, want)
	}
}
