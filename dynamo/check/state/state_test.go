package state_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/state"
)

func sample() *state.State {
	at := time.Date(2026, 11, 20, 3, 0, 0, 123e6, time.UTC)
	key := func(pk string) attr.Item { return attr.Item{"PK": attr.String(pk), "SK": attr.String("LOCK")} }
	user := func(id string) attr.Item {
		return attr.Item{"PK": attr.String("USER#" + id), "SK": attr.String("PROFILE")}
	}
	named := user("2")
	named["email"] = attr.String("bob")
	return &state.State{
		Table: "accounts", Layout: "0123456789abcdef", Base: at, At: at.Add(time.Hour), Windows: 1,
		Tables: []state.Table{{Name: "accounts", ID: "1-2-3", Schema: attr.Schema{
			HashName: "PK", HashKind: attr.S, RangeName: "SK", RangeKind: attr.S,
		}}},
		Rules: []state.Rule{{Constraint: "email", Owned: true, Locks: 10, Named: 9, Claims: 11, Unfolded: 1, Impossible: 1}},
		Items: 30, Accounts: 12,
		Marks:     []state.Mark{{Table: "accounts", Lock: key("MAIL#b"), Constraint: "email", Value: "b"}},
		MoreMarks: 2,
		Keys: state.Listed{
			{
				Table: "accounts", Lock: key("MAIL#a"), Constraint: "email", Value: "a",
				Sums:     []state.Sum{{Owner: "USER#1", Count: 2}, {Owner: "\xff\x00", Count: -1}},
				Accounts: []state.Account{{Key: user("1"), Constraint: "email"}},
				Former:   []state.Text{"1"},
			},
			{
				Table: "accounts", Lock: key("MAIL#b"), Constraint: "email", Value: "b",
				Sums: []state.Sum{{Count: -1}},
				Locks: []state.Lock{
					{Key: key("MAIL#B")},
					{
						Key: key("MAIL#b"), Exists: true, Constraint: "email", Value: "b", Owner: "2", Mark: "m",
						Since: attr.Number("1700000000"), Malformed: true,
					},
				},
				Owners: []state.Owner{{Item: named, Exists: true}, {Item: user("3")}}, OwnersOf: "USER#2", Whole: true,
			},
		},
	}
}

// listed returns the keys of a state in memory.
func listed(s *state.State) (all state.Listed) {
	if here, ok := s.Keys.(state.Listed); ok {
		return here
	}
	for k := range s.Keys.All() {
		all = append(all, *k)
	}
	return all
}

