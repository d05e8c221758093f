package fault

import (
	"os"
	"testing"
)

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
