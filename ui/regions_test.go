package ui_test

import (
	"testing"

	"tallylock/dynamo/demo"
	"tallylock/internal/fault"
)

// For a table with replicas, the header shows the number of Regions, and a refused release says why.
func TestTheHeaderNamesTheRegions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		strong       bool
		header, says string
		whole        string // the end of the reason
	}{
		"two Regions":         {false, "2 REGIONS   WRITE", "Tallylock deletes nothing here", "late."},
		"strongly consistent": {true, "2 REGIONS · MRSC   WRITE", "no transactions", "."},
	} {
		t.Run(name, func(t *testing.T) {
			s := onDemo(t)
			d, err := demo.New(t.Context(), fault.WithReplicas("accounts", tc.strong, "eu-west-1"))
			if err != nil {
				t.Fatal(err)
			}
			s.demo = d
			s.connect(t)
			term := s.run(t)
			term.see("● held", tc.header)
			term.press("n")
			term.see("?", tc.whole)
			term.press("r")
			term.see(tc.says)
		})
	}
}
