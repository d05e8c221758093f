package layout

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// evidence is a draft with what was seen of the table, as rows and in sentences.
type evidence struct {
	draft
	near *dynamo.UnknownTable // what came near, where no accounts were recognised
	all  bool                 // settings that are not set are shown, too
}

// lines makes the rows of the draft, and of what else was seen of the table.
func (e *evidence) lines() (out rows) {
	seen := map[[2]string]dynamo.LineEvidence{}
	for _, line := range dynamo.LinesOf(e.table) {
		seen[[2]string{line.Section, line.Setting}] = line
	}
	for _, part := range e.config.Parts() {
		out = append(out, e.heading(part))
		for _, setting := range part.Settings {
			if !e.all && !usual(part, setting, e.table) {
				continue
			}
			line := seen[[2]string{part.Path, setting.Name}]
			out = append(out, row{part: part, setting: setting, text: line.Text, unsure: line.Unsure})
		}
	}
	out = append(out, e.places()...)
	if e.near == nil {
		return append(out, e.shapes("OTHER ITEMS")...)
	}
	if !e.Corrected() {
		for n := range e.near.Nearest {
			if n == 0 {
				out = append(out, row{head: "WHAT CAME NEAREST"})
			}
			out = append(out, row{near: &e.near.Nearest[n]})
		}
	}
	title := "OTHER ITEMS"
	if e.table.Layout.Empty() {
		title = "ITEMS"
	}
	return append(out, e.shapes(title)...)
}

// places are the items that hold values where the layout does not say so, by constraint.
func (e *evidence) places() (out rows) {
	lines := e.table.PlaceLines()
	slices.SortStableFunc(lines, func(a, b dynamo.PlaceLine) int {
		return strings.Compare(a.Constraint.Name, b.Constraint.Name)
	})
	for n := range lines {
		p := &lines[n]
		if n == 0 || lines[n-1].Constraint != p.Constraint {
			out = append(out, row{head: "ITEMS THAT HOLD VALUES OF", name: p.Constraint.Name})
		}
		text := cmp.Or(p.AnswerWords(), "do they count?") + " " + p.Seen()
		out = append(out, row{place: p, text: text, unsure: p.Answer == layout.NoAnswer})
	}
	return out
}

// mostShapes is how many kinds of other items are listed.
const mostShapes = 20

// shapes are the items that are nothing in the layout.
func (e *evidence) shapes(title string) (out rows) {
	others := e.table.Sample.Others()
	for n := range others[:min(len(others), mostShapes)] {
		if n == 0 {
			out = append(out, row{head: title})
		}
		out = append(out, row{shape: &others[n]})
	}
	return out
}

// usual reports whether a setting is shown: one that says something, or that most layouts
// have.
func usual(part layout.Part, setting layout.Setting, t *dynamo.Table) bool {
	switch setting.Name {
	case "sk":
		return setting.Set || t.Schema.RangeName != ""
	case "normalise", "owner":
		return setting.Set || part.Kind == "constraint"
	case "name", "model": // the heading has it
		return false
	}
	return setting.Set || setting.Name == "pk"
}

// heading says what a part is, and how it stands.
func (e *evidence) heading(part layout.Part) row {
	out := row{head: strings.ToUpper(part.Kind), name: called(part)}
	if part.Kind != "constraint" {
		return out
	}
	c := e.constraint(part)
	if c == nil {
		out.text = "no locks: a check tells which values come twice"
		return out
	}
	fit := e.table.Fit.Of(c)
	out.sign = standingSign(fit)
	if fit.Values > 0 {
		out.text = phrase.Number(fit.Locked) + " of " + phrase.Count(fit.Values, "value") + " have their lock"
		if miss := fit.Values - fit.Locked; miss > 0 {
			out.text += ", " + words.Plural(miss, "has", "have") + " none"
		}
	}
	return out
}

// standingSign is how a rule fits, as a sign.
func standingSign(f layout.Fit) kit.Sign {
	switch f.Standing() {
	case layout.Supported:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "supported", Quiet: true}
	case layout.Contradicted:
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "contradicted"}
	}
	return guessed
}
