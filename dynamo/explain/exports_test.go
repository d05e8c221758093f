package explain_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/explain"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/scan"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
	"tallylock/internal/s3"
	"tallylock/ui/say"
)

// people opens a table whose locks name their owners.
func people(t *testing.T, items ...sdk.Item) (*fixture.Tables, *dynamo.Table) {
	t.Helper()
	f := fixture.New(t)
	return f, f.Describe("people", config.Account{
		PK: "USER#{id}", SK: "PROFILE",
		Constraints: []config.Constraint{{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Owner: "owner"}},
	}, items...)
}

const mail = "ada@lovelace.io"

// relation returns the relation of the e-mail.
func relation(t *testing.T, table *dynamo.Table) *verdict.Relation {
	t.Helper()
	a, err := find.Find(t.Context(), table, mail, find.Options{})
	if err != nil || len(a.Locks) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	return a.Locks[0]
}

var begin = time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)

// longPast is a TTL time that DynamoDB ignores.
var longPast = begin.AddDate(-5, 0, -3).Unix()

// item is an account or the lock in a history.
type item struct {
	text string // the e-mail of the account, or the owner of the lock
	ttl  int64
}

// image returns the item as DynamoDB JSON; nil if it does not exist.
func (i *item) image(key, attribute string) attr.Item {
	if i == nil {
		return nil
	}
	it := keyOf(key)
	it[attribute] = attr.String(i.text)
	if i.ttl > 0 {
		it["ttl"] = attr.Number(fmt.Sprint(i.ttl))
	}
	return it
}

func keyOf(key string) attr.Item {
	sk := "PROFILE"
	if strings.HasPrefix(key, "MAIL#") {
		sk = "LOCK"
	}
	return attr.Item{"PK": attr.String(key), "SK": attr.String(sk)}
}

func jsonOf(t interface{ Fatal(...any) }, it attr.Item) []byte {
	if it == nil {
		return nil
	}
	data, err := json.Marshal(it)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const lockKey = "MAIL#" + mail

// expected returns the event of an item's net change in a window, in words; empty if there is none.
func expected(key string, before, after *item, at time.Time) string {
	passed := func() string {
		if before.ttl > longPast && before.ttl <= at.Unix() {
			return " ttl"
		}
		return ""
	}
	if key == lockKey {
		switch {
		case before == nil && after == nil:
			return ""
		case before == nil:
			return "lock-made >" + after.text
		case after == nil:
			return "lock-deleted " + before.text + ">" + passed()
		case before.text != after.text:
			return "lock-moved " + before.text + ">" + after.text
		case before.ttl != after.ttl:
			return "lock-changed " + before.text + ">" + after.text
		}
		return "lock-rewritten " + before.text + ">" + after.text
	}
	had, has := before != nil && before.text == mail, after != nil && after.text == mail
	switch {
	case had == has:
		return ""
	case had && after == nil:
		return "account-deleted " + key + passed()
	case had:
		return "value-lost " + key + " " + after.text
	case before == nil:
		return "account-made " + key
	}
	return "value-gained " + key + " " + before.text
}

func words(e explain.Event) string {
	out := string(e.Kind)
	switch e.Kind {
	case explain.LockMade, explain.LockDeleted, explain.LockMoved, explain.LockChanged, explain.LockRewritten:
		out += " " + e.Before + ">" + e.Owner
	case explain.Gap:
		if out += " " + e.At.Format(time.TimeOnly); e.Until.IsZero() {
			return out + " now"
		}
		return out + " " + e.Until.Format(time.TimeOnly)
	default:
		out += " " + e.Key.Hash.Value.Text
	}
	if e.Other != "" {
		out += " " + e.Other
	}
	if e.TTL {
		out += " ttl"
	}
	return out
}

// A random history of a value is exported in windows. The timeline has each net change exactly once, in order, and with
// the right owner. It has no event that did not happen.
func TestHistory(t *testing.T) {
	_, table := people(t)
	rel := relation(t, table)
	keys := []string{lockKey, "USER#a", "USER#b", "USER#\x1b[2J"}
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "history")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		state := map[string]*item{}
		var want []string
		var gapped, end time.Time
		windows := rapid.IntRange(1, 4).Draw(t, "windows")
		for w := range windows {
			from := begin.Add(time.Duration(w) * time.Hour)
			if rapid.IntRange(0, 3).Draw(t, "gap") == 0 && w > 0 && w < windows-1 {
				if gapped.IsZero() {
					gapped = from
				}
				history(t, keys, state, from) // this window is not exported
				continue
			}
			before := maps.Clone(state)
			writes := history(t, keys, state, from)
			if !gapped.IsZero() {
				want = append(want, "gap "+gapped.Format(time.TimeOnly)+" "+from.Format(time.TimeOnly))
				gapped = time.Time{}
			}
			want = append(want, export(t, dir, from, keys, before, state, writes)...)
			end = from.Add(time.Hour)
		}
		want = append(want, "gap "+end.Format(time.TimeOnly)+" now")
		events, err := exportsIn(t, dir, table).Read(t.Context(), table, map[string]string{"people": "ttl"}, func(string, string) {}, rel)
		if err != nil {
			t.Fatal(err)
		}
		explain.Sort(events)
		var got []string
		for _, e := range events {
			got = append(got, words(e))
			if e.Kind != explain.Gap && (e.At.Before(e.Source.From) || !e.At.Before(e.Source.To)) {
				t.Errorf("%s is outside of its window", words(e))
			}
			if e.OrEarlier != (e.Kind != explain.Gap) {
				t.Errorf("%s is a net change: %v", words(e), e.OrEarlier)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	})
}

