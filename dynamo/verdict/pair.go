package verdict

import (
	"slices"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// folded is the key of a lock without its spelling. Two locks of one constraint have the same folded key if
// their keys differ only in case, in white space or in the composition of letters.
type folded struct {
	c     *layout.Constraint
	table string
	key   string
}

func foldedOf(r *Relation) folded {
	return folded{r.Constraint, r.Lock.Table, r.Constraint.FoldKey(r.Lock.Key)}
}

// PairSpellings pairs account values whose locks are missing with unclaimed locks that differ only in spelling. It
// sets Variant of both relations. Each pair is one finding. If anyOwner is true, a lock gets a partner even if the
// lock names another existing account. A check needs such pairs, too: package mend first marks the lock, and then
// replaces it.
func PairSpellings(rows []*Relation, anyOwner bool) {
	for value, lock := range spellingPairs(rows, anyOwner) {
		value.Variant, lock.Variant = lock, value
	}
}

// spellingPairs maps the value of each pair to the lock of the pair. Each relation has at most one partner.
// If several values fit a lock, the lock gets the value of the account that it names, or else the first
// value.
func spellingPairs(rows []*Relation, anyOwner bool) map[*Relation]*Relation {
	values := map[folded][]*Relation{}
	for _, r := range rows {
		if r.Verdict == Missing && r.Holder() != nil && r.Impossible == nil {
			values[foldedOf(r)] = append(values[foldedOf(r)], r)
		}
	}
	pairs := map[*Relation]*Relation{}
	if len(values) == 0 {
		return pairs
	}
	paired := map[*Relation]bool{}
	pair := func(fits func(owner *schema.Account, value *Relation) bool) {
		for _, lock := range rows {
			if paired[lock] || !lock.unclaimed() {
				continue
			}
			of := values[foldedOf(lock)]
			n := slices.IndexFunc(of, func(value *Relation) bool {
				return pairs[value] == nil && !lock.Lock.Key.Equal(value.Lock.Key) && fits(lock.OwnerAccount, value)
			})
			if n >= 0 {
				pairs[of[n]], paired[lock] = lock, true
			}
		}
	}
	// A lock that names an account gets this account's value first, before any other lock.
	pair(func(owner *schema.Account, value *Relation) bool {
		return owner != nil && owner.Key.Equal(value.Holder().Key)
	})
	pair(func(owner *schema.Account, _ *Relation) bool { return owner == nil || anyOwner })
	return pairs
}

// Paired merges each pair into one row: the value's relation, whose Variant is the lock's relation. It
// changes only copies, since earlier views still show the original relations. of maps each paired relation
// to its copy.
func Paired(rows []*Relation) (left []*Relation, of map[*Relation]*Relation) {
	pairs := spellingPairs(rows, false)
	if len(pairs) == 0 {
		return rows, nil
	}
	of = map[*Relation]*Relation{}
	for value, lock := range pairs {
		v, l := *value, *lock
		v.Variant, l.Variant = &l, &v
		of[value], of[lock] = &v, &l
	}
	for _, r := range rows {
		switch fresh := of[r]; {
		case fresh == nil:
			left = append(left, r)
		case fresh.Verdict == Missing:
			left = append(left, fresh)
		}
	}
	return left, of
}
