package check_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/scan"
	"tallylock/internal/s3"
)

// exportFiles is the number of data files of an export.
const exportFiles = 3

// export writes an export of a table below dir, as DynamoDB exports a table to S3. It returns the folder of the
// manifests.
func (f *fixture) export(dir, table string) string {
	f.t.Helper()
	described, err := f.App().DescribeTable(f.t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		f.t.Fatal(err)
	}
	parts := make([][][]byte, exportFiles)
	for n := range parts {
		in := &dynamodb.ScanInput{TableName: &table, Segment: aws.Int32(int32(n)), TotalSegments: aws.Int32(exportFiles)}
		for pages := dynamodb.NewScanPaginator(f.App(), in); pages.HasMorePages(); {
			page, err := pages.NextPage(f.t.Context())
			if err != nil {
				f.t.Fatal(err)
			}
			for _, item := range page.Items {
				data, err := attributevalue.MarshalMapJSON(item)
				if err != nil {
					f.t.Fatal(err)
				}
				parts[n] = append(parts[n], data)
			}
		}
	}
	root, err := s3.Export{Table: table, TableID: *described.Table.TableId}.Write(dir, parts...)
	if err != nil {
		f.t.Fatal(err)
	}
	return root
}

func zipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// onlyFull refuses incremental exports, as the command does.
func onlyFull(full *scan.Export, increments []*scan.Increment, err error) (*scan.Export, error) {
	if len(increments) > 0 {
		err = increments[0].NotFullError()
	}
	return full, err
}

// exported checks a table by the exports in a directory, with further options.
func exported(ctx context.Context, table *dynamo.Table, dir string, o setting.Options) ([]finding.Finding, finding.Summary, error) {
	var err error
	if o.Export, err = onlyFull(scan.OpenExports(dir)); err != nil {
		return nil, finding.Summary{}, err
	}
	return run(ctx, table, o)
}

// A check of a new export finds the same as a check of the table, and confirms as much. It only saves read units.
func TestExport(t *testing.T) {
	t.Parallel()
	f := start(t)
	for _, name := range []string{"accounts", "members"} {
		dir := t.TempDir()
		f.export(dir, name)
		table := f.open(name)
		for _, confirm := range []setting.Confirm{setting.ConfirmNone, setting.ConfirmReads, setting.ConfirmFull} {
			want, live := f.run(table, setting.Options{Confirm: confirm})
			got, sum, err := exported(t.Context(), table, dir, setting.Options{Confirm: confirm})
			if err != nil {
				t.Fatal(err)
			}
			f.want(got, said(want)...)
			if !sum.Complete || sum.Confirmed != live.Confirmed || sum.Items != live.Items || sum.Accounts != live.Accounts || sum.Locks != live.Locks {
				t.Errorf("%s, %s: %+v; of the table itself %+v", name, confirm, sum, live)
			}
			if sum.ReadUnits >= live.ReadUnits || (confirm == setting.ConfirmNone) != (sum.ReadUnits == 0) {
				t.Errorf("%s, %s: %v units; of the table itself %v", name, confirm, sum.ReadUnits, live.ReadUnits)
			}
			if !slices.ContainsFunc(sum.Notes, func(n string) bool { return strings.Contains(n, "2026-11-20 03:00:00 UTC") }) {
				t.Errorf("it does not say of when the export is: %q", sum.Notes)
			}
			for _, one := range got {
				if confirm == setting.ConfirmNone && !strings.Contains(one.Evidence, "of the export of 2026-11-20") {
					t.Errorf("%s %s: %s", one.Kind, one.Value, one.Evidence)
				}
			}
			if cost := setting.Estimate(table, setting.Options{Confirm: confirm, Export: &scan.Export{}}); (cost.Units() == 0) != (confirm != setting.ConfirmFull) || cost.Units() >= setting.Estimate(table, setting.Options{Confirm: confirm}).Units() {
				t.Errorf("%s is said to cost %v", confirm, cost.Units())
			}
		}
	}
}

// If a problem of the export has ended by the time of the check, the check does not confirm it. It confirms the
// problems that still exist.
func TestExportIsOfThePast(t *testing.T) {
	t.Parallel()
	for _, confirm := range []setting.Confirm{setting.ConfirmReads, setting.ConfirmFull} {
		synctest.Test(t, func(t *testing.T) { exportIsOfThePast(t, confirm) })
	}
}

