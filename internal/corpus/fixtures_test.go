package corpus_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
)

// fixtureFile is one or more tables that a real library wrote, and the truth about them.
type fixtureFile struct {
	Name   string
	Tables []struct {
		Create map[string]any
		Items  []jsonItem
	}
	Truth  [][2]string // pairs of a finding's kind and value; kinds that may replace each other are joined by |
	Probes struct {
		Held                  []string
		Orphan, Missing, Free string
		Scope                 map[string]string
	}
	Counters []struct {
		Table, Attribute, Semantics, Value string
		N                                  int
	}
	Expect string // "nothing": there are no locks
}

// TestFixturesOfLibraries judges the fixtures in the folder that TALLYLOCK_FIXTURES names.
func TestFixturesOfLibraries(t *testing.T) {
	folder := os.Getenv("TALLYLOCK_FIXTURES")
	if folder == "" {
		t.Skip("TALLYLOCK_FIXTURES names no folder")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d fixtures in %s: %v", len(files), folder, err)
	}
	report := &report{}
	t.Run("each", func(t *testing.T) {
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for seed := range variants() + 1 {
					group := "fixtures"
					if seed > 0 {
						group, text = "fixtures, other words", renameFixture(t, seed, text)
					}
					var f fixtureFile
					if err := json.Unmarshal(text, &f); err != nil {
						t.Fatal(err)
					}
					report.add(group, fmt.Sprint(filepath.Base(file), "~", seed), f.judge(t))
				}
			})
		}
	})
	// One fixture has only its counters. Without their words, they look like numbers of goods in stock.
	report.tell(t, bars{"fixtures": 100, "fixtures, other words": 94})
}

// renameFixture replaces the words of a fixture: in the tables' names and keys, in the items, and in the
// truth. It keeps words with digits, such as ids.
func renameFixture(t *testing.T, seed uint64, text []byte) []byte {
	t.Helper()
	var f map[string]any
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	r := newRenamer(seed)
	for _, table := range f["tables"].([]any) {
		of := table.(map[string]any)
		of["create"] = r.create(of["create"])
		for n, item := range of["items"].([]any) {
			of["items"].([]any)[n] = r.attributes(item)
		}
	}
	for _, truth := range f["truth"].([]any) {
		of := truth.([]any)
		of[1] = r.plain(of[1].(string))
	}
	f["probes"] = r.strings(f["probes"])
	counters, _ := f["counters"].([]any)
	for _, c := range counters {
		of := c.(map[string]any)
		for _, name := range []string{"table", "attribute"} {
			if s, ok := of[name].(string); ok {
				of[name] = r.plain(s)
			}
		}
	}
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// world returns the fixture's tables as a world.
func (f *fixtureFile) world() *world {
	w := &world{}
	for _, t := range f.Tables {
		w.tables = append(w.tables, tableJSON{create: t.Create, items: t.Items, keys: keysOf(t.Create)})
	}
	return w
}

func (f *fixtureFile) judge(t *testing.T) *judgement {
	w := f.world()
	e := w.engine(t)
	if f.Expect == "nothing" {
		return w.judgeFriend(t, e, f.Probes.Free)
	}
	j := &judgement{}
	table, err := w.opened(t, e)
	if err != nil {
		j.lacks("not opened: %v", err)
		return j
	}
	j.toml = tomlOf(t, table)
	f.judgeCounters(t, j, table)
	if table.Layout.Empty() {
		j.lacks("no layout was recognised")
		return j
	}
	f.judgeCheck(t, j, table)
	f.judgeProbes(t, j, table)
	return j
}

func (f *fixtureFile) judgeCheck(t *testing.T, j *judgement, table *dynamo.Table) {
	found, sum, err := findings(t.Context(), table)
	if err != nil || !sum.Complete {
		j.lacks("check: %v %s", err, sum.Why)
	}
	truth := slices.Clone(f.Truth)
	for _, one := range found {
		at := slices.IndexFunc(truth, func(of [2]string) bool {
			return strings.EqualFold(of[1], one.Value) && slices.Contains(strings.Split(of[0], "|"), string(one.Kind))
		})
		if at >= 0 {
			truth = slices.Delete(truth, at, at+1)
		}
		switch says := fmt.Sprintf("check: %s %s", one.Kind, one.Subject()); {
		case at >= 0: // right; a finding by a guessed layout need not be confirmed
		case one.Confirmed:
			j.wrong("%s", says)
		default:
			j.lacks("%s is false, and not confirmed", says)
		}
	}
	for _, of := range truth {
		j.lacks("check: %s %s was not found", of[0], of[1])
	}
}

// kindsOf returns the right kinds of findings for a value.
func (f *fixtureFile) kindsOf(value string) []string {
	for _, of := range f.Truth {
		if strings.EqualFold(of[1], value) {
			return strings.Split(of[0], "|")
		}
	}
	return nil
}

func (f *fixtureFile) judgeProbes(t *testing.T, j *judgement, table *dynamo.Table) {
	for _, q := range f.Probes.Held {
		f.ask(t, j, table, q, held)
	}
	for _, q := range []string{f.Probes.Orphan, f.Probes.Missing} {
		if q != "" {
			f.ask(t, j, table, q, f.kindsOf(q)...)
		}
	}
	if f.Probes.Free != "" {
		f.ask(t, j, table, f.Probes.Free, free)
	}
}

// ask asks for a value. An answer about another constraint has to say that the value is free.
func (f *fixtureFile) ask(t *testing.T, j *judgement, table *dynamo.Table, query string, want ...string) {
	answer, err := find.Find(t.Context(), table, query, find.Options{Scope: f.Probes.Scope, Scan: true})
	if err != nil {
		j.lacks("find %s: %v", query, err)
		return
	}
	good, said := false, []string{}
	for _, r := range answer.Locks {
		name := nameOf(r.Verdict)
		said = append(said, r.Constraint.Name+" "+name)
		if slices.Contains(want, name) || r.Verdict == verdict.Unknown {
			good = true
		} else if r.Verdict != verdict.Free && !r.Provisional {
			j.wrong("find %s (%s): %s %s", query, want[0], r.Constraint.Name, name)
		}
	}
	switch {
	case good:
	case len(said) > 0 && !slices.ContainsFunc(answer.Locks, func(r *verdict.Relation) bool { return r.Verdict != verdict.Free || r.Provisional }):
		j.wrong("find %s (%s): %s", query, want[0], strings.Join(said, ", "))
	default:
		j.lacks("find %s (%s): %s", query, want[0], strings.Join(said, ", "))
	}
}

func (f *fixtureFile) judgeCounters(t *testing.T, j *judgement, table *dynamo.Table) {
	for _, want := range f.Counters {
		of := table
		if want.Table != "" && want.Table != table.Name {
			var err error
			if of, err = table.Connection().Open(t.Context(), want.Table); err != nil {
				j.lacks("not opened: %v", err)
				continue
			}
		}
		counters, _, err := counter.Read(t.Context(), of)
		if err != nil {
			j.lacks("counters: %v", err)
		}
		n := 0
		for _, c := range counters {
			switch {
			case c.Attribute != want.Attribute:
				j.wrong("counter %s in %s", c.Name, c.Attribute)
			case string(c.Semantics) != want.Semantics:
				j.wrong("counter %s is %s, not %s", c.Name, c.Semantics, want.Semantics)
			case want.Value != "" && c.Value != want.Value:
				j.wrong("counter %s holds %s, not %s", c.Name, c.Value, want.Value)
			default:
				n++
			}
		}
		if n != want.N {
			j.lacks("%d of %d counters", n, want.N)
		}
	}
}
