package say_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// The text of a counter is never cut.
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
		say.DrawHolder(l, nil, f, w)
		if got := strings.TrimSpace(ansi.Strip(l.Done())); got != want {
			t.Errorf("%s: %q, want %q", f.Kind, got, want)
		}
		if what, which := say.Subject(f); f.Kind == finding.DuplicateID && (what != "id" || which != "7") {
			t.Errorf("several of one counter cannot be told apart: %s %s", what, which)
		}
	}
}
