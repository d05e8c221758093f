package check_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/scan"
	"tallylock/internal/generator"
	"tallylock/internal/proof"
	"tallylock/internal/s3"
	"tallylock/internal/testrun"
)

// bySQL runs the SQL for a table on every engine, with an export of the table, and visits the results.
func bySQL(t testing.TB, table *dynamo.Table, transport http.RoundTripper, visit func(c *candidates.File)) {
	t.Helper()
	dir := t.TempDir()
	candidatesIn(t, dir, table, func(name string) string {
		at := filepath.Join(dir, name)
		if err := s3.Loose(t.Context(), sdk.Client(transport), at, name); err != nil {
			t.Fatal(err)
		}
		return at
	}, func(_ string, c *candidates.File) { visit(c) }, nil)
}

// candidatesIn is like bySQL, but it uses the directory dir, and the exports that the function export makes.
func candidatesIn(t testing.TB, dir string, table *dynamo.Table, export func(table string) string, visit func(engine string, c *candidates.File), skip func(proof.Engine, *sql.Check) bool) {
	t.Helper()
	c, err := check.SQL(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	for n, one := range c.Tables {
		c.Tables[n].Location = export(one.Name)
	}
	if err := proof.Athena(c); err != nil {
		t.Fatal(err)
	}
	for _, engine := range proof.Engines() {
		if skip != nil && skip(engine, c) {
			continue
		}
		result, err := engine.Run(t.Context(), dir, c)
		if err != nil {
			t.Fatal(err)
		}
		candidates, err := candidates.Open(result)
		if err != nil {
			t.Fatal(err)
		}
		visit(engine.Dialect.Name, candidates)
	}
}

// alsoBySQL compares the findings of a check with those of a check by SQL, and with those of a check of the same
// export. It skips checks of an export, and checks that set Memory or Confirm: with little memory, two checks may
// follow up different partitions of the keys.
func (f *fixture) alsoBySQL(table *dynamo.Table, found []finding.Finding, o setting.Options) {
	f.t.Helper()
	if len(proof.Engines()) == 0 || o.Export != nil || o.Memory != 0 || o.Confirm != "" {
		return
	}
	if table.Fit.Misfit("", nil) != nil {
		return // the check has learned that the layout does not fit, and each further check refuses it
	}
	dir := f.t.TempDir()
	ways := map[string]func(*setting.Options) error{}
	export := func(name string) string { return f.export(filepath.Join(dir, "of ["+name+"]"), name) }
	candidatesIn(f.t, dir, table, export, func(engine string, c *candidates.File) {
		encompasses(f.t, c, table, found)
		ways["the SQL of "+engine] = func(o *setting.Options) error { o.Candidates = c; return nil }
	}, func(engine proof.Engine, c *sql.Check) bool {
		repeats, err := engine.Repeats(c)
		if err != nil {
			f.t.Fatal(err)
		}
		return repeats && engine.Dialect == sql.Trino // a query takes seconds on Trino: run it only once
	})
	now, err := f.App().DescribeTable(f.t.Context(), &dynamodb.DescribeTableInput{TableName: &table.Name})
	if err != nil {
		f.t.Fatal(err)
	}
	if *now.Table.TableId == table.ID { // else the export is of a newer table with the same name
		ways["its export"] = func(o *setting.Options) (err error) { o.Export, _, err = scan.OpenExports(dir); return err }
	}
	for how, way := range ways {
		o := o
		if err := way(&o); err != nil {
			f.t.Fatal(err)
		}
		got, _, err := run(f.t.Context(), table, o)
		if err != nil {
			f.t.Fatal(err)
		}
		if got, want := said(got), said(found); !slices.Equal(got, want) {
			f.t.Errorf("by %s found\n%q, want\n%q", how, got, want)
		}
	}
}

// encompasses fails if the result of SQL has no row that leads to one of the findings.
func encompasses(t testing.TB, c *candidates.File, table *dynamo.Table, found []finding.Finding) {
	t.Helper()
	missed, err := proof.Missed(c.File, table, found)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range missed {
		t.Errorf("nothing that SQL has found leads to %s %s%s", one.Kind, one.Value, one.Counter)
	}
}

// In a large table SQL leads to the same findings as a reading of the table. The check does not read the table twice.
func TestLargeBySQL(t *testing.T) {
	t.Parallel()
	proof.Skip(t)
	of := &generator.Table{Name: "accounts", Pages: testrun.Runs(340, 10), PerPage: 1000, Owners: true, Seed: 4, Anomalies: []generator.Wrong{
		{Kind: generator.OrphanedLock, Count: 40},
		{Kind: generator.MissingLock, Count: 40},
		{Kind: generator.DuplicateValue, Count: 40},
		{Kind: generator.UnnormalisedValue, Count: 40},
		{Kind: generator.ExpiringAccount, Count: 40},
		{Kind: generator.StaleLock, Count: 40},
		{Kind: generator.ForeignLock, Count: 40},
	}}
	o := behind(of)
	o.Settle = time.Microsecond
	table := opened(t, o, "accounts")
	want, live, err := run(t.Context(), table, setting.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bySQL(t, table, of, func(c *candidates.File) {
		encompasses(t, c, table, want)
		got, sum, err := run(t.Context(), table, setting.Options{Candidates: c})
		if err != nil {
			t.Fatal(err)
		}
		alike(t, said(got), said(want))
		byExport, _, err := exported(t.Context(), table, filepath.Join(filepath.Dir(c.File), "accounts"), setting.Options{})
		if err != nil {
			t.Fatal(err)
		}
		alike(t, said(byExport), said(want))
		if len(want) < 200 || !sum.Complete || sum.Items != live.Items || sum.Accounts != live.Accounts || sum.Locks != live.Locks {
			t.Errorf("%+v; of the table itself %+v", sum, live)
		}
		if sum.ReadUnits >= live.ReadUnits {
			t.Errorf("%v units, and of the table itself %v", sum.ReadUnits, live.ReadUnits)
		}
		if !strings.Contains(strings.Join(sum.Notes, " "), "newer values are not checked") {
			t.Errorf("%q", sum.Notes)
		}
	})
}

// Some values have characters outside ASCII, or the separators of a key. A check by SQL judges them like a check
// without SQL, even together with values that SQL has judged.
func TestOddValues(t *testing.T) {
	f := start(t)
	f.create("odd", "PK:S", "SK:S",
		user("1", "İstanbul"), mail("i̇stanbul"),
		user("2", "\u212a"), user("3", "K "), mail("k"), // a Kelvin sign
		user("4", "ﬁn"),
		user("5", " ſ\u00a0"), mail("s"),
		mail("é"), mail("fin2"),
		user("6", "", doc{"email": &types.AttributeValueMemberSS{Value: []string{"a", "é2", "b"}}}), mail("a"), mail("é2"),
		user("7", "", doc{"email": &types.AttributeValueMemberL{Value: []types.AttributeValue{str("l1"), num("12.50"), str("l2")}}}), mail("l1"), mail("12.5"),
		user("8", "", doc{"email": num("1000")}), mail("1000"),
		user("9", "", doc{"email": &types.AttributeValueMemberM{Value: doc{"of": str("x")}}}),
		user("ü", "plain"), mail("plain"), user("i'd", "it's"), mail("it's"), user(`b\"`, `q\"`), mail(`q\"`),
		user("10", "lacks"), doc{"PK": str("MAIL#"), "SK": str("LOCK")})
	found, _ := f.run(f.described("odd", users(func(c *config.Constraint) { c.Normalise = []string{"trim", "nfkc", "lower"} })), setting.Options{})
	f.want(found, "duplicate-value k", "missing-lock fin", "orphaned-lock é", "orphaned-lock fin2", "missing-lock b", "missing-lock lacks", "missing-lock l2", "malformed-lock ")
}

// Each normaliser has the same result in SQL as in this program.
func TestNormalisersBySQL(t *testing.T) {
	t.Parallel()
	for n, steps := range [][]string{{"percent"}, {"base64"}, {"base64url"}, {"sha256"}, {"trim", "upper"}, {"lower", "sha256", "base64"}, {"dynamoflow"}, {"nfc", "percent", "lower"}} {
		t.Run(strings.Join(steps, " "), func(t *testing.T) {
			f := start(t)
			config := users(func(c *config.Constraint) { c.Normalise = steps })
			config.Name, config.Tables = "normal", []string{"normal"}
			l, err := config.Build()
			if err != nil {
				t.Fatal(err)
			}
			kept := l.Constraints()[0].Normalised
			var all []doc
			for m, v := range []string{"a b!*'()~-_.", "%21+/=?&", "\t x~\n", `#\"`, "K€y", "\u007f\u001f!", "ÀÉ", "zz>?>?>", "A#b", "%2B"} {
				all = append(all, user(fmt.Sprint(m), v), mail(kept(v)))
			}
			all = append(all, user("m", fmt.Sprint("Missing ", n)), mail(kept("Gone")))
			f.create("normal", "PK:S", "SK:S", all...)
			found, _ := f.run(f.described("normal", config), setting.Options{})
			if len(found) != 2 {
				t.Errorf("%q", said(found))
			}
		})
	}
}

// If a key can be read in several ways, SQL reads it in the same way as the layout does.
func TestSeparatorsBySQL(t *testing.T) {
	t.Parallel()
	f := start(t)
	tenant := func(id, tenant, email string) doc {
		return doc{"PK": str("T#" + tenant + "#U#" + id), "SK": str("PROFILE"), "email": str(email)}
	}
	lock := func(tenant, email string) doc { return doc{"PK": str("T#" + tenant), "SK": str("E#" + email + "#L")} }
	config := config.Layout{Accounts: []config.Account{{PK: "T#{tenant}#U#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Attribute: "email", PK: "T#{tenant}", SK: "E#{v}#L"}}}}}
	f.create("scoped", "PK:S", "SK:S",
		tenant("1", "a", "x"), lock("a", "x"), tenant("2", "b", "x"), lock("b", "x"),
		tenant("3", "a#U#b", "y"), lock("a", "y"), tenant("4", "c", "z#L"), lock("c", "z#L"), tenant("5", "c", "z"), tenant("6", "c#", "w"), lock("c#", "w"),
		lock("d", "gone"))
	f.run(f.described("scoped", config), setting.Options{})
}
