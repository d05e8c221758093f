// Package proof runs the SQL of a check on DuckDB, and finds out which of the check's findings the SQL
// misses. It needs two environment variables, which .ci/sql sets.
package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/layout"
)

// Wanted reports whether the environment names a command for DuckDB.
func Wanted() bool { return os.Getenv("TALLYLOCK_TEST_DUCKDB") != "" }

// DuckDB runs the SQL statements in text. dir is the working directory of DuckDB.
func DuckDB(ctx context.Context, dir, text string) error {
	words := strings.Fields(os.Getenv("TALLYLOCK_TEST_DUCKDB"))
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, strings.NewReader(text), &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s\n%s", err, said.String(), text)
	}
	return nil
}

// Athena writes SQL statements to a file if the environment names a folder. A parser reads the file later;
// no engine runs the statements.
func Athena(text string) error {
	dir := os.Getenv("TALLYLOCK_TEST_ATHENA")
	if dir == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	return os.WriteFile(filepath.Join(dir, hex.EncodeToString(sum[:8])+".sql"), []byte(text), 0o600)
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
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var row Row
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, fmt.Errorf("%w in %s", err, line)
		}
		rows = append(rows, row)
	}
	return rows, nil
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
	for _, row := range rows {
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
		if !alone(t, one) && !slices.ContainsFunc(placesOf(t, one), leads) {
			missed = append(missed, one)
		}
	}
	return missed, nil
}

// alone reports whether a finding is about a counter whose key the layout knows. A check always reads such
// counters itself, so the SQL need not find them.
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
