package report

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/ui/safe"
	"tallylock/ui/say"
)

// text makes a text about the check printable. If values are masked, it masks quoted values.
func (a About) text(s string) string {
	s = safe.Text(say.Masked(s))
	if a.Mask {
		s = masked(s)
	}
	return s
}

// texts applies text to each of several texts.
func (a About) texts(all []string) []string {
	shown := make([]string, len(all))
	for n, s := range all {
		shown[n] = a.text(s)
	}
	return shown
}

// place returns the path of a file or export. If values are masked, place masks the path, because it
// may name a customer.
func (a About) place(at string) string {
	if a.Mask {
		return guess.Masked(at, []string{"s3"})
	}
	return at
}

// unplaced masks the paths of files and exports in a note, if values are masked.
func (a About) unplaced(note string) string {
	if !a.Mask {
		return note
	}
	var places []string
	if a.Options.Export != nil {
		places = append(places, a.Options.Export.Dir)
	}
	if a.Options.Candidates != nil {
		places = append(places, a.Options.Candidates.File)
	}
	for _, at := range places {
		if at != "" {
			note = strings.NewReplacer(at, a.place(at), filepath.Clean(at), a.place(filepath.Clean(at))).Replace(note)
		}
	}
	return objects.ReplaceAllStringFunc(note, a.place)
}

// These patterns find values and names of people in sentences, also in errors from elsewhere: texts
// in quotation marks, mail addresses, home directories, S3 objects, and examples at the end. A
// value may contain quotation marks, so everything between the first and the last one is quoted. An
// apostrophe does not begin a quotation.
var (
	quoted    = regexp.MustCompile(`(?s)".*"|“.*”|\B'.*'`)
	addresses = regexp.MustCompile(`\S+@\S+`)
	homes     = regexp.MustCompile(`([/\\](?:home|Users)[/\\]+)[^/\\]+`)
	objects   = regexp.MustCompile(`s3://[^\s;]+`)
	examples  = regexp.MustCompile(`(?s), such as .*`)
)

// masked masks the values that a sentence quotes.
func masked(s string) string {
	for _, what := range []*regexp.Regexp{quoted, addresses} {
		s = what.ReplaceAllStringFunc(s, func(q string) string { return guess.Masked(q, nil) })
	}
	s = homes.ReplaceAllString(s, "$1***")
	return examples.ReplaceAllString(s, ".")
}

// maskedKey masks a key, except the words that the layout puts into all such keys.
func maskedKey(t *dynamo.Table, k attr.Key) string {
	words := layoutWords(t)
	masked := guess.Masked(k.Hash.Value.Display(), words)
	if k.Range.Name != "" {
		masked += " / " + guess.Masked(k.Range.Value.Display(), words)
	}
	return masked
}

// maskedName masks a counter's name, except the words of the layout. The name of a counter in a
// family may name a customer.
func maskedName(t *dynamo.Table, name string) string {
	words := append(layoutWords(t), t.Name)
	if t.Layout.Configured {
		for _, c := range t.Layout.Counters {
			words = append(words, c.Name)
		}
	}
	return guess.Masked(name, words)
}

// covered masks the names of counters, of unknown items and of values in a summary, if values are masked.
func (a About) covered(s finding.Summary) finding.Summary {
	if !a.Mask {
		return s
	}
	s.Checked, s.NotChecked = slices.Clone(s.Checked), slices.Clone(s.NotChecked)
	for n, c := range s.Checked {
		if c.Counter != "" {
			s.Checked[n].Counter = maskedName(a.Table, c.Counter)
		}
	}
	for n, of := range s.NotChecked {
		switch of.What {
		case finding.UncheckedCounters, finding.UncheckedItems, finding.UncheckedValues:
		default:
			continue
		}
		s.NotChecked[n].Names = slices.Clone(of.Names)
		for m, name := range of.Names {
			s.NotChecked[n].Names[m] = maskedName(a.Table, name)
		}
	}
	return s
}

// layoutWords lists the words in the layout's key templates. It leaves out counters that the config
// does not describe: the template of a guessed counter may be a whole key, with the name of a
// customer.
func layoutWords(t *dynamo.Table) []string {
	var words []string
	separator := func(r rune) bool { return strings.ContainsRune(layout.Separators+"/", r) }
	add := func(all ...layout.Template) {
		for _, template := range all {
			for _, piece := range template.Pieces() {
				words = append(words, strings.FieldsFunc(piece.Literal, separator)...)
			}
		}
	}
	for _, a := range slices.Concat(t.Layout.Accounts, t.Layout.Keyed) {
		add(a.PK, a.SK)
		for _, c := range a.Constraints {
			add(c.PK, c.SK)
		}
	}
	if t.Layout.Configured {
		for _, c := range t.Layout.Counters {
			add(c.PK, c.SK)
		}
	}
	return words
}
