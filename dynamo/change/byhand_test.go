package change_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/internal/testrun"
)

// written returns a journal with many kinds of changes, some of them open, and the fixture with the changed tables.
func written(t *testing.T) (f *fixture, journal [][]byte) {
	t.Helper()
	f, odd := versioned(t)
	accounts, members := f.open("accounts"), f.open("members")
	order := f.counter("order_id", "order_id")
	f.apply(planner.Bump(t.Context(), order, big.NewInt(7)))
	f.apply(planner.Lower(t.Context(), order, big.NewInt(10)))
	f.apply(f.undo(accounts, f.apply(f.plan(accounts, "username", "alan"))))
	f.apply(f.plan(members, "username", "alan"))
	f.apply(planner.ChangeValue(t.Context(), odd, f.value(odd, "email", "bob@x.io"), "new@x.io"))
	for _, tc := range changes() {
		if tc.name == "delete" {
			f.apply(tc.plan(t, f, odd))
		}
	}
	f.killed(f.mustPlan(accounts, "username", "turing"), "look")
	open := []*plan.Plan{f.mustPlan(members, "username", "mel"), f.mustPlan(accounts, "username", "alan")}
	bump, err := planner.Bump(t.Context(), order, big.NewInt(1))
	if err != nil {
		t.Fatal(err)
	}
	f.lose(true)
	for _, p := range append(open, bump) {
		f.changer.Apply(t.Context(), p, nil)
	}
	f.found()
	data, err := os.ReadFile(f.journal)
	if err != nil {
		t.Fatal(err)
	}
	return f, slices.Collect(bytes.Lines(data))
}

// edited returns a line of a journal after one to four random edits.
func edited(line []byte, random *rand.Rand) []byte {
	var whole any
	if json.Unmarshal(line, &whole) != nil {
		return line
	}
	for range 1 + random.IntN(4) {
		whole = edit(whole, random, 0)
	}
	line, err := json.Marshal(whole)
	if err != nil {
		return nil
	}
	return append(line, '\n')
}

// edit changes a random part of a value.
func edit(v any, random *rand.Rand, depth int) any {
	if random.IntN(8) > depth {
		switch v := v.(type) {
		case map[string]any:
			if names := slices.Sorted(maps.Keys(v)); len(names) > 0 {
				// Prefer values with parts: they give the most cases.
				parts := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
					switch v[name].(type) {
					case map[string]any, []any:
						return false
					}
					return true
				})
				if len(parts) > 0 && random.IntN(4) > 0 {
					names = parts
				}
				name := names[random.IntN(len(names))]
				if v[name] = edit(v[name], random, depth+1); random.IntN(4) == 0 {
					delete(v, name)
				}
				return v
			}
		case []any:
			if len(v) > 0 {
				n := random.IntN(len(v))
				switch v[n] = edit(v[n], random, depth+1); random.IntN(4) {
				case 0:
					return slices.Delete(v, n, n+1)
				case 1:
					return append(v, v[n])
				}
				return v
			}
		}
	}
	others := []any{
		nil, "", "-5", "x", "mark", "delete", "unmark", "release", "bump", "order_id", "accounts", "../../x", "9e99", strings.Repeat("9", 50), "tallylock_release",
		"1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z", -1.0, 0.5, true,
		[]any{},
		map[string]any{},
		[]any{nil},
		map[string]any{"S": "x"},
		map[string]any{"M": nil},
		[]any{map[string]any{"path": []any{}}},
	}
	return others[random.IntN(len(others))]
}

// Whatever a journal contains, no reader of it panics, and no incomplete step is sent.
func FuzzAJournalEditedByHand(f *testing.F) {
	var have *fixture
	var real [][]byte
	for seed := range uint64(testrun.Runs(40, 4)) {
		f.Add(seed, []byte(nil))
	}
	f.Add(uint64(0), []byte(`{"event":"send","receipt":"R-1","step":"mark","run":"../x","at":"2026-01-01T00:00:00Z","plan":{}}`))
	f.Fuzz(func(t *testing.T, seed uint64, line []byte) {
		if have == nil {
			have, real = written(t)
		}
		have.t = t
		random := rand.New(rand.NewPCG(seed, 2))
		var journal bytes.Buffer
		for _, l := range real {
			if random.IntN(3) == 0 {
				l = edited(l, random)
			}
			journal.Write(l)
		}
		journal.Write(line)
		have.journal = filepath.Join(private(t), "journal.jsonl")
		if err := os.WriteFile(have.journal, journal.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		have.changer = have.operator("tester")
		have.later([]time.Duration{0, 17 * time.Minute, time.Hour}[random.IntN(3)])
		have.lose(false)
		have.readWhole()
		have.found()
	})
}

// spoilt returns functions that damage a value. Each one removes one part at any depth, or sets it to nil, or empties
// one list. Each returns a function that restores the value.
func spoilt(v any, put func(any)) (ways []func() (undo func())) {
	way := func(change func(), undo func()) {
		ways = append(ways, func() func() { change(); return undo })
	}
	way(func() { put(nil) }, func() { put(v) })
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			was := v[name]
			way(func() { delete(v, name) }, func() { v[name] = was })
			ways = append(ways, spoilt(was, func(other any) { v[name] = other })...)
		}
	case []any:
		way(func() { put([]any{}) }, func() { put(v) })
		for n, was := range v {
			ways = append(ways, spoilt(was, func(other any) { v[n] = other })...)
		}
	}
	return ways
}

