package check_test

import (
	"flag"
	"os"
	"testing"
)

// long reports whether the long worlds are visited, too: many random tables under
// traffic, and many orders of reading. TALLYLOCK_LONG=1 says so; CI sets it.
var long = os.Getenv("TALLYLOCK_LONG") != ""

// few has a property be tried so many times only, unless the long worlds are visited
// or -rapid.checks says how often.
func few(t *testing.T, times string) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if before := checks.Value.String(); !long && before == checks.DefValue {
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
