package find

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
	"tallylock/ui/say"
)

// mainOf returns the relation of the answer's first row. It is nil if there is none.
func mainOf(a *find.Answer) *verdict.Relation {
	if a == nil {
		return nil
	}
	found, _ := a.Readings()
	if len(found) == 0 {
		return nil
	}
	return found[0].Relation
}

// byID reports whether the query is the id of an account.
func byID(a *find.Answer) bool {
	return slices.ContainsFunc(a.Accounts, func(h find.Holder) bool { return h.ByID })
}

// readingsOf returns the relations of all readings of the query. A reading takes the query as the value of one
// constraint, or as an account id.
func readingsOf(a *find.Answer) []*verdict.Relation {
	if a == nil {
		return nil
	}
	found, nothing := a.Readings()
	for _, r := range found {
		nothing = append(nothing, r.Relation)
	}
	return nothing
}

// accountInOrder returns the account whose id is the query. It returns nil unless the answer's first row is a value of
// this account, and all values of the account are surely held.
func accountInOrder(a *find.Answer) *find.Holder {
	found, _ := a.Readings()
	if len(found) == 0 || !found[0].ByID || found[0].Verdict != verdict.Held {
		return nil
	}
	at := slices.IndexFunc(a.Accounts, func(h find.Holder) bool { return slices.Contains(h.Values, found[0].Relation) })
	h := &a.Accounts[at]
	unsure := func(r *verdict.Relation) bool { return r.Verdict != verdict.Held || r.Provisional }
	if slices.ContainsFunc(h.Values, unsure) {
		return nil
	}
	return h
}

// sentence returns the answer as a sentence about its first row.
func sentence(a *find.Answer) string {
	if h := accountInOrder(a); h != nil {
		return fmt.Sprintf("%s is an account, and its locks keep its values.", h.Key.Hash.Value.Display())
	}
	return mainOf(a).Sentence()
}

// inWords returns the answer as text for a ticket: a line for each value.
func inWords(a *find.Answer) string {
	values := slices.Concat(a.Locks, a.Unlocked)
	for _, h := range a.Accounts {
		if h.ByID {
			values = append(values, h.Values...)
		}
	}
	lines := []string{fmt.Sprintf("%q in %s, looked up %s:", a.Query, a.Table, a.At.Format("2006-01-02 15:04:05 MST"))}
	for _, r := range values {
		line := fmt.Sprintf("- %s: %s. %s %s", r.Constraint.Name, r.Verdict, r.Sentence(), say.Sentence(say.Consequence(r)))
		lines = append(lines, strings.TrimSpace(line))
	}
	if note := a.Note(); note != "" {
		lines = append(lines, say.Sentence(note))
	}
	if !a.Complete {
		lines = append(lines, "The answer is incomplete.")
	}
	return strings.Join(lines, "\n") + "\n"
}
