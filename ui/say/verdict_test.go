package say_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

func TestJoins(t *testing.T) {
	st := kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour})
	for v, want := range map[verdict.Verdict]string{
		verdict.Held:      "ada ────────── key",
		verdict.Missing:   "ada ───────╴   key",
		verdict.Orphaned:  "ada        ╶── key",
		verdict.Stale:     "ada ╌╌╌╌╌╌╌╌╌╌ key",
		verdict.Foreign:   "ada ────────┼─ key",
		verdict.Unknown:   "ada        ╶── key",
		verdict.Duplicate: "ada ────────── key",
		verdict.Free:      "ada            key",
	} {
		l := kit.NewLine(st, 18, kit.Base)
		l.Put(kit.Text, "ada")
		say.Join(l, v, 14)
		l.To(15)
		l.Put(kit.Text, "key")
		if got := ansi.Strip(l.Done()); got != want {
			t.Errorf("%s: %q, want %q", v, got, want)
		}
	}
}

// A provisional verdict keeps its colour. Its word is muted, and has a question mark unless the verdict is held.
func TestSigns(t *testing.T) {
	sure, unsure := say.Verdict(verdict.Orphaned, false), say.Verdict(verdict.Orphaned, true)
	if sure.Word != "orphaned" || sure.Quiet || unsure.Word != "orphaned?" || !unsure.Quiet || unsure.Style != sure.Style {
		t.Errorf("%+v %+v", sure, unsure)
	}
	if held := say.Verdict(verdict.Held, true); held.Word != "held" || !held.Quiet {
		t.Errorf("%+v", held)
	}
}

func TestEachVerdictHasItsWords(t *testing.T) {
	for _, v := range []verdict.Verdict{
		verdict.Held, verdict.Orphaned, verdict.Stale, verdict.Foreign, verdict.Duplicate, verdict.Malformed,
		verdict.Missing, verdict.Reserved, verdict.Free, verdict.InUse, verdict.Unknown,
	} {
		r := &verdict.Relation{Constraint: &layout.Constraint{Name: "email"}, Value: "ada@x.io"}
		r.Verdict = v
		if say.Verdict(v, false).Word != string(v) || say.Relation(r) == "" {
			t.Errorf("%s lacks its sign or its name", v)
		}
		if said := say.Consequence(r) + say.Cause(r); strings.ContainsAny(said, "{}") {
			t.Errorf("%s says %q, with a placeholder", v, said)
		}
	}
}
