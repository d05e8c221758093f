package change_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/change"
	"tallylock/dynamo/layout"
)

// A new value that is not spelt as the others are, or that its lock keeps in another
// spelling, is remarked on, and made all the same.
func TestAValueThatIsSpeltOtherwise(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"ada.new@example.org":  "",
		"Ada.New@example.org":  `the lock keeps "ada.new@example.org"`,
		"ada new@example.org":  "without spaces",
		"ada.new.example.org":  "with an @",
		"adä.new@example.org":  "in plain ASCII",
		" ada.new@example.org": `the lock keeps "ada.new@example.org"`,
	} {
		t.Run(to, func(t *testing.T) {
			f := start(t)
			f.create("odd")
			for n := range 8 {
				mail := string(rune('a'+n)) + "@example.org"
				f.put("odd", row("ACCT#"+mail[:1], "PROFILE", "email", mail), row("UNIQ#EMAIL#"+mail, "LOCK"))
			}
			table := f.open("odd", configured(layout.ConstraintConfig{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"trim", "lower"}}))
			p, err := change.PlanValue(t.Context(), table, f.value(table, "email", "a@example.org"), to)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Line(change.LabelSpelt); (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("it says %q; want %q", got, want)
			}
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != change.Applied {
				t.Errorf("%s %v", r.Outcome, r.Reasons)
			}
		})
	}
}
