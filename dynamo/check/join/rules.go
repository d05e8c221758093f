package join

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Rule is a constraint with the data by which a check finds its locks and values fast.
type Rule struct {
	*layout.Constraint
	Number  int     // in the layout's constraints
	LocksIn *Source // the table of its locks
	// PlainIndex is the index in Codec.Plain of its locks' keys; −1 if the keys are not plain.
	PlainIndex int
	// Column is the column of its values in the accounts' rows; −1 if they are nested.
	Column int
	// keepsFolded is set if its normalisers do not change folded text.
	keepsFolded bool
	// First is the first rule whose locks have the same keys. First.Owned is set if the check
	// also compares the owners of the locks, as a part of the fingerprint.
	First *Rule
	Owned bool
	// Sure is set, in First only, if a person answers for a constraint whose locks have these
	// keys, or if SQL has read the locks.
	Sure bool
	// Misfit is set if the layout does not fit the constraint. A note says so, and none of its
	// locks and values is judged.
	Misfit bool
	// holders are the kinds of accounts that its locks may belong to.
	holders []*layout.Account
}

// Rules holds the rules of a table's layout, in the layout's order and by constraint.
type Rules struct {
	All          []*Rule
	ByConstraint map[*layout.Constraint]*Rule
}

// RulesOf returns the rules of a table, and registers the keys of their locks with the codec.
func RulesOf(t *dynamo.Table, sources []*Source, codec *Codec) Rules {
	r := Rules{ByConstraint: map[*layout.Constraint]*Rule{}}
	for n, con := range t.Layout.Constraints() {
		one := &Rule{Constraint: con, Number: n, PlainIndex: -1, Owned: con.Owner != "", holders: t.KindsOf(con)}
		one.keepsFolded = !slices.ContainsFunc(con.Normalise, func(step layout.Normaliser) bool {
			return step != layout.Trim && step != layout.Lower && step != layout.NFC && step != layout.NFKC
		})
		one.LocksIn, one.First = sources[0], one
		for _, from := range sources {
			if from.Name == t.LockTable(con) {
				one.LocksIn = from
			}
		}
		if p, ok := con.Plain(one.LocksIn.Schema); ok {
			one.PlainIndex = codec.add(one.LocksIn, p)
		}
		for _, other := range r.All {
			if t.SamePlace(other.Constraint, con) {
				one.First = other.First
				break
			}
		}
		one.First.Sure = one.First.Sure || con.State.Sure()
		r.All, r.ByConstraint[con] = append(r.All, one), one
		if !con.SpelledByKey() {
			codec.foldBy, codec.accounts = t.Layout.Constraints(), t.Name
		}
	}
	return r
}

// Guessed reports whether the locks are only guessed. The first reading alone judges such locks.
func (r *Rule) Guessed() bool { return !r.First.Sure }

// Guessed reports whether all rules are guessed.
func (r Rules) Guessed() bool {
	return !slices.ContainsFunc(r.All, func(of *Rule) bool { return !of.Guessed() })
}

// Named returns the rule of the constraint with that name, or nil if the layout has no such constraint.
func (r Rules) Named(name string) *Rule {
	for _, one := range r.All {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// AppendForms appends the keys of all locks that may keep the value of the lock with the given key: first
// that key itself, and then the keys of the other forms.
func (r Rules) AppendForms(keys []attr.Key, from *Source, codec *Codec, key string) []attr.Key {
	_, own := codec.Key(key)
	keys = append(keys, own)
	for _, of := range r.All {
		if len(of.Also) == 0 || of.LocksIn != from {
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

// OwnerPartition returns the partition key of the account that a lock names, or the owner itself if no
// key can be made of it. sure is false if the owner may name accounts of several kinds, or is empty.
func (r *Rule) OwnerPartition(owner string, key func() attr.Key) (partition string, sure bool) {
	kinds := r.holders
	id, ok := r.OwnerForm.ID(owner)
	if !ok {
		return owner, owner != "" // it does not fit owner_form, so it names no known account
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
			_, vars, _ = r.ParseLock(r.LocksIn.Schema, key())
		}
		if k, ok := a.Partition(id, vars); ok {
			return k, true
		}
	}
	return owner, true
}

// NormaliseFolded returns the text as a lock keeps it, and whether the result is folded.
func (r *Rule) NormaliseFolded(text string) (value string, folded bool) {
	if r.keepsFolded && isFolded(text) {
		return text, true
	}
	value = r.Normalised(text)
	return value, r.Folded(value)
}

// Folded reports whether layout.Fold leaves the text behind the lock's value unchanged.
func (r *Rule) Folded(value string) bool {
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

// isFolded reports whether layout.Fold surely leaves a text unchanged. It may report false for such a text.
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
