package answers_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

var people = []answers.Table{{Name: "people", ID: "1"}}

func place(items string) *layout.Place {
	return &layout.Place{Table: "people", Items: items, Attribute: "email"}
}

func accepted(t testing.TB, name, pk string) answers.Entry {
	t.Helper()
	config := config.Layout{Name: "people", Accounts: []config.Account{{
		PK: "P#{id}", Constraints: []config.Constraint{{Name: name, Attribute: "email", PK: pk}},
	}}}
	return answers.Entry{Tables: people, Constraint: name, Hash: pk, Layout: string(config.TOML())}
}

// all returns the entries that count, as a short text.
func all(t *testing.T, s *answers.Store) (said string, unreadable int) {
	t.Helper()
	entries, unreadable, err := s.All()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.Place != nil {
			out = append(out, e.Place.Items+" "+string(e.Answer))
			continue
		}
		if e.NowhereElse {
			out = append(out, e.Constraint+" nowhere else as "+e.Hash)
			continue
		}
		out = append(out, e.Constraint+" "+e.Hash)
	}
	return strings.Join(out, ", "), unreadable
}

// If two entries are about the same thing, the later one counts. A removed entry does not count.
func TestTheLaterEntryCounts(t *testing.T) {
	s := answers.Open(filepath.Join(t.TempDir(), "deep", "answers.jsonl"))
	if said, _ := all(t, s); said != "" {
		t.Errorf("a new store says %q", said)
	}
	var ids []string
	for _, e := range []answers.Entry{
		accepted(t, "email", "A#{v}"),
		{Tables: people, Constraint: "email", Place: place("X#*"), Answer: layout.Hold},
		accepted(t, "email", "B#{v}"),
		accepted(t, "name", "N#{v}"),
		{Tables: people, Constraint: "email", Place: place("X#*"), Answer: layout.HoldNot},
		{Tables: people, Constraint: "name", Place: place("X#*"), Answer: layout.Hold},
	} {
		id, err := s.Add(e)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if said, _ := all(t, s); said != "email B#{v}, name N#{v}, X#* hold not, X#* hold" {
		t.Errorf("it says %q", said)
	}
	if ids[0] != ids[2] || ids[1] != ids[4] || ids[1] == ids[5] {
		t.Errorf("the ids are %v", ids)
	}
	for _, id := range []string{ids[0], ids[5]} {
		if err := s.Forget(id); err != nil {
			t.Fatal(err)
		}
	}
	if said, _ := all(t, s); said != "name N#{v}, X#* hold not" {
		t.Errorf("it says %q", said)
	}
}

// NowhereElse entries are stored beside acceptances. For each constraint only the latest NowhereElse entry counts, even
// if the layouts differ.
func TestNothingElseHoldsTheValues(t *testing.T) {
	s := answers.Open(filepath.Join(t.TempDir(), "answers.jsonl"))
	var ids []string
	for _, e := range []answers.Entry{
		accepted(t, "email", "A#{v}"),
		{Tables: people, Constraint: "email", Hash: "h1", NowhereElse: true},
		{Tables: people, Constraint: "name", Hash: "h1", NowhereElse: true},
		{Tables: people, Constraint: "email", Hash: "h2", NowhereElse: true},
	} {
		id, err := s.Add(e)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if said, _ := all(t, s); said != "email A#{v}, name nowhere else as h1, email nowhere else as h2" || ids[0] == ids[1] {
		t.Errorf("it says %q, and the ids are %v", said, ids)
	}
	if err := s.Forget(ids[3]); err != nil {
		t.Fatal(err)
	}
	if said, unreadable := all(t, s); said != "email A#{v}, name nowhere else as h1" || unreadable != 0 {
		t.Errorf("taken back, it says %q", said)
	}
}

// An entry without a statement, or without the ID of a table, is not stored.
func TestEntriesThatAreRefused(t *testing.T) {
	s := answers.Open(filepath.Join(t.TempDir(), "answers.jsonl"))
	bad := accepted(t, "email", "A#{v")
	nameless := accepted(t, "email", "A#{v}")
	nameless.Tables = []answers.Table{{Name: "people"}}
	for name, e := range map[string]answers.Entry{
		"no table":     {Constraint: "email", Place: place("X#*"), Answer: layout.Hold},
		"no identity":  nameless,
		"no answer":    {Tables: people, Constraint: "email", Place: place("X#*")},
		"nothing":      {Tables: people, Constraint: "email"},
		"a bad layout": bad,
		"no hash":      {Tables: people, Constraint: "email", NowhereElse: true},
		"two things":   {Tables: people, Constraint: "email", Hash: "h", NowhereElse: true, Place: place("X#*"), Answer: layout.Hold},
	} {
		if _, err := s.Add(e); err == nil {
			t.Errorf("%s is stored", name)
		}
	}
}

// Unreadable lines are counted and skipped. A line that somebody changed by hand, without changing its ID, is
// unreadable, too. An entry that was added after a torn line counts.
func TestLinesThatCannotBeRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	s := answers.Open(file)
	if _, err := s.Add(answers.Entry{Tables: people, Constraint: "email", Place: place("X#*"), Answer: layout.Hold}); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(good), "X#*", "Y#*", 1)
	if err := os.WriteFile(file, []byte(string(good)+changed+"\n"+`{"id":"A-`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(answers.Entry{Tables: people, Constraint: "email", Place: place("Z#*"), Answer: layout.Hold}); err != nil {
		t.Fatal(err)
	}
	if said, unreadable := all(t, s); said != "X#* hold, Z#* hold" || unreadable != 2 {
		t.Errorf("it says %q, %d unreadable", said, unreadable)
	}
}

// Several programs add lines to one file. No line is lost.
func TestSeveralStoresOfOneFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			e := answers.Entry{Tables: people, Constraint: "email", Place: place("X" + strings.Repeat("x", n) + "#*"), Answer: layout.Hold}
			if _, err := answers.Open(file).Add(e); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	entries, unreadable, err := answers.Open(file).All()
	if err != nil || unreadable != 0 || len(entries) != 20 {
		t.Errorf("%d entries, %d unreadable, %v", len(entries), unreadable, err)
	}
}

// Several processes answer at the same time. No answer is lost, even if the file ends in a torn line.
func TestAnswersAtTheSameTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	if err := os.WriteFile(path, []byte(`{"id":"torn`), 0o600); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for n := range 8 {
		wait.Go(func() {
			s := answers.Open(path)
			for m := range 5 {
				items := strings.Repeat("X", n+1) + strings.Repeat("Y", m+1) + "#*"
				if _, err := s.Add(answers.Entry{Tables: people, Constraint: "email", Place: place(items), Answer: layout.Hold}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	entries, unreadable, err := answers.Open(path).All()
	if err != nil || len(entries) != 40 || unreadable != 1 {
		t.Errorf("%d answers, %d lines that cannot be read, %v", len(entries), unreadable, err)
	}
}

// Answers of another process count at once, even if the file keeps its size and time.
func TestAFileThatWasReplacedIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	s := answers.Open(path)
	if _, err := s.Add(answers.Entry{Tables: people, Constraint: "email", Place: place("X#*"), Answer: layout.HoldNot}); err != nil {
		t.Fatal(err)
	}
	before, _ := all(t, s)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), `"email"`, `"phone"`, 1)
	if err := errors.Join(os.WriteFile(path, []byte(other), 0o600), os.Chtimes(path, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	if _, unreadable := all(t, s); before != "X#* hold not" || unreadable != 1 {
		t.Errorf("%q, and %d lines that cannot be read", before, unreadable)
	}
}

// BenchmarkAll reads an unchanged file again. The program does this before each of many deletions.
func BenchmarkAll(b *testing.B) {
	s := answers.Open(filepath.Join(b.TempDir(), "answers.jsonl"))
	for n := range 200 {
		if _, err := s.Add(accepted(b, fmt.Sprint("email", n), "A#{v}")); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if all, _, err := s.All(); err != nil || len(all) != 200 {
			b.Fatal(len(all), err)
		}
	}
}
