package check

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// rule is a constraint as a check goes about it.
type rule struct {
	*layout.Constraint
	at    int     // among the layout's constraints
	locks *source // the table that its locks are in
	// plain is which plain key its locks have; −1 where those are not plain.
	plain int
	// column is where its values stand in the rows of the accounts' table, and
	// ownerColumn where owners stand in those of its locks; −1 where they are nested.
	column, ownerColumn int
	// keeps: its normalisers leave folded text as it is.
	keeps bool
	// first is the first rule whose locks have the same keys, and owned says of that
	// whether the locks' owners are part of the fingerprint.
	first *rule
	owned bool
	// unfit: it has been said that the layout does not fit it.
	unfit bool
	// holders are the kinds of accounts that its locks may be of.
	holders []*layout.Account
}

// rules are those of a table's layout, in its order and by constraint.
type rules struct {
	all []*rule
	of  map[*layout.Constraint]*rule
}

func rulesOf(t *dynamo.Table, sources []*source, codec *keyCodec) rules {
	r := rules{of: map[*layout.Constraint]*rule{}}
	for n, con := range t.Layout.Constraints() {
		one := &rule{Constraint: con, at: n, plain: -1, owned: con.Owner != "", holders: t.Layout.Holders(t.Name, con)}
		one.keeps = !slices.ContainsFunc(con.Normalise, func(step layout.Normaliser) bool {
			return step != layout.Trim && step != layout.Lower && step != layout.NFC && step != layout.NFKC
		})
		one.locks, one.first = sources[0], one
		for _, from := range sources {
			if from.name == con.LockTable(t.Name) {
				one.locks = from
			}
		}
		if p, ok := con.Plain(one.locks.schema); ok {
			one.plain = codec.add(one.locks, p)
		}
		for _, other := range r.all {
			if other.SamePlace(t.Name, con) {
				one.first = other.first
				break
			}
		}
		r.all, r.of[con] = append(r.all, one), one
		if !con.SpelledByKey() {
			codec.odd, codec.of = t.Layout.Constraints(), t.Name
		}
	}
	return r
}

// findColumns finds where values and owners stand, once it is known what is asked for.
func (r rules) findColumns(accounts *source) {
	for _, one := range r.all {
		one.column, one.ownerColumn = accounts.column(one.Attribute), one.locks.column(one.Owner)
	}
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

// normalised is a value as its lock keeps it, and whether that is folded. Most values
// are as they should be.
func (r *rule) normalised(text string) (value string, folded bool) {
	if r.keeps && isFolded(text) {
		return text, true
	}
	value = r.Normalised(text)
	return value, r.folded(value)
}

// folded reports whether a value is as Fold leaves the text that it was made of.
func (r *rule) folded(value string) bool {
	if r.Encodes() {
		value, _ = r.Text(value)
	}
	return isFolded(value) || !hasCapital(value) && layout.Fold(value) == value
}

// hasCapital reports whether there is a letter that layout.Fold surely makes another of.
func hasCapital(s string) bool {
	for n := range len(s) {
		if s[n]-'A' < 26 {
			return true
		}
	}
	return false
}

// isFolded reports whether a text is surely as layout.Fold would leave it.
func isFolded(s string) bool {
	if s == "" || s[0] <= ' ' || s[len(s)-1] <= ' ' {
		return false
	}
	for n := range len(s) {
		if c := s[n]; c >= 0x80 || c-'A' < 26 {
			return false
		}
	}
	return true
}
