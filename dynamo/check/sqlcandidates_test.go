package check_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
)

// rowsOf returns the rows of a result of SQL that leads to these findings.
func rowsOf(t *testing.T, table *dynamo.Table, found []finding.Finding) (rows []string) {
	t.Helper()
	for _, f := range found {
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		row := map[string]any{}
		if err := json.Unmarshal(text, &row); err != nil {
			t.Fatal(err)
		}
		row["layout"] = config.Hash(table.Layout) // all rows of one query have the same layout
		row["confirmed"], row["lock_exists"] = false, f.Relation != nil && f.Relation.Lock.Exists
		text, err = json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, string(text))
	}
	rows = append(rows, about(table, fmt.Sprintf(`"counted":"items","of":"accounts","count":104,"accounted":34,"of_id":%q`, table.ID)))
	for _, c := range table.Layout.Constraints() {
		rows = append(rows, about(table, fmt.Sprintf(`"counted":"constraint","constraint":%q,"locks":35,"calls":34`, c.Name)))
	}
	return rows
}

// about returns a row about a table.
func about(table *dynamo.Table, said string) string {
	return fmt.Sprintf(`{%s,"table":%q,"table_id":%q,"layout":%q}`, said, table.Name, table.ID, config.Hash(table.Layout))
}

// counted adds a row with the number of rows.
func counted(table *dynamo.Table, rows []string) []string {
	made := ""
	if c, err := check.SQL(context.Background(), table); err == nil {
		made = c.Made()
	}
	return append(slices.Clone(rows), about(table, fmt.Sprintf(`"rows":%d,"made":%q`, len(rows), made)))
}

func filed(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "candidates")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func lined(rows []string) string { return strings.Join(rows, "\n") + "\n" }

// Candidates lead to their findings. They may be lines of JSON, or CSV as Athena writes it.
func TestCandidates(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	want, _ := f.run(table, setting.Options{})
	rows := counted(table, rowsOf(t, table, want))
	var athena strings.Builder
	w := csv.NewWriter(&athena)
	_ = w.Write([]string{"candidate"})
	for _, row := range rows {
		_ = w.Write([]string{row})
	}
	w.Flush()
	quoted := strings.Replace(athena.String(), "candidate", `"candidate"`, 1)
	for _, text := range []string{lined(rows), quoted} {
		c, err := candidates.Open(filed(t, text))
		if err != nil {
			t.Fatal(err)
		}
		got, sum, err := run(t.Context(), table, setting.Options{Candidates: c})
		if err != nil {
			t.Fatal(err)
		}
		f.want(got, said(want)...)
		if !sum.Complete || !sum.Confirmed || sum.Items != 104 {
			t.Errorf("%+v", sum)
		}
	}
}

// The check reads the table only if a lock seems to be unclaimed, and then only once. A problem that no longer exists
// is no finding.
func TestCandidatesReadTheTableOnlyWhereTheyMust(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	all, live := f.run(table, setting.Options{})
	pairs := slices.DeleteFunc(slices.Clone(all), func(one finding.Finding) bool {
		return one.Kind != finding.MissingLock && one.Kind != finding.DuplicateValue
	})
	with := func(found []finding.Finding, confirm setting.Confirm) ([]finding.Finding, finding.Summary) {
		c, err := candidates.Open(filed(t, lined(counted(table, rowsOf(t, table, found)))))
		if err != nil {
			t.Fatal(err)
		}
		got, sum, err := run(t.Context(), table, setting.Options{Candidates: c, Confirm: confirm})
		if err != nil {
			t.Fatal(err)
		}
		return got, sum
	}
	got, few := with(pairs, setting.ConfirmFull)
	f.want(got, said(pairs)...)
	_, once := with(all, setting.ConfirmFull)
	if few.ReadUnits > 20 || once.ReadUnits >= live.ReadUnits {
		t.Errorf("%v units for pairs, %v for all, %v for the table", few.ReadUnits, once.ReadUnits, live.ReadUnits)
	}
	got, unsure := with(all, setting.ConfirmReads)
	for _, one := range got {
		if strings.Contains(one.Evidence, "all 0 ") {
			t.Errorf("%s %s: %s", one.Kind, one.Value, one.Evidence)
		}
		if sure := one.Kind == finding.MissingLock || one.Kind == finding.DuplicateValue; one.Confirmed != sure {
			t.Errorf("%s %s: confirmed %v without a look at all accounts", one.Kind, one.Value, one.Confirmed)
		}
	}
	if len(got) != len(all) || unsure.ReadUnits > 40 {
		t.Errorf("%q by %v units", said(got), unsure.ReadUnits)
	}
	healthy := `"finding":"missing-lock","constraint":"username","value":"grace","lock":{"PK":{"S":"UNIQ#HANDLE#grace"},"SK":{"S":"LOCK"}},"accounts":[{"PK":{"S":"ACCT#none"},"SK":{"S":"PROFILE"}}],"confirmed":false`
	c, err := candidates.Open(filed(t, lined(counted(table, append(rowsOf(t, table, nil), about(table, healthy))))))
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := run(t.Context(), table, setting.Options{Candidates: c}); err != nil || len(got) > 0 {
		t.Errorf("%q, %v", said(got), err)
	}
}

