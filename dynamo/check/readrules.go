package check

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// rule is a constraint with what a check needs to find its locks and values fast.
type rule struct {
	*layout.Constraint
	index     int     // in the layout's constraints
	lockTable *source // the table of its locks
	// plain is the index in keyCodec.plain of its locks' keys; −1 if those are not plain.
	plain int
	// column is the column of its values in the accounts' rows; −1 if they are nested.
	column int
	// keepsFolded: its normalisers do not change folded text.
	keepsFolded bool
	// first is the first rule whose locks have the same keys. Its owned says whether the
	// owners of the locks are compared, too, as a part of the fingerprint.
	first *rule
	owned bool
	// sure: a person answers for a constraint whose locks have these keys, or SQL has read
	// them. It is set in first.
	sure bool
	// misfit: a note says that the layout does not fit it, and nothing of it is judged.
	misfit bool
	// holders are the kinds of accounts that its locks may belong to.
	holders []*layout.Account
}

// rules are those of a table's layout, in its order and by constraint.
type rules struct {
	all          []*rule
	byConstraint map[*layout.Constraint]*rule
}

func rulesOf(t *dynamo.Table, sources []*source, codec *keyCodec) rules {
	r := rules{byConstraint: map[*layout.Constraint]*rule{}}
	for n, con := range t.Layout.Constraints() {
		one := &rule{Constraint: con, index: n, plain: -1, owned: con.Owner != "", holders: t.KindsOf(con)}
		one.keepsFolded = !slices.ContainsFunc(con.Normalise, func(step layout.Normaliser) bool {
			return step != layout.Trim && step != layout.Lower && step != layout.NFC && step != layout.NFKC
		})
		one.lockTable, one.first = sources[0], one
		for _, from := range sources {
			if from.name == t.LockTable(con) {
				one.lockTable = from
			}
		}
		if p, ok := con.Plain(one.lockTable.schema); ok {
			one.plain = codec.add(one.lockTable, p)
		}
		for _, other := range r.all {
			if t.SamePlace(other.Constraint, con) {
				one.first = other.first
				break
			}
		}
		one.first.sure = one.first.sure || con.State.Sure()
		r.all, r.byConstraint[con] = append(r.all, one), one
		if !con.SpelledByKey() {
			codec.foldBy, codec.accounts = t.Layout.Constraints(), t.Name
		}
	}
	return r
}

// guessed reports whether the locks are only guessed: the first reading alone judges them.
func (r *rule) guessed() bool { return !r.first.sure }

// guessed reports whether all rules are.
func (r rules) guessed() bool {
	return !slices.ContainsFunc(r.all, func(of *rule) bool { return !of.guessed() })
}

// named returns the rule of that name, nil if there is none.
func (r rules) named(name string) *rule {
	for _, one := range r.all {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// appendForms appends the keys of all locks that may keep the value of one: its own key first, and
// those of other forms.
func (r rules) appendForms(keys []attr.Key, from *source, codec *keyCodec, key string) []attr.Key {
	_, own := codec.key(key)
	keys = append(keys, own)
	for _, of := range r.all {
		if len(of.Also) == 0 || of.lockTable != from {
			continue
		}
		if forms := of.Forms(own); len(forms) > 1 {
			for _, form := range forms {
				if !form.Equal(own) {
					keys = append(keys, form)
				}
			}
			break
		}
	}
	return keys
}

// partition returns the partition key of the account that a lock names, or the owner itself
// if no key can be made of it. It is not sure if accounts of several kinds could be meant.
func (r *rule) partition(owner string, key func() attr.Key) (partition string, sure bool) {
	kinds := r.holders
	id, ok := r.OwnerForm.ID(owner)
	if !ok {
		return owner, owner != "" // not as owner_form says: it names no account that is known
	}
	if len(kinds) > 1 {
		kinds = layout.Named(kinds, id)
	}
	if len(kinds) > 1 {
		return owner, false
	}
	for _, a := range kinds {
		var vars map[string]string
		if r.Scoped() {
			_, vars, _ = r.ParseLock(r.lockTable.schema, key())
		}
		if k, ok := a.Partition(id, vars); ok {
			return k, true
		}
	}
	return owner, true
}

// normalised returns a value as its lock keeps it, and whether that is folded.
func (r *rule) normalised(text string) (value string, folded bool) {
	if r.keepsFolded && isFolded(text) {
		return text, true
	}
	value = r.Normalised(text)
	return value, r.folded(value)
}

// folded reports whether layout.Fold does not change the text that the lock's value was made
// of.
func (r *rule) folded(value string) bool {
	if r.Encodes() {
		value, _ = r.Text(value)
	}
	return isFolded(value) || !hasCapital(value) && layout.Fold(value) == value
}

// hasCapital reports whether there is an ASCII capital, which layout.Fold changes.
func hasCapital(s string) bool {
	for n := range len(s) {
		if s[n]-'A' < 26 {
			return true
		}
	}
	return false
}

// isFolded reports whether layout.Fold surely does not change a text.
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
