package check

import (
	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// rule is a constraint as a check goes about it.
type rule struct {
	*layout.Constraint
	at    int     // among the layout's constraints
	locks *source // the table that its locks are in
	// plain is how its locks' keys are made; nil where that is not simple.
	plain *layout.Plain
	// first is the first rule whose locks have the same keys, and owned says of that
	// whether the locks' owners are part of the fingerprint.
	first *rule
	owned bool
	// unfit: it has been said that the layout does not fit it.
	unfit bool
	// holders are the kinds of accounts that its locks may be of.
	holders []*layout.Account
}

// rulesOf are the rules of a table's layout, in its order and by constraint.
func rulesOf(t *dynamo.Table, sources []*source) (all []*rule, of map[*layout.Constraint]*rule) {
	of = map[*layout.Constraint]*rule{}
	for n, con := range t.Layout.Constraints() {
		r := &rule{Constraint: con, at: n, owned: con.Owner != "", holders: t.Layout.Holders(t.Name, con)}
		r.locks, r.first = sources[0], r
		for _, from := range sources {
			if from.name == con.LockTable(t.Name) {
				r.locks = from
			}
		}
		if p, ok := con.Plain(r.locks.schema); ok {
			r.plain = &p
		}
		for _, other := range all {
			if other.SamePlace(t.Name, con) {
				r.first = other.first
				break
			}
		}
		all, of[con] = append(all, r), r
	}
	return all, of
}

// partition is the partition key of the account that a lock names; what no key
// can be made of stays as it is. It is not sure where accounts of several kinds
// could be meant.
func (r *rule) partition(owner string, key func() attr.Key) (partition string, sure bool) {
	kinds := r.holders
	if len(kinds) > 1 {
		kinds = layout.Named(kinds, owner)
	}
	if owner == "" || len(kinds) > 1 {
		return owner, false
	}
	for _, a := range kinds {
		var vars map[string]string
		if r.Scoped() {
			_, vars, _ = r.ParseLock(r.locks.schema, key())
		}
		if k, ok := a.Partition(owner, vars); ok {
			return k, true
		}
	}
	return owner, true
}
