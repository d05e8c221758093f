package safe_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/safe"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "ada@lovelace.io", "ada@lovelace.io"},
		{"letters of the world", "Łukasz 田中 אבג ไทย", "Łukasz 田中 אבג ไทย"},
		{"title and clear", "\x1b]0;owned\x07\x1b[2Jroot", `\x1b]0;owned\x07\x1b[2Jroot`},
		{"C1 control sequence introducer", "a\u009b2Jb", `a\u009b2Jb`},
		{"raw C1 byte", "a\x9b2Jb", `a\x9b2Jb`},
		{"newline and tab", "a\nb\tc\r", `a\nb\tc\r`},
		{"delete", "a\x7f", `a\x7f`},
		{"right to left override", "gnp.\u202etxt", `gnp.\u202etxt`},
		{"isolates", "\u2066x\u2069", `\u2066x\u2069`},
		{"zero width", "al\u200ban\ufeff", `al\u200ban\ufeff`},
		{"separators", "a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"spaces that are no space", "a\u00a0b\u3000c", `a\u00a0b\u3000c`},
		{"broken UTF-8", "\xff\xc3", `\xff\xc3`},
		{"lone surrogate", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"blank letters", "\u3164\u2800\u115f", `\u3164\u2800\u115f`},
		{"private use", "\ue0b0", `\ue0b0`},
		{"tags", "x\U000e0041", `x\U000e0041`},
		{"family", "👨\u200d👩", `👨\u200d👩`},
		{"mark on nothing", "\u0301a", `\u0301a`},
		{"accent", "e\u0301", "e\u0301"},
		{"flood", "e" + strings.Repeat("\u0301", 6), "e" + strings.Repeat("\u0301", 4) + `\u0301\u0301`},
		{"the replacement character itself", "\ufffd", "\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := safe.Text(c.in); got != c.want {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestValueShowsSpacesAtTheEnd(t *testing.T) {
	got, spans := safe.Value("alan  ")
	if got != "alan··" || len(spans) != 2 || got[spans[1].From:spans[1].To] != "·" {
		t.Errorf("Value = %q %v", got, spans)
	}
	if got, spans := safe.Value("a b"); got != "a b" || spans != nil {
		t.Errorf("Value = %q %v, want it untouched", got, spans)
	}
}

func TestSpansNameTheEscapes(t *testing.T) {
	got, spans := safe.Spans("eve\x1b[2J\u202e!")
	var escapes []string
	for _, s := range spans {
		escapes = append(escapes, got[s.From:s.To])
	}
	if strings.Join(escapes, " ") != `\x1b \u202e` {
		t.Errorf("escapes of %q: %q", got, escapes)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"ada", "\x1b]0;owned\x07\x1b[2Jroot", "a\u0301\u0302\u0303\u0304\u0305\u0306", "👩🏽\u200d🚀 🇩🇪", "กำ ก\u0e33", "\xff\xfe\xed\xa0\x80",
		"한글 \u1112\u1161\u11ab", "हिन्दी", "\u202eabc\u2066", "田中", "\u2028", "ﷺ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, spans := safe.Spans(s)
		if !utf8.ValidString(out) {
			t.Fatalf("%q is not valid UTF-8", out)
		}
		for _, r := range out {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q keeps %U", out, r)
			}
		}
		for _, of := range []func(string) (string, []safe.Span){safe.ASCII, safe.ASCIIValue} {
			if plain, _ := of(s); strings.IndexFunc(plain, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
				t.Fatalf("%q is not ASCII", plain)
			}
		}
		if again := safe.Text(out); again != out {
			t.Fatalf("not idempotent: %q then %q", out, again)
		}
		if ansi.Strip(out) != out {
			t.Fatalf("%q holds a terminal sequence", out)
		}
		if w := ansi.StringWidth(out); w > 8*len(s) {
			t.Fatalf("%q is %d cells wide", out, w)
		}
		if ansi.StringWidth(out+"|") != ansi.StringWidth(out)+1 {
			t.Fatalf("%q swallows what follows it", out)
		}
		end := 0
		for _, sp := range spans {
			if sp.From < end || sp.To <= sp.From || sp.To > len(out) || out[sp.From] != '\\' {
				t.Fatalf("spans %v of %q", spans, out)
			}
			end = sp.To
		}
	})
}

func BenchmarkText(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		safe.Text("katherine@nasa.test")
	}
}

// A person can repeat a text with control characters as it is shown.
func TestAShownTextRepeatsItsOriginal(t *testing.T) {
	for typed, want := range map[string]bool{
		"line\nbreak\ufeff": true, `line\nbreak\ufeff`: true, "line break": false, "": false,
	} {
		if got := safe.Repeats(typed, "line\nbreak\ufeff"); got != want {
			t.Errorf("%q: %v", typed, got)
		}
	}
	if !safe.Repeats(`\ud55cx`, "\ud55cx") {
		t.Error("the text of a terminal with ASCII only is not accepted")
	}
}
