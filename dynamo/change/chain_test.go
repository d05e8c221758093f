package change_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/internal/testrun"
	"tallylock/ui/say"
)

// unchained returns a journal without its hashes.
func unchained(journal []byte) []byte {
	return regexp.MustCompile(`(?m)^\{"chain":"[0-9a-f]{64}",`).ReplaceAll(journal, []byte("{"))
}

// chained adds hashes to journal lines without hashes, like somebody who hides an edit.
func chained(lines []byte) []byte {
	var out, before []byte
	for line := range bytes.Lines(lines) {
		before = chainedLine(before, line)
		out = append(append(out, before...), '\n')
	}
	return out
}

// chainedLine adds a hash to a line; before is the previous line.
func chainedLine(before, line []byte) []byte {
	rest := bytes.TrimPrefix(bytes.TrimSpace(line), []byte("{"))
	sum := sha256.Sum256(slices.Concat(before, []byte("\n{"), rest))
	return fmt.Appendf(nil, `{"chain":"%x",%s`, sum, rest)
}

func (f *fixture) verify() journal.Chain {
	f.t.Helper()
	c, err := f.changer.Journal.Verify()
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

func (f *fixture) bytes() []byte {
	f.t.Helper()
	text, err := os.ReadFile(f.journal)
	if err != nil {
		f.t.Fatal(err)
	}
	return text
}

func (f *fixture) write(journal []byte) {
	f.t.Helper()
	if err := os.WriteFile(f.journal, journal, 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// If somebody edits a line of a journal, the chain names this line. Changes to line ends do not count.
func TestAChainTellsWhatWasEdited(t *testing.T) {
	t.Parallel()
	f := start(t)
	for range 3 {
		f.bump()
	}
	whole := f.bytes()
	lines := slices.Collect(bytes.Lines(whole))
	if c := f.verify(); c != (journal.Chain{Lines: 6}) {
		t.Fatalf("as it was written: %+v", c)
	}
	join := func(lines ...[]byte) []byte { return bytes.Join(lines, nil) }
	for name, tc := range map[string]struct {
		journal []byte
		broken  int
	}{
		"a line edited":            {bytes.Replace(whole, []byte(`"after":"5001"`), []byte(`"after":"9001"`), 1), 1},
		"the last line edited":     {append(join(lines[:5]...), bytes.Replace(lines[5], []byte(`"applied"`), []byte(`"refused"`), 1)...), 6},
		"a line taken out":         {join(append(slices.Clone(lines[:2]), lines[3:]...)...), 3},
		"a line put in":            {join(append(append(slices.Clone(lines[:2]), []byte("{\"event\":\"answer\",\"receipt\":\"R\",\"at\":\"2026-01-01T00:00:00Z\"}\n")), lines[2:]...)...), 3},
		"two lines changed places": {join(lines[1], lines[0], lines[2], lines[3], lines[4], lines[5]), 1},
		"a line twice":             {join(lines[0], lines[1], lines[1], lines[2]), 3},
		"a line that says nothing": {join(lines[0], []byte("x\n"), lines[1]), 3},
		"no first line":            {join(lines[1:]...), 1},
		"a hash taken off":         {join(lines[0], unchained(lines[1]), lines[2]), 2},
		"Windows ends its lines":   {bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")), 0},
		"a byte order mark":        {append([]byte("\ufeff"), whole...), 0},
		"empty lines":              {bytes.ReplaceAll(whole, []byte("\n"), []byte("\n\n")), 0},
		"the last ones taken away": {join(lines[:4]...), 0}, // cannot be detected
		"no line with a hash":      {unchained(whole), 1},
		"hashes made anew":         {chained(unchained(whole)), 0}, // cannot be detected
	} {
		f.write(tc.journal)
		if c := f.verify(); c.Broken != tc.broken || (c.Broken > 0) != (c.Why != "") {
			t.Errorf("%s: %+v; want it broken at %d", name, c, tc.broken)
		}
		// A later line does not repair the chain, and does not break it.
		f.bump()
		if c := f.verify(); c.Broken != tc.broken {
			t.Errorf("%s, and one more change: %+v; want it broken at %d", name, c, tc.broken)
		}
	}
}

// A crash may cut the last line at any byte: the chain continues.
func TestATornLineBreaksNoChain(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.bump()
	whole := f.bytes()
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for cut := last; cut < len(whole); cut += testrun.Runs(1, 6) {
		f.write(whole[:cut])
		f.bump()
		want := journal.Chain{Lines: 4, Unread: 1}
		if cut == last || cut == len(whole)-1 { // the line is missing, or only its line end is
			want = journal.Chain{Lines: 3}
			if cut > last {
				want.Lines = 4
			}
		}
		if c := f.verify(); c != want {
			t.Fatalf("torn at %d of %d: %+v; want %+v", cut-last, len(whole)-last, c, want)
		}
	}
}

// Several writers and a person who prunes take turns: the result is one chain.
func TestAChainOfSeveralWriters(t *testing.T) {
	t.Parallel()
	f := start(t)
	var wg sync.WaitGroup
	for range 4 {
		c := f.operator("tester")
		wg.Go(func() {
			for range 6 {
				p, err := planner.Reserve(t.Context(), f.counter("order_id", "order_id"), big.NewInt(1))
				if err != nil {
					t.Error(err)
					return
				}
				c.Apply(t.Context(), p, nil)
				if _, err := c.Journal.Prune(t.Context(), time.Now().Add(-20*time.Millisecond)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	f.bump() // regardless of how much was pruned
	if c := f.verify(); c.Broken != 0 || c.Unread != 0 || c.Lines == 0 {
		t.Errorf("%+v", c)
	}
}

// A journal with a broken chain can be read, but no change in it is undone or resolved until a person agrees. Pruning
// then repairs the chain.
func TestABrokenChainIsNotActedOn(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	done := f.apply(f.plan(table, "username", "alan"))
	f.killed(f.mustPlan(table, "username", "turing"), "look")
	f.write(bytes.Replace(f.bytes(), []byte(`"reason":""`), []byte(`"reason":"x"`), 1))
	f.write(bytes.Replace(f.bytes(), []byte(`"who":"tester"`), []byte(`"who":"somebody"`), 1))
	f.changer = f.operator("tester")
	broken := func(err error) {
		t.Helper()
		if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "does not match the line before it") || !strings.Contains(say.Error(err), "--trust-journal") {
			t.Errorf("%v; want it refused for its chain", err)
		}
	}
	writes := f.writes()
	for _, do := range []change.Action{change.TakeOff, change.Finish} {
		broken(f.changer.Resolve(t.Context(), f.examine(table), do, nil).Err)
	}
	p, err := f.undo(table, done)
	if err != nil {
		t.Fatal(err)
	}
	broken(f.changer.Apply(t.Context(), p, nil).Err)
	_, err = f.changer.Journal.Prune(t.Context(), time.Now().Add(time.Hour))
	broken(err)
	if f.writes() != writes {
		t.Errorf("%d were sent all the same", f.writes()-writes)
	}
	f.changer.Journal.Trust()
	f.resolve(table, change.TakeOff, journal.Refused)
	f.apply(f.undo(table, done))
	if _, err := f.changer.Journal.Prune(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Error(err)
	}
	if c := f.verify(); c.Broken != 0 {
		t.Errorf("after a person has trusted and pruned it: %+v", c)
	}
}

// An editor may have changed the line ends of a journal: the open changes in the journal are still found. A journal in
// which no line can be read does not count as empty.
func TestAJournalInAnotherEncoding(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.lose(false)
	r := f.bump()
	f.found()
	whole := f.bytes()
	wide := []byte("\xff\xfe")
	for _, b := range bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")) {
		wide = append(wide, b, 0)
	}
	for name, tc := range map[string]struct {
		journal []byte
		read    bool
	}{
		"Windows ends its lines": {bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")), true},
		"a byte order mark":      {append([]byte("\ufeff"), whole...), true},
		"indented":               {bytes.ReplaceAll(whole, []byte("{\"chain"), []byte("  {\"chain")), true},
		"Macs ended their lines": {bytes.ReplaceAll(whole, []byte("\n"), []byte("\r")), false},
		"UTF-16":                 {wide, false},
		"something else":         {[]byte("alias ll='ls -l'\n"), false},
		"one thing on one line":  {[]byte("x"), false},
		"an array":               {append(append([]byte("["), bytes.ReplaceAll(whole, []byte("\n"), []byte(",\n"))...), ']'), false},
	} {
		f.journal = filepath.Join(private(t), "journal.jsonl")
		f.write(tc.journal)
		f.changer = f.operator("tester")
		records, unread, err := f.changer.Journal.Read()
		if tc.read {
			if err != nil || unread != 0 || len(journal.Unresolved(records)) != 1 || records[0].Receipt != r.ID || planOf(records[0]) == nil {
				t.Errorf("%s: %+v, %d, %v; want the open change", name, records, unread, err)
			}
		} else if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), f.journal) || !strings.Contains(err.Error(), "be read") {
			t.Errorf("%s: %+v, %v; want it refused by name", name, records, err)
		}
	}
	f.journal = filepath.Join(private(t), "journal.jsonl")
	f.write(append([]byte("x\n"), whole...))
	f.changer = f.operator("tester")
	if records, unread, err := f.changer.Journal.Read(); unread != 1 || len(records) != 1 || err != nil {
		t.Errorf("%+v, %d, %v; want one line that cannot be read to be told", records, unread, err)
	}
}
