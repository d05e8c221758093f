package layout_test

import (
	"slices"
	"testing"
	"unicode"

	"tallylock/dynamo/layout"
)

// trimmed lists the code points that JavaScript's String.prototype.trim removes: WhiteSpace and LineTerminator in
// ECMAScript.
var trimmed = []rune{
	'\t', '\n', '\v', '\f', '\r', ' ', 0x00a0, 0x1680,
	0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a,
	0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
}

// The normaliser trim removes the same characters as JavaScript's trim. Spellings that differ only in white space of
// JavaScript or Unicode are near misses.
func TestTrimIsJavaScripts(t *testing.T) {
	for r := range unicode.MaxRune + 1 {
		if !unicode.IsGraphic(r) && !unicode.IsControl(r) && r != 0xfeff && !unicode.IsSpace(r) {
			continue
		}
		text := string(r) + "ada" + string(r)
		want := text
		if slices.Contains(trimmed, r) {
			want = "ada"
		}
		if got := layout.Normalise([]layout.Normaliser{layout.Trim}, text); got != want {
			t.Errorf("%U: trimmed to %q", r, got)
		}
		if near := layout.Fold(text) == "ada" && layout.FoldPart(text) == "ada"; near != (slices.Contains(trimmed, r) || r == 0x85) {
			t.Errorf("%U: a near miss: %t", r, near)
		}
	}
	if got := layout.Normalise([]layout.Normaliser{layout.Trim}, "\ufeff a\ufeffb \u00a0"); got != "a\ufeffb" {
		t.Errorf("%q: within a value nothing is taken off", got)
	}
}
