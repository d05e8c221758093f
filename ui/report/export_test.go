package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/export"
	"tallylock/dynamo/scan"
	"tallylock/ui/report"
)

// A report of an export names the export and its time. It does not claim that the table was read.
func TestReportOfAnExport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const items = `{"Item":{"PK":{"S":"ACCT#bob"},"SK":{"S":"PROFILE"},"username":{"S":"bob"}}}
{"Item":{"PK":{"S":"UNIQ#HANDLE#bob"},"SK":{"S":"LOCK"}}}
`
	write("data/part.json", items)
	write("manifest-files.json", `{"itemCount":2,"dataFileS3Key":"AWSDynamoDB/1/data/part.json"}`)
	write("manifest-summary.json", `{"tableArn":"arn:aws:dynamodb:eu-west-1:1:table/accounts","exportTime":"2026-11-20T01:02:03Z","itemCount":2,"outputFormat":"DYNAMODB_JSON"}`)
	exported, _, err := scan.OpenExports(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := setting.Options{Confirm: setting.ConfirmNone, Export: exported}
	contains(t, checked(t, "r.html", report.About{Table: open(t, "accounts"), Options: o}),
		"<dt>At</dt><dd>embedded", "<dt>Export</dt><dd>"+dir+", as of 2026-11-20 01:02:03 UTC</dd>", "The whole export was read.")
	table, err := export.OpenTable(t.Context(), exported, dynamo.Options{}, "accounts", export.Keys{"": {"PK", "SK"}})
	if err != nil {
		t.Fatal(err)
	}
	text := checked(t, "r.html", report.About{Table: table, Options: o})
	if strings.Contains(text, "embedded") || strings.Contains(text, "The whole table was read") {
		t.Error(text)
	}
	o = setting.Options{Candidates: &candidates.File{File: "candidates.jsonl", Table: "accounts"}}
	r, err := report.New("r.md")
	if err != nil {
		t.Fatal(err)
	}
	text = written(t, r, report.About{Table: open(t, "accounts"), Options: o}, finding.Summary{Table: "accounts", Complete: true})
	contains(t, text, "Candidates: `candidates.jsonl`", "All candidates were checked; newer values were not.")
	if strings.Contains(text, "The whole table was read") {
		t.Error(text)
	}
	o.Candidates = &candidates.File{Table: "accounts"} // without a file, the candidates come from --run
	text = written(t, r, report.About{Table: open(t, "accounts"), Options: o}, finding.Summary{Table: "accounts", Complete: true})
	contains(t, text, "Candidates: `the SQL of this run`")
}