// history changes items at random in a window. It returns the time of each item's last write.
func history(t *rapid.T, keys []string, state map[string]*item, from time.Time) map[string]time.Time {
	writes := map[string]time.Time{}
	for n := range rapid.IntRange(0, 8).Draw(t, "writes") {
		key := rapid.SampledFrom(keys).Draw(t, "key")
		at := from.Add(time.Duration(n+1) * time.Minute)
		switch {
		case rapid.IntRange(0, 2).Draw(t, "delete") == 0:
			delete(state, key)
		case key == lockKey:
			owner := rapid.SampledFrom([]string{"a", "b", "USER#\x1b[2J"}).Draw(t, "owner")
			state[key] = &item{owner, rapid.SampledFrom([]int64{0, longPast, begin.Unix() + 30, begin.Unix() + 1e6, math.MaxInt64}).Draw(t, "ttl")}
		default:
			text := rapid.SampledFrom([]string{mail, "other@x.io", "\u202eoi"}).Draw(t, "email")
			state[key] = &item{text, rapid.SampledFrom([]int64{0, begin.Unix() + 7000}).Draw(t, "ttl")}
		}
		writes[key] = at
	}
	return writes
}

// export writes the net changes of a window, as DynamoDB does: an item that was made and deleted in the window is not
// in the export. It returns the expected events.
func export(
	t *rapid.T, dir string, from time.Time, keys []string, before, after map[string]*item, writes map[string]time.Time,
) (want []string) {
	parts := make([][][]byte, 2)
	type net struct {
		at   time.Time
		text string
	}
	var all []net
	for n, key := range keys {
		at, written := writes[key]
		if !written || before[key] == nil && after[key] == nil {
			continue
		}
		attribute := "email"
		if key == lockKey {
			attribute = "owner"
		}
		line := s3.Change(at, jsonOf(t, keyOf(key)), jsonOf(t, before[key].image(key, attribute)),
			jsonOf(t, after[key].image(key, attribute)))
		parts[n%2] = append(parts[n%2], line)
		if text := expected(key, before[key], after[key], at); text != "" {
			all = append(all, net{at, text})
		}
	}
	one := s3.Increment{Table: "people", From: from, To: from.Add(time.Hour), View: scan.NewAndOldImages}
	if _, err := one.Write(dir, parts...); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b net) int { return a.at.Compare(b.at) })
	for _, n := range all {
		want = append(want, n.text)
	}
	return want
}

