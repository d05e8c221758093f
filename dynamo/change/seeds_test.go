package change_test

import (
	"flag"
	"testing"

	"pgregory.net/rapid"
)

// seeds calls visit with n seeds, which are the same on every run, and fails the test if visit returns a mistake. With
// -rapid.checks=N it also tries random seeds.
func seeds(t *testing.T, n int, visit func(seed uint64) string) {
	t.Helper()
	for seed := range uint64(n) {
		if wrong := visit(seed); wrong != "" {
			t.Errorf("seed %d: %s", seed, wrong)
		}
	}
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		return
	}
	rapid.Check(t, func(rt *rapid.T) {
		if wrong := visit(rapid.Uint64().Draw(rt, "seed")); wrong != "" {
			rt.Fatal(wrong)
		}
	})
}
