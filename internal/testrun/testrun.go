// Package testrun prepares the process of a test, and decides on the number of cases in a test. Every
// package of tests may use it. It imports nothing of this program. Start at Isolate and Runs.
package testrun

import (
	"flag"
	"hash/fnv"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// Isolate prepares a process for tests. It removes the tester's AWS settings. It also makes the garbage
// collector run less often, since tests keep little memory.
func Isolate() {
	debug.SetGCPercent(1000)
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "AWS_") {
			_ = os.Unsetenv(name)
		}
	}
	for _, file := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		_ = os.Setenv(file, os.DevNull)
	}
}

// SideBySide sets the number of tests that run at once, unless the flag -parallel is set. Tests that wait
// for the clock or the disk may use a number above the number of cores.
func SideBySide(n string) {
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set(n)
	}
}

// Millions returns the number in TALLYLOCK_ITEMS: the size of generated tables, in millions of items. said is false if
// the variable has no number.
func Millions() (n int, said bool) {
	n, err := strconv.Atoi(os.Getenv("TALLYLOCK_ITEMS"))
	return n, err == nil
}

// Long reports whether tests should try all their cases, as in CI. TALLYLOCK_LONG=1 turns this on. The flag
// -short turns it off again.
func Long() bool { return os.Getenv("TALLYLOCK_LONG") != "" && !testing.Short() }

// Runs returns the number of cases for a test. If Long is true, this is the parameter all, otherwise the
// parameter some.
func Runs(all, some int) int {
	if Long() {
		return all
	}
	return some
}

// Sparse reports whether this is the race detector's short run. That run needs each kind of concurrent code, but not
// each case of code in one goroutine. TALLYLOCK_LONG=1 turns this off.
func Sparse() bool { return Race && testing.Short() && os.Getenv("TALLYLOCK_LONG") == "" }

// OneGoroutine marks a test whose code runs in one goroutine. The test is skipped if Sparse is true.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Sparse() {
		t.Skip("left out under the race detector: this test runs in one goroutine")
	}
}

// OneIn marks a test whose concurrent code other tests run, too. If Sparse is true, only one in n of these tests runs,
// always the same ones.
func OneIn(t testing.TB, n uint32) {
	t.Helper()
	name := fnv.New32a()
	_, _ = name.Write([]byte(t.Name()))
	if Sparse() && name.Sum32()%n != 0 {
		t.Skip("left out under the race detector: other tests run the same concurrent code")
	}
}
