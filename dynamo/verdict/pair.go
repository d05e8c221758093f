package verdict

import (
	"tallylock/dynamo/layout"
)

// folded is where a lock is but for its spelling: locks of one constraint that differ in
// case, in white space or in how a letter is composed have the same.
type folded struct {
	c     *layout.Constraint
	table string
	key   string
}

func foldedOf(r *Relation) folded {
	return folded{r.Constraint, r.Lock.Table, r.Constraint.FoldKey(r.Lock.Key)}
}

// PairSpellings finds what is one finding and not two: an account's value whose lock is
// missing, and a lock that nobody claims, where they differ in spelling alone. It
// answers the lock by the value. Who is paired has one partner at most.
func PairSpellings(rows []*Relation) map[*Relation]*Relation {
	values := map[folded]*Relation{}
	for _, r := range rows {
		if r.Verdict == Missing && r.Holder() != nil && r.Impossible == nil {
			values[foldedOf(r)] = r
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
		value := values[foldedOf(lock)]
		if value == nil || pairs[value] != nil || lock.Lock.Key.Equal(value.Lock.Key) {
			continue
		}
		if owner := lock.OwnerAccount; owner == nil || owner.Key.Equal(value.Holder().Key) {
			pairs[value] = lock
		}
	}
	return pairs
}

// Paired are rows with each pair made one: the value's, which says by Spelt which lock it
// has. The rows of earlier views are left as they were.
func Paired(rows []*Relation) (left []*Relation, of map[*Relation]*Relation) {
	pairs := PairSpellings(rows)
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
