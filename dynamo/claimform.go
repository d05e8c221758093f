package dynamo

import (
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// An account may hold an e-mail as it was typed beside the form of it that its lock keeps:
// without dots, without a +tag. How the one is made of the other is not known, so that a
// value which has no lock as it stands is not free where an account holds it so.

// anotherForm is the lock that an account calls for by another form of a target's value,
// which it holds under an attribute that no lock keeps.
func (g *target) anotherForm(t *Table, kind *layout.Account, claims []layout.Claim, at attr.Value, attribute string) (layout.Claim, bool) {
	if slices.ContainsFunc(kind.Constraints, func(c *layout.Constraint) bool {
		return attribute == c.Attribute || below(attribute, c.Attribute)
	}) {
		return layout.Claim{}, false
	}
	for _, claim := range claims {
		if claim.Err != nil || !claim.Constraint.SamePlace(t.Name, g.con) {
			continue
		}
		if slices.ContainsFunc(layout.Texts(at), func(text string) bool { return similar(text, claim.Raw) }) {
			return claim, true
		}
	}
	return layout.Claim{}, false
}

// similar reports whether two texts may be forms of one value: both are e-mail addresses
// one of whose names begins with the other, or they have the same letters and digits.
func similar(a, b string) bool {
	nameA, _, emailA := strings.Cut(a, "@")
	nameB, _, emailB := strings.Cut(b, "@")
	if emailA != emailB {
		return false
	}
	a, b = alphanumerics(nameA), alphanumerics(nameB)
	if a == "" || b == "" {
		return false
	}
	return a == b || emailA && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

func alphanumerics(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, layout.Fold(text))
}

// takeForms adds the locks of other forms of the query as candidates, which accounts were
// met to call for that hold the query itself elsewhere.
func (w *accountSweep) takeForms() {
	for _, c := range slices.Clone(w.candidates) {
		g := w.claimScan.Of(c.rel).of
		if g == nil || c.rel.err != nil || c.variant || w.inUse(c) {
			continue
		}
		for _, h := range g.seen().sightings {
			if h.form.Constraint != nil && w.variants < mostVariants && w.addClaimed(h.form, true) {
				w.candidates[len(w.candidates)-1].hints = []attr.Key{h.Key}
				w.variants++
			}
		}
	}
}
