package check_test

import (
	"math"
	"runtime"
	"testing"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/scan"
	"tallylock/internal/generator"
	"tallylock/internal/testrun"
)

// Reading a large table needs at most 16 bytes and 0.2 allocations for each item, requests included. Checking it needs
// no more allocations. BenchmarkScan measures the speed.
func TestItemsMakeHardlyAnyGarbage(t *testing.T) {
	if testrun.Race {
		t.Skip("the race detector has pools forget what they keep, and so pages are made anew: run it without -race")
	}
	// Each page has 1 MiB. The table has many pages, so one-time allocations hardly count.
	table := &generator.Table{Name: "accounts", Pages: testrun.Runs(96, 36), PerPage: 3560}
	conn := connected(t, behind(table))
	description, err := conn.Describe(t.Context(), table.Name)
	if err != nil {
		t.Fatal(err)
	}
	open := openMadeUp(t, table)
	for name, read := range map[string]func() (items int, err error){
		"a scan": func() (int, error) {
			var c counting
			_, err := scan.Table(t.Context(), conn.Client, description, scan.Options{Attributes: columns, Segments: 1, Workers: 1, MaxReadUnits: -1}, func() scan.Visitor { return &c })
			return c.items, err
		},
		"a check": func() (int, error) {
			_, sum, err := run(t.Context(), open, setting.Options{
				MaxReadUnits: -1, Segments: 1,
				Only: []finding.Kind{finding.OrphanedLock, finding.MissingLock, finding.DuplicateValue, finding.ExpiringAccount}, // a check of other kinds also looks for suggestions
			})
			return int(sum.Items), err
		},
	} {
		// The first reading warms up. During a later reading, the garbage collector may empty the pools.
		bytes, allocations := math.Inf(1), math.Inf(1)
		for range 4 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if n, err := read(); err != nil || n != table.Items() {
				t.Fatal(n, err)
			}
			runtime.ReadMemStats(&after)
			items := float64(table.Items())
			bytes = min(bytes, float64(after.TotalAlloc-before.TotalAlloc)/items)
			allocations = min(allocations, float64(after.Mallocs-before.Mallocs)/items)
		}
		t.Logf("%s: %.1f bytes and %.3f allocations an item", name, bytes, allocations)
		if allocations > 0.2 || name == "a scan" && bytes > 16 {
			t.Errorf("%s makes %.1f bytes and %.3f allocations an item", name, bytes, allocations)
		}
	}
}
