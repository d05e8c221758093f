package dynamo

import (
	"cmp"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Verdict is what is known of a value and its lock.
type Verdict string

// The verdicts of a lock, and of an account's value.
const (
	Held      Verdict = "held"      // one claimant, and the owner, if named, is it
	Orphaned  Verdict = "orphaned"  // the lock exists and no account uses its value
	Stale     Verdict = "stale"     // its owner exists and holds another value
	Foreign   Verdict = "foreign"   // it names one account, and only another holds the value
	Duplicate Verdict = "duplicate" // two claimants or more
	Malformed Verdict = "malformed" // its key can only come from a mistake
	Missing   Verdict = "missing"   // no lock, and an account claims the value
	Reserved  Verdict = "reserved"  // no account uses its value yet, and one may still come
	Free      Verdict = "free"      // no lock and no claimant
	InUse     Verdict = "in use"    // one account holds it, and no lock does, nor has to
	Unknown   Verdict = "unknown"   // nothing that was read decides it
)

// Broken reports whether the verdict is a fault in the table.
func (v Verdict) Broken() bool {
	//exhaustive:enforce
	switch v {
	case Orphaned, Stale, Foreign, Duplicate, Malformed, Missing:
		return true
	case Held, Reserved, Free, InUse, Unknown:
	}
	return false
}

// OfValue is the verdict in the words used of an account's value: locked where
// the lock is held, free of faults.
func (v Verdict) OfValue() string {
	if v == Held {
		return "locked"
	}
	return string(v)
}

// Account is an account item.
type Account struct {
	Model string
	ID    string
	Key   attr.Key
	Item  attr.Item
}

// Lock is a lock item, or the place where one would be.
type Lock struct {
	Table  string
	Key    attr.Key
	Exists bool
	// Unread: whether it exists was not asked yet.
	Unread bool
	Item   attr.Item
	// Owner is what the lock says of its account; empty where it names nobody.
	Owner string
	// Since is what the lock says of when it was put, where the layout says that locks may
	// precede their accounts.
	Since attr.Value
	// Mark is the release mark that an interrupted release left on the lock.
	Mark string
}

// MarkAttribute is the attribute that marks a lock whose release has begun
// (docs/truth.md §3b). An application's own Put of the lock removes it.
const MarkAttribute = "tallylock_release"

// Relation is one value and its lock: a row of the accounts screen.
type Relation struct {
	Constraint *layout.Constraint
	Value      string // normalised: what the lock's key says
	// Typed is the text that a person gave for the value; empty if nobody gave one.
	Typed   string
	Account *Account // nil where no account was found
	// OwnerAccount is the account that the lock names, where it was read and is
	// not Account.
	OwnerAccount *Account
	Lock         Lock
	// Malformed: by its key alone, the lock can only come from a mistake.
	Malformed bool
	Judgement
	// Spelt is the other half of a value whose lock is there in another spelling alone:
	// of the account's value, which is Missing, that lock; of the lock, the value. Both
	// are one finding, with one repair. Nil otherwise.
	Spelt *Relation
	// Claimants are the first accounts found that hold the value, and MoreClaimants is how many more
	// were found.
	Claimants     []Account
	MoreClaimants int
	// More: others may hold the value that were not found.
	More bool
	// Reads is what the verdict rests on.
	Reads []client.Read
	// OtherLocks are the traits of the other locks of the constraint, if the whole table was read.
	OtherLocks *layout.LockTraits
	// Impossible is why no lock key could be made of the value.
	Impossible error
	// Apart: lock and accounts could not be read at one moment.
	Apart bool
	// Handed: the lock named somebody else each time it was read, and who it names now
	// was not read with it.
	Handed bool
	// Busy: others kept writing to the lock or its accounts.
	Busy bool
}

// UnknownText reports whether the lock may keep a digest of a text that nobody has given: no item
// can be searched for it.
func (r *Relation) UnknownText() bool {
	typed := r.Typed != "" && r.Typed != r.Value && r.Constraint.Normalised(r.Typed) == r.Value
	return r.Lock.Exists && !typed && r.Constraint.KeepsDigest(r.Value)
}

// On returns the relation as another layout of its table has it.
func (r *Relation) On(l *layout.Layout) *Relation {
	if r == nil {
		return nil
	}
	_, c := l.Constraint(r.Constraint.Name)
	if c == nil {
		return r
	}
	on := *r
	on.Constraint = c
	if r.Spelt != nil {
		spelt := *r.Spelt // the halves point at each other
		on.Spelt, spelt.Spelt, spelt.Constraint = &spelt, &on, c
	}
	return &on
}

// text is the value as an account may hold it, as far as the lock's key shows that.
func (r *Relation) text() string {
	text, _ := r.Constraint.Text(r.Value)
	return text
}

// Subject names what a relation is of, among those of one layout: the place of its lock, or
// the value where no locks keep such. It is empty where no lock can be made of the value.
func (r *Relation) Subject() string {
	switch {
	case r.Constraint.Lockless():
		subject := "\x00" + r.Constraint.Name + "\x00" + r.Value
		if len(r.Constraint.Within) == 0 || r.Account == nil {
			return subject
		}
		scope, ok := r.Constraint.Within.Of(r.Account.Item)
		if !ok {
			scope = r.Account.Key.ID() // its value is compared with none
		}
		return subject + "\x00" + scope
	case r.Lock.Key.Hash.Name == "":
		return ""
	}
	return lockID(r.Lock.Table, r.Lock.Key)
}

// Subjects lists the Subjects of all forms of the relation's lock, its own included.
func (r *Relation) Subjects() (all []string) {
	if len(r.Constraint.Also) == 0 {
		return []string{r.Subject()}
	}
	for _, k := range r.Constraint.Forms(r.Lock.Key) {
		all = append(all, lockID(r.Lock.Table, k))
	}
	return all
}

// lockOf makes a Lock of what was read at its key. A nil item does not exist.
func lockOf(c *layout.Constraint, table string, key attr.Key, item attr.Item) Lock {
	l := Lock{Table: table, Key: key, Exists: item != nil, Item: item}
	if item != nil {
		l.Owner = cmp.Or(c.OwnerOf(item), c.KeyOwner(key))
		l.Mark = item[MarkAttribute].Text
		l.Since = c.Reserved.Said(item)
	}
	return l
}

// inForm takes in what was read at the key of another form of the lock: the lock itself, if there
// is none of its own form. Without any lock it is the place of the first form.
func (l *Lock) inForm(c *layout.Constraint, key attr.Key, item attr.Item) {
	switch {
	case l.Exists:
	case item != nil && c.Is.Holds(item):
		*l = lockOf(c, l.Table, key, item)
	default:
		l.Key = c.FirstForm(l.Key)
	}
}

// ClaimantCount is how many accounts were found that hold the value.
func (r *Relation) ClaimantCount() int { return len(r.Claimants) + r.MoreClaimants }

// Holder is the one account that is known to hold the value; nil where there is none, or
// several do.
func (r *Relation) Holder() *Account {
	switch {
	case r.Account != nil:
		return r.Account
	case len(r.Claimants) == 1:
		return &r.Claimants[0]
	}
	return nil
}

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

// pairSpellings finds what is one finding and not two: an account's value whose lock is
// missing, and a lock that nobody claims, where they differ in spelling alone. It
// answers the lock by the value. Who is paired has one partner at most.
func pairSpellings(rows []*Relation) map[*Relation]*Relation {
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

// unclaimed reports whether a relation is of a lock that exists, and that no account is
// known to claim.
func (r *Relation) unclaimed() bool {
	return r.Lock.Exists && r.Account == nil && len(r.Claimants) == 0 &&
		(r.Verdict == Orphaned || r.Verdict == Stale || r.Verdict == Unknown)
}

// paired are rows with each pair made one: the value's, which says by Spelt which lock it
// has. The rows of earlier views are left as they were.
func paired(rows []*Relation) (left []*Relation, of map[*Relation]*Relation) {
	pairs := pairSpellings(rows)
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
