package check_test

import (
	"flag"
	"testing"

	"tallylock/internal/testrun"
)

// few limits how often rapid tries a property. It changes nothing in a long run, or if -rapid.checks is set.
func few(t *testing.T, times string) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if before := checks.Value.String(); !testrun.Long() && before == checks.DefValue {
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
