package check_test

import (
	"context"
	"hash/maphash"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/scan"
	"tallylock/internal/generator"
	"tallylock/internal/testrun"
)

// joining adds the keys of locks, and the keys that accounts claim, to a join.
type joining struct {
	key []byte
	add func(key []byte, sign int8)
}

func (j *joining) Visit(r scan.Row, _ scan.Rest) {
	if strings.HasPrefix(r[0].Text, "UNIQ#") {
		j.key = append(j.key[:0], r[0].Text...)
		j.add(j.key, -1)
		return
	}
	for n, prefix := range [...]string{"UNIQ#EMAIL#", "UNIQ#HANDLE#"} {
		if v := &r[2+n]; v.Exists() {
			j.key = append(append(j.key[:0], prefix...), v.Text...)
			j.add(j.key, 1)
		}
	}
}

// joined reads a table, and adds its keys to a join.
func joined(ctx context.Context, t *dynamo.Table, worker func() (add func(key []byte, sign int8), flush func())) (items int64, err error) {
	var flushes []func()
	totals, err := scan.Table(ctx, t.Connection().Client, t.Description, scan.Options{Attributes: columns, MaxReadUnits: -1}, func() scan.Visitor {
		add, flush := worker()
		flushes = append(flushes, flush)
		return &joining{add: add}
	})
	for _, flush := range flushes {
		flush()
	}
	return totals.Items, err
}

// difference is a join with a map. For the hash of each key, the map has the number of claims minus the number of
// locks. Its memory grows with the table.
type difference struct {
	mu   sync.Mutex
	seed maphash.Seed
	left map[uint64]int32
	most int
}

func newDifference() *difference {
	return &difference{seed: maphash.MakeSeed(), left: map[uint64]int32{}}
}

// worker returns the functions for one worker: add adds a key, and flush has to be called at the end.
func (d *difference) worker() (add func(key []byte, sign int8), flush func()) {
	type one struct {
		hash uint64
		sign int8
	}
	some := make([]one, 0, 256)
	flush = func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, s := range some {
			if d.left[s.hash] += int32(s.sign); d.left[s.hash] == 0 {
				delete(d.left, s.hash)
			}
		}
		d.most = max(d.most, len(d.left))
		some = some[:0]
	}
	return func(key []byte, sign int8) {
		if some = append(some, one{maphash.Bytes(d.seed, key), sign}); len(some) == cap(some) {
			flush()
		}
	}, flush
}

// BenchmarkCheck checks a generated table of a million items, or of as many millions as TALLYLOCK_ITEMS says. It
// compares four ways: a scan alone, a scan with a map of the leftover keys, the SDK's paginator with the same map, and
// a whole check, which classifies items by a layout. All ways include the requests and the decoding.
func BenchmarkCheck(b *testing.B) {
	size, said := testrun.Millions()
	if !said {
		size = 1
	}
	table := &generator.Table{Name: "accounts", Pages: 350 * size, PerPage: 1000, Seed: 5}
	open := openMadeUp(b, table)
	service := sdk.Client(table)
	page := 0 // bytes
	first := open.Connection().PageReader(client.PageScan{Table: table.Name, Attributes: columns, Segments: table.Pages})
	if err := first.Read(b.Context(), 0, nil, func(body []byte) (float64, bool, error) { page = len(body); return 0, true, nil }); err != nil {
		b.Fatal(err)
	}
	sdk := 0.0
	for _, way := range []struct {
		name string
		join func(context.Context, *testing.B) (int64, error)
	}{
		{"SDK and map", func(ctx context.Context, _ *testing.B) (int64, error) {
			d, items := newDifference(), int64(0)
			add, flush := d.worker()
			j := joining{add: add}
			in := &dynamodb.ScanInput{TableName: &table.Name, ProjectionExpression: aws.String("PK,SK,email,username")}
			for pages := dynamodb.NewScanPaginator(service, in); pages.HasMorePages(); {
				page, err := pages.NextPage(ctx)
				if err != nil {
					return items, err
				}
				for _, item := range page.Items {
					j.Visit(scan.Row{attr.String(text(item["PK"])), {}, attr.String(text(item["email"])), attr.String(text(item["username"]))}, scan.Rest{})
				}
				items += int64(len(page.Items))
			}
			flush()
			return items, nil
		}},
		{"scan alone", func(ctx context.Context, _ *testing.B) (int64, error) {
			return joined(ctx, open, func() (func([]byte, int8), func()) { return func([]byte, int8) {}, func() {} })
		}},
		{"scan and map", func(ctx context.Context, b *testing.B) (int64, error) {
			d := newDifference()
			items, err := joined(ctx, open, d.worker)
			if len(d.left) > 0 {
				b.Fatal(len(d.left))
			}
			b.ReportMetric(float64(d.most), "most-kept")
			return items, err
		}},
		{"check", func(ctx context.Context, b *testing.B) (int64, error) {
			found, sum, err := run(ctx, open, setting.Options{MaxReadUnits: -1})
			if len(found) > 0 {
				b.Fatal(found)
			}
			return sum.Items, err
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			debug.FreeOSMemory()
			peak := peakHeap(b)
			cpu, items := cpuTime(), int64(0)
			for b.Loop() {
				n, err := way.join(b.Context(), b)
				if err != nil || int(n) != table.Items() {
					b.Fatal(n, err)
				}
				items += n
			}
			seconds := (cpuTime() - cpu).Seconds()
			speed := float64(items) / seconds
			b.ReportMetric(speed/1e6, "Mitems/cpu-s")
			b.ReportMetric(1e9/speed, "cpu-ns/item")
			b.ReportMetric(float64(b.N*table.Pages*page)/1e6/seconds, "MB/cpu-s")
			b.ReportMetric(float64(peak())/(1<<20), "MB-heap")
			if way.name == "SDK and map" {
				sdk = speed
			}
			if sdk > 0 {
				b.ReportMetric(speed/sdk, "x-SDK")
			}
		})
	}
}

