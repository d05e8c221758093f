package findings

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Requests that were sent again are told, with the endpoint's reasons.
func TestThrottled(t *testing.T) {
	for want, s := range map[string]progress.State{
		"":               {},
		"throttled once": {Throttled: 1},
		"throttled twice (KeyRangeThroughputExceeded) · asked again 1,200 times": {
			Throttled: 2, Repeated: 1200, Reasons: map[string]int64{"KeyRangeThroughputExceeded": 2},
		},
	} {
		if got := throttled(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What stands in a counter is never cut.
func TestCountersOfFindings(t *testing.T) {
	for want, f := range map[string]finding.Finding{
		"20,417, 20,423 in use": {Kind: finding.CounterBehind, Counter: "invoices", Seen: attr.Number("20417"), HighestID: "20423"},
		"9007199254741993":      {Kind: finding.CounterUnsafe, Counter: "events", Seen: attr.Number("9007199254741993")},
		`"A-1007"`:              {Kind: finding.CounterNotNumber, Counter: "badges", Seen: attr.String("A-1007")},
		"2 items":               {Kind: finding.DuplicateID, Counter: "orders", ID: "7", Items: make([]finding.Place, 2)},
		"no counter":            {Kind: finding.CounterMissing, Counter: "orders", HighestID: "7"},
	} {
		w := 22
		if f.Kind == finding.CounterUnsafe {
			w = 16
		}
		l := kit.NewLine(kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour}), w, kit.Base)
		drawWho(l, shown{row: &row{f: f}}, w)
		if got := strings.TrimSpace(ansi.Strip(l.Done())); got != want {
			t.Errorf("%s: %q, want %q", f.Kind, got, want)
		}
		if what, which := say.Subject(f); f.Kind == finding.DuplicateID && (what != "id" || which != "7") {
			t.Errorf("several of one counter cannot be told apart: %s %s", what, which)
		}
	}
}
