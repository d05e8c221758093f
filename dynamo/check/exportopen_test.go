package check_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/export"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/scan"
	"tallylock/ui/say"
)

// alone checks a table by its export, with no endpoint.
func (f *fixture) alone(dir, table string, keys []string, layouts ...config.Layout) ([]finding.Finding, finding.Summary, error) {
	f.t.Helper()
	exported, err := scan.OpenExport(dir)
	if err != nil {
		f.t.Fatal(err)
	}
	open, err := export.OpenTable(f.t.Context(), exported, dynamo.Options{Layouts: layouts}, table, keys)
	if err != nil {
		return nil, finding.Summary{}, err
	}
	return run(f.t.Context(), open, setting.Options{Confirm: setting.ConfirmNone, Export: exported})
}

// An export tells by itself what it tells beside its table.
func TestExportAlone(t *testing.T) {
	t.Parallel()
	f := start(t)
	for _, name := range []string{"accounts", "members"} {
		dir := t.TempDir()
		f.export(dir, name)
		table := f.open(name)
		want, _, err := exported(t.Context(), table, dir, setting.Options{Confirm: setting.ConfirmNone})
		if err != nil {
			t.Fatal(err)
		}
		found, sum, err := f.alone(dir, "", nil)
		f.want(found, said(want)...)
		if err != nil || !sum.Complete || sum.ReadUnits != 0 || sum.Table != name || sum.TableID != table.ID || sum.Items != table.Items || found[0].TableID != table.ID {
			t.Errorf("%+v, %v", sum, err)
		}
		if says := "no endpoint was asked: tallylock assumes that the keys of " + name + " are PK and SK"; !slices.ContainsFunc(sum.Notes, func(n string) bool {
			return strings.HasPrefix(n, says) && strings.Contains(n, "was recognised from") && strings.Contains(n, "items of the export")
		}) {
			t.Errorf("%q", sum.Notes)
		}
	}
}

// The keys of an export's table are what every item has, and no two have alike; where
// that is not enough they are named.
func TestExportTellsItsKeys(t *testing.T) {
	t.Parallel()
	f := start(t)
	locks := users(func(c *config.Constraint) { c.Table = "mails" })
	locks.Name, locks.Tables = "ours", []string{"people"}
	f.create("people", "home:S", "what:S",
		doc{"home": str("USER#1"), "what": str("PROFILE"), "email": str("a"), "age": num("3")}, doc{"home": str("USER#2"), "what": str("PROFILE"), "email": str("b"), "age": num("3")})
	f.create("mails", "address:S", "", doc{"address": str("MAIL#a")}, doc{"address": str("MAIL#c"), "more": str("x")})
	locks.Accounts[0].Constraints[0].SK = ""
	dir := t.TempDir()
	f.export(dir, "people")
	second := f.export(dir, "mails")

	found, sum, err := f.alone(dir, "people", []string{"home", "what"}, locks)
	if err != nil || !sum.Complete || sum.Items != 4 {
		t.Fatalf("%+v, %v", sum, err)
	}
	f.want(found, "missing-lock b?", "orphaned-lock c?")
	for _, wrong := range []struct {
		dir, table, says string
		keys             []string
	}{
		{dir, "people", "every item has age, email, home, what; name them with --keys", nil},
		{dir, "people", "several items have the same age", []string{"age"}},
		{dir, "people", "not every item has id", []string{"id"}},
		{dir, "people", "two parts at most", []string{"home", "what", "age"}},
		{dir, "", "name it with --table", nil},
		{withoutManifests(t, second), "", "name it with --table", nil},
		{dir, "nobodys", "name it with --table", nil},
		{filepath.Dir(second), "people", "the layout uses a table without an export, or with unclear keys:", []string{"home", "what"}},
	} {
		if wrong.says == "the layout uses a table without an export, or with unclear keys:" {
			locks.Accounts[0].Constraints[0].Table = "elsewhere"
		}
		if _, _, err := f.alone(wrong.dir, wrong.table, wrong.keys, locks); client.KindOf(err) != client.Usage || !strings.Contains(say.Error(err), wrong.says) {
			t.Errorf("%q: %v", wrong.says, err)
		}
	}
}

// A table that is named by its ARN has the exports of its name, with an endpoint and without.
func TestExportOfATableByItsARN(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:dynamodb:us-east-1:000000000000:table/accounts"
	f := start(t)
	dir := t.TempDir()
	f.export(dir, "accounts")
	want, _ := f.run(f.open("accounts"), setting.Options{})
	got, sum, err := exported(t.Context(), f.open(arn), dir, setting.Options{})
	if err != nil || !sum.Complete || len(want) == 0 || len(got) != len(want) {
		t.Errorf("%v, %q, want %q", err, said(got), said(want))
	}
	e, err := scan.OpenExport(dir)
	if err != nil {
		t.Fatal(err)
	}
	if table, err := export.OpenTable(t.Context(), e, dynamo.Options{}, arn, nil); err != nil || table.Name != "accounts" {
		t.Errorf("%v", err)
	}
}
