package infer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Candidate is a rule that a sample gives reason to think of, and does not show.
type Candidate struct {
	// Account is the kind of account, with the one constraint.
	Account layout.AccountConfig
	// Values are those that its items hold and of which it is known whether they have such
	// a lock; Hits of them have one. Items is how many items are of the kind, and Owned how
	// many of the locks name the item that holds their value.
	Values, Hits, Items, Owned int
	// Why says what speaks against it; empty where nothing does, and nothing for it: of an
	// attribute that no locks keep, which may be meant to be unique.
	Why string
}

// Nearest lists the rules that came nearest to being recognised where Accounts found none,
// the best of each attribute first, and no more than most. What would take locks for
// accounts is none of them. Equal samples give equal answers.
func Nearest(ctx context.Context, own Table, others []Table, probe Probe, most int) ([]Candidate, error) {
	s, err := searched(ctx, own, others, probe)
	if s == nil || err != nil {
		return nil, err
	}
	all := s.rules(func(r *rule) bool { return r.hits() > 0 && r.direction(s.references(r.kind)) >= 0 })
	why := map[*rule]string{}
	for _, r := range all {
		why[r] = cmp.Or(s.against(r), "another rule explains the same locks, or takes these items for locks")
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
			Account: layout.AccountConfig{PK: r.kind.pk, SK: r.kind.sk, Is: r.kind.is, Constraints: []layout.ConstraintConfig{r.config}},
			Values:  r.values, Hits: r.hits(), Items: len(r.kind.entries), Owned: r.owned,
			Why: why[r],
		})
	}
	for _, a := range Unlocked(own) {
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
	return found, nil
}

// against says why a rule is not taken for one; empty where it may be.
func (s *search) against(r *rule) string {
	hits := r.hits()
	repeated := r.claims - r.values
	if r.table != s.own && !r.tableSays() && (20*hits < 17*r.values || 3*hits < r.all) {
		return "the other table may keep something else that holds some of the values"
	}
	switch {
	case hits == 0:
		return "no value has such a lock"
	case r.opaque:
		return "what would be the locks hold more than locks do: they may be things of their own"
	case s.foreign(r):
		return "the values are ids of other items, which name them"
	case r.direction(s.references(r.kind)) < 0:
		return "these items look like locks, and what would be their locks like accounts"
	case repeated > max(1, r.claims/5):
		return fmt.Sprintf("%s of %s repeat: these items may be copies of the accounts", phrase.Number(repeated), phrase.Count(r.claims, "value"))
	case hits == 1 && !(r.values <= 2 && (r.owned == 1 || showsAlone(r)) && s.own.Whole && r.table.Whole):
		return "one lock alone does not show a rule"
	case hits == 1:
		return ""
	case r.owned == hits && 4*hits < r.values, r.owned != hits && 2*hits < r.values, 20*hits < 17*r.values && !r.namesAttribute(), r.asked >= triedValues && 20*r.answered < 17*r.asked:
		return "too few of the values have such a lock"
	case r.namesDay():
		return "the key has a date in it: it keeps what was so on that day"
	case r.keepsID():
		return "the key has the id of the item in it: two items with one value would have two such locks"
	}
	if trait := r.lackedBy(); trait != "" {
		return "items " + trait + " have no such lock, and others have"
	}
	return ""
}
