// Package record has what commands print, and what lists are saved as, for machines: JSON
// whose names are a contract, and the same as CSV. It draws nothing. Start reading at List.
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

// List is rows to be saved: what each is as JSON, an object.
type List struct {
	Heads []string // the names that become columns of a CSV, in their order
	Rows  iter.Seq[any]
	Last  any // the last line of JSON, where that is no row; nil: there is none
}

// rowsOf makes the rows of a list, one at a time.
func rowsOf[T, R any](all []T, row func(T) R) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, one := range all {
			if !yield(row(one)) {
				return
			}
		}
	}
}

// Formats says, for a sentence, which format a file's name stands for.
const Formats = "as CSV where the file's name ends in .csv, else as a line of JSON each"

// Encode is the list in the format that a file's name stands for.
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

// textOf is a field of a row as text: a string, or a table's string or number, without what
// marks it as one; nothing for null; anything else as JSON.
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

// harmless puts an apostrophe before a text that a spreadsheet would take for a formula, and
// before one that begins with an apostrophe, so that taking one away gives the text back.
// Numbers stay as they are.
func harmless(text string) string {
	if text == "" || !strings.ContainsAny(text[:1], "=+-@\t\r\n'") || json.Valid([]byte(text)) {
		return text
	}
	return "'" + text
}

// Counter is the JSON of a counter. Its names are a contract.
type Counter struct {
	Name string `json:"name"`
	// Connection is whose counter it is, where those of several connections are listed.
	Connection string   `json:"connection,omitempty"`
	Table      string   `json:"table"`
	Key        attr.Key `json:"key"`
	Attribute  string   `json:"attribute"`
	Value      *string  `json:"value"` // null where there is none
	Semantics  string   `json:"semantics"`
	Next       *string  `json:"next"`
	Step       string   `json:"step"`
	HighestID  *string  `json:"highest_id"`
	// IDsChecked: the ids in use were looked for. Where they were not, no findings do
	// not mean that the counter is in order.
	IDsChecked bool `json:"ids_checked"`
	// Shards is of how many items the value is the sum; their keys are like this one.
	Shards int `json:"shards,omitempty"`
	// Guess is why the semantics are taken for what they are, where that is a guess.
	Guess string `json:"guess,omitempty"`
	// Room is how many numbers are left, where the counter has a highest one.
	Room     string   `json:"room,omitempty"`
	Findings []string `json:"findings"`
	// LayoutState says who answers for the counter.
	LayoutState layout.State `json:"layout_state"`
}

// CounterOf is a counter's JSON; named: with the name of its connection.
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
	return out
}

// Counters are counters as `counters --output jsonl` prints them; named: each with the name of
// its connection.
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

// Room is how many numbers a counter has left; empty where it has no highest one.
func Room(c counter.Counter) string {
	room, ok := c.Layout.Room(c.Value)
	if !ok {
		return ""
	}
	return room.String()
}

// Findings are findings of a check, and in the end its summary where that is given, as
// `check --output jsonl` prints them. A CSV has no summary.
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

// ending is the last line of a check.
type ending struct {
	Summary *finding.Summary `json:"summary"`
}

// Items are items as they are, as DynamoDB JSON. The columns are all attributes that one of
// them has, those of the key first.
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

// relation is the JSON of a value with its account and its lock. Its names are a contract,
// and those of `find`.
type relation struct {
	Table       string    `json:"table"` // of the account
	Constraint  string    `json:"constraint"`
	Value       string    `json:"value"`
	Account     *attr.Key `json:"account"`    // null where none was found
	LockTable   string    `json:"lock_table"` // empty where no locks are kept
	Lock        *attr.Key `json:"lock"`       // null where there is none
	Owner       *string   `json:"owner"`      // as the lock names it
	Verdict     string    `json:"verdict"`
	Provisional bool      `json:"provisional"`
}

// Relations are values of a table, with their accounts and locks.
func Relations(table string, all []*verdict.Relation) List {
	return List{
		Heads: []string{"table", "constraint", "value", "account", "lock_table", "lock", "owner", "verdict", "provisional"},
		Rows:  rowsOf(all, func(r *verdict.Relation) relation { return relationOf(table, r) }),
	}
}

func relationOf(table string, r *verdict.Relation) relation {
	out := relation{
		Table: table, Constraint: r.Constraint.Name, Value: r.Value, LockTable: r.Lock.Table,
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