// If one part of a journal line is missing, no reader of the journal panics.
func TestALineThatLacksSomething(t *testing.T) {
	t.Parallel()
	f, real := written(t)
	of := map[string][][]byte{} // the lines of each receipt
	var receipts []string
	for _, line := range real {
		var e journal.Entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if of[e.Receipt] == nil {
			receipts = append(receipts, e.Receipt)
		}
		of[e.Receipt] = append(of[e.Receipt], line)
	}
	stride := testrun.Runs(3, 101)
	f.lose(false)
	f.later(17 * time.Minute)
	for _, receipt := range receipts {
		var first any
		if err := json.Unmarshal(of[receipt][0], &first); err != nil {
			t.Fatal(err)
		}
		ways := spoilt(first.(map[string]any)["plan"], func(other any) { first.(map[string]any)["plan"] = other })
		for n := 0; n < len(ways); n += stride {
			undo := ways[n]()
			line, err := json.Marshal(first)
			if err != nil {
				t.Fatal(err)
			}
			undo()
			f.journal = filepath.Join(filepath.Dir(f.journal), "spoilt.jsonl")
			if err := os.WriteFile(f.journal, bytes.Join(append([][]byte{append(line, '\n')}, of[receipt][1:]...), nil), 0o600); err != nil {
				t.Fatal(err)
			}
			f.changer = f.operator("tester")
			f.later(17 * time.Minute)
			f.readWhole()
		}
	}
}

// readWhole runs all operations on the journal: it reads, undoes and resolves each change, and then prunes.
func (f *fixture) readWhole() {
	f.t.Helper()
	records, err := f.changer.Journal.Records()
	if err != nil && (client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "can be read")) {
		f.t.Fatal(err)
	}
	conn := f.open("accounts").Connection()
	odd := f.versioned().Connection()
	for _, r := range records {
		for _, conn := range []*dynamo.Connection{conn, odd} {
			if p, err := planner.Undo(f.t.Context(), conn, r); err == nil {
				if _, err := p.Steps[0].Body(); err != nil {
					f.t.Error(err)
				}
				if strings.Contains(p.After, "-") {
					f.t.Errorf("it is planned to count down to %s", p.After)
				}
			}
		}
		if p := planOf(r); p != nil {
			_, _, _ = p.String(), p.Subject(), p.Steps.Written()
		}
		s, err := f.changer.Examine(f.t.Context(), conn, r)
		if err != nil {
			continue
		}
		for _, c := range s.Choices {
			if again, err := f.changer.Examine(f.t.Context(), conn, r); err == nil {
				f.changer.Resolve(f.t.Context(), again, c.Do, nil)
			}
		}
	}
	if _, err := f.changer.Journal.Prune(f.t.Context(), time.Now()); err != nil && client.KindOf(err) == client.Failed {
		f.t.Error(err)
	}
}

// A plan in the journal that is incomplete, or that this program cannot have written, is neither undone nor resolved.
// The error says what is wrong.
func TestAPlanThatIsNotWhole(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ from, to string }{
		"no steps":                  {`"steps":[`, `"steps":[],"was":[`},
		"no actions":                {`"writes":[`, `"writes":[],"was":[`},
		"no key":                    {`"key":`, `"was":`},
		"another step":              {`"name":"delete"`, `"name":"bump"`},
		"another table":             {`"verb":"delete","table":"accounts"`, `"verb":"delete","table":"members"`},
		"no update":                 {`"set":[`, `"set":[],"was":[`},
		"a deletion without a mark": {`"if":[`, `"if":[],"was":[`},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			table := f.open("accounts")
			f.killed(f.mustPlan(table, "username", "alan"), "look")
			data, err := os.ReadFile(f.journal)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(data, []byte(tc.from)) {
				t.Fatalf("the journal has no %s", tc.from)
			}
			if err := os.WriteFile(f.journal, bytes.ReplaceAll(data, []byte(tc.from), []byte(tc.to)), 0o600); err != nil {
				t.Fatal(err)
			}
			records, err := f.changer.Journal.Records()
			if err != nil || len(journal.Unresolved(records)) != 1 {
				t.Fatalf("%v, %v; want it open", records, err)
			}
			if s, err := f.changer.Examine(t.Context(), table.Connection(), records[0]); err == nil || client.KindOf(err) != client.Failed || !strings.Contains(err.Error(), "stored plan ") {
				t.Errorf("%+v, %v; want it refused, with what it lacks", s, err)
			}
		})
	}
	t.Run("a negative number", func(t *testing.T) {
		f := start(t)
		done := f.apply(planner.Bump(t.Context(), f.counter("order_id", "order_id"), big.NewInt(7)))
		data, err := os.ReadFile(f.journal)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.journal, bytes.ReplaceAll(data, []byte(`"before":"5000"`), []byte(`"before":"-5"`)), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := f.undo(f.open("order_id"), done)
		if text := f.mustNot(plan.NotUndone, p, err); !strings.Contains(text, `"-5"`) {
			t.Errorf("it says %q", text)
		}
	})
}
