package check_test

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/generator"
)

// difference joins by a map: what is left over of locks and of what accounts call
// for, by a hash of the key. Its memory follows the table.
type difference struct {
	mu   sync.Mutex
	seed maphash.Seed
	left map[uint64]int32
	most int
}

func (d *difference) add(key string, sign int32) {
	h := maphash.String(d.seed, key)
	if d.left[h] += sign; d.left[h] == 0 {
		delete(d.left, h)
	}
	d.most = max(d.most, len(d.left))
}

func (d *difference) item(pk, email, username string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if strings.HasPrefix(pk, "UNIQ#") {
		d.add(pk, -1)
		return
	}
	d.add("UNIQ#EMAIL#"+email, 1)
	d.add("UNIQ#HANDLE#"+username, 1)
}

func (d *difference) Visit(r check.Row) { d.item(r[0].Text, r[2].Text, r[3].Text) }

// BenchmarkCheck checks a made-up table of a million items and more, and compares
// ways to join locks with accounts: the sketch, within the whole check; a map of
// what is left over; and that map over the SDK's own paginator. All of it counts:
// requests, decoding, telling what items are.
func BenchmarkCheck(b *testing.B) {
	table := &generator.Table{Name: "accounts", Pages: 400, PerPage: 1000, Seed: 5}
	open := openMadeUp(b, table)
	conn := open.Connection()
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://generator.invalid"),
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), HTTPClient: &http.Client{Transport: table},
	})
	for _, way := range []struct {
		name string
		join func(context.Context) (int64, error)
	}{
		{"check", func(ctx context.Context) (int64, error) {
			found, sum, err := run(ctx, open, check.Options{MaxReadUnits: -1})
			if len(found) > 0 {
				b.Fatal(found)
			}
			return sum.Items, err
		}},
		{"scan and map", func(ctx context.Context) (int64, error) {
			d := &difference{seed: maphash.MakeSeed(), left: map[uint64]int32{}}
			totals, err := check.Scan(ctx, conn, open.Description, check.ScanOptions{Attributes: columns, MaxReadUnits: -1}, func() check.Visitor { return d })
			b.ReportMetric(float64(d.most), "most-kept")
			return totals.Items, err
		}},
		{"SDK and map", func(ctx context.Context) (int64, error) {
			d := &difference{seed: maphash.MakeSeed(), left: map[uint64]int32{}}
			items := int64(0)
			in := &dynamodb.ScanInput{TableName: &table.Name, ProjectionExpression: aws.String("PK,SK,email,username")}
			for pages := dynamodb.NewScanPaginator(client, in); pages.HasMorePages(); {
				page, err := pages.NextPage(ctx)
				if err != nil {
					return items, err
				}
				text := func(v types.AttributeValue) string {
					s, _ := v.(*types.AttributeValueMemberS)
					if s == nil {
						return ""
					}
					return s.Value
				}
				for _, item := range page.Items {
					d.item(text(item["PK"]), text(item["email"]), text(item["username"]))
				}
				items += int64(len(page.Items))
			}
			return items, nil
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			cpu, items := cpuTime(), int64(0)
			for b.Loop() {
				n, err := way.join(b.Context())
				if err != nil || int(n) != table.Items() {
					b.Fatal(n, err)
				}
				items += n
			}
			b.ReportMetric(float64(items)/(cpuTime()-cpu).Seconds()/1e6, "Mitems/cpu-s")
		})
	}
}

// millions is how many millions of items the proofs are made with: as many as
// TALLYLOCK_ITEMS says, and few without it.
func millions() (n int, said bool) {
	n, err := strconv.Atoi(os.Getenv("TALLYLOCK_ITEMS"))
	return n, err == nil
}

// TestHugeTable checks as many millions of items as TALLYLOCK_ITEMS says, with
// 10,000 anomalies among them, and watches the memory. Without it, one million.
func TestHugeTable(t *testing.T) {
	const perPage = 3560 // pages of a megabyte
	size, said := millions()
	wrongs := anomalies(10_000/6, false)
	wrongs[0].Count += 10_000 % 6
	if !said {
		size, wrongs = 1, anomalies(1000, false)
	}
	table := &generator.Table{Name: "accounts", Pages: size*1_000_000/(3*perPage) + 1, PerPage: perPage, Anomalies: wrongs, Seed: 11}
	conn, err := dynamo.Connect(t.Context(), dynamo.Options{Transport: table, Region: "us-east-1", Layout: "uniq", Settle: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	open, err := conn.Open(t.Context(), table.Name)
	if err != nil {
		t.Fatal(err)
	}
	var peak uint64
	begun, cpu := time.Now(), cpuTime()
	var found []check.Finding
	sum, err := check.Run(t.Context(), open, check.Options{MaxReadUnits: -1}, func(f check.Finding) {
		f.Relation = nil
		found = append(found, f)
	}, func(check.State) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.Sys-m.HeapReleased)
	})
	if err != nil {
		t.Fatal(err)
	}
	ours := 2 * float64(sum.Items) / (cpuTime() - cpu).Seconds()
	took, memory := time.Since(begun), peakResident()
	sdk := paginated(t, table)
	t.Logf("%d items, %d found in %s: %.2f million items a CPU-second, %.0f MB/s read, %d MB of memory at most, %s resident",
		sum.Items, len(found), took.Round(time.Millisecond), ours/1e6, 2*float64(table.Pages)/took.Seconds(), peak>>20, memory)
	t.Logf("the SDK's paginator, which only reads: %.2f million items a CPU-second; the check, which reads twice, does %.1f times as many", sdk/1e6, ours/sdk)
	if got, want := seen(found), wrong(table); !slices.Equal(got, want) {
		t.Errorf("found %d, want %d: %s", len(got), len(want), fmt.Sprint(got[:min(len(got), 3)]))
	}
	if int(sum.Items) != table.Items() || !sum.Complete || !sum.Confirmed {
		t.Errorf("%+v", sum)
	}
	if peak > check.DefaultMemory {
		t.Errorf("it took %d MB", peak>>20)
	}
}

// paginated is how many items of a table the SDK's paginator reads in a second of
// a core, by the first million.
func paginated(t *testing.T, table *generator.Table) float64 {
	t.Helper()
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://generator.invalid"),
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), HTTPClient: &http.Client{Transport: table},
	})
	cpu, items := cpuTime(), 0
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &table.Name, ProjectionExpression: aws.String("PK,SK,email,username")})
	for pages.HasMorePages() && items < 1_000_000 {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		items += len(page.Items)
	}
	return float64(items) / (cpuTime() - cpu).Seconds()
}

// peakResident is the most memory that the process has had so far, as Linux
// counts it; elsewhere that is not known.
func peakResident() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	return strings.TrimSpace(peak)
}
