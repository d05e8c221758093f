package verdict

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// Relation is one value and its lock: a row of the accounts screen.
type Relation struct {
	Constraint *layout.Constraint
	Value      string // the value after normalising, as in the lock's key
	// Typed is the value as a person typed it. It is empty if nobody typed the value.
	Typed   string
	Account *schema.Account // nil if no account is known
	// OwnerAccount is the account that the lock names, if this account was read and is not Account.
	// Otherwise OwnerAccount is nil.
	OwnerAccount *schema.Account
	Lock         schema.Lock
	// Malformed: the lock's key shows that a mistake of the application created the lock.
	Malformed bool
	Judgement
	// Variant links two relations that differ only in spelling: an account's value without a lock, and an
	// unclaimed lock. Together they are one finding with one repair. Variant is nil if there is no such
	// partner.
	Variant *Relation
	// Claimants are the first accounts that were found to hold the value. MoreClaimants counts the rest.
	Claimants     []schema.Account
	MoreClaimants int
	// More: further accounts may hold the value. Claimants and MoreClaimants do not include them.
	More bool
	// Reads are the reads behind the verdict.
	Reads []client.Read
	// OtherLocks describes the constraint's other locks, if the whole table was read.
	OtherLocks *layout.LockTraits
	// Impossible explains why no lock key can be made of the value. It is nil if a key can be made.
	Impossible error
	// Apart: the endpoint could not read the lock and its accounts at one moment.
	Apart bool
	// Handed: each reading found a different owner in the lock. So no reading covered the lock together
	// with its owner.
	Handed bool
	// Busy: the application kept writing to the lock or its accounts.
	Busy bool
}

// Shown returns the value as people know it. If locks keep digests, that is the text of an account that holds the
// value, or else the typed text. If neither is known, it is the digest.
func (r *Relation) Shown() string {
	if !r.Constraint.Digests() {
		return r.Value
	}
	if r.Account != nil {
		if text := r.Constraint.Original(r.Account.Item, r.Value); text != "" {
			return text
		}
	}
	for _, a := range r.Claimants {
		if text := r.Constraint.Original(a.Item, r.Value); text != "" {
			return text
		}
	}
	if r.Typed != "" && r.Constraint.Normalised(r.Typed) == r.Value {
		return r.Typed
	}
	return r.Value
}

// Confirmable reports whether a second reading may make the verdict sure. A second reading does not help a
// reserved lock: its account may still be written.
func (r *Relation) Confirmable() bool { return r.Provisional && r.Verdict != Reserved }

// UnknownText reports whether the lock's value may be a digest whose text nobody has typed. Then no search can look for
// the text.
func (r *Relation) UnknownText() bool {
	typed := r.Typed != "" && r.Typed != r.Value && r.Constraint.Normalised(r.Typed) == r.Value
	return r.Lock.Exists && !typed && r.Constraint.KeepsDigest(r.Value)
}

// On returns a copy of the relation for the layout l: the copy's constraint is the constraint of the same
// name in l. If l has no such constraint, On returns r.
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
	if r.Variant != nil {
		spelt := *r.Variant // the two relations point at each other, so both need a copy
		on.Variant, spelt.Variant, spelt.Constraint = &spelt, &on, c
	}
	return &on
}

// Text decodes the value to the text that an account may hold. It cannot decode a digest.
func (r *Relation) Text() string {
	text, _ := r.Constraint.Text(r.Value)
	return text
}

// Subject returns an id of the relation, unique within a layout: the table and key of the lock. If the constraint has
// no locks, the id is made of the value and its scope. It is empty if no lock key can be made of the value.
func (r *Relation) Subject() string {
	switch {
	case r.Constraint.Lockless():
		subject := "\x00" + r.Constraint.Name + "\x00" + r.Value
		if len(r.Constraint.Within) == 0 || r.Account == nil {
			return subject
		}
		scope, ok := r.Constraint.Within.Of(r.Account.Item)
		if !ok {
			scope = r.Account.Key.ID() // a value without a scope is compared with no other value
		}
		return subject + "\x00" + scope
	case r.Lock.Key.Hash.Name == "":
		return ""
	}
	return schema.LockID(r.Lock.Table, r.Lock.Key)
}

// Subjects lists the Subject of each form of the relation's lock.
func (r *Relation) Subjects() (all []string) {
	if len(r.Constraint.Also) == 0 {
		return []string{r.Subject()}
	}
	for _, k := range r.Constraint.Forms(r.Lock.Key) {
		all = append(all, schema.LockID(r.Lock.Table, k))
	}
	return all
}

// ClaimantCount returns the number of known accounts that hold the value.
func (r *Relation) ClaimantCount() int { return len(r.Claimants) + r.MoreClaimants }

// Holder returns the relation's account. If the relation has none, Holder returns the claimant if there is exactly one,
// and otherwise nil.
func (r *Relation) Holder() *schema.Account {
	switch {
	case r.Account != nil:
		return r.Account
	case len(r.Claimants) == 1:
		return &r.Claimants[0]
	}
	return nil
}

// unclaimed reports whether the lock is orphaned, stale or undecided, and no account was found to claim it. A lock that
// changed does not count, nor does a reserved lock if the end of the reservation is known.
func (r *Relation) unclaimed() bool {
	if !r.Lock.Exists || r.Account != nil || len(r.Claimants) > 0 || r.Changed || r.Pending && !r.Until.IsZero() {
		return false
	}
	seems := r.Seems()
	return seems == Orphaned || seems == Stale || seems == Unknown
}

// Scope returns the variables in the lock's key besides the value, by name. It returns nil if there are
// none.
func (r *Relation) Scope() map[string]string {
	k := r.Lock.Key
	_, scope, _ := r.Constraint.ParseLock(attr.Schema{HashName: k.Hash.Name, RangeName: k.Range.Name}, k)
	return scope
}

// ScopeTerms lists the variables of Scope as NAME=VALUE, sorted. It omits empty ones.
func (r *Relation) ScopeTerms() []string {
	var terms []string
	for name, v := range r.Scope() {
		if v != "" {
			terms = append(terms, name+"="+v)
		}
	}
	slices.Sort(terms)
	return terms
}