func exportIsOfThePast(t *testing.T, confirm setting.Confirm) {
	f := start(t)
	f.create("old", "PK:S", "SK:S",
		user("1", "a"), mail("a", owner("1")), // both are deleted later
		mail("b", owner("2")),                                 // an orphan that stays
		mail("c", owner("3")),                                 // an orphan that is released and taken again later
		user("4", "d"),                                        // its lock is missing
		user("5", "e"),                                        // its lock is put later
		user("6", "g"), user("7", "g"), mail("g", owner("6"))) // one account is deleted later
	table, dir := f.described("old", users(owned)), t.TempDir()
	f.export(dir, "old")
	for _, key := range []doc{{"PK": str("USER#1"), "SK": str("PROFILE")}, {"PK": str("MAIL#a"), "SK": str("LOCK")}, {"PK": str("USER#7"), "SK": str("PROFILE")}} {
		if _, err := f.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("old"), Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	f.put("old", user("8", "c"), mail("c", owner("8")), mail("e", owner("5")))
	found, sum, err := exported(t.Context(), table, dir, setting.Options{Confirm: confirm})
	if err != nil || !sum.Complete {
		t.Fatalf("%+v, %v", sum, err)
	}
	f.want(found, "orphaned-lock b", "missing-lock d")
	found, _, err = exported(t.Context(), table, dir, setting.Options{Confirm: setting.ConfirmNone})
	if err != nil {
		t.Fatal(err)
	}
	f.want(found, "orphaned-lock b?", "orphaned-lock c?", "missing-lock d?", "missing-lock e?", "duplicate-value g?")
}

// The check reads counters from the table, after the ids of the export. Without a second reading it uses the counters
// of the export: they are of the same moment as its ids, if the export states its time.
func TestExportAndCounters(t *testing.T) {
	f := start(t)
	f.put("posts", doc{"id": num("50")})
	table, dir := f.open("posts"), t.TempDir()
	root := f.export(dir, "posts")
	found, _, err := exported(t.Context(), table, dir, setting.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.want(found, "counter-behind posts")
	none := setting.Options{Confirm: setting.ConfirmNone}
	found, sum, err := exported(t.Context(), table, dir, none)
	if err != nil || sum.ReadUnits != 0 || len(sum.NotChecked) != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
	f.want(found, "counter-behind posts")
	if len(found) == 1 && (found[0].Seen.Text != "42" || found[0].HighestID != "50" || !strings.Contains(found[0].Evidence, "one moment")) {
		t.Errorf("%+v", found[0])
	}
	table.Layout.SetState(layout.Accepted) // so nobody has described the ids
	found, _, err = exported(t.Context(), table, dir, none)
	if f.want(found, "counter-behind posts?"); err != nil {
		t.Error(err)
	}
	table.Layout.SetState(layout.Described)
	for _, name := range []string{"manifest-files.json", "manifest-summary.json"} {
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	found, _, err = exported(t.Context(), table, dir, none)
	if f.want(found, "counter-behind posts?"); err != nil {
		t.Error(err)
	}
}

// A layout may use several tables. Their exports are in one directory.
func TestExportsOfSeveralTables(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("people", "PK:S", "SK:S", user("1", "a"), user("2", "b"))
	f.create("mails", "PK:S", "SK:S", mail("a"), mail("c"))
	table := f.described("people", users(func(c *config.Constraint) { c.Table = "mails" }))
	dir := t.TempDir()
	first := f.export(dir, "people")
	if _, _, err := exported(t.Context(), table, dir, setting.Options{}); client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "no export of the table mails") {
		t.Errorf("%v", err)
	}
	second := f.export(dir, "mails")
	found, sum, err := exported(t.Context(), table, dir, setting.Options{})
	if err != nil || sum.Items != 4 {
		t.Fatalf("%+v, %v", sum, err)
	}
	f.want(found, "missing-lock b", "orphaned-lock c")
	for _, root := range []string{first, second} {
		for _, name := range []string{"manifest-files.json", "manifest-summary.json"} {
			if err := os.Remove(filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, _, err := exported(t.Context(), table, dir, setting.Options{}); client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "uses several tables, and without manifests it is unknown which file belongs to which table") {
		t.Errorf("%v", err)
	}
}

// An export without its summary is complete if it has all files that its other manifest lists.
func TestExportWithoutItsSummary(t *testing.T) {
	t.Parallel()
	f := start(t)
	dir := t.TempDir()
	if err := os.Remove(filepath.Join(f.export(dir, "accounts"), "manifest-summary.json")); err != nil {
		t.Fatal(err)
	}
	found, sum, err := exported(t.Context(), f.open("accounts"), dir, setting.Options{})
	if err != nil || !sum.Complete || sum.Items != 104 || len(found) != 6 {
		t.Errorf("%d found, %+v, %v", len(found), sum, err)
	}
	if !slices.ContainsFunc(sum.Notes, func(n string) bool { return strings.Contains(n, "summary of the export is missing") }) {
		t.Errorf("%q", sum.Notes)
	}
}

// withoutManifests copies the files of an export, and returns their folder.
func withoutManifests(t *testing.T, export string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(filepath.Join(export, "data"))); err != nil {
		t.Fatal(err)
	}
	return to
}

// A person may name the data folder of an export instead of the whole export. The check still notices a missing file.
func TestFolderOfAnExportsFiles(t *testing.T) {
	f := start(t)
	root := f.export(t.TempDir(), "accounts")
	data := filepath.Join(root, "data")
	if _, sum, err := exported(t.Context(), f.open("accounts"), data, setting.Options{}); err != nil || !sum.Complete {
		t.Errorf("%+v, %v", sum, err)
	}
	for _, name := range []string{filepath.Join("data", "part2.json.gz"), "manifest-summary.json"} {
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, sum, err := exported(t.Context(), f.open("accounts"), data, setting.Options{})
	if err == nil || sum.Complete {
		t.Errorf("%+v, %v", sum, err)
	}
}

// The check also reads files without manifests, compressed or not.
func TestExportWithoutManifests(t *testing.T) {
	f := start(t)
	dir := t.TempDir()
	data := withoutManifests(t, f.export(dir, "accounts"))
	plain := unzipped(t, filepath.Join(data, "part1.json.gz"))
	write(t, filepath.Join(data, "part1.json"), bytes.TrimSuffix(plain, []byte("\n")))
	if err := os.Remove(filepath.Join(data, "part1.json.gz")); err != nil {
		t.Fatal(err)
	}
	found, sum, err := exported(t.Context(), f.open("accounts"), data, setting.Options{})
	if err != nil || !sum.Complete || sum.Items != 104 || len(found) != 6 {
		t.Errorf("%d found, %+v, %v", len(found), sum, err)
	}
	if !slices.ContainsFunc(sum.Notes, func(n string) bool { return strings.Contains(n, "manifests of the export are missing") }) {
		t.Errorf("%q", sum.Notes)
	}
}

// An unpacked file counts as the packed file that the manifest names, if it has the same number of items.
func TestUnpackedExport(t *testing.T) {
	t.Parallel()
	f := start(t)
	root := f.export(t.TempDir(), "accounts")
	packed := filepath.Join(root, "data", "part1.json.gz")
	plain := unzipped(t, packed)
	unpacked := strings.TrimSuffix(packed, ".gz")
	write(t, unpacked, plain)
	if err := os.Remove(packed); err != nil {
		t.Fatal(err)
	}
	found, sum, err := exported(t.Context(), f.open("accounts"), root, setting.Options{})
	if err != nil || !sum.Complete || sum.Items != 104 || len(found) != 6 {
		t.Errorf("%d found, %+v, %v", len(found), sum, err)
	}
	if !slices.ContainsFunc(sum.Notes, func(n string) bool { return strings.Contains(n, "unpacked files of the export: 1") }) {
		t.Errorf("%q", sum.Notes)
	}
	write(t, unpacked, plain[:len(plain)/2])
	if _, _, err = exported(t.Context(), f.open("accounts"), root, setting.Options{}); client.KindOf(err) != client.Failed {
		t.Errorf("half of a file: %v", err)
	}
}

// rewrite writes a file of an export, and the MD5 of a manifest.
func rewrite(t *testing.T, path string, data []byte) {
	t.Helper()
	write(t, path, data)
	if name, manifest := strings.CutSuffix(path, ".json"); manifest {
		sum := md5.Sum(data)
		write(t, name+".md5", []byte(base64.StdEncoding.EncodeToString(sum[:])))
	}
}

// unzipped returns the text of a packed file.
func unzipped(t *testing.T, path string) []byte {
	t.Helper()
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return plain.Bytes()
}

// The check accepts no export that is damaged or belongs to another table: it is incomplete, finds nothing, and names
// the file.
func TestDamagedExports(t *testing.T) {
	t.Parallel()
	edit := func(t *testing.T, path string, change func([]byte) []byte) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rewrite(t, path, change(data))
	}
	said := func(old, now string) func(*testing.T, string) {
		return func(t *testing.T, root string) {
			for _, name := range []string{"manifest-files.json", "manifest-summary.json"} {
				edit(t, filepath.Join(root, name), func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(now), 1) })
			}
		}
	}
	part := func(change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, root string) { edit(t, filepath.Join(root, "data", "part1.json.gz"), change) }
	}
	bare := func(name string, data []byte) func(*testing.T, string) { // without manifests
		return func(t *testing.T, root string) {
			if err := os.RemoveAll(root); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(root, name), data)
		}
	}
	item := `{"Item":{"PK":{"S":"ACCT#1"},"SK":{"S":"PROFILE"}}}` + "\n"
	both := func(t *testing.T, root string) {
		bare("x.json", []byte(item))(t, root)
		write(t, filepath.Join(root, "x.json.gz"), zipped(t, []byte(item)))
	}
	doubled := func(t *testing.T, root string) {
		bare("x.json", []byte(item))(t, root)
		write(t, filepath.Join(root, "x2.json"), []byte(item))
	}
	for name, c := range map[string]struct {
		damage func(*testing.T, string)
		kind   client.Kind
		says   []string
	}{
		"a file is cut":                 {part(func(b []byte) []byte { return b[:len(b)/2] }), client.Failed, []string{"part1.json.gz", "the file ends early, after", "download the file again"}},
		"a file is empty":               {part(func([]byte) []byte { return nil }), client.Failed, []string{"part1.json.gz", "the file is empty"}},
		"a file has one byte":           {part(func(b []byte) []byte { return b[:1] }), client.Failed, []string{"part1.json.gz", "the file ends early, after 0 items"}},
		"a packed file is unpacked":     {part(func([]byte) []byte { return []byte(item) }), client.Failed, []string{"part1.json.gz", "the file is not compressed", "rename the file to part1.json"}},
		"a line in the middle is wrong": {part(func([]byte) []byte { return zipped(t, []byte(item+item+"{}\n"+item)) }), client.Failed, []string{"part1.json.gz", "a line is not an item of an export, after 2 items"}},
		"the end of a file is missing": {part(func([]byte) []byte {
			return zipped(t, []byte(item+item+item[:30]))
		}), client.Failed, []string{"part1.json.gz", "the file ends early, after 2 items"}},
		"a file is there twice": {func(t *testing.T, root string) {
			data, err := os.ReadFile(filepath.Join(root, "data", "part0.json.gz"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(root, "data", "part1.json.gz"), data)
		}, client.Failed, []string{"part1.json.gz", "the file has the same content as part0.json.gz"}},
		"two files are swapped": {func(t *testing.T, root string) {
			at := func(name string) string { return filepath.Join(root, "data", name) }
			for _, move := range [][2]string{{"part0.json.gz", "x"}, {"part1.json.gz", "part0.json.gz"}, {"x", "part1.json.gz"}} {
				if err := os.Rename(at(move[0]), at(move[1])); err != nil {
					t.Fatal(err)
				}
			}
		}, client.Failed, []string{"the file has the same content as part"}},
		"a file is listed twice":           {said("data/part1.json.gz", "data/part0.json.gz"), client.Failed, []string{"manifest-files.json", "it names part0.json.gz twice"}},
		"fewer items than none":            {said(`"itemCount":`, `"itemCount":-`), client.Failed, []string{"manifest-files.json", "a negative number of items"}},
		"packed and unpacked":              {both, client.Usage, []string{"x.json.gz is there twice, packed and unpacked"}},
		"the same file, twice":             {doubled, client.Failed, []string{"the file has the same content as x"}},
		"another file in its folder":       {bare("package.json", []byte("{\n\"name\": \"x\"\n}\n")), client.Failed, []string{"package.json", "a line is not an item of an export, after 0 items", "move the file elsewhere if it is not a file of the export"}},
		"a byte is turned":                 {part(func(b []byte) []byte { b[len(b)/2] ^= 4; return b }), client.Failed, []string{"part1.json.gz"}},
		"a checksum is wrong":              {part(func(b []byte) []byte { b[len(b)-6] ^= 4; return b }), client.Failed, []string{"part1.json.gz"}},
		"something follows":                {part(func(b []byte) []byte { return append(b, "more"...) }), client.Failed, []string{"part1.json.gz"}},
		"another file is in its place":     {part(func([]byte) []byte { return zipped(t, []byte(item)) }), client.Failed, []string{"part1.json.gz", "the file has 1 item, but the manifest says"}},
		"the same items, otherwise packed": {part(func(b []byte) []byte { return append(b, zipped(t, nil)...) }), client.Failed, []string{"part1.json.gz", "MD5"}},
		"a file is missing": {func(t *testing.T, root string) {
			if err := os.Remove(filepath.Join(root, "data", "part2.json.gz")); err != nil {
				t.Fatal(err)
			}
		}, client.Failed, []string{"part2.json.gz", "the manifest names this file, but the file does not exist"}},
		"a file and the summary are missing": {func(t *testing.T, root string) {
			for _, name := range []string{filepath.Join("data", "part2.json.gz"), "manifest-summary.json"} {
				if err := os.Remove(filepath.Join(root, name)); err != nil {
					t.Fatal(err)
				}
			}
		}, client.Failed, []string{"part2.json.gz", "the manifest names this file, but the file does not exist"}},
		"a manifest is missing": {func(t *testing.T, root string) {
			if err := os.Remove(filepath.Join(root, "manifest-files.json")); err != nil {
				t.Fatal(err)
			}
		}, client.Failed, []string{"manifest-files.json"}},
		"a manifest is cut": {func(t *testing.T, root string) {
			edit(t, filepath.Join(root, "manifest-files.json"), func(b []byte) []byte { return b[:len(b)-40] })
		}, client.Failed, []string{"manifest-files.json", "not a manifest"}},
		"a line of a manifest is missing": {func(t *testing.T, root string) {
			edit(t, filepath.Join(root, "manifest-files.json"), func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] })
		}, client.Failed, []string{"manifest-files.json", "together"}},
		"a summary has another MD5": {func(t *testing.T, root string) {
			path := filepath.Join(root, "manifest-summary.json")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, bytes.Replace(data, []byte("2026-11-20"), []byte("2026-11-21"), 1))
		}, client.Failed, []string{"manifest-summary.json", "its MD5 differs from the MD5 in manifest-summary.md5"}},
		"a list of files has another MD5": {func(t *testing.T, root string) {
			write(t, filepath.Join(root, "manifest-files.md5"), []byte("1B2M2Y8AsgTpgAmY7PhCfg=="))
		}, client.Failed, []string{"manifest-files.json", "its MD5 differs from the MD5 in manifest-files.md5"}},
		"a summary is none":     {said(`"version"`, `version`), client.Failed, []string{"manifest-summary.json"}},
		"a file elsewhere":      {said("prefix/AWSDynamoDB/0123-accounts/data/part0.json.gz", "/../../../../etc/passwd"), client.Failed, []string{filepath.Join("data", "passwd"), "the manifest names this file, but the file does not exist"}},
		"a file that is none":   {said("prefix/AWSDynamoDB/0123-accounts/data/part0.json.gz", ""), client.Failed, []string{"data"}},
		"Amazon Ion":            {said("DYNAMODB_JSON", "ION"), client.Usage, []string{"ION", "DynamoDB JSON"}},
		"an incremental export": {said("FULL_EXPORT", "INCREMENTAL_EXPORT"), client.Usage, []string{"INCREMENTAL_EXPORT"}},
		"another table":         {said(":table/accounts", ":table/members"), client.Usage, []string{"only of members"}},
		"a table of before":     {said(`"tableId":"`, `"tableId":"0`), client.Usage, []string{"a different table that was also called accounts"}},
		"two exports": {func(t *testing.T, root string) {
			if err := os.CopyFS(root+"-again", os.DirFS(root)); err != nil {
				t.Fatal(err)
			}
		}, client.Usage, []string{"2 exports of the table accounts"}},
		"nothing": {func(t *testing.T, root string) {
			if err := os.RemoveAll(root); err != nil {
				t.Fatal(err)
			}
		}, client.Usage, []string{"no manifests of an export"}},
		"no items":               {bare("x.json", []byte(`{"Metadata":{},"Keys":{},"NewImage":{}}`)), client.Failed, []string{"x.json", "after 0 items"}},
		"a half line":            {bare("x.json", []byte(item+item[:30])), client.Failed, []string{"x.json", "the file ends early, after 1 item"}},
		"no text":                {bare("x.json", []byte(strings.Replace(item, "#", "\xff", 1))), client.Failed, []string{"x.json"}},
		"not packed":             {bare("x.json.gz", []byte(item)), client.Failed, []string{"x.json.gz"}},
		"an empty packed file":   {bare("x.json.gz", nil), client.Failed, []string{"x.json.gz", "the file is empty"}},
		"a line without an end":  {bare("x.json.gz", zipped(t, slices.Concat([]byte(item), bytes.Repeat([]byte(" "), 32<<20)))), client.Failed, []string{"longer than an item can be"}},
		"half an item, for ever": {bare("x.json.gz", zipped(t, slices.Concat([]byte(item[:40]), bytes.Repeat([]byte("x"), 32<<20)))), client.Failed, []string{"x.json.gz"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			dir := t.TempDir()
			c.damage(t, f.export(dir, "accounts"))
			found, sum, err := exported(t.Context(), f.open("accounts"), dir, setting.Options{})
			if client.KindOf(err) != c.kind || err == nil || len(found) > 0 || sum.Complete {
				t.Fatalf("%d found, %+v, %v", len(found), sum, err)
			}
			for _, text := range c.says {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%q does not say %q", err, text)
				}
			}
		})
	}
}

