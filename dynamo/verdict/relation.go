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
	Value      string // after normalising, as in the lock's key
	// Typed is the value as a person typed it. It is empty if nobody did.
	Typed   string
	Account *schema.Account // nil if no account is known
	// OwnerAccount is the account that the lock names, if it was read and is not Account. Otherwise it is
	// nil.
	OwnerAccount *schema.Account
	Lock         schema.Lock
	// Malformed: the lock's key alone shows that a mistake made the lock.
	Malformed bool
	Judgement
	// Spelt is the other half of a pair that differs only in spelling; nil if there is no pair. One half is
	// an account's value without a lock, the other is an unclaimed lock. The pair is one finding with one
	// repair.
	Spelt *Relation
	// Claimants are the first accounts that were found to hold the value. MoreClaimants counts the rest.
	Claimants     []schema.Account
	MoreClaimants int
	// More: there may be more accounts that hold the value than were counted.
	More bool
	// Reads are the reads behind the verdict.
	Reads []client.Read
	// OtherLocks describes the constraint's other locks, if the whole table was read.
	OtherLocks *layout.LockTraits
	// Impossible explains why no lock key can be made of the value. It is nil if a key can be made.
	Impossible error
	// Apart: the endpoint could not read the lock and its accounts at one moment.
	Apart bool
	// Handed: the lock named another account at each reading, so no reading had it together with its owner.
	Handed bool
	// Busy: the application kept writing to the lock or its accounts.
	Busy bool
}

// Confirmable reports whether a second reading may make the verdict sure. A reserved lock only needs time.
func (r *Relation) Confirmable() bool { return r.Provisional && r.Verdict != Reserved }

// UnknownText reports whether the lock may have a digest of a text that nobody has typed. Then no search
// can look for the text.
func (r *Relation) UnknownText() bool {
	typed := r.Typed != "" && r.Typed != r.Value && r.Constraint.Normalised(r.Typed) == r.Value
	return r.Lock.Exists && !typed && r.Constraint.KeepsDigest(r.Value)
}

// On returns a copy of the relation with the same constraint from the layout l. If l has no constraint of
// that name, On returns r.
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
		spelt := *r.Spelt // each half of the pair needs a copy: they point at each other
		on.Spelt, spelt.Spelt, spelt.Constraint = &spelt, &on, c
	}
	return &on
}

// Text returns the value as an account may hold it, if the lock's key can be decoded.
func (r *Relation) Text() string {
	text, _ := r.Constraint.Text(r.Value)
	return text
}

// Subject returns an id of the relation, unique within a layout: the table and key of the lock, or the
// value if the constraint has no locks. It is empty if no lock key can be made of the value.
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

// ClaimantCount returns how many accounts were found that hold the value.
func (r *Relation) ClaimantCount() int { return len(r.Claimants) + r.MoreClaimants }

// Holder returns the only known account that holds the value. It returns nil if there is none or several.
func (r *Relation) Holder() *schema.Account {
	switch {
	case r.Account != nil:
		return r.Account
	case len(r.Claimants) == 1:
		return &r.Claimants[0]
	}
	return nil
}

// unclaimed reports whether the lock exists, and no account claims it as far as the reads show. A reservation with a
// known end counts as claimed until then.
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
