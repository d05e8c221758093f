package say_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/check/finding"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Each kind of finding has all its words. A kind that no command repairs says why, and only such a kind.
func TestEachKindHasItsWords(t *testing.T) {
	for _, kind := range finding.Kinds() {
		f := finding.Finding{Kind: kind, Constraint: "email", Value: "ada@x.io", Expected: "ADA#1"}
		if say.Kind(kind).Glyph == kit.GlyphUnknown || say.KindMeans(kind) == "" || say.Remedy(kind) == "" {
			t.Errorf("%s lacks its sign, its meaning or its remedy", kind)
		}
		if mends, why := len(mend.Verbs(kind, "")) > 0, say.ByHand(f); mends == (why != "") {
			t.Errorf("%s is mended (%t), and why it is not is %q", kind, mends, why)
		}
		if said := say.FindingMeans(f) + say.ByHand(f); strings.ContainsAny(said, "{}") {
			t.Errorf("%s says %q, with a name for what is not there", kind, said)
		}
	}
}
