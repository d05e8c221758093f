package check_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	klauspost "github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"

	"tallylock/dynamo"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/scan"
	"tallylock/internal/generator"
	"tallylock/internal/testrun"
)

// BenchmarkGunzip compares the CPU time of a check of an export with the CPU time of gunzip alone on the same files,
// with as many workers. Each iteration measures both. The metric x-gunzip is check ÷ gunzip by the library that the
// check uses; x-gunzip-std is check ÷ gunzip by Go's standard library. The export has 300,000 items, or as many
// millions as TALLYLOCK_ITEMS says: accounts, and two locks for each.
func BenchmarkGunzip(b *testing.B) {
	accounts := 100_000
	if size, said := testrun.Millions(); said {
		accounts = size * 1_000_000 / 3
	}
	for name, account := range map[string]func(*registered) string{"few attributes": smallAccount, "many attributes": largeAccount} {
		b.Run(name, func(b *testing.B) { benchmarkGunzip(b, accounts, account) })
	}
}

func benchmarkGunzip(b *testing.B, accounts int, account func(*registered) string) {
	dir := b.TempDir()
	size := writeGeneratedExport(b, dir, accounts, account)
	files, err := filepath.Glob(filepath.Join(dir, "data", "*.gz"))
	if err != nil {
		b.Fatal(err)
	}
	table := openMadeUp(b, &generator.Table{Name: "accounts", Pages: 10, PerPage: 30, Owners: true})
	var standard, library, checking float64
	for b.Loop() {
		standard += cpuSeconds(b, func() error {
			return gunzipAll(files, func(in io.Reader) (io.Reader, error) { return gzip.NewReader(in) })
		})
		library += cpuSeconds(b, func() error {
			return gunzipAll(files, func(in io.Reader) (io.Reader, error) { return klauspost.NewReader(in) })
		})
		checking += cpuSeconds(b, func() error { return checkGeneratedExport(b, table, dir, 3*accounts) })
	}
	perItem := 1e9 / float64(b.N) / float64(3*accounts)
	b.ReportMetric(float64(size)/float64(3*accounts), "B/item")
	b.ReportMetric(standard*perItem, "gunzip-std-ns/item")
	b.ReportMetric(library*perItem, "gunzip-ns/item")
	b.ReportMetric(checking*perItem, "check-ns/item")
	b.ReportMetric(checking/standard, "x-gunzip-std")
	b.ReportMetric(checking/library, "x-gunzip")
}

// cpuSeconds returns the CPU time of the process during a call.
func cpuSeconds(b *testing.B, call func() error) float64 {
	b.Helper()
	runtime.GC()
	begun := cpuTime()
	if err := call(); err != nil {
		b.Fatal(err)
	}
	return (cpuTime() - begun).Seconds()
}

func checkGeneratedExport(b *testing.B, table *dynamo.Table, dir string, items int) error {
	b.Helper()
	e, _, err := scan.OpenExports(dir)
	if err != nil {
		return err
	}
	found, sum, err := run(b.Context(), table, setting.Options{Export: e, Confirm: setting.ConfirmNone})
	if err == nil && (len(found) > 0 || int(sum.Items) != items || !sum.Complete) {
		err = fmt.Errorf("%d findings, %d items, %s", len(found), sum.Items, sum.Why)
	}
	return err
}

// gunzipAll unpacks files with one worker for each core, as a check does, and discards the text.
func gunzipAll(files []string, unpack func(io.Reader) (io.Reader, error)) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, file := range files {
		g.Go(func() error {
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			defer f.Close()
			z, err := unpack(bufio.NewReaderSize(f, 1<<16))
			for buf := make([]byte, 1<<16); err == nil; {
				_, err = z.Read(buf)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		})
	}
	return g.Wait()
}

// writeGeneratedExport writes an export of accounts and their locks, in random order. It returns the number of bytes
// of all lines.
func writeGeneratedExport(b *testing.B, dir string, accounts int, account func(*registered) string) (size int) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var lines []string
	for n := range accounts {
		p := newRegistered(random, n)
		lines = append(append(lines, account(p)), p.locks()...)
	}
	random.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
	const files = 8
	var manifest bytes.Buffer
	for n := range files {
		some := lines[n*len(lines)/files : (n+1)*len(lines)/files]
		text := strings.Join(some, "")
		size += len(text)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := io.WriteString(z, text); err != nil {
			b.Fatal(err)
		}
		if err := z.Close(); err != nil {
			b.Fatal(err)
		}
		name := fmt.Sprintf("data/part%d.json.gz", n)
		sum := md5.Sum(packed.Bytes())
		if err := json.NewEncoder(&manifest).Encode(map[string]any{
			"itemCount": len(some), "md5Checksum": base64.StdEncoding.EncodeToString(sum[:]), "dataFileS3Key": name,
		}); err != nil {
			b.Fatal(err)
		}
		write(b, filepath.Join(dir, name), packed.Bytes())
	}
	write(b, filepath.Join(dir, "manifest-files.json"), manifest.Bytes())
	write(b, filepath.Join(dir, "manifest-summary.json"), fmt.Appendf(nil,
		`{"tableArn":"arn:aws:dynamodb:eu-west-1:123456789012:table/accounts","exportTime":"2026-11-20T03:00:00Z",`+
			`"itemCount":%d,"outputFormat":"DYNAMODB_JSON","exportType":"FULL_EXPORT"}`, len(lines)))
	return size
}

