package verdict

import (
	"tallylock/dynamo/layout"
)

// folded is the key of a lock without differences of spelling. Two locks of one constraint have the same
// folded key if they differ only in case, in white space or in the composition of letters.
type folded struct {
	c     *layout.Constraint
	table string
	key   string
}

func foldedOf(r *Relation) folded {
	return folded{r.Constraint, r.Lock.Table, r.Constraint.FoldKey(r.Lock.Key)}
}

// PairSpellings pairs an account's value whose lock is missing with an unclaimed lock that differs only in
// spelling, and sets Spelt of both. Each pair is one finding. With anyOwner, the lock may name another account
// that exists: a check reports such a pair, and mend replaces the lock only by its mark.
func PairSpellings(rows []*Relation, anyOwner bool) {
	for value, lock := range spellingPairs(rows, anyOwner) {
		value.Spelt, lock.Spelt = lock, value
	}
}

// spellingPairs maps the value of each pair to its lock. Each relation has at most one partner. Of several
// values, a lock gets the one of the account that it names, or else the first.
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
	for _, lock := range rows {
		if !lock.unclaimed() {
			continue
		}
		var partner *Relation
		for _, value := range values[foldedOf(lock)] {
			owner := lock.OwnerAccount
			named := owner != nil && owner.Key.Equal(value.Holder().Key)
			free := pairs[value] == nil && !lock.Lock.Key.Equal(value.Lock.Key)
			if free && (named || partner == nil && (owner == nil || anyOwner)) {
				partner = value
			}
		}
		if partner != nil {
			pairs[partner] = lock
		}
	}
	return pairs
}

// Paired merges each pair into one row: the value's relation, whose Spelt is the lock's relation. It copies
// the relations, so rows of earlier views do not change. of maps each original relation to its copy.
func Paired(rows []*Relation) (left []*Relation, of map[*Relation]*Relation) {
	pairs := spellingPairs(rows, false)
	if len(pairs) == 0 {
		return rows, nil
	}
	of = map[*Relation]*Relation{}
	for value, lock := range pairs {
		v, l := *value, *lock
		v.Spelt, l.Spelt = &l, &v
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
