package kit_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/kit"
)

func TestLinesAreSanitised(t *testing.T) {
	l := kit.NewLine(kit.NewStyles(kit.Look{Dark: true}), 40, kit.Base)
	l.Put(kit.Text, "\x1b[2J")
	l.Fit(kit.Text, "ends ", l.Width)
	l.Fit(kit.Text, "\u202eabcdefghijklmnop", 12)
	l.Middle(kit.Text, "id ", 9)
	got := ansi.Strip(l.Done())
	if want := `\x1b[2Jends·\u202eabcde…id·`; strings.TrimRight(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestASCIISet(t *testing.T) {
	l := kit.NewLine(kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour, ASCII: true}), 60, kit.Base)
	l.Put(kit.Text, "● ○ ✗ ◐ ◆ ─┬├└│ ▸ … — ✓ ")
	l.Fit(kit.Text, "a long value", 8)
	l.Fit(kit.Text, " é ", l.Width)
	if got := strings.TrimSpace(l.Done()); got != "* o x ~ % -+++| > . - v a long.. \\u00e9\\x20" {
		t.Errorf("%q", got)
	}
}

func TestMiddle(t *testing.T) {
	for in, want := range map[string]string{
		"ACCT#a1f9c3": "ACCT#a1f9c3",
		"ACCT#01a1f2de-c181-7c3f-9d2b-6f1e0a77b1c4": "ACCT#01…b1c4",
	} {
		if got := kit.CutMiddle(in, 12, "…"); got != want {
			t.Errorf("CutMiddle(%q) = %q, want %q", in, got, want)
		}
	}
}

// A number that is cut does not look like a decimal fraction.
func TestACutNumberInASCII(t *testing.T) {
	if got, _ := kit.ASCII("9999…9999 (38 digits), a…"); got != "9999~9999 (38 digits), a." {
		t.Errorf("%q", got)
	}
}
