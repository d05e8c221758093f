package change_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout/config"
)

// A plan mentions letters that only look like the usual letters, even if other accounts have such letters. It does not
// mention names in another alphabet.
func TestAValueThatLooksLikeAnother(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("names")
	for n, name := range []string{"alan", "ada", "李明", "Ольга", "αλέξης", "zoë"} {
		id := string(rune('1' + n))
		f.put("names", row("ACCT#"+id, "PROFILE", "name", name), row("UNIQ#NAME#"+name, "LOCK"))
	}
	table := f.open("names", configured(config.Constraint{Attribute: "name", PK: "UNIQ#NAME#{v}", SK: "LOCK"}))
	for to, want := range map[string]string{
		"аdа@lovelace.io": `it has Cyrillic а (U+0430), and looks like "ada@lovelace.io"`,
		"Аda":             `it has Cyrillic А (U+0410), and looks like "Ada"`,
		"сор":             `it has Cyrillic с (U+0441), and looks like "cop"`,
		"ａda":             `it has Latin ａ (U+FF41), and looks like "ada"`,
		"a\u200bda":       `it has U+200B, and looks like "ada"`,
		"ada лоvelace":    `"лоvelace" has Cyrillic л (U+043B) among Latin letters`,
		"zoë2":            "",
		"Ольга2":          "",
		"王小明":             "",
		"αλέξης2":         "",
	} {
		p, err := planner.ChangeValue(t.Context(), table, f.value(table, "name", "ada"), to)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Line(plan.LabelSpelt); got != want {
			t.Errorf("of %q it says %q; want %q", to, got, want)
		}
	}
}

// A plan mentions a new value if it has an unusual spelling, or if its lock gets another spelling. The change is made
// all the same.
func TestAValueThatIsSpeltOtherwise(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"ada.new@example.org":  "",
		"Ada.New@example.org":  `the lock gets "ada.new@example.org"`,
		"ada new@example.org":  "without spaces",
		"ada.new.example.org":  "with an @",
		"adä.new@example.org":  "in plain ASCII",
		" ada.new@example.org": `the lock gets "ada.new@example.org"`,
	} {
		t.Run(to, func(t *testing.T) {
			f := start(t)
			f.create("odd")
			for n := range 8 {
				mail := string(rune('a'+n)) + "@example.org"
				f.put("odd", row("ACCT#"+mail[:1], "PROFILE", "email", mail), row("UNIQ#EMAIL#"+mail, "LOCK"))
			}
			table := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"trim", "lower"}}))
			p, err := planner.ChangeValue(t.Context(), table, f.value(table, "email", "a@example.org"), to)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Line(plan.LabelSpelt); (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("it says %q; want %q", got, want)
			}
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
				t.Errorf("%s %v", r.Outcome, r.Reasons)
			}
		})
	}
}