// The export is of another table, so its items have other keys. The check is incomplete, and calls no table clean.
func TestExportOfAnotherTable(t *testing.T) {
	f := start(t)
	dir := t.TempDir()
	data := withoutManifests(t, f.export(dir, "posts"))
	found, sum, err := exported(t.Context(), f.open("accounts"), data, setting.Options{})
	if err != nil || len(found) > 0 || sum.Complete || !strings.Contains(sum.Why, "another table") {
		t.Errorf("%d found, %+v, %v", len(found), sum, err)
	}
}

// A check of an export says that it was stopped.
func TestExportStopped(t *testing.T) {
	f := start(t)
	dir := t.TempDir()
	f.export(dir, "accounts")
	table := f.open("accounts")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, sum, err := exported(ctx, table, dir, setting.Options{Confirm: setting.ConfirmNone}); client.KindOf(err) != client.Cancelled || sum.Complete || !slices.Contains(sum.Notes, "the check was stopped before it read any item") && !slices.ContainsFunc(sum.Notes, func(n string) bool { return strings.HasPrefix(n, "the check was stopped after 0 of about ") }) {
		t.Errorf("%+v, %v", sum, err)
	}
}

// BenchmarkExport measures how fast a check reads an export, packed and unpacked. Unpacking is the limit.
func BenchmarkExport(b *testing.B) {
	var lines bytes.Buffer
	const items = 100_000
	for n := range items {
		fmt.Fprintf(&lines, `{"Item":{"PK":{"S":"ACCT#%07d"},"SK":{"S":"PROFILE"},"email":{"S":"user.%d@example.com"},"username":{"S":"handle.%d"}}}`+"\n", n, n, n)
	}
	table := madeUp()
	open := openMadeUp(b, table)
	for name, data := range map[string][]byte{"plain.json": lines.Bytes(), "packed.json.gz": zipped(b, lines.Bytes())} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			write(b, filepath.Join(dir, name), data)
			export, _, err := scan.OpenExports(dir)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(lines.Len()))
			for b.Loop() {
				sum, err := check.Run(b.Context(), open, setting.Options{Confirm: setting.ConfirmNone, Export: export, Only: []finding.Kind{finding.CounterBehind}}, func(finding.Finding) {}, nil)
				if err != nil || sum.Items != items {
					b.Fatal(sum, err)
				}
			}
			b.ReportMetric(float64(b.N)*items/b.Elapsed().Seconds()/1e6, "Mitems/s")
		})
	}
}