// peakHeap watches the heap until the caller calls the returned function. That function returns the greatest growth of
// the heap, in bytes.
func peakHeap(b *testing.B) func() uint64 {
	read := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	first := read()
	most, done, ended := first, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				most = max(most, read())
			}
		}
	}()
	stop := sync.OnceFunc(func() {
		close(done)
		<-ended
	})
	b.Cleanup(stop)
	return func() uint64 {
		stop()
		return most - first
	}
}

// TestHugeTable checks a generated table and watches the memory. With TALLYLOCK_ITEMS the table has as many millions of
// items. It then has 10,000 anomalies, which two readings resolve, and in a second test 250,000, which need a third
// reading. Without TALLYLOCK_ITEMS it has 50,000 items with 300 anomalies, or in a long run a million with 6,000.
func TestHugeTable(t *testing.T) {
	t.Parallel()
	size, said := testrun.Millions()
	if !said {
		t.Run("6 in 1,000", func(t *testing.T) { hugeTable(t, testrun.Runs(1_000_000, 50_000), testrun.Runs(6000, 300)) })
		return
	}
	t.Run("10,000", func(t *testing.T) { hugeTable(t, size*1_000_000, 10_000) })
	t.Run("250,000", func(t *testing.T) { hugeTable(t, size*1_000_000, 250_000) })
}

func hugeTable(t *testing.T, items, anomalous int) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // the setting of the program
	const perPage = 3560                              // items in a page of a megabyte
	wrongs := anomalies(anomalous/5, false)
	table := &generator.Table{Name: "accounts", Pages: items/(3*perPage) + 1, PerPage: perPage, Anomalies: wrongs, Seed: 11}
	o := behind(table)
	o.Settle, o.Layouts = time.Millisecond, uniq("accounts", false)
	open := opened(t, o, table.Name)
	var peak uint64
	var peakStage progress.Stage
	begun, cpu := time.Now(), cpuTime()
	found, lines, seed := 0, uint64(0), maphash.MakeSeed() // kept findings would count as memory of the check
	sum, err := check.Run(t.Context(), open, setting.Options{MaxReadUnits: -1}, func(f finding.Finding) {
		found++
		lines += maphash.String(seed, lineOf(f))
	}, func(s progress.State) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if now := m.Sys - m.HeapReleased; now > peak {
			peak, peakStage = now, s.Stage
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	ours := 2 * float64(sum.Items) / (cpuTime() - cpu).Seconds()
	took, memory := time.Since(begun), peakResident()
	t.Logf("%d items, %d found in %s: %.2f million items a CPU-second, %.0f MB/s read, %d MB of memory at most, in stage %d, %s resident",
		sum.Items, found, took.Round(time.Millisecond), ours/1e6, 2*float64(table.Pages)/took.Seconds(), peak>>20, peakStage, memory)
	if _, said := testrun.Millions(); said && !testrun.Race { // the race detector distorts the times
		sdk := paginated(t, table)
		t.Logf("the SDK's paginator, which only reads: %.2f million items a CPU-second; the check, which reads twice, does %.1f times as many", sdk/1e6, ours/sdk)
	}
	want := wrong(table)
	for _, line := range want {
		lines -= maphash.String(seed, line)
	}
	if found != len(want) || lines != 0 {
		t.Errorf("found %d, want %d, and they are the same: %v", found, len(want), lines == 0)
	}
	if int(sum.Items) != table.Items() || !sum.Complete || !sum.Confirmed {
		t.Errorf("%+v", sum)
	}
	// A check keeps at most 210 MB for 250,000 anomalies, pages included. The limit on garbage is soft.
	if most := uint64(setting.DefaultMemory * 9 / 8); peak > most {
		t.Errorf("it took %d MB", peak>>20)
	}
}

// paginated returns how many items the SDK's paginator reads in one CPU-second, measured on the first million.
func paginated(t *testing.T, table *generator.Table) float64 {
	t.Helper()
	service := sdk.Client(table)
	cpu, items := cpuTime(), 0
	pages := dynamodb.NewScanPaginator(service, &dynamodb.ScanInput{TableName: &table.Name, ProjectionExpression: aws.String("PK,SK,email,username")})
	for pages.HasMorePages() && items < 1_000_000 {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		items += len(page.Items)
	}
	return float64(items) / (cpuTime() - cpu).Seconds()
}

// peakResident returns the most memory that the process has had so far, as Linux counts it. On other systems it is
// "unknown".
func peakResident() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	return strings.TrimSpace(peak)
}
