// Package proof runs the SQL of a check on the engines that the environment names. It lists the findings of the check
// that the SQL misses. .ci/sql sets the environment.
package proof

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/layout"
)

// The environment variables. The first two have the command of an engine. The last one has a folder.
const (
	duckDBVariable = "TALLYLOCK_TEST_DUCKDB"
	trinoVariable  = "TALLYLOCK_TEST_TRINO"
	athenaVariable = "TALLYLOCK_TEST_ATHENA"
)

// Engine runs the SQL of one dialect.
type Engine struct {
	Dialect *sql.Dialect
	// count is the statement that returns the number of rows of a table.
	count string
	// place returns a folder of this machine in the engine's notation.
	place func(folder string) string
	run   func(ctx context.Context, dir string, statements []sql.Statement) (result string, err error)
}

// Engines returns the engines that the environment names.
func Engines() (all []Engine) {
	if os.Getenv(duckDBVariable) != "" {
		all = append(all, Engine{sql.DuckDB, "COPY (SELECT count(*) FROM %s) TO 'candidates.jsonl' (FORMAT csv, HEADER false)", func(folder string) string { return folder }, duckDB})
	}
	if os.Getenv(trinoVariable) != "" {
		all = append(all, Engine{sql.Trino, "SELECT count(*) AS candidate FROM %s", func(folder string) string { return "local://" + folder }, trino})
	}
	return all
}

// Skip skips a test if no engine is named. The message says what is skipped.
func Skip(t testing.TB) {
	t.Helper()
	if len(Engines()) == 0 {
		t.Skip("left out: running the SQL of checks on DuckDB and Trino; .ci/sql does it")
	}
}

// Run runs the SQL of a check in the folder dir. It returns the file of the result. The locations of the
// exports are folders of this machine.
func (e Engine) Run(ctx context.Context, dir string, c *sql.Check) (result string, err error) {
	all, err := sql.Statements(e.Dialect, e.placed(c))
	if err != nil {
		return "", err
	}
	// Leave out the statements that drop old tables: no earlier run has left any.
	old := func(s sql.Statement) bool { return strings.HasPrefix(s.Name, "drop-old-") }
	return e.run(ctx, dir, slices.DeleteFunc(all, old))
}

// placed returns a copy of the check, with the locations in the engine's notation.
func (e Engine) placed(c *sql.Check) *sql.Check {
	of := *c
	of.Tables = slices.Clone(c.Tables)
	for n := range of.Tables {
		of.Tables[n].Location = e.place(of.Tables[n].Location)
	}
	return &of
}

// proven has the checks that Repeats has seen, with their data.
var proven sync.Map

// Repeats reports whether the same SQL has read the same items on this engine before, in this process. Trino needs
// seconds for a check, and many tests check the same table.
func (e Engine) Repeats(c *sql.Check) (bool, error) {
	of := *c
	of.Tables, of.Run = slices.Clone(c.Tables), "run"
	for n := range of.Tables {
		of.Tables[n].Location, of.Tables[n].ID = "", ""
	}
	all, err := sql.Statements(e.Dialect, &of)
	if err != nil {
		return false, err
	}
	sum := sha256.New()
	for _, text := range texts(all) {
		fmt.Fprintf(sum, "%q", text)
	}
	for _, one := range c.Tables {
		if err := addItems(sum, one.Location); err != nil {
			return false, err
		}
	}
	_, seen := proven.LoadOrStore(string(sum.Sum([]byte(e.Dialect.Name))), true)
	return seen, nil
}

// addItems writes the items of an export to sum. Equal items have equal texts.
func addItems(sum io.Writer, location string) error {
	dir := filepath.Join(location, "data")
	files, err := os.ReadDir(dir) // ReadDir sorts the files
	if err != nil {
		return err
	}
	for _, one := range files {
		file, err := os.Open(filepath.Join(dir, one.Name()))
		if err != nil {
			return err
		}
		defer file.Close()
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			return err
		}
		for lines := json.NewDecoder(unpacked); ; {
			var item map[string]any
			if err := lines.Decode(&item); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
			text, err := json.Marshal(item) // Marshal sorts the names
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "%q", text)
		}
	}
	return nil
}

// Count runs the statements up to the statement with this name, and counts the rows of its table.
func (e Engine) Count(ctx context.Context, dir string, c *sql.Check, name string) (count string, err error) {
	all, err := sql.Statements(e.Dialect, e.placed(c))
	if err != nil {
		return "", err
	}
	last := slices.IndexFunc(all, func(s sql.Statement) bool { return s.Name == name })
	made := append(all[:last+1:last+1], sql.Statement{Text: fmt.Sprintf(e.count, all[last].Table)})
	result, err := e.run(ctx, dir, made)
	if err != nil {
		return "", err
	}
	lines, err := Lines(result)
	return strings.Join(lines, " "), err
}

func texts(statements []sql.Statement) (all []string) {
	for _, s := range statements {
		all = append(all, s.Text)
	}
	return all
}

func duckDB(ctx context.Context, dir string, statements []sql.Statement) (result string, err error) {
	_, err = command(ctx, duckDBVariable, dir, []byte(strings.Join(texts(statements), ";\n")+";\n"))
	return filepath.Join(dir, "candidates.jsonl"), err
}

