package layout_test

import (
	"slices"
	"testing"

	"tallylock/dynamo/layout"
)

func TestVariants(t *testing.T) {
	for _, tc := range []struct {
		word string
		want layout.Variant
	}{
		{"Ada", layout.Variant{Text: "ada", How: "lower case", SameWord: true, Changes: 1}},
		{"ada+news@x.io", layout.Variant{Text: "ada@x.io", How: "without the +tag", SameWord: true, Changes: 1}},
		{"Ada+news@x.io", layout.Variant{Text: "ada@x.io", How: "without the +tag, lower case", SameWord: true, Changes: 2}},
		{"pal", layout.Variant{Text: "p\u0430l", How: "Cyrillic \u0430, U+0430, for the Latin a", Changes: 1}},
		{"Ada.Love+x@x.io", layout.Variant{Text: "adalove@x.io", How: "lower case, without the +tag, without the dots", Changes: 3}},
		{"Zoë", layout.Variant{Text: "zoe", How: "lower case, without accents", Changes: 2}},
		{"a.da@gmail.com", layout.Variant{Text: "ada@gmail.com", How: "without the dots", Changes: 1}},
	} {
		variants := layout.Variants(tc.word)
		if !slices.Contains(variants, tc.want) {
			t.Errorf("the variants of %q lack %+v: %+v", tc.word, tc.want, variants)
		}
		seen := map[string]bool{tc.word: true}
		for _, v := range variants {
			if seen[v.Text] {
				t.Errorf("%q is listed twice among the variants of %q, or is the word itself", v.Text, tc.word)
			}
			seen[v.Text] = true
		}
	}
}
