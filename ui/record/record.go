// Package record describes the machine-readable output of commands and lists: JSON, CSV and metrics. The
// names in the JSON are a contract. The package draws nothing. Start at List.
package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
)

// List is a list of rows to save. Each row becomes a JSON object.
type List struct {
	Heads []string // the names of the CSV's columns, in order
	Rows  iter.Seq[any]
	Last  any // the last line of the JSON, if it is not a row; nil if there is none
}

// rowsOf makes rows of a list, one at a time.
func rowsOf[T, R any](all []T, row func(T) R) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, one := range all {
			if !yield(row(one)) {
				return
			}
		}
	}
}

// Formats explains in a sentence how a file's name selects the format.
const Formats = "as CSV if the file's name ends in .csv, else as JSON lines"

// Encode writes the list as CSV or JSON lines, by the extension of path.
func (l List) Encode(ctx context.Context, path string) ([]byte, error) {
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		return l.csv(ctx)
	}
	var out []byte
	for row := range l.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := attr.Line(row, "")
		if err != nil {
			return nil, err
		}
		out = append(out, line...)
	}
	if l.Last == nil {
		return out, nil
	}
	line, err := attr.Line(l.Last, "")
	return append(out, line...), err
}

func (l List) csv(ctx context.Context) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	cells := make([]string, len(l.Heads))
	for n, head := range l.Heads {
		cells[n] = harmless(head)
	}
	if err := w.Write(cells); err != nil {
		return nil, err
	}
	for row := range l.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := attr.Line(row, "")
		if err != nil {
			return nil, err
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(line, &fields); err != nil {
			return nil, err
		}
		for n, head := range l.Heads {
			cells[n] = harmless(textOf(fields[head]))
		}
		if err := w.Write(cells); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// textOf returns a field of a row as text. A string stays as it is. DynamoDB JSON of a string or
// number becomes that string or number. null becomes "". Anything else stays JSON.
func textOf(field json.RawMessage) string {
	var text *string
	if len(field) == 0 || json.Unmarshal(field, &text) == nil {
		if text == nil {
			return ""
		}
		return *text
	}
	var typed map[attr.Kind]json.RawMessage
	if json.Unmarshal(field, &typed) == nil && len(typed) == 1 {
		for _, kind := range []attr.Kind{attr.S, attr.N} {
			if json.Unmarshal(typed[kind], &text) == nil && text != nil {
				return *text
			}
		}
	}
	return string(field)
}

// harmless puts an apostrophe before a text that a spreadsheet would run as a formula. It also puts
// one before a text that begins with an apostrophe, so that a reader can always remove the first
// one. Numbers stay as they are.
func harmless(text string) string {
	if text == "" || !strings.ContainsAny(text[:1], "=+-@\t\r\n'") || json.Valid([]byte(text)) {
		return text
	}
	return "'" + text
}

// Counter is the JSON of a counter. Its names are a contract.
type Counter struct {
	Name string `json:"name"`
	// Connection is the name of the counter's connection, if the list has several connections.
	Connection string   `json:"connection,omitempty"`
	Table      string   `json:"table"`
	Key        attr.Key `json:"key"`
	Attribute  string   `json:"attribute"`
	Value      *string  `json:"value"` // null if the counter has no number
	Semantics  string   `json:"semantics"`
	Next       *string  `json:"next"`
	Step       string   `json:"step"`
	HighestID  *string  `json:"highest_id"`
	// IDsChecked: the counter was compared with the ids in use. If it is false, empty Findings do
	// not mean that the counter is right.
	IDsChecked bool `json:"ids_checked"`
	// Shards counts the items that Value sums; 0 if the counter is one item. All their keys have
	// the form of Key.
	Shards int `json:"shards,omitempty"`
	// Guess explains the guess of Semantics. It is empty if Semantics is not a guess.
	Guess string `json:"guess,omitempty"`
	// Room counts the numbers that are left. It is empty if the counter has no highest number.
	Room string `json:"room,omitempty"`
	// Limits are the limits ahead of the counter, the nearest first. They are empty if the counter does not end.
	Limits   []Limit  `json:"limits,omitempty"`
	Findings []string `json:"findings"`
	// LayoutState says whether the counter is guessed, or a person has confirmed it.
	LayoutState layout.State `json:"layout_state"`
}

// Limit is the JSON of a limit ahead of a counter. Left counts the numbers before the limit.
type Limit struct {
	// Limit is the name of the limit: "max" is the counter's highest number, which it may hand out; below "2^31" and
	// "2^32" ids fit into 32 bits; below "2^53" JavaScript reads them exactly; below "10^38" DynamoDB keeps them.
	Limit string `json:"limit"`
	Left  string `json:"left"`
	// Proposed: all numbers look as if they have 32 bits. No person has confirmed this limit.
	Proposed bool `json:"proposed,omitempty"`
}

// CounterOf returns the JSON of a counter. named includes the name of its connection.
func CounterOf(c counter.Counter, named bool) Counter {
	out := Counter{
		Name: c.Name, Table: c.Table, Key: c.Key, Attribute: c.Attribute, Value: attr.NullIfEmpty(c.Value),
		Semantics: string(c.Semantics), Next: attr.NullIfEmpty(c.Next), Step: c.Step,
		HighestID:  attr.NullIfEmpty(c.HighestID),
		IDsChecked: c.IDsChecked, Shards: c.Shards, Room: Room(c), Findings: []string{}, LayoutState: c.Layout.State,
	}
	if named {
		out.Connection = c.Open().Connection().Name()
	}
	if c.Layout.Guess {
		out.Guess = c.Layout.Evidence
	}
	for _, f := range c.Faults {
		out.Findings = append(out.Findings, string(f))
	}
	for _, room := range c.Rooms() {
		out.Limits = append(out.Limits, Limit{string(room.Limit), room.Left.String(), room.Proposed})
	}
	return out
}

// Counters returns the counters in the form of `counters --output jsonl`. named includes the names
// of their connections.
func Counters(all []counter.Counter, named bool) List {
	heads := []string{
		"name",
		"table",
		"key",
		"attribute",
		"value",
		"semantics",
		"next",
		"step",
		"highest_id",
		"ids_checked",
		"room",
		"findings",
		"layout_state",
	}
	if named {
		heads = append([]string{"connection"}, heads...)
	}
	return List{
		Heads: heads,
		Rows:  rowsOf(all, func(c counter.Counter) Counter { return CounterOf(c, named) }),
	}
}

// Room returns how many numbers a counter has left. It is empty if the counter has no highest
// number.
func Room(c counter.Counter) string {
	room, ok := c.Layout.Room(c.Value)
	if !ok {
		return ""
	}
	return room.String()
}

// Findings returns the findings of a check in the form of `check --output jsonl`. The last line is
// the summary, if it is not nil. A CSV has no summary.
func Findings(all []finding.Finding, summary *finding.Summary) List {
	l := List{
		Heads: []string{
			"finding", "table", "constraint", "value", "lock_table", "lock", "owner", "accounts", "counter", "key",
			"attribute", "seen",
			"expected", "highest_id", "id", "items", "confirmed", "detail", "evidence",
		},
		Rows: rowsOf(all, func(f finding.Finding) finding.Finding { return f }),
	}
	if summary != nil {
		l.Last = ending{summary}
	}
	return l
}

// ending is the last line of a check's JSON.
type ending struct {
	Summary *finding.Summary `json:"summary"`
}

// Items returns items as DynamoDB JSON. The columns are all attributes of the items, the key first.
func Items(schema attr.Schema, items []attr.Item) List {
	l := List{Rows: rowsOf(items, func(item attr.Item) attr.Item { return item })}
	seen := map[string]bool{}
	for _, item := range items {
		for name := range item {
			if !seen[name] {
				seen[name] = true
				l.Heads = append(l.Heads, name)
			}
		}
	}
	place := map[string]int{schema.HashName: -2, schema.RangeName: -1}
	slices.SortFunc(l.Heads, func(a, b string) int { return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(a, b)) })
	return l
}

