package words_test

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

func TestJoins(t *testing.T) {
	st := kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour})
	for v, want := range map[dynamo.Verdict]string{
		dynamo.Held:      "ada ────────── key",
		dynamo.Missing:   "ada ───────╴   key",
		dynamo.Orphaned:  "ada        ╶── key",
		dynamo.Stale:     "ada ╌╌╌╌╌╌╌╌╌╌ key",
		dynamo.Foreign:   "ada ────────┼─ key",
		dynamo.Unknown:   "ada        ╶── key",
		dynamo.Duplicate: "ada ────────── key",
		dynamo.Free:      "ada            key",
	} {
		l := kit.NewLine(st, 18, kit.Base)
		l.Put(kit.Text, "ada")
		words.Join(l, v, 14)
		l.To(15)
		l.Put(kit.Text, "key")
		if got := ansi.Strip(l.Done()); got != want {
			t.Errorf("%s: %q, want %q", v, got, want)
		}
	}
}

// What is not confirmed keeps its glyph, is quiet, and asks.
func TestSigns(t *testing.T) {
	sure, unsure := words.Verdict(dynamo.Orphaned, false), words.Verdict(dynamo.Orphaned, true)
	if sure.Word != "orphaned" || sure.Quiet || unsure.Word != "orphaned?" || !unsure.Quiet || unsure.Style != sure.Style {
		t.Errorf("%+v %+v", sure, unsure)
	}
	if held := words.Verdict(dynamo.Held, true); held.Word != "held" || !held.Quiet {
		t.Errorf("%+v", held)
	}
}
