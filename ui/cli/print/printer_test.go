package print

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/kit"
)

func TestHangWrapsBetweenWords(t *testing.T) {
	var out strings.Builder
	p := &Printer{W: &out, Width: 40}
	p.Put(kit.Text, "first     ")
	p.Hang(kit.Text, 10, "No account holds the username \"alan\", but its lock exists.")
	want := "first     No account holds the username\n          \"alan\", but its lock exists.\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestColourOnlyWhereItIsWanted(t *testing.T) {
	var out strings.Builder
	p := &Printer{W: &out, colour: true}
	p.Put(kit.Bad, "\x1b[2J")
	if got := out.String(); !strings.Contains(got, `\x1b[2J`) || ansi.Strip(got) != `\x1b[2J` || got == ansi.Strip(got) {
		t.Errorf("got %q", got)
	}
	t.Setenv("NO_COLOR", "")
	if Colourful(nil) {
		t.Error("NO_COLOR is set, whatever to")
	}
}
