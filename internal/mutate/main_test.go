package main

import (
	"slices"
	"testing"
)

// A listed survivor is stale if no test sends its condition any more.
func TestUnsent(t *testing.T) {
	t.Parallel()
	known := map[string]string{"put: absent": "a reason", "delete: mark": "another reason"}
	if got := unsent(known, []condition{{name: "delete: mark"}}); !slices.Equal(got, []string{"put: absent"}) {
		t.Errorf("stale: %q", got)
	}
}
