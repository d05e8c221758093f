package check_test

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/state"
	"tallylock/dynamo/scan"
	"tallylock/internal/generator"
	"tallylock/internal/s3"
	"tallylock/internal/testrun"
)

// BenchmarkIncrements measures the state of an export of 300,000 items, or of as many millions as TALLYLOCK_ITEMS
// says: accounts, and two locks for each. Every 1,000th account lacks a lock. Each iteration checks an increment of
// 100,000 changes: of every ten accounts that change their e-mail, one leaves its old lock.
func BenchmarkIncrements(b *testing.B) {
	accounts, changes := 100_000, 100_000
	if size, said := testrun.Millions(); said {
		accounts = size * 1_000_000 / 3
	}
	table := openMadeUp(b, &generator.Table{Name: "accounts", Pages: 10, PerPage: 30, Owners: true})
	full, id := b.TempDir(), "00000000-0000-0000-0000-000000000001"
	table.ID = id
	writeRegisteredExport(b, full, id, accounts)
	e, _, err := scan.OpenExports(full)
	if err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	o := setting.Options{Export: e, Confirm: setting.ConfirmNone}
	sum, from, err := check.KeepState(b.Context(), table, o, func(finding.Finding) {}, nil)
	if err != nil || from == nil {
		b.Fatalf("%+v, %v", sum, err)
	}
	took, found, size := time.Since(begun), sum.Found(), stateSize(b, from)
	increment := registeredIncrement(b, id, from.At, accounts, changes)
	for b.Loop() {
		sum, next, err := check.Increments(b.Context(), table, setting.Options{}, from, increment, func(finding.Finding) {}, nil)
		if err != nil || next == nil {
			b.Fatalf("%+v, %v", sum, err)
		}
		b.ReportMetric(float64(sum.Found()), "findings-after")
		b.ReportMetric(float64(stateSize(b, next)), "state-after-B")
	}
	b.ReportMetric(took.Seconds(), "full-s") // after the loop, since the loop forgets metrics
	b.ReportMetric(float64(found), "findings")
	b.ReportMetric(float64(size), "state-B")
}

func stateSize(b *testing.B, s *state.State) int {
	b.Helper()
	var file bytes.Buffer
	if err := s.Encode(&file); err != nil {
		b.Fatal(err)
	}
	return file.Len()
}

// itemOf cuts an item out of its line in an export.
func itemOf(line string) []byte { return []byte(line[len(`{"Item":`) : len(line)-2]) }

// writeRegisteredExport writes a full export, account by account. The same number always gives the same account.
func writeRegisteredExport(b *testing.B, dir, id string, accounts int) {
	b.Helper()
	const files = 8
	var manifest bytes.Buffer
	total := 0
	for n := range files {
		name := filepath.Join(dir, "data", fmt.Sprintf("part%d.json.gz", n))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			b.Fatal(err)
		}
		file, err := os.Create(name)
		if err != nil {
			b.Fatal(err)
		}
		sum := md5.New()
		z, _ := gzip.NewWriterLevel(io.MultiWriter(file, sum), gzip.BestSpeed)
		items := 0
		for k := n * accounts / files; k < (n+1)*accounts/files; k++ {
			p := registeredAs(k)
			lines := append([]string{smallAccount(p)}, p.locks()...)
			if k%1000 == 0 {
				lines = lines[:2]
			}
			items += len(lines)
			for _, line := range lines {
				if _, err := io.WriteString(z, line); err != nil {
					b.Fatal(err)
				}
			}
		}
		if err := z.Close(); err != nil {
			b.Fatal(err)
		}
		file.Close()
		total += items
		fmt.Fprintf(&manifest, `{"itemCount":%d,"md5Checksum":%q,"dataFileS3Key":"data/part%d.json.gz"}`+"\n", items,
			base64.StdEncoding.EncodeToString(sum.Sum(nil)), n)
	}
	write(b, filepath.Join(dir, "manifest-files.json"), manifest.Bytes())
	write(b, filepath.Join(dir, "manifest-summary.json"), fmt.Appendf(nil,
		`{"tableArn":"arn:aws:dynamodb:eu-west-1:123456789012:table/accounts","tableId":%q,"exportTime":"2026-11-20T03:00:00Z",`+
			`"itemCount":%d,"outputFormat":"DYNAMODB_JSON","exportType":"FULL_EXPORT"}`, id, total))
}

func registeredAs(n int) *registered { return newRegistered(rand.New(rand.NewPCG(uint64(n), 1)), n) }

// registeredIncrement writes an increment: accounts that change their e-mail, with the old and the new lock.
func registeredIncrement(b *testing.B, id string, from time.Time, accounts, changes int) []*scan.Increment {
	b.Helper()
	dir := b.TempDir()
	parts := make([][][]byte, 8)
	for n := range changes / 3 {
		old := registeredAs(1 + n*(accounts/changes*3+1)%(accounts-1))
		now := *old
		now.email = "new." + old.email
		at := n % len(parts)
		add := func(key, before, after string) {
			var images [2][]byte
			for k, line := range []string{before, after} {
				if line != "" {
					images[k] = itemOf(line)
				}
			}
			parts[at] = append(parts[at], s3.Change(from, []byte(key), images[0], images[1]))
		}
		add(`{"PK":{"S":"ACCT#`+old.id+`"},"SK":{"S":"PROFILE"}}`, smallAccount(old), smallAccount(&now))
		add(`{"PK":{"S":"UNIQ#EMAIL#`+now.email+`"},"SK":{"S":"LOCK"}}`, "", now.locks()[0])
		if n%10 > 0 {
			add(`{"PK":{"S":"UNIQ#EMAIL#`+old.email+`"},"SK":{"S":"LOCK"}}`, old.locks()[0], "")
		}
	}
	x := s3.Increment{Table: "accounts", TableID: id, From: from, To: from.Add(24 * time.Hour), View: scan.NewAndOldImages}
	if _, err := x.Write(dir, parts...); err != nil {
		b.Fatal(err)
	}
	_, all, err := scan.OpenExports(dir)
	if err != nil {
		b.Fatal(err)
	}
	return all
}