func trino(ctx context.Context, dir string, statements []sql.Statement) (result string, err error) {
	said, err := json.Marshal(texts(statements))
	if err != nil {
		return "", err
	}
	rows, err := command(ctx, trinoVariable, dir, said)
	if err != nil {
		return "", err
	}
	result = filepath.Join(dir, "candidates.csv")
	return result, os.WriteFile(result, rows, 0o600)
}

// command runs the command of an engine in the folder dir.
func command(ctx context.Context, variable, dir string, input []byte) (output []byte, err error) {
	words := strings.Fields(os.Getenv(variable))
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, bytes.NewReader(input), &said
	if output, err = cmd.Output(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, said.String())
	}
	return output, nil
}

// Athena writes the SQL of a check to a file if the environment names a folder. A parser reads the file
// later; no engine runs the statements.
func Athena(c *sql.Check) error {
	dir := os.Getenv(athenaVariable)
	if dir == "" {
		return nil
	}
	placed := *c
	placed.Into = "s3://bucket/run"
	for _, one := range []*sql.Check{c, &placed} {
		var text bytes.Buffer
		if err := sql.Write(&text, sql.Athena, one); err != nil {
			return err
		}
		sum := sha256.Sum256(text.Bytes())
		if err := os.WriteFile(filepath.Join(dir, hex.EncodeToString(sum[:8])+".sql"), text.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Row is one row of the SQL's result. No check has confirmed it.
type Row struct {
	finding.Finding
	// Unjudged names the part of Item that SQL cannot judge. Of is the table of Item.
	Unjudged string    `json:"unjudged"`
	Of       string    `json:"of"`
	Item     attr.Item `json:"item"`
}

// Rows reads the rows of a result file.
func Rows(path string) (rows []Row, err error) {
	lines, err := Lines(path)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		var row Row
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, fmt.Errorf("%w in %s", err, line)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Lines reads the lines of a result file. The result file of Trino is CSV with a header and one column.
func Lines(path string) (lines []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil || filepath.Ext(path) != ".csv" {
		return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), err
	}
	table, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, row := range table[1:] {
		lines = append(lines, row[0])
	}
	return lines, nil
}

// leading maps a kind of finding to the kinds of candidates that lead to it. Candidates are rows of the
// SQL's result. A kind of finding that is not in the map can come from any candidate. SQL may report a
// missing lock where a check reports a foreign lock: the item has the key of a lock, but lacks the
// attribute that makes an item a lock.
var leading = map[finding.Kind][]finding.Kind{
	finding.MissingLock:    {finding.MissingLock},
	finding.DuplicateValue: {finding.DuplicateValue},
	finding.ForeignLock:    {finding.ForeignLock, finding.MissingLock},
	finding.DuplicateID:    {finding.DuplicateID},
	finding.DriftedKey:     {finding.DriftedKey},
}

// Missed returns the findings of a check that a file of SQL results misses. The file misses a finding if it
// has no candidate for the finding, although SQL can judge all items of the finding. Missed leaves out
// findings about counters that a check reads without the SQL (see alone).
func Missed(path string, t *dynamo.Table, found []finding.Finding) (missed []finding.Finding, err error) {
	rows, err := Rows(path)
	if err != nil {
		return nil, err
	}
	unjudged, candidates := map[string]bool{}, map[string][]finding.Kind{}
	ids := map[string]bool{} // the ids that the file reports as duplicate
	for _, row := range rows {
		if row.Kind == finding.DuplicateID {
			ids[row.Number()] = true
		}
		if row.Unjudged != "" {
			unjudged[at(t, row.Of, row.Item)] = true
			continue
		}
		for _, place := range placesOf(t, row.Finding) {
			candidates[place] = append(candidates[place], row.Kind)
		}
	}
	for _, one := range found {
		leads := func(place string) bool {
			return unjudged[place] || slices.ContainsFunc(candidates[place], func(kind finding.Kind) bool {
				return leading[one.Kind] == nil || slices.Contains(leading[one.Kind], kind)
			})
		}
		if one.MoreItems > 0 && ids[one.Number()] {
			continue // the file and the check may list different items of the id
		}
		if !alone(t, one) && !slices.ContainsFunc(placesOf(t, one), leads) {
			missed = append(missed, one)
		}
	}
	return missed, nil
}

// alone reports whether a finding is about a counter whose key the layout knows. A check always reads such counters
// itself, so the SQL does not have to find them.
func alone(t *dynamo.Table, f finding.Finding) bool {
	return strings.HasPrefix(string(f.Kind), "counter-") &&
		slices.ContainsFunc(t.Layout.Counters, func(c *layout.Counter) bool {
			key, err := c.Key(t.Schema)
			return c.KeyIsValue(t.Schema) || c.Fixed(t.Schema) && err == nil && at(t, t.Name, key.Item()) == at(t, t.Name, f.Key)
		})
}

// placesOf returns the table and key of each item in a finding.
func placesOf(t *dynamo.Table, f finding.Finding) (all []string) {
	add := func(table string, key attr.Item) {
		if key != nil {
			all = append(all, at(t, table, key))
		}
	}
	add(f.LockTable, f.Lock)
	add("", f.Key)
	for _, key := range f.Accounts {
		add("", key)
	}
	for _, one := range f.Items {
		add(one.Table, one.Key)
	}
	return all
}

// at returns an item's table and key as one text. An empty table means the table of the accounts.
func at(t *dynamo.Table, table string, item attr.Item) string {
	if table == "" {
		table = t.Name
	}
	key, _ := t.SchemaOf(table).KeyOf(item)
	return table + " " + key.ID()
}