// A full export is a snapshot. The past says whether it has the lock, with its owner, and which accounts have the
// value.
func TestSnapshots(t *testing.T) {
	_, table := people(t)
	rel := relation(t, table)
	dir := t.TempDir()
	items := [][]byte{
		jsonOf(t, (&item{text: "a"}).image(lockKey, "owner")), jsonOf(t, (&item{text: mail}).image("USER#a", "email")),
		jsonOf(t, (&item{text: "x"}).image("USER#b", "email")),
	}
	if _, err := (s3.Export{Table: "people"}).Write(dir+"/one", items); err != nil {
		t.Fatal(err)
	}
	if _, err := (s3.Export{Table: "people"}).Write(dir+"/two", items[2:]); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"one": {"gap 03:00:00 now", "lock-there " + lockKey, "value-held USER#a"}, "two": {"gap 03:00:00 now", "lock-absent " + lockKey},
	} {
		full, increments, err := scan.OpenExports(dir + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var x explain.Exports
		x.Add(full, increments)
		if err := x.Check(table); err != nil {
			t.Fatal(err)
		}
		events, err := x.Read(t.Context(), table, nil, func(string, string) {}, rel)
		if err != nil {
			t.Fatal(err)
		}
		explain.Sort(events)
		var got []string
		for _, e := range events {
			got = append(got, words(e))
			if e.Kind == explain.LockThere && e.Owner != "a" {
				t.Errorf("owner %q", e.Owner)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Exports that cannot be put in order are refused, and the error names them.
func TestWrongExports(t *testing.T) {
	_, table := people(t)
	rel := relation(t, table)
	line := [][]byte{s3.Change(begin.Add(time.Minute), []byte(`{"PK":{"S":"USER#a"},"SK":{"S":"PROFILE"}}`), nil,
		[]byte(`{"PK":{"S":"USER#a"},"SK":{"S":"PROFILE"}}`))}
	hour := s3.Increment{Table: "people", From: begin, To: begin.Add(time.Hour), View: scan.NewAndOldImages}
	half, other, older, newOnly, keys := hour, hour, hour, hour, hour
	half.From, half.To = begin.Add(30*time.Minute), begin.Add(90*time.Minute)
	other.Table, older.TableID, newOnly.View = "orders", "another", "NEW_IMAGE"
	for name, test := range map[string]struct {
		exports []s3.Increment
		lines   [][]byte
		want    string
	}{
		"overlap":       {[]s3.Increment{hour, half}, line, "overlap"},
		"twice":         {[]s3.Increment{hour, hour}, line, "overlap"},
		"another table": {[]s3.Increment{other}, line, "exports of orders, but the layout uses only people"},
		"an older one":  {[]s3.Increment{older}, line, "different table that was also called people"},
		"new images":    {[]s3.Increment{newOnly}, line, "NEW_IMAGE"},
		"other keys": {
			[]s3.Increment{keys},
			[][]byte{s3.Change(begin, []byte(`{"id":{"S":"a"}}`), nil, []byte(`{"id":{"S":"a"}}`))},
			"do not have the keys of the table people",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var x explain.Exports
			var err error
			for n, one := range test.exports {
				dir := fmt.Sprint(t.TempDir(), n)
				if _, err := one.Write(dir, test.lines); err != nil {
					t.Fatal(err)
				}
				full, increments, err := scan.OpenExports(dir)
				if err != nil {
					t.Fatal(err)
				}
				x.Add(full, increments)
			}
			if err = x.Check(table); err == nil {
				_, err = x.Read(t.Context(), table, nil, func(string, string) {}, rel)
			}
			if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}

// If a table of the layout has no export, the past names the table.
func TestTablesWithoutAnExport(t *testing.T) {
	f := fixture.New(t)
	f.Create("mails", "PK:S", "SK:S")
	table := f.Describe("people", config.Account{
		PK: "USER#{id}", SK: "PROFILE",
		Constraints: []config.Constraint{{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Table: "mails", AlsoIn: &[]string{}}},
	})
	rel := relation(t, table)
	past := func(tables ...string) *explain.Past {
		dir := t.TempDir()
		for _, name := range tables {
			x := s3.Increment{Table: name, From: begin, To: begin.Add(time.Hour), View: scan.NewAndOldImages}
			if _, err := x.Write(dir); err != nil {
				t.Fatal(err)
			}
		}
		return pastWith(t, table, rel, dir)
	}
	for _, test := range []struct{ tables, want []string }{
		{[]string{"people"}, []string{"mails"}},
		{[]string{"mails"}, []string{"people"}},
		{[]string{"people", "mails"}, nil},
	} {
		p := past(test.tables...)
		if !slices.Equal(p.NoExport, test.want) {
			t.Errorf("without an export of %q: %q", test.want, p.NoExport)
		}
		var gaps []string
		for _, e := range p.Events {
			if e.Kind == explain.Gap && e.At.Equal(begin.Add(time.Hour)) && e.Until.IsZero() {
				gaps = append(gaps, e.Table)
			}
		}
		slices.Sort(gaps)
		if slices.Sort(test.tables); !slices.Equal(gaps, test.tables) {
			t.Errorf("the gaps are of %q, want %q", gaps, test.tables)
		}
		text := strings.Join(say.PastNotes(p), "\n")
		if len(test.want) > 0 != strings.Contains(text, "There is no export of ") {
			t.Errorf("the notes are %q", text)
		}
	}
}

// pastWith returns the past of a lock, with the exports in a folder.
func pastWith(t *testing.T, table *dynamo.Table, rel *verdict.Relation, dir string) *explain.Past {
	t.Helper()
	p, err := explain.OfRelations(t.Context(), table, begin, explain.Options{Exports: exportsIn(t, dir, table), Now: time.Now()}, rel)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// exportsIn opens the exports in a folder, for a table.
func exportsIn(t rapid.TB, dir string, table *dynamo.Table) *explain.Exports {
	t.Helper()
	x := &explain.Exports{}
	full, increments, err := scan.OpenExports(dir)
	if err != nil {
		t.Fatal(err)
	}
	x.Add(full, increments)
	if err := x.Check(table); err != nil {
		t.Fatal(err)
	}
	return x
}
