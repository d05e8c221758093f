package find

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
)

// Reading is one way to read the query: as the id of an account, or as a value of a constraint.
type Reading struct {
	*verdict.Relation
	ByID bool // the query is the id of the account, and not this value
}

// Readings sorts the readings of the query for people. found has the readings that found something. It begins with
// the values of the accounts whose id is the query: broken and unknown values, then sound values. Values that look
// like the query follow, then all other values. If no reading found anything, found has only the first reading that
// looks like the query. nothing has all other readings.
func (a *Answer) Readings() (found []Reading, nothing []*verdict.Relation) {
	for _, h := range a.Accounts {
		if h.ByID {
			for _, r := range h.Values {
				found = append(found, Reading{r, !slices.Contains(a.Locks, r)})
			}
		}
	}
	slices.SortStableFunc(found, func(x, y Reading) int {
		broken := first(x.Verdict.Broken(), y.Verdict.Broken())
		return cmp.Or(broken, first(x.Verdict != verdict.Held, y.Verdict != verdict.Held))
	})
	values := slices.Concat(a.Locks, a.Unlocked)
	slices.SortStableFunc(values, func(x, y *verdict.Relation) int {
		return first(a.alike[x.Constraint], a.alike[y.Constraint])
	})
	for _, r := range values {
		switch {
		case slices.ContainsFunc(found, func(has Reading) bool { return has.Relation == r }):
		case foundNothing(r):
			nothing = append(nothing, r)
		default:
			found = append(found, Reading{Relation: r})
		}
	}
	if len(found) == 0 && len(nothing) > 0 {
		return []Reading{{Relation: nothing[0]}}, nothing[1:]
	}
	return found, nothing
}

// first compares two values for sorting: true comes before false.
func first(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

// foundNothing reports whether neither a lock nor an item with the value was found.
func foundNothing(r *verdict.Relation) bool {
	switch {
	case r.Verdict == verdict.Free:
		return true
	case r.Verdict != verdict.Unknown || r.Lock.Exists || r.Lock.Other != nil || len(r.Claimants) > 0 || r.Busy:
		return false
	case r.Lock.Table == "" && !r.Constraint.Lockless(): // the lock was not looked up
		return false
	}
	return r.Asks == nil && r.HeldBy == nil && !r.AsksTables
}

// alike returns the constraints whose sampled values look like the query.
func alike(t *dynamo.Table, query string) map[*layout.Constraint]bool {
	out := map[*layout.Constraint]bool{}
	for _, c := range t.Layout.Rules() {
		out[c] = slices.ContainsFunc(t.Sample.Texts(c, attr.Key{}), func(v string) bool { return look(v) == look(query) })
	}
	return out
}

// look returns the kind of a text: an address with @, a number, or a word.
func look(text string) string {
	switch {
	case strings.Contains(text, "@"):
		return "address"
	case strings.Trim(text, "+-() 0123456789") == "":
		return "number"
	}
	return "word"
}
