package report_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/ui/report"
)

// counted counts the bytes that are written.
type counted struct{ n int64 }

func (c *counted) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

// manyFindings returns n findings of several kinds, equally many of each kind. Their texts are as long as the texts of
// a check of the sample tables.
func manyFindings(t testing.TB, about report.About, n, kinds int) (all []finding.Finding, s finding.Summary) {
	t.Helper()
	var found []finding.Finding
	s, err := check.Run(t.Context(), about.Table, about.Options, func(f finding.Finding) { found = append(found, f) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Findings = map[finding.Kind]int{}
	for at := range n {
		f := found[at%len(found)]
		value := fmt.Sprintf("evelyn.%05d@customers.example.com", at)
		f.Detail = strings.ReplaceAll(f.Detail, f.Value, value)
		f.Kind, f.Value, f.Relation = finding.Kinds()[at%kinds], value, nil
		f.Lock = attr.Item{"PK": attr.String("UNIQ#EMAIL#" + value), "SK": attr.String("LOCK")}
		s.Findings[f.Kind]++
		all = append(all, f)
	}
	return all, s
}

// BenchmarkReport measures reports of 20,000 findings.
func BenchmarkReport(b *testing.B) {
	about := report.About{Table: open(b, "accounts"), Began: time.Now(), Ended: time.Now()}
	for _, kinds := range []int{1, 10} {
		found, s := manyFindings(b, about, 20_000, kinds)
		for _, path := range []string{"r.html", "r.md"} {
			b.Run(fmt.Sprintf("%s of %d kinds", path[2:], kinds), func(b *testing.B) {
				var wrote counted
				for b.Loop() {
					r, err := report.New(path)
					if err != nil {
						b.Fatal(err)
					}
					for _, f := range found {
						r.Add(f)
					}
					wrote.n = 0
					if err := r.Write(io.Writer(&wrote), about, s); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(wrote.n), "bytes")
			})
		}
	}
}
