package dynamo

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// MaskedKey is a key with no more of it than the layout says of all such keys.
func MaskedKey(t *Table, k attr.Key) string {
	words := layoutWords(t)
	masked := Masked(k.Hash.Value.Display(), words)
	if k.Range.Name != "" {
		masked += " / " + Masked(k.Range.Value.Display(), words)
	}
	return masked
}

// MaskedName is a counter's name with no more of it than the layout says: in a family of
// them it may be somebody's.
func MaskedName(t *Table, name string) string {
	words := append(layoutWords(t), t.Name)
	if t.Layout.Configured {
		for _, c := range t.Layout.Counters {
			words = append(words, c.Name)
		}
	}
	return Masked(name, words)
}

// layoutWords are the words that the layout's keys have besides their variables. Counters
// that nobody has described have none: each may have been recognised by its whole key, and
// that may name a customer.
func layoutWords(t *Table) []string {
	var words []string
	add := func(all ...layout.Template) {
		for _, template := range all {
			words = append(words, strings.FieldsFunc(literals(template.String()), isSeparator)...)
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

// literals is a template's text without its variables, each of which ends a word.
func literals(text string) string {
	var b strings.Builder
	depth := 0
	for _, r := range text {
		switch r {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				b.WriteByte('#')
			}
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}
