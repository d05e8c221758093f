package fault

import (
	"flag"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// Isolate prepares a process for tests: the tester's own AWS settings do not reach them,
// and garbage is collected less often, for tests keep little and throw away much.
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

// SideBySide lets so many tests run at a time, unless -parallel says how many: more than
// there are cores, where tests wait for the clock or the disk.
func SideBySide(n string) {
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set(n)
	}
}

// Long reports whether tests are to try all that they know, as in CI, and not only what
// a minute allows. TALLYLOCK_LONG=1 says so.
func Long() bool { return os.Getenv("TALLYLOCK_LONG") != "" && !testing.Short() }

// Runs is how many of something a test tries: all in a long run, and some otherwise.
func Runs(all, some int) int {
	if Long() {
		return all
	}
	return some
}
