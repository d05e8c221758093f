package record_test

import (
	"context"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/ui/record"
)

func encode(t *testing.T, l record.List, path string) string {
	t.Helper()
	data, err := l.Encode(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A CSV has strings and numbers exactly as the table has them. Only a text that a spreadsheet would run as a formula,
// or that begins with an apostrophe, gets an apostrophe before it.
func TestCSV(t *testing.T) {
	item := func(note string) attr.Item {
		return attr.Item{"SK": attr.String("P"), "PK": attr.String("A#1"), "n": attr.Number("-12345678901234567890123456789012345678"), "note": attr.String(note)}
	}
	notes := map[string]string{ // the texts in the table, and in the CSV
		"=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "+41 44": "'+41 44", "-x": "'-x", "\tx": "'\tx", "'=x": "''=x",
		"-5": "-5", "a=b": "a=b", "a,\"b\"\nc": "a,\"b\"\nc", "": "", "ä\u202e": "ä\u202e",
	}
	var items []attr.Item
	for note := range notes {
		items = append(items, item(note))
	}
	items = append(items, attr.Item{"PK": attr.String("A#2"), "SK": attr.String("P"), "tags": {Kind: attr.SS, Set: []string{"a", "b"}}})
	list := record.Items(attr.Schema{HashName: "PK", RangeName: "SK"}, items)
	rows, err := csv.NewReader(strings.NewReader(encode(t, list, "x.CSV"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"PK", "SK", "n", "note", "tags"}; !slices.Equal(rows[0], want) {
		t.Errorf("the columns are %q", rows[0])
	}
	for n, row := range rows[1:len(items)] {
		want := []string{"A#1", "P", "-12345678901234567890123456789012345678", notes[items[n]["note"].Text], ""}
		if !slices.Equal(row, want) {
			t.Errorf("%q, want %q", row, want)
		}
	}
	if last := rows[len(items)]; last[3] != "" || last[4] != `{"SS":["a","b"]}` {
		t.Errorf("the last row is %q", last)
	}
}

// Any other file has a line of JSON for each row, and then the last line.
func TestLines(t *testing.T) {
	list := record.Items(attr.Schema{HashName: "PK"}, []attr.Item{{"PK": attr.String("=1\u202e")}, {"PK": attr.String("b"), "n": attr.Number("1.50")}})
	list.Last = map[string]int{"n": 2}
	want := `{"PK":{"S":"=1\u202e"}}` + "\n" + `{"PK":{"S":"b"},"n":{"N":"1.50"}}` + "\n" + `{"n":2}` + "\n"
	for _, path := range []string{"x.jsonl", "x", "csv"} {
		if got := encode(t, list, path); got != want {
			t.Errorf("%s holds %s", path, got)
		}
	}
	if got := encode(t, list, "x.csv"); strings.Contains(got, "2") && strings.Count(got, "\n") != 3 {
		t.Errorf("the CSV holds %q", got)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, path := range []string{"x.jsonl", "x.csv"} {
		if _, err := list.Encode(ctx, path); err == nil {
			t.Errorf("%s is written on after it was left", path)
		}
	}
}
