package join

import (
	"fmt"
	"slices"
	"strconv"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Rule is a constraint, prepared so that a check finds its locks and values fast.
type Rule struct {
	*layout.Constraint
	Number  int     // index in the layout's constraints
	LocksIn *Source // the table of the constraint's locks
	// PlainIndex is the index of a form in Codec.Plain: the form of the lock keys. It is −1 if the keys are not plain.
	PlainIndex int
	// Column is the column of the values in the rows of accounts. It is −1 if the attribute is nested.
	Column int
	// keepsFolded: the constraint's normalisers do not change a folded text.
	keepsFolded bool
	// First is the first rule that has the same lock keys as this rule. First.Owned: the fingerprints of these locks
	// include the owner, so the join compares owners, too.
	First *Rule
	Owned bool
	// Sure is set only in First. It is true if a person has confirmed any constraint with these lock
	// keys, or if SQL has read the locks.
	Sure bool
	// Misfit: the layout does not fit the constraint. A note says so, and the check judges none of its
	// locks and values.
	Misfit bool
	// owners are the kinds of accounts that the locks may name.
	owners []*layout.Account
}

// Rules has the rules of a layout, in order and by constraint.
type Rules struct {
	All          []*Rule
	ByConstraint map[*layout.Constraint]*Rule
}

// RulesOf returns the rules of a table's layout. It adds the plain forms of their lock keys to the codec.
func RulesOf(t *dynamo.Table, sources []*Source, codec *Codec) Rules {
	r := Rules{ByConstraint: map[*layout.Constraint]*Rule{}}
	for n, con := range t.Layout.Constraints() {
		one := &Rule{Constraint: con, Number: n, PlainIndex: -1, Owned: con.Owner != "", owners: t.OwnersOf(con)}
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
			if t.SharesKeys(other.Constraint, con) {
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

// Guessed reports whether the locks are only guessed. A check judges such locks by the first reading
// alone.
func (r *Rule) Guessed() bool { return !r.First.Sure }

// Guessed reports whether all rules are guessed.
func (r Rules) Guessed() bool {
	return !slices.ContainsFunc(r.All, func(of *Rule) bool { return !of.Guessed() })
}

// Followed reports whether a later pass reads the holders of a constraint's values again: SQL has read the table, or a
// person has confirmed the constraint. If several constraints have locks in the same place, one confirmed constraint is
// enough.
func (r Rules) Followed(con *layout.Constraint, bySQL bool) bool {
	if of := r.ByConstraint[con]; of != nil {
		return bySQL || !of.Guessed()
	}
	return bySQL || con.State.Sure()
}

// PartOf returns the word that names a constraint in candidates.Row.Unjudged. If a row has this word, SQL did not
// compare the item's values of the constraint, so the check compares them. The word is the number of a constraint with
// locks, or "u" with the number of a constraint without locks.
func (r Rules) PartOf(l *layout.Layout, con *layout.Constraint) string {
	if of := r.ByConstraint[con]; of != nil {
		return strconv.Itoa(of.Number)
	}
	n := 0
	for _, one := range l.Unlocked() {
		if one == con {
			break
		}
		n++
	}
	return fmt.Sprint("u", n)
}

// Named returns the rule of the constraint with this name. It returns nil if there is none.
func (r Rules) Named(name string) *Rule {
	for _, one := range r.All {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// AppendForms appends the lock's own key, and then its keys in all other forms. key is the lock's own key, encoded.
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

// OwnerPartition returns the partition key of the account that a lock names. If no key can be made of the owner, it
// returns the owner itself. sure is false if the owner is empty, or if accounts of several kinds may be the owner.
func (r *Rule) OwnerPartition(owner string, key func() attr.Key) (partition string, sure bool) {
	prefix, rest, sure := r.OwnerParts(owner, key)
	return prefix + rest, sure
}

// OwnerParts is like OwnerPartition, but returns the partition key in two parts. For most constraints it allocates
// nothing.
func (r *Rule) OwnerParts(owner string, key func() attr.Key) (prefix, rest string, sure bool) {
	kinds := r.owners
	id, ok := r.OwnerForm.ID(owner)
	if !ok {
		return "", owner, owner != "" // the owner does not fit owner_form, so it is no account of the layout
	}
	if len(kinds) > 1 {
		kinds = layout.Named(kinds, id)
	}
	if len(kinds) > 1 {
		return "", owner, false
	}
	for _, a := range kinds {
		var vars map[string]string
		if r.Scoped() {
			_, vars, _ = r.ParseLock(r.LocksIn.Schema, key())
		}
		if prefix, rest, ok := a.PartitionParts(id, vars); ok {
			return prefix, rest, true
		}
	}
	return "", owner, true
}

// NormaliseFolded returns the normalised text, as a lock's key has it. folded is true if folding leaves that text
// unchanged.
func (r *Rule) NormaliseFolded(text string) (value string, folded bool) {
	if r.keepsFolded && isFolded(text) {
		return text, true
	}
	value = r.Normalised(text)
	return value, r.Folded(value)
}

// Folded reports whether layout.Fold leaves the decoded value unchanged.
func (r *Rule) Folded(value string) bool {
	if r.Encodes() {
		value, _ = r.Text(value)
	}
	return isFolded(value) || !hasCapital(value) && layout.Fold(value) == value
}

// hasCapital reports whether the text has an ASCII capital, which layout.Fold changes.
func hasCapital(s string) bool {
	for n := range len(s) {
		if s[n]-'A' < 26 {
			return true
		}
	}
	return false
}

// isFolded quickly tests whether layout.Fold leaves the text unchanged. False means unknown.
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
