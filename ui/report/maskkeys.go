package report

import (
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
)

// maskedKey masks a key but for the words that the layout gives all such keys.
func maskedKey(t *dynamo.Table, k attr.Key) string {
	words := layoutWords(t)
	masked := dynamo.Masked(k.Hash.Value.Display(), words)
	if k.Range.Name != "" {
		masked += " / " + dynamo.Masked(k.Range.Value.Display(), words)
	}
	return masked
}

// maskedName masks a counter's name but for the layout's words: the name of one in a family
// may be a customer's.
func maskedName(t *dynamo.Table, name string) string {
	words := append(layoutWords(t), t.Name)
	if t.Layout.Configured {
		for _, c := range t.Layout.Counters {
			words = append(words, c.Name)
		}
	}
	return dynamo.Masked(name, words)
}

// covered is a summary whose names of counters and of unknown items are masked, if values are.
func (a About) covered(s check.Summary) check.Summary {
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
		if of.What != check.UncheckedCounters && of.What != check.UncheckedItems {
			continue
		}
		s.NotChecked[n].Names = slices.Clone(of.Names)
		for m, name := range of.Names {
			s.NotChecked[n].Names[m] = maskedName(a.Table, name)
		}
	}
	return s
}

// layoutWords are the words in the layout's key templates, without their variables. Counters
// that the config does not describe add none: each may have been recognised by its whole key,
// which may name a customer.
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
