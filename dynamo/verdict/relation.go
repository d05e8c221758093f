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
	Value      string // normalised: what the lock's key says
	// Typed is the text that a person gave for the value; empty if nobody gave one.
	Typed   string
	Account *schema.Account // nil where no account was found
	// OwnerAccount is the account that the lock names, where it was read and is
	// not Account.
	OwnerAccount *schema.Account
	Lock         schema.Lock
	// Malformed: by its key alone, the lock can only come from a mistake.
	Malformed bool
	Judgement
	// Spelt is the other half of a value whose lock is there in another spelling alone:
	// of the account's value, which is Missing, that lock; of the lock, the value. Both
	// are one finding, with one repair. Nil otherwise.
	Spelt *Relation
	// Claimants are the first accounts found that hold the value, and MoreClaimants is how many more
	// were found.
	Claimants     []schema.Account
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

// Confirmable reports whether a second look may make the verdict sure: of a reserved lock only time tells.
func (r *Relation) Confirmable() bool { return r.Provisional && r.Verdict != Reserved }

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

// Text is the value as an account may hold it, as far as the lock's key shows that.
func (r *Relation) Text() string {
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
	return schema.LockID(r.Lock.Table, r.Lock.Key)
}

// Subjects lists the Subjects of all forms of the relation's lock, its own included.
func (r *Relation) Subjects() (all []string) {
	if len(r.Constraint.Also) == 0 {
		return []string{r.Subject()}
	}
	for _, k := range r.Constraint.Forms(r.Lock.Key) {
		all = append(all, schema.LockID(r.Lock.Table, k))
	}
	return all
}

// ClaimantCount is how many accounts were found that hold the value.
func (r *Relation) ClaimantCount() int { return len(r.Claimants) + r.MoreClaimants }

// Holder is the one account that is known to hold the value; nil where there is none, or
// several do.
func (r *Relation) Holder() *schema.Account {
	switch {
	case r.Account != nil:
		return r.Account
	case len(r.Claimants) == 1:
		return &r.Claimants[0]
	}
	return nil
}

// unclaimed reports whether a relation is of a lock that exists, and that no account is
// known to claim.
func (r *Relation) unclaimed() bool {
	return r.Lock.Exists && r.Account == nil && len(r.Claimants) == 0 &&
		(r.Verdict == Orphaned || r.Verdict == Stale || r.Verdict == Unknown)
}

// Scope gives what the lock's key is made of besides the value, by the names of
// the layout's templates; nil where it needs nothing else.
func (r *Relation) Scope() map[string]string {
	k := r.Lock.Key
	_, scope, _ := r.Constraint.ParseLock(attr.Schema{HashName: k.Hash.Name, RangeName: k.Range.Name}, k)
	return scope
}

// ScopeTerms lists the scope as NAME=VALUE, sorted, without what is empty.
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