// registered is a generated person who has an account.
type registered struct {
	random                                *rand.Rand
	id, email, handle, first, last, since string
}

func newRegistered(random *rand.Rand, n int) *registered {
	p := &registered{random: random}
	var id uuid.UUID
	for n := range id {
		id[n] = byte(random.Uint32())
	}
	p.id = id.String()
	p.first = p.one("Ada Grace Alan Barbara Edsger Donald Frances Ken Dennis Margaret Niklaus Radia Tony John Leslie")
	p.last = p.one("Lovelace Hopper Turing Liskov Dijkstra Knuth Allen Thompson Ritchie Hamilton Wirth Perlman Hoare Backus")
	p.handle = fmt.Sprintf("%s_%s%d", strings.ToLower(p.first), strings.ToLower(p.last), n)
	p.email = fmt.Sprintf("%s.%s.%d@%s", strings.ToLower(p.first), strings.ToLower(p.last), n,
		p.one("gmail.com example.org company.co.uk mail.example.com outlook.com university.edu"))
	p.since = p.day()
	return p
}

// one returns one of the words.
func (p *registered) one(words string) string {
	all := strings.Fields(words)
	return all[p.random.IntN(len(all))]
}

func (p *registered) day() string {
	return time.UnixMilli(1.6e12 + p.random.Int64N(1.5e11)).UTC().Format("2006-01-02T15:04:05.000Z")
}

// locks returns the locks of the account, each as a line of an export.
func (p *registered) locks() (lines []string) {
	for _, pk := range []string{"EMAIL#" + p.email, "HANDLE#" + p.handle} {
		lines = append(lines, fmt.Sprintf(
			`{"Item":{"PK":{"S":"UNIQ#%s"},"SK":{"S":"LOCK"},"entity":{"S":"Unique"},"userId":{"S":%q},"createdAt":{"S":%q}}}`+"\n",
			pk, p.id, p.since))
	}
	return lines
}

// smallAccount returns an account with few attributes that a check does not need.
func smallAccount(p *registered) string {
	return fmt.Sprintf(`{"Item":{"PK":{"S":"ACCT#%s"},"SK":{"S":"PROFILE"},"email":{"S":%q},"username":{"S":%q},`+
		`"name":{"S":"%s %s"},"createdAt":{"S":%q},"logins":{"N":"%d"},"plan":{"S":%q}}}`+"\n",
		p.id, p.email, p.handle, p.first, p.last, p.since, p.random.IntN(5000), p.one("free free free pro team"))
}

// largeAccount returns an account with many attributes that a check does not need, some of them sets and maps.
func largeAccount(p *registered) string {
	hash := make([]byte, 40)
	for n := range hash {
		hash[n] = byte(p.random.Uint32())
	}
	return fmt.Sprintf(`{"Item":{"PK":{"S":"ACCT#%s"},"SK":{"S":"PROFILE"},"entity":{"S":"Account"},"id":{"S":%q},`+
		`"email":{"S":%q},"username":{"S":%q},"firstName":{"S":%q},"lastName":{"S":%q},"createdAt":{"S":%q},`+
		`"updatedAt":{"S":%q},"passwordHash":{"S":"$2b$12$%s"},"logins":{"N":"%d"},"verified":{"BOOL":%v},"plan":{"S":%q},`+
		`"roles":{"SS":["member",%q]},"settings":{"M":{"theme":{"S":%q},"newsletter":{"BOOL":%v},"locale":{"S":%q}}},`+
		`"avatar":{"S":"https://cdn.example.com/avatars/%s/256.png"}}}`+"\n",
		p.id, p.id, p.email, p.handle, p.first, p.last, p.since, p.day(), base64.RawStdEncoding.EncodeToString(hash),
		p.random.IntN(5000), p.random.IntN(4) > 0, p.one("free free free pro team"), p.one("editor admin billing owner"),
		p.one("dark light system"), p.random.IntN(2) > 0, p.one("en-GB de-DE fr-FR ja-JP pt-BR"), p.id)
}
