package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// origin says where the layout of a table comes from.
func origin(t *dynamo.Table) string {
	switch preset := t.Layout.Preset; {
	case t.Layout.Configured:
		return "from the config"
	case preset != "" && preset == t.Connection().LayoutNamed():
		return "the preset " + preset + ", which was named and not recognised"
	case preset != "":
		return "the preset " + preset + ", recognised from the keys and a sample of the items"
	}
	return "recognised from the keys and a sample of the items"
}

// write prints the layout as TOML, with what speaks for and against it as comments.
func (l layoutOf) write(t *dynamo.Table, config layout.Config) {
	p := l.printer()
	writeNotRead(p, t)
	p.line(kit.Text, "# %s: %s", t.Name, origin(t))
	for _, e := range saidOf(t) {
		p.line(kit.Text, "# %s", e)
	}
	for _, f := range fitsOf(t) {
		for _, claim := range f.Claims {
			if claim.Standing != layout.Supported {
				p.line(kit.Text, "# ? %s, %s: %s, %s", f.Constraint, claim.Claim, claim.Standing, claim.Text)
			}
		}
	}
	lines := l.writeConfig(p, t, config) + writePlaces(p, t) + l.writeAccepting(p, t)
	writeKeyed(p, t)
	l.besides(p, t, (mostLines-lines)/2)
}

// writeNotRead prints why nothing of a table was read, where that is so.
func writeNotRead(p *printer, t *dynamo.Table) {
	if not := notReadOf(t); not != nil {
		p.line(kit.Text, "# %s", words.Sentence(not.Why))
		p.line(kit.Text, "# %s", words.Sentence(not.Do))
	}
}

// mostPlaces is how many places are printed.
const mostPlaces = 8

// writePlaces prints which items hold values where the layout does not say so, those with an open
// question first, and returns how many lines that took.
func writePlaces(p *printer, t *dynamo.Table) (written int) {
	places := t.PlaceLines()
	if len(places) == 0 {
		return 0
	}
	p.line(kit.Text, "")
	for _, one := range places[:min(len(places), mostPlaces)] {
		p.line(kit.Text, "# %s: %s items of %s hold values in %s: %s", one.Constraint.Name, one.Items, one.Table, one.Attribute, one.Seen())
		if words := one.AnswerWords(); words != "" {
			p.line(kit.Text, "#   %s, as a person says", words)
		} else {
			p.line(kit.Text, "#   %s", one.Question().Offer())
		}
	}
	if more := len(places) - mostPlaces; more > 0 {
		p.line(kit.Text, "# … and %s more: --output json has all questions", phrase.Number(more))
	}
	return 2 + 2*min(len(places), mostPlaces)
}

// mostLines is how many lines of a layout are printed: two screens, with what is said around it.
const mostLines = 44

// writeConfig prints the layout's TOML, and returns its number of lines. If that is too long, it
// prints one of the counters that are kept alike, and the names of the others.
func (l layoutOf) writeConfig(p *printer, t *dynamo.Table, config layout.Config) (lines int) {
	text := annotated(t, config, func(counter int) int { return counter })
	if lines = bytes.Count(text, []byte("\n")); lines <= mostLines || len(config.Counters) < 2 {
		writeTOML(p, text)
		return lines
	}
	var first []int // of those alike
	var others []string
	more := map[string][]string{}
	for n, c := range config.Counters {
		like := fmt.Sprintf("have the attribute %s and the semantics %s", c.Attribute, c.Semantics)
		if _, met := more[like]; !met {
			first, others, more[like] = append(first, n), append(others, like), []string{}
			continue
		}
		more[like] = append(more[like], cmp.Or(c.Name, c.PK))
	}
	all := config.Counters
	config.Counters = nil
	for _, n := range first {
		config.Counters = append(config.Counters, all[n])
	}
	text = annotated(t, config, func(counter int) int { return first[counter] })
	writeTOML(p, text)
	for _, like := range others {
		if names := more[like]; len(names) > 0 {
			p.line(kit.Text, "# %s %s: %s", phrase.Count(len(names), "more counter"), like, few(names))
		}
	}
	p.line(kit.Text, "# All of them: %s", t.Command([]string{"layout", "--output", "json"}))
	return bytes.Count(text, []byte("\n"))
}

// fewNames is how many names of a long list are printed.
const fewNames = 10

func few(names []string) string {
	if more := len(names) - fewNames; more > 0 {
		return strings.Join(names[:fewNames], ", ") + " and " + phrase.Number(more) + " more"
	}
	return phrase.List(names)
}

// annotated is the layout's TOML with the evidence of each line. place is the place that a
// counter of the config has in the table's layout.
func annotated(t *dynamo.Table, config layout.Config, place func(counter int) int) []byte {
	notes := map[[2]string]string{}
	for _, line := range dynamo.LinesOf(t) {
		note := line.Text
		if line.Unsure {
			note = "? " + note
		}
		notes[[2]string{line.Section, line.Setting}] = note
	}
	return config.Annotated(func(section, setting string) string {
		var counter int
		if n, _ := fmt.Sscanf(section, "counter[%d]", &counter); n == 1 && !strings.Contains(section, ".") {
			section = fmt.Sprintf("counter[%d]", place(counter))
		}
		return notes[[2]string{section, setting}]
	})
}

// writeTOML writes a part of a config file. What does not show is escaped in it; what else
// a terminal should not get is escaped as TOML has it, too.
func writeTOML(p *printer, text []byte) {
	for line := range strings.Lines(string(text)) {
		p.line(kit.Text, "%s", strings.TrimSuffix(line, "\n"))
	}
}
