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
	Value      string // normalised, as in the lock's key
	// Typed is the text that a person gave for the value; empty if nobody gave one.
	Typed   string
	Account *schema.Account // nil if no account was found
	// OwnerAccount is the account that the lock names, if it was read and is not Account; else nil.
	OwnerAccount *schema.Account
	Lock         schema.Lock
	// Malformed: the lock's key alone shows a mistake.
	Malformed bool
	Judgement
	// Spelt is the other half of a pair whose lock exists only in another spelling. For the account's
	// value, which is Missing, it is the lock; for the lock, it is the value. Both are one finding with one
	// repair. It is nil without a pair.
	Spelt *Relation
	// Claimants are the first accounts found that hold the value. MoreClaimants counts the rest.
	Claimants     []schema.Account
	MoreClaimants int
	// More: further accounts may hold the value.
	More bool
	// Reads are the reads that the verdict rests on.
	Reads []client.Read
	// OtherLocks are the traits of the other locks of the constraint, if the whole table was read.
	OtherLocks *layout.LockTraits
	// Impossible is the reason that no lock key can be made of the value; nil if one can.
	Impossible error
	// Apart: the lock and its accounts could not be read at one moment.
	Apart bool
	// Handed: the lock named another account at each reading, so its present owner was not read with it.
	Handed bool
	// Busy: others kept writing to the lock or its accounts.
	Busy bool
}

// Confirmable reports whether a second look may make the verdict sure. For a reserved lock only time can.
func (r *Relation) Confirmable() bool { return r.Provisional && r.Verdict != Reserved }

// UnknownText reports whether the lock may keep a digest of a text that nobody has given. No item can be
// searched for that text.
func (r *Relation) UnknownText() bool {
	typed := r.Typed != "" && r.Typed != r.Value && r.Constraint.Normalised(r.Typed) == r.Value
	return r.Lock.Exists && !typed && r.Constraint.KeepsDigest(r.Value)
}

// On returns the relation with its constraint in another layout of the table. It returns the same relation
// if that layout lacks the constraint.
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

// Text returns the value as an account may hold it, as far as the lock's key shows that.
func (r *Relation) Text() string {
	text, _ := r.Constraint.Text(r.Value)
	return text
}

// Subject identifies the relation within one layout: by the place of its lock, or by the value if the
// constraint has no locks. It is empty if no lock can be made of the value.
func (r *Relation) Subject() string {
	switch {
	case r.Constraint.Lockless():
		subject := "\x00" + r.Constraint.Name + "\x00" + r.Value
		if len(r.Constraint.Within) == 0 || r.Account == nil {
			return subject
		}
		scope, ok := r.Constraint.Within.Of(r.Account.Item)
		if !ok {
			scope = r.Account.Key.ID() // its value is compared with no other
		}
		return subject + "\x00" + scope
	case r.Lock.Key.Hash.Name == "":
		return ""
	}
	return schema.LockID(r.Lock.Table, r.Lock.Key)
}

// Subjects lists the Subjects of all forms of the relation's lock, including its own form.
func (r *Relation) Subjects() (all []string) {
	if len(r.Constraint.Also) == 0 {
		return []string{r.Subject()}
	}
	for _, k := range r.Constraint.Forms(r.Lock.Key) {
		all = append(all, schema.LockID(r.Lock.Table, k))
	}
	return all
}

// ClaimantCount returns the number of accounts found that hold the value.
func (r *Relation) ClaimantCount() int { return len(r.Claimants) + r.MoreClaimants }

// Holder returns the one account that is known to hold the value; nil if there is none, or several.
func (r *Relation) Holder() *schema.Account {
	switch {
	case r.Account != nil:
		return r.Account
	case len(r.Claimants) == 1:
		return &r.Claimants[0]
	}
	return nil
}

// unclaimed reports whether the lock exists and seems to belong to no account, now or soon.
func (r *Relation) unclaimed() bool {
	if !r.Lock.Exists || r.Account != nil || len(r.Claimants) > 0 || r.Changed || r.Pending && !r.Until.IsZero() {
		return false
	}
	seems := r.Seems()
	return seems == Orphaned || seems == Stale || seems == Unknown
}

// Scope returns the variables of the lock's key besides the value, by their names in the layout's
// templates; nil if the key needs only the value.
func (r *Relation) Scope() map[string]string {
	k := r.Lock.Key
	_, scope, _ := r.Constraint.ParseLock(attr.Schema{HashName: k.Hash.Name, RangeName: k.Range.Name}, k)
	return scope
}

// ScopeTerms lists the scope as NAME=VALUE, sorted. It omits empty variables.
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
