package fault

import (
	"flag"
	"os"
	"runtime/debug"
	"strings"
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