func encoded(t testing.TB, s *state.State) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := s.Encode(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestStateReturns(t *testing.T) {
	want := sample()
	got, err := state.Decode(bytes.NewReader(encoded(t, want)), 1<<20)
	if err == nil {
		got.Keys = listed(got)
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

// Decode refuses a file with any changed byte, and a file that is cut off at any place.
func TestDamagedState(t *testing.T) {
	file := encoded(t, sample())
	for n := range file {
		if _, err := state.Decode(bytes.NewReader(file[:n]), 1<<20); err == nil {
			t.Errorf("the first %d bytes are a state", n)
		}
		changed := bytes.Clone(file)
		changed[n] ^= 1
		if _, err := state.Decode(bytes.NewReader(changed), 1<<20); err == nil {
			t.Errorf("with another byte %d it is a state", n)
		}
	}
	if _, err := state.Decode(bytes.NewReader(append(file, '\n')), 1<<20); err == nil {
		t.Error("a longer file is a state")
	}
}

func TestRefusedState(t *testing.T) {
	file := encoded(t, sample())
	later := bytes.Replace(file, []byte(`{"tallylock_state":2`), []byte(`{"tallylock_state":3,"new":true`), 1)
	_, err := state.Decode(bytes.NewReader(later), 1<<20)
	if version, other := errors.AsType[*state.VersionError](err); !other || version.Version != 3 {
		t.Errorf("the error of a later version is %v", err)
	}
	_, err = state.Decode(bytes.NewReader(file), int64(len(file)-1))
	if _, large := errors.AsType[*state.SizeError](err); !large {
		t.Errorf("the error of a large state is %v", err)
	}
	for _, text := range []string{"", "x", "{}\n", `{"finding":"orphaned-lock"}` + "\n", "\x1f\x8b\n"} {
		if _, err := state.Decode(strings.NewReader(text), 1<<20); err == nil {
			t.Errorf("%q is a state", text)
		}
	}
}

// A state that contradicts itself is neither written nor read.
func TestContradictoryState(t *testing.T) {
	for name, change := range map[string]func(*state.State){
		"no tables":       func(s *state.State) { s.Tables = nil },
		"another table":   func(s *state.State) { s.Table = "other" },
		"no id":           func(s *state.State) { s.Tables[0].ID = "" },
		"time runs back":  func(s *state.State) { s.At = s.Base.Add(-1) },
		"no window":       func(s *state.State) { s.Windows = 0 },
		"negative":        func(s *state.State) { s.Accounts = -1 },
		"negative locks":  func(s *state.State) { s.Rules[0].Locks = -1 },
		"negative marks":  func(s *state.State) { s.MoreMarks = -1 },
		"marked table":    func(s *state.State) { s.Marks[0].Table = "other" },
		"marked rule":     func(s *state.State) { s.Marks[0].Constraint = "other" },
		"marked key":      func(s *state.State) { s.Marks[0].Lock = nil },
		"unknown table":   func(s *state.State) { listed(s)[0].Table = "other" },
		"unknown rule":    func(s *state.State) { listed(s)[0].Constraint = "other" },
		"no key":          func(s *state.State) { listed(s)[0].Lock = nil },
		"more than a key": func(s *state.State) { listed(s)[0].Lock["x"] = attr.String("x") },
		"no sum":          func(s *state.State) { listed(s)[0].Sums = nil },
		"zero":            func(s *state.State) { listed(s)[0].Sums[0].Count = 0 },
		"twice":           func(s *state.State) { listed(s)[0].Sums[1].Owner = "USER#1" },
		"large":           func(s *state.State) { listed(s)[0].Sums[0].Count = state.MostSum + 1 },
		"large together":  func(s *state.State) { listed(s)[0].Sums[0].Count = state.MostSum },
		"lock":            func(s *state.State) { listed(s)[1].Locks[1].Constraint = "other" },
		"account":         func(s *state.State) { listed(s)[0].Accounts[0].Key = attr.Item{} },
		"owner":           func(s *state.State) { listed(s)[1].Owners[0].Item = attr.Item{} },
	} {
		s := sample()
		change(s)
		if err := s.Encode(io.Discard); err == nil {
			t.Errorf("%s: it is written", name)
		}
	}
}

// FuzzDecode passes any bytes to Decode. It must not panic, and must not use much more memory than the limit. An
// accepted state can be written and read again.
func FuzzDecode(f *testing.F) {
	file := encoded(f, sample())
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add([]byte("{\"tallylock_state\":2,\"keys\":1000000000}\n"))
	f.Add(bytes.Replace(file, []byte(`"count":2`), []byte(`"count":-9223372036854775808`), 1))
	f.Fuzz(func(t *testing.T, text []byte) {
		const most = 1 << 16
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := state.Decode(bytes.NewReader(text), most)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20+200*uint64(min(len(text), most)) {
			t.Errorf("%d bytes for a text of %d", used, len(text))
		}
		if err != nil {
			return
		}
		again, err := state.Decode(bytes.NewReader(encoded(t, s)), 4*most)
		if err != nil || !bytes.Equal(encoded(t, again), encoded(t, s)) {
			t.Errorf("%+v, %v, want %+v", again, err, s)
		}
	})
}
