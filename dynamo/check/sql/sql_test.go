package sql_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/layout/config"
)

// of returns a check of a table with a sort key.
func of(t *testing.T, c config.Layout) *sql.Check {
	t.Helper()
	c.Name, c.Tables = "users", []string{"users"}
	l, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return &sql.Check{Layout: l, Hash: config.Hash(l), Mark: "mark", Tables: []sql.Table{{
		Name: "users", ID: "1-2", Schema: attr.Schema{HashName: "PK", HashKind: attr.S, RangeName: "SK", RangeKind: attr.S},
	}}}
}

func written(t *testing.T, d *sql.Dialect, c *sql.Check) string {
	t.Helper()
	var b bytes.Buffer
	if err := sql.Write(&b, d, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func users(c config.Constraint) config.Layout {
	return config.Layout{Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{c}}}}
}

// A quote in a template or a name stays inside its text, and a line end in a name stays inside its comment.
func TestQuotes(t *testing.T) {
	c := of(t, users(config.Constraint{Name: "e'\n; DROP TABLE x", Attribute: `o'clock"/~`, PK: "IT'S#{v}", SK: "LOCK", Normalise: []string{"dynamoflow"}}))
	for _, name := range sql.Dialects() {
		text := written(t, sql.ByName(name), c)
		for n, line := range strings.Split(text, "\n") {
			if !strings.HasPrefix(line, "--") && strings.Count(line, "'")%2 != 0 {
				t.Errorf("%s, line %d: a text is not closed: %s", name, n+1, line)
			}
			if strings.HasPrefix(strings.TrimSpace(line), "; DROP") {
				t.Errorf("%s, line %d: a name has become a statement: %s", name, n+1, line)
			}
		}
		if !strings.Contains(text, "IT''S#") || !strings.Contains(text, "o''clock") {
			t.Errorf("%s does not double quotes:\n%s", name, text)
		}
	}
}

