package check_test

import (
	"flag"
	"os"
	"testing"
)

// long reports whether the tests try all that they know: many random tables under
// traffic, and many orders of reading. TALLYLOCK_LONG=1 says so; CI sets it.
func long() bool { return os.Getenv("TALLYLOCK_LONG") != "" && !testing.Short() }

// runs is how many of something a test tries: all in a long run, and some otherwise.
func runs(all, some int) int {
	if long() {
		return all
	}
	return some
}

// few has a property be tried so many times only, unless the run is long or
// -rapid.checks says how often.
func few(t *testing.T, times string) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if before := checks.Value.String(); !long() && before == checks.DefValue {
		if err := checks.Value.Set(times); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := checks.Value.Set(before); err != nil {
				t.Fatal(err)
			}
		})
	}
}
