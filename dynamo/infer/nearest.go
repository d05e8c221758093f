package infer

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo/layout"
)

// Candidate is a rule that a sample gives reason to think of, and does not show.
type Candidate struct {
	// Account is the kind of account, with the one constraint.
	Account layout.AccountConfig
	// Values are those that its items hold and of which it is known whether they have such
	// a lock; Hits of them have one. Items is how many items are of the kind.
	Values, Hits, Items int
	// Why says what speaks against it; empty where nothing does, and nothing for it: of an
	// attribute that no locks keep, which may be meant to be unique.
	Why string
}

// Nearest lists the rules that came nearest to being recognised where Accounts found none,
// the best of each attribute first, and no more than most. What would take locks for
// accounts is none of them. Equal samples give equal answers.
func (s *Search) Nearest(most int) []Candidate {
	if s == nil {
		return nil
	}
	all := s.rules(func(r *rule) bool { return r.hits() > 0 && r.direction() >= 0 })
	why := map[*rule]string{}
	for _, r := range all {
		why[r] = cmp.Or(s.against(r), "too many such items belong to no account, or another rule explains them")
	}
	slices.SortStableFunc(all, func(a, b *rule) int {
		return cmp.Or(cmp.Compare(b.hits(), a.hits()), cmp.Compare(a.values, b.values), strings.Compare(a.path, b.path),
			strings.Compare(a.place(), b.place()), strings.Compare(a.kind.pk+a.kind.sk, b.kind.pk+b.kind.sk))
	})
	var found []Candidate
	seen := map[string]bool{}
	for _, r := range all {
		if seen[r.path] || len(found) == most {
			continue
		}
		seen[r.path] = true
		found = append(found, Candidate{
			Account: layout.AccountConfig{
				PK:          r.kind.pk,
				SK:          r.kind.sk,
				Is:          r.kind.is,
				Constraints: []layout.ConstraintConfig{r.config},
			},
			Values: r.values, Hits: r.hits(), Items: len(r.kind.entries),
			Why: why[r],
		})
	}
	for _, a := range Unlocked(s.own.Sample) {
		for _, c := range a.Constraints {
			if seen[c.Attribute] || len(found) == most {
				continue
			}
			held := 0
			for _, e := range s.own.entries {
				held += min(1, len(e.texts[c.Attribute]))
			}
			one := a
			one.Constraints = []layout.ConstraintConfig{c}
			found = append(found, Candidate{Account: one, Values: held, Items: held})
		}
	}
	return found
}