// The place of an export is a text in the syntax of each engine. Athena reads files through tables of Hive, where a
// quote is escaped.
func TestPlaces(t *testing.T) {
	c := of(t, users(config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK"}))
	c.Tables[0].Location = `s3://lake/it's/a\b/[c]*?`
	for d, want := range map[*sql.Dialect]string{
		sql.Athena: `LOCATION 's3://lake/it\'s/a\\b/[c]*?/data/';`, sql.Trino: `external_location = 's3://lake/it''s/a\b/[c]*?/data/');`,
		sql.DuckDB: `('s3://lake/it''s/a\b/[[]c][*][?]/data/*.json.gz')`,
	} {
		if text := written(t, d, c); !strings.Contains(text, want) {
			t.Errorf("%s does not say %s:\n%s", d.Name, want, text)
		}
	}
}

// All dialects come from one tree: they make the same tables with the same columns.
func TestDialectsAreAlike(t *testing.T) {
	c := of(t, users(config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Normalise: []string{"trim", "lower", "sha256"}}))
	names := func(text string) (all []string) {
		_, text, _ = strings.Cut(text, "-- Every item") // the part before reads the exports
		for _, line := range strings.Split(text, "\n") {
			at := strings.LastIndex(line, " AS ")
			if name := line[at+1:]; at > 0 && !strings.ContainsAny(name[3:], " ();'") {
				all = append(all, strings.TrimSuffix(name[3:], ","))
			}
		}
		return all
	}
	a := names(written(t, sql.Athena, c))
	for _, name := range sql.Dialects() {
		if d := names(written(t, sql.ByName(name), c)); len(a) < 50 || strings.Join(a, " ") != strings.Join(d, " ") {
			t.Errorf("%d and, of %s, %d columns:\n%v\n%v", len(a), name, len(d), a, d)
		}
	}
}

// The statements are in order, and drop the tables that they make.
func TestStatements(t *testing.T) {
	c := of(t, users(config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK"}))
	c.Run, c.Into, c.Tables[0].Location = "r1", "s3://out/run/", "s3://lake/x"
	for _, name := range sql.Dialects() {
		all, err := sql.Statements(sql.ByName(name), c)
		if err != nil {
			t.Fatal(err)
		}
		made, results := map[string]bool{}, 0
		for n, s := range all {
			if s.Number != n+1 || strings.HasSuffix(s.Text, ";") || s.Table != "" && !strings.HasSuffix(s.Table, "_r1") {
				t.Errorf("%s: %+v", name, s)
			}
			switch s.Kind {
			case sql.Drop:
				delete(made, s.Table)
			case sql.Lines, sql.Create:
				made[s.Table] = true
			case sql.Result:
				results++
			}
			if place := "s3://out/run/" + s.Table + "/"; (s.Place != "") != (name == "athena" && (s.Kind == sql.Create || s.Kind == sql.Result)) ||
				s.Kind == sql.Create && s.Place != "" && (s.Place != place || !strings.Contains(s.Text, "'"+place+"'")) {
				t.Errorf("%s: %s puts files into %q: %s", name, s.Name, s.Place, s.Text)
			}
		}
		if len(made) > 0 || results != 1 {
			t.Errorf("%s leaves %v, and has %d results", name, made, results)
		}
	}
}

// A large result of Athena goes into files. A small result stays in the answer.
func TestUnload(t *testing.T) {
	c := of(t, users(config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK"}))
	c.Into, c.Next = "s3://out/run", func(file string) string { return "check " + file }
	for items, want := range map[int64]bool{100: false, 50_000_000: true} {
		c.Tables[0].Manifest = &sql.Manifest{Items: items}
		for _, name := range sql.Dialects() {
			text := written(t, sql.ByName(name), c)
			if got := strings.Contains(text, "UNLOAD (\n") && strings.Contains(text, "gunzip"); got != (want && name == "athena") {
				t.Errorf("%s, %d items: %s", name, items, text)
			}
		}
	}
}

// SQL above the limits of an engine is refused, with parts that are within them. DuckDB has no such limits.
func TestLimits(t *testing.T) {
	layout := config.Layout{Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE"}}}
	for n := range 70 {
		layout.Accounts[0].Constraints = append(layout.Accounts[0].Constraints, config.Constraint{
			Attribute: fmt.Sprint("a", n), PK: fmt.Sprintf("L%d#{v}", n), SK: "LOCK",
		})
	}
	c := of(t, layout)
	for _, name := range sql.Dialects() {
		_, err := sql.Statements(sql.ByName(name), c)
		tooLarge, ok := errors.AsType[*sql.TooLargeError](err)
		if ok != (name != "duckdb") {
			t.Fatalf("%s: %v", name, err)
		}
		if ok && (len(tooLarge.Parts) != 2 || len(tooLarge.Parts[0]) != 35 || tooLarge.Parts[1][34] != "a69") {
			t.Errorf("%s: %v in %v", name, err, tooLarge.Parts)
		}
		var b bytes.Buffer
		if err := sql.Write(&b, sql.ByName(name), c); ok && (err == nil || b.Len() > 0) {
			t.Errorf("%s: printed %d bytes, %v", name, b.Len(), err)
		}
	}
	testSplitPlaces(t, layout)
	layout.Accounts[0].Constraints = layout.Accounts[0].Constraints[:20]
	for n := range layout.Accounts[0].Constraints {
		layout.Accounts[0].Constraints[n].PK = strings.Repeat("x", 8000) + fmt.Sprintf("%d#{v}", n)
	}
	_, err := sql.Statements(sql.Trino, of(t, layout))
	if tooLarge, ok := errors.AsType[*sql.TooLargeError](err); !ok || len(tooLarge.Parts) < 2 || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("%v", err)
	}
}

// testSplitPlaces gives four constraints the same lock keys, two in each half of the list. The four must stay in one
// part.
func testSplitPlaces(t *testing.T, layout config.Layout) {
	t.Helper()
	layout.Accounts = slices.Clone(layout.Accounts)
	all := slices.Clone(layout.Accounts[0].Constraints)
	layout.Accounts[0].Constraints = all
	for _, n := range []int{2, 34, 35, 69} {
		all[n].PK = "SHARED#{v}"
	}
	_, err := sql.Statements(sql.Trino, of(t, layout))
	tooLarge, ok := errors.AsType[*sql.TooLargeError](err)
	if !ok {
		t.Fatal(err)
	}
	names := slices.Concat(tooLarge.Parts...)
	slices.Sort(names)
	if n := len(slices.Compact(names)); n != 70 || len(tooLarge.Parts) > 3 {
		t.Errorf("%d constraints in %v", n, tooLarge.Parts)
	}
	for _, part := range tooLarge.Parts {
		shared := 0
		for _, name := range []string{"a2", "a34", "a35", "a69"} {
			if slices.Contains(part, name) {
				shared++
			}
		}
		if shared != 0 && shared != 4 {
			t.Errorf("the constraints with the same lock keys are apart: %v", tooLarge.Parts)
		}
	}
}

// The numbered files have the statements of the script, in its order. A folder that has files stays unchanged.
func TestFiles(t *testing.T) {
	c := of(t, users(config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK"}))
	dir := filepath.Join(t.TempDir(), "sql")
	for range 2 {
		err := sql.WriteFiles(dir, sql.Trino, c)
		names, _ := filepath.Glob(dir + "/*.sql")
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		statements, err := sql.Statements(sql.Trino, c)
		if err != nil || len(names) != len(statements) {
			t.Fatalf("%d files, %d statements, %v", len(names), len(statements), err)
		}
		rest := all.String()
		for _, s := range statements {
			_, after, found := strings.Cut(rest, s.Text+";\n")
			if !found {
				t.Fatalf("%s is missing in %s", s.Name, rest)
			}
			rest = after
		}
		if err := sql.WriteFiles(dir, sql.Trino, c); err == nil {
			t.Error("a folder with files is replaced")
		}
		if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
			t.Errorf("%v, %v", entries, err)
		}
		for _, name := range names {
			_ = os.Remove(name)
		}
	}
}

// If SQL has no equal of a constraint's normaliser, it does not judge the constraint, and says so. A normaliser that
// differs only outside ASCII is no reason.
func TestWhatIsNotJudgedIsSaid(t *testing.T) {
	c := of(t, users(config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Normalise: []string{"dynamoflow"}}))
	notes := strings.Join(c.Notes(), " ")
	if !strings.Contains(notes, "email") || !strings.Contains(notes, "dynamoflow") || !strings.Contains(written(t, sql.Athena, c), "-- SQL cannot judge the constraint email") {
		t.Errorf("%s", notes)
	}
	if notes := of(t, users(config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Normalise: []string{"nfkc", "lower"}})).Notes(); len(notes) > 0 {
		t.Errorf("%s", notes)
	}
}

// SQL does not judge a constraint whose locks have two forms. It lists the locks of both forms, and malformed ones.
func TestLocksOfTwoFormsAreListed(t *testing.T) {
	text := written(t, sql.DuckDB, of(t, users(config.Constraint{
		Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Also: []config.LockKey{{PK: "EMAIL#{v}", SK: "OLD"}},
	})))
	for _, prefix := range []string{"'MAIL#'", "'EMAIL#'"} {
		if n := strings.Count(text, prefix); n < 2 { // a lock and a malformed lock
			t.Errorf("the SQL has %s %d times:\n%s", prefix, n, text)
		}
	}
}

// Underscores in templates are no wildcards.
func TestNoWildcards(t *testing.T) {
	c := of(t, users(config.Constraint{Attribute: "email", PK: "_unique_{v}%", SK: "LOCK"}))
	for _, name := range sql.Dialects() {
		if text := written(t, sql.ByName(name), c); strings.Contains(strings.ToUpper(text), " LIKE ") {
			t.Errorf("%s uses LIKE:\n%s", name, text)
		}
	}
}

// A run drops its tables before it makes any, so it cannot read the tables of an earlier run. The tables of another
// layout or export have other names.
func TestRunsApart(t *testing.T) {
	c := of(t, users(config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK"}))
	items := func(d *sql.Dialect, c *sql.Check) string {
		text := written(t, d, c)
		_, name, _ := strings.Cut(text, "DROP TABLE IF EXISTS ")
		name, _, _ = strings.Cut(name, ";")
		if !strings.HasPrefix(name, "tallylock_items_") || strings.Index(text, "DROP TABLE IF EXISTS "+name) > strings.Index(text, "\nCREATE") || strings.Contains(strings.ReplaceAll(text, name, ""), "tallylock_items") {
			t.Errorf("%s: %s", d.Name, text)
		}
		return name
	}
	made := c.Made()
	for _, name := range sql.Dialects() {
		d := sql.ByName(name)
		c.Tables[0].Location = "s3://one"
		one := items(d, c)
		c.Tables[0].Location = "s3://two"
		if two := items(d, c); one == two || c.Made() != made {
			t.Errorf("%s and %s, of %s and %s", one, two, made, c.Made())
		}
	}
	other := of(t, users(config.Constraint{Attribute: "mail", PK: "MAIL#{v}", SK: "LOCK"}))
	if other.Made() == made {
		t.Error("another layout makes the same SQL")
	}
	was := *sql.Athena
	*sql.Athena = *sql.DuckDB // another release may write different SQL for one engine
	changed := c.Made()
	*sql.Athena = was
	if changed == made || c.Made() != made {
		t.Errorf("%s is the SQL of other statements for Athena, too", made)
	}
	if text := written(t, sql.DuckDB, c); strings.Count(text, "TO 'candidates.jsonl'") != 2 || !strings.Contains(text, "-bail") {
		t.Errorf("an older answer stays:\n%s", text)
	}
}

// testdata has the parts of the script for Athena that no engine runs in a test: the statements in Hive's SQL, and the
// beginnings and ends around the queries.
func TestTextForAthena(t *testing.T) {
	c := of(t, users(config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK"}))
	c.Run, c.Into = "7", "s3://out/it's/tables"
	c.Tables[0].Location = `s3://lake/it's\01/AWSDynamoDB/0123-abc`
	all, err := sql.Statements(sql.Athena, c)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, s := range all {
		text := s.Text
		switch s.Kind {
		case sql.Create:
			begin, _, _ := strings.Cut(text, " AS\n")
			text = begin + " AS …"
		case sql.Result:
			text = text[:len("UNLOAD (")] + "…" + text[strings.LastIndex(text, "\n) TO "):]
		}
		got.WriteString(text + ";\n")
	}
	golden := filepath.Join("testdata", "athena.sql")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got.String() != string(want) {
		t.Errorf("testdata/athena.sql has other statements (%v); -update writes them:\n%s", err, got.String())
	}
}
