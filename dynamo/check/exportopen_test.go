package check_test

import (
	"fmt"
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
	"tallylock/internal/s3"
	"tallylock/ui/say"
)

// alone checks a table by its export, with no endpoint.
func (f *fixture) alone(dir, table string, keys export.Keys, layouts ...config.Layout) ([]finding.Finding, finding.Summary, error) {
	f.t.Helper()
	exported, _, err := scan.OpenExports(dir)
	if err != nil {
		f.t.Fatal(err)
	}
	open, err := export.OpenTable(f.t.Context(), exported, dynamo.Options{Layouts: layouts}, table, keys)
	if err != nil {
		return nil, finding.Summary{}, err
	}
	return run(f.t.Context(), open, setting.Options{Confirm: setting.ConfirmNone, Export: exported})
}

// An export gives the same findings without its table.
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
		if says := "no endpoint was asked, so tallylock assumes that the keys of " + name + " are PK and SK"; !slices.ContainsFunc(sum.Notes, func(n string) bool {
			return strings.HasPrefix(n, says) && strings.Contains(n, "was recognised from") && strings.Contains(n, "items of the export")
		}) {
			t.Errorf("%q", sum.Notes)
		}
	}
}

// Without an endpoint, the keys of a table are the attributes that every item of its export has, if no two items have
// the same values. If several attributes could be the keys, a person names them.
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

	found, sum, err := f.alone(dir, "people", export.Keys{"": {"home", "what"}}, locks)
	if err != nil || !sum.Complete || sum.Items != 4 {
		t.Fatalf("%+v, %v", sum, err)
	}
	f.want(found, "missing-lock b?", "orphaned-lock c?")
	for _, wrong := range []struct {
		dir, table, says string
		keys             []string
	}{
		{dir, "people", "several attributes are in every item: age, email, home, what; name them with --keys", nil},
		{dir, "people", "several items have the same age", []string{"age"}},
		{dir, "people", "some items have no id", []string{"id"}},
		{dir, "people", "two parts at most", []string{"home", "what", "age"}},
		{dir, "", "name it with --table", nil},
		{withoutManifests(t, second), "", "name it with --table", nil},
		{dir, "nobodys", "name it with --table", nil},
		{filepath.Dir(second), "people", "the layout uses a table without an export, or with unclear keys:", []string{"home", "what"}},
	} {
		if wrong.says == "the layout uses a table without an export, or with unclear keys:" {
			locks.Accounts[0].Constraints[0].Table = "elsewhere"
		}
		if _, _, err := f.alone(wrong.dir, wrong.table, export.Keys{"": wrong.keys}, locks); client.KindOf(err) != client.Usage || !strings.Contains(say.Error(err), wrong.says) {
			t.Errorf("%q: %v", wrong.says, err)
		}
	}
}

// Locks in a table of their own have two texts: the value and the account's id. A person names the keys of both
// tables, or the export tells them.
func TestExportOfALockTable(t *testing.T) {
	t.Parallel()
	f := start(t)
	var people, mails []doc
	for n := range 40 {
		id, email, at := fmt.Sprintf("u-%04d", n*7919%10007), fmt.Sprintf("mail%d@example.com", n), fmt.Sprintf("2026-03-01T10:00:%02dZ", n)
		people = append(people, doc{"id": str(id), "email": str(email), "createdAt": str(at)})
		mails = append(mails, doc{"email": str(email), "userId": str(id), "createdAt": str(at)})
	}
	mails[0]["userId"] = people[1]["id"] // a foreign lock
	f.create("people", "id:S", "", people...)
	f.create("mails", "email:S", "", append(mails[:39:39], doc{"email": str("x@example.com"), "userId": str("u-x"), "createdAt": str("2026-03-02")})...)
	dir := t.TempDir()
	f.export(dir, "people")
	f.export(dir, "mails")
	described := config.Layout{Name: "ours", Tables: []string{"people"}, Accounts: []config.Account{{
		PK: "{id}", Constraints: []config.Constraint{{Attribute: "email", Table: "mails", PK: "{v}", Owner: "userId"}},
	}}}
	want := []string{"foreign-lock mail0@example.com?", "missing-lock mail39@example.com?", "orphaned-lock x@example.com?"}
	for name, c := range map[string]struct {
		keys    export.Keys
		layouts []config.Layout
	}{
		"named":                {export.Keys{"people": {"id"}, "mails": {"email"}}, []config.Layout{described}},
		"the lock table's not": {export.Keys{"": {"id"}}, []config.Layout{described}},
		"guessed":              {export.Keys{"people": {"id"}, "mails": {"email"}}, nil},
		"guessed, and one key": {export.Keys{"": {"id"}}, nil},
		"described, no keys":   {nil, []config.Layout{described}},
		"guessed, no keys":     {nil, nil},
	} {
		found, sum, err := f.alone(dir, "people", c.keys, c.layouts...)
		if err != nil || sum.Items != 80 || !sum.Complete {
			t.Errorf("%s: %+v, %v", name, sum, err)
		}
		f.want(found, want...)
	}
}

// A person may name a table by its ARN. The check still finds its exports, with or without an endpoint.
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
	e, _, err := scan.OpenExports(dir)
	if err != nil {
		t.Fatal(err)
	}
	if table, err := export.OpenTable(t.Context(), e, dynamo.Options{}, arn, nil); err != nil || table.Name != "accounts" {
		t.Errorf("%v", err)
	}
}

// An export is larger than the sample by which its layout is judged. A lock that is not in the sample may exist.
func TestExportLargerThanItsSample(t *testing.T) {
	t.Parallel()
	var people, mails [][]byte
	for n := range 20_000 {
		people = append(people, fmt.Appendf(nil, `{"id":{"S":"u-%d"},"email":{"S":"%d@example.com"}}`, n, n))
		mails = append(mails, fmt.Appendf(nil, `{"email":{"S":"%d@example.com"},"userId":{"S":"u-%d"}}`, n, n))
	}
	slices.Reverse(mails)
	dir := t.TempDir()
	for table, items := range map[string][][]byte{"people": people, "mails": mails} {
		if _, err := (s3.Export{Table: table, TableID: table}).Write(dir, items); err != nil {
			t.Fatal(err)
		}
	}
	exported, _, err := scan.OpenExports(dir)
	if err != nil {
		t.Fatal(err)
	}
	described := config.Layout{Name: "ours", Tables: []string{"people"}, Accounts: []config.Account{{
		PK: "{id}", Constraints: []config.Constraint{{Attribute: "email", Table: "mails", PK: "{v}", Owner: "userId"}},
	}}}
	open, err := export.OpenTable(t.Context(), exported, dynamo.Options{Layouts: []config.Layout{described}}, "people", nil)
	if err != nil {
		t.Fatal(err)
	}
	found, sum, err := run(t.Context(), open, setting.Options{Confirm: setting.ConfirmNone, Export: exported})
	if err != nil || len(found) > 0 || !sum.Complete || sum.Items != 40_000 {
		t.Errorf("%d found, %+v, %v", len(found), sum, err)
	}
}