// relation is the JSON of a value with its account and its lock. Its names are a contract, and
// `find` prints the same names.
type relation struct {
	Table       string    `json:"table"` // the table of the account
	Constraint  string    `json:"constraint"`
	Value       string    `json:"value"`
	Account     *attr.Key `json:"account"`    // null if no account is known
	LockTable   string    `json:"lock_table"` // empty if the constraint has no locks
	Lock        *attr.Key `json:"lock"`       // null if the lock does not exist
	Owner       *string   `json:"owner"`      // the owner in the lock
	Verdict     string    `json:"verdict"`
	Provisional bool      `json:"provisional"`
}

// Relations returns values of a table, with their accounts and locks.
func Relations(table string, all []*verdict.Relation) List {
	return List{
		Heads: []string{"table", "constraint", "value", "account", "lock_table", "lock", "owner", "verdict", "provisional"},
		Rows:  rowsOf(all, func(r *verdict.Relation) relation { return relationOf(table, r) }),
	}
}

func relationOf(table string, r *verdict.Relation) relation {
	out := relation{
		Table: table, Constraint: r.Constraint.Name, Value: r.Shown(), LockTable: r.Lock.Table,
		Owner:   attr.NullIfEmpty(r.Lock.Owner),
		Verdict: string(r.Verdict), Provisional: r.Provisional,
	}
	if r.Account != nil {
		out.Account = &r.Account.Key
	}
	if r.Lock.Exists {
		out.Lock = &r.Lock.Key
	}
	return out
}
