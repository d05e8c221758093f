package sql_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/proof"
)

var update = flag.Bool("update", false, "write testdata again; the rows are those of the first engine")

// rows describes a check of small tables. testdata has the rows that its SQL must return. Other tests prove that the
// rows lead to all findings. The tests here fail on an extra row: a candidate without cause, or an item that SQL
// could judge.
type rows struct {
	layout config.Layout
	// tables has the items of each table, an item a line: the key's parts, and attributes as NAME=VALUE, with | in
	// between. A value in braces is DynamoDB JSON, and N:12 is a number. A whole line in braces is a line of the
	// export.
	tables []tableOfRows
	change func(*layout.Layout) // a change that a config cannot make
}

type tableOfRows struct {
	name, keys, expiry string // keys is such as "PK:S SK:S"
	items              string
}

// run compares the rows of every engine with testdata.
func (r rows) run(t *testing.T, name string) {
	t.Helper()
	proof.Skip(t)
	dir := t.TempDir()
	c := r.check(t, dir)
	for n, engine := range proof.Engines() {
		result, err := engine.Run(t.Context(), dir, c)
		if err != nil {
			t.Fatal(err)
		}
		got := rowsIn(t, result)
		golden := filepath.Join("testdata", name+".rows")
		if *update && n == 0 {
			if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		for _, row := range got {
			if !slices.Contains(want, row) {
				t.Errorf("%s: a row too many: %s", engine.Dialect.Name, row)
			}
		}
		for _, row := range want {
			if !slices.Contains(got, row) {
				t.Errorf("%s: no row %s", engine.Dialect.Name, row)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d rows, want %d", engine.Dialect.Name, len(got), len(want))
		}
	}
}

// check writes the exports into dir, and returns the check.
func (r rows) check(t *testing.T, dir string) *sql.Check {
	t.Helper()
	l := r.layout
	l.Name, l.Tables = "ours", []string{r.tables[0].name}
	made, err := l.Build()
	if err != nil {
		t.Fatal(err)
	}
	if r.change != nil {
		r.change(made)
	}
	c := &sql.Check{Layout: made, Hash: "layout", Mark: "mark"}
	for _, one := range r.tables {
		hash, sorting, _ := strings.Cut(one.keys, " ")
		s := attr.Schema{}
		part := func(text string) (string, attr.Kind) {
			name, kind, _ := strings.Cut(text, ":")
			return name, attr.Kind(kind)
		}
		s.HashName, s.HashKind = part(hash)
		s.RangeName, s.RangeKind = part(sorting)
		at := filepath.Join(dir, one.name)
		c.Tables = append(c.Tables, sql.Table{Name: one.name, ID: "id-of-" + one.name, Schema: s, Expiry: one.expiry, Location: at})
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		for line := range strings.Lines(one.items) {
			if line = strings.TrimSpace(line); line != "" {
				_, _ = w.Write([]byte(exportLine(t, s, line) + "\n"))
			}
		}
		_ = w.Close()
		if err := os.MkdirAll(filepath.Join(at, "data"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "data", "part.json.gz"), packed.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// exportLine is the line of an export for an item.
func exportLine(t *testing.T, s attr.Schema, line string) string {
	t.Helper()
	if strings.HasPrefix(line, "{") {
		return line
	}
	parts := strings.Split(line, "|")
	item := map[string]any{s.HashName: map[string]string{string(s.HashKind): parts[0]}}
	parts = parts[1:]
	if s.RangeName != "" {
		item[s.RangeName] = map[string]string{string(s.RangeKind): parts[0]}
		parts = parts[1:]
	}
	for _, one := range parts {
		name, value, _ := strings.Cut(one, "=")
		number, ok := strings.CutPrefix(value, "N:")
		switch {
		case ok:
			item[name] = map[string]string{"N": number}
		case strings.HasPrefix(value, "{"):
			item[name] = json.RawMessage(value)
		default:
			item[name] = map[string]string{"S": strings.ReplaceAll(value, "_", " ")}
		}
	}
	text, err := json.Marshal(map[string]any{"Item": item})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rowsIn returns the rows of a result, sorted, without the fields that every row has.
func rowsIn(t *testing.T, result string) (all []string) {
	t.Helper()
	lines, err := proof.Lines(result)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		row := map[string]any{}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(row, func(name string, value any) bool {
			return slices.Contains([]string{"table", "table_id", "of_id", "layout", "made", "detail", "confirmed"}, name)
		})
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	slices.Sort(all)
	return all
}
