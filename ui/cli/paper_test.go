package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Columns are as wide as what is shown of them, escapes and wide letters
// included.
func TestTableAligns(t *testing.T) {
	var out strings.Builder
	p := &paper{w: &out}
	p.table(2,
		[]cell{{text: "name"}, {text: "value", right: true}, {text: "end"}},
		[]cell{{text: "李明"}, {text: "7", right: true}, {text: "end"}},
		[]cell{{text: "\x1b[2J"}, {text: "1,000,000", right: true}, {text: "end"}},
	)
	for line := range strings.Lines(out.String()) {
		if at := ansi.StringWidth(line[:strings.Index(line, "end")]); at != 22 {
			t.Errorf("the last column of %q is at %d", line, at)
		}
	}
}

// A cell that is far too wide is shown in full, and leaves the other rows alone.
func TestTableSurvivesAVeryLongValue(t *testing.T) {
	var out strings.Builder
	long := strings.Repeat("v", 2000)
	(&paper{w: &out}).table(0, []cell{{text: "alan"}, {text: "end"}}, []cell{{text: long}, {text: "end"}})
	if want := "alan  end\n" + long + "  end\n"; out.String() != want {
		t.Errorf("got %d bytes, want %d", out.Len(), len(want))
	}
}

func TestHangWrapsBetweenWords(t *testing.T) {
	var out strings.Builder
	p := &paper{w: &out, width: 40}
	p.put(plain, "first     ")
	p.hang(plain, 10, "No account holds the username \"alan\", but its lock exists.")
	want := "first     No account holds the username\n          \"alan\", but its lock exists.\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestColourOnlyWhereItIsWanted(t *testing.T) {
	var out strings.Builder
	p := &paper{w: &out, colour: true}
	p.put(bad, "\x1b[2J")
	if got := out.String(); !strings.Contains(got, `\x1b[2J`) || ansi.Strip(got) != `\x1b[2J` || got == ansi.Strip(got) {
		t.Errorf("got %q", got)
	}
	t.Setenv("NO_COLOR", "")
	if colourful(nil) {
		t.Error("NO_COLOR is set, whatever to")
	}
}
