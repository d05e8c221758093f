package report_test

import (
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
	"tallylock/ui/report"
)

// The key of a recognised counter may contain a customer's name. So its words are masked, unless a person has described
// the counter.
func TestMaskOfCountersThatWereRecognised(t *testing.T) {
	table := open(t, "accounts")
	var found []finding.Finding
	for _, name := range []string{"acme", "globex"} {
		pk, err := layout.ParseTemplate("COUNTER#" + name)
		if err != nil {
			t.Fatal(err)
		}
		sk, err := layout.ParseTemplate("VALUE")
		if err != nil {
			t.Fatal(err)
		}
		table.Layout.Counters = append(table.Layout.Counters, &layout.Counter{Name: name, PK: pk, SK: sk, Attribute: "n"})
		found = append(found, finding.Finding{
			Kind: finding.CounterBehind, Counter: name, Key: attr.Item{"PK": attr.String("COUNTER#" + name), "SK": attr.String("VALUE")},
			Items: []finding.Place{{Table: "accounts", Key: attr.Item{"PK": attr.String("ACCT#" + name), "SK": attr.String("ACCT#" + name)}}},
		})
	}
	for _, configured := range []bool{false, true} {
		table.Layout.Configured = configured
		r, err := report.New("r.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			r.Add(f)
		}
		text := written(t, r, report.About{Table: table, Mask: true}, finding.Summary{Table: "accounts"})
		for _, name := range []string{"acme", "globex"} {
			if strings.Contains(text, name) != configured {
				t.Errorf("configured %t: %q in\n%s", configured, name, text)
			}
		}
	}
}

// A masked report shows no quoted values, wherever they are in its texts. Even without a mask, it shows no AWS account
// ids and no home directories.
func TestMaskOfEveryText(t *testing.T) {
	table := open(t, "accounts")
	for _, path := range []string{"r.html", "r.md"} {
		r, err := report.New(path)
		if err != nil {
			t.Fatal(err)
		}
		r.Add(finding.Finding{
			Kind: finding.OrphanedLock, Constraint: "email", Value: "v", Confirmed: true, Detail: "It is.",
			Evidence: `Read "ada"lovelace" from /home/alice/x. Not excluded: an application's item, such as ` + "GRACE\nHOPPER",
		})
		text := written(t, r, report.About{Table: table, Mask: true}, finding.Summary{
			Table: "arn:aws:dynamodb:eu-west-1:123456789012:table/accounts", Why: `reading /home/alice/part: "turing"`,
			Assumptions: []string{"the layout in C:\\Users\\alice\\config.toml is the application's, as the config's", `"linus" said so`},
			Notes:       []string{"1 value, such as EUCLID\nGAUSS\nEULER"},
		})
		for _, secret := range []string{"ada", "lovelace", "alice", "GRACE", "HOPPER", "turing", "linus", "EUCLID", "GAUSS", "EULER", "123456789012"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %q:\n%s", path, secret, text)
			}
		}
		contains(t, text, "config.toml")
	}
	r, err := report.New("r.md")
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, r, report.About{Table: table}, finding.Summary{Table: "arn:aws:dynamodb:eu-west-1:123456789012:table/accounts"})
	if strings.Contains(text, "123456789012") {
		t.Error(text)
	}
}

// The path of an export or of candidates may name a customer, so a masked report hides it everywhere. An empty
// quotation in a note does no harm.
func TestMaskOfPlaces(t *testing.T) {
	table := open(t, "accounts")
	for name, o := range map[string]setting.Options{
		"a folder of S3":  {Export: &scan.Export{Dir: "s3://acme-customers/ada/AWSDynamoDB/01"}},
		"a directory":     {Export: &scan.Export{Dir: "./acme-ada/export"}},
		"candidates":      {Candidates: &candidates.File{File: "./acme-ada.jsonl", Table: "accounts"}},
		"candidates, too": {Candidates: &candidates.File{File: "acme/ada lovelace.jsonl", Table: "accounts"}},
	} {
		t.Run(name, func(t *testing.T) {
			at := "s3://acme-customers/ada/AWSDynamoDB/01/data/x.json.gz"
			switch {
			case o.Candidates != nil:
				at = filepath.Clean(o.Candidates.File)
			case !strings.HasPrefix(o.Export.Dir, "s3:"):
				at = filepath.Join(o.Export.Dir, "data/x.json.gz")
			}
			s := finding.Summary{Table: "accounts", Why: "reading " + at + ": it is damaged; try again", Notes: []string{"Of " + at + " a part was left out."}}
			for _, path := range []string{"r.html", "r.md"} {
				for _, mask := range []bool{true, false} {
					r, err := report.New(path)
					if err != nil {
						t.Fatal(err)
					}
					text := written(t, r, report.About{Table: table, Options: o, Mask: mask}, s)
					for _, secret := range []string{"acme", "ada", "lovelace"} {
						if strings.Contains(text, secret) == mask && (mask || strings.Contains(at, secret)) {
							t.Errorf("mask %t: %q in\n%s", mask, secret, text)
						}
					}
					contains(t, text, "it is damaged; try again", "a part was left out")
				}
			}
		})
	}
}