// The check refuses a file that is incomplete, or belongs to another table or layout. The error says why.
func TestCandidatesRefused(t *testing.T) {
	f := start(t)
	table := f.open("accounts")
	rows := rowsOf(t, table, nil)
	other := strings.ReplaceAll(lined(counted(table, rows)), `"table":"accounts"`, `"table":"members"`)
	for name, one := range map[string]struct{ text, why string }{
		"nothing":        {"", "the file has no row count at its end: the file is cut off, or not a result of the SQL"},
		"cut off":        {lined(rows), "the file has no row count at its end: the file is cut off, or not a result of the SQL"},
		"cut in a row":   {strings.TrimSuffix(lined(rows), "\"}\n"), "row 3"},
		"a row is gone":  {lined(counted(table, rows)[1:]), "the file is incomplete"},
		"no candidates":  {"{}\n", "row 1"},
		"a check's":      {`{"summary":{}}` + "\n", "row 1"},
		"two tables":     {lined(rows) + other, "members"},
		"another table":  {other, "from the table members, not from accounts"},
		"another id":     {strings.ReplaceAll(lined(counted(table, rows)), table.ID, "an-id"), "a different table that was also called accounts"},
		"other SQL":      {strings.ReplaceAll(lined(counted(table, rows)), `"made":"`, `"made":"0`), "the layout, the keys, the TTL attribute or this program has changed"},
		"another layout": {strings.ReplaceAll(lined(counted(table, rows)), config.Hash(table.Layout), "0"), "do not fit the present layout"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := candidates.Open(filed(t, one.text))
			if err == nil {
				_, _, err = run(t.Context(), table, setting.Options{Candidates: c})
			}
			if err == nil || client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), one.why) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := candidates.Open("nowhere"); client.KindOf(err) != client.Usage {
		t.Errorf("%v", err)
	}
}

// A check reads the file several times. It refuses a pipe, because the second reading would be empty. It also refuses a
// file that has changed since it was opened.
func TestCandidatesAreReadTwice(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	found, _ := f.run(table, setting.Options{})
	rows := lined(counted(table, rowsOf(t, table, found)))
	if _, err := candidates.Open(t.TempDir()); client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "into a file first") {
		t.Errorf("%v", err)
	}
	path := filed(t, rows)
	c, err := candidates.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, sum, err := run(t.Context(), table, setting.Options{Candidates: c}); client.KindOf(err) != client.Usage || sum.Complete {
		t.Errorf("%v, %+v", err, sum)
	}
	path = filed(t, rows)
	if c, err = candidates.Open(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil { // the open file stays readable
		t.Fatal(err)
	}
	got, _, err := run(t.Context(), table, setting.Options{Candidates: c})
	if err != nil {
		t.Fatal(err)
	}
	f.want(got, said(found)...)
}

// Candidates state the number of items that the engine has read. The check refuses them if the engine has read no item
// of a table with items, or fewer items than the export has: missing items would look healthy. If nobody has compared
// the numbers, a note says so.
func TestCandidatesOfAnotherExport(t *testing.T) {
	f := start(t)
	table := f.open("accounts")
	const read = `"counted":"items","of":"accounts","count":104,`
	rows := lined(counted(table, rowsOf(t, table, nil)))
	for name, one := range map[string]struct {
		instead, why, note string
		kind               client.Kind
	}{
		"not compared": {instead: read, note: "the manifest of the export of accounts was not read, so its item count is unverified: the SQL read 104 items, the table has about 104 items"},
		"all of it":    {instead: read + `"exported":104,"exported_at":"2026-11-20T10:11:12Z",`, note: "the export of accounts shows the items as of 2026-11-20 10:11:12 UTC: the SQL read all 104 items"},
		"a part of it": {instead: read + `"exported":105,"exported_at":"2026-11-20T10:11:12Z",`, why: "has 105 items, but the SQL has read 104 items", kind: client.Failed},
		"nothing":      {instead: strings.ReplaceAll(read, "104", "0"), why: "has read no item of accounts", kind: client.Failed},
		"of another":   {instead: strings.ReplaceAll(read, "accounts", "orders"), why: "have no item count of the export of accounts", kind: client.Usage},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := candidates.Open(filed(t, strings.Replace(rows, read, one.instead, 1)))
			if err != nil {
				t.Fatal(err)
			}
			_, sum, err := run(t.Context(), table, setting.Options{Candidates: c})
			if one.why != "" && (client.KindOf(err) != one.kind || !strings.Contains(err.Error(), one.why) || sum.Complete) {
				t.Errorf("%v", err)
			}
			if one.why == "" && (err != nil || !sum.Complete || !strings.Contains(strings.Join(sum.Notes, " "), one.note)) {
				t.Errorf("%v, %q", err, sum.Notes)
			}
		})
	}
}
