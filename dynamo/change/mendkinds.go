package change

import (
	"context"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
)

// findingRepair is what mends a kind of finding, and what that takes.
type findingRepair struct {
	plan  func(*mender, context.Context, check.Finding) (*Plan, error)
	verbs []client.Verb // what it does to the lock, or the counter; none where people have to decide
	// reads and writes are the units of reading it again and writing what mends it, of
	// items of a kilobyte or less. look: that rests on a look.
	reads, writes float64
	look          bool
}

// findingRepairs are those of each kind of finding.
var findingRepairs = map[check.Kind]findingRepair{
	check.DuplicateValue:   {plan: byHand},
	check.DuplicateID:      {plan: byHand},
	check.CounterUnsafe:    {plan: byHand},
	check.DriftedKey:       {plan: byHand},
	check.MalformedLock:    {plan: (*mender).malformed, reads: 1},
	check.OrphanedLock:     {plan: (*mender).orphaned, verbs: []client.Verb{client.Delete}, reads: 15, writes: 4, look: true}, // with the owner, in one transaction, several times
	check.StaleLock:        {plan: (*mender).orphaned, verbs: []client.Verb{client.Delete}, reads: 15, writes: 4, look: true},
	check.UnnormalisedLock: {plan: (*mender).unnormalised, verbs: []client.Verb{client.Put, client.Delete}, reads: 25, writes: 8, look: true},
	check.MissingLock:      {plan: (*mender).missing, verbs: []client.Verb{client.Put, client.Check}, reads: 25, writes: 4}, // what other locks have, and spellings alike
	check.ForeignLock:      {plan: (*mender).foreign, verbs: []client.Verb{client.Update, client.Check}, reads: 20, writes: 6},
	check.ExpiringAccount:  {plan: (*mender).expiring, verbs: []client.Verb{client.Update}, reads: 10, writes: 6},
	check.CounterBehind:    setNumber,
	check.CounterMissing:   setNumber,
	check.CounterNotNumber: setNumber,
	check.CounterOffStep:   setNumber,
}

var setNumber = findingRepair{plan: (*mender).counter, verbs: []client.Verb{client.Update}, reads: 5, writes: 2}

// MendVerbs are what mending a finding does to its lock or counter; none where people have
// to decide.
func MendVerbs(kind check.Kind) []client.Verb { return findingRepairs[kind].verbs }

// byHand refuses what people have to decide; what that is, its kind says.
func byHand(*mender, context.Context, check.Finding) (*Plan, error) {
	return nil, &Refusal{[]Reason{{Code: ByHand}}}
}

// expiring gives an account's locks its own expiry.
func (m *mender) expiring(ctx context.Context, f check.Finding) (*Plan, error) {
	key, err := m.account(f)
	if err != nil {
		return nil, err
	}
	return planExpire(ctx, m.t, key, m.reread())
}

// orphaned releases a lock that no account claims.
func (m *mender) orphaned(ctx context.Context, f check.Finding) (*Plan, error) {
	rel, err := m.relation(f)
	if err != nil {
		return nil, err
	}
	p, err := planReread(ctx, m.t, rel, m.reread())
	return p, gone(err)
}

// foreign gives a lock to the account that holds the value.
func (m *mender) foreign(ctx context.Context, f check.Finding) (*Plan, error) {
	rel, key, err := m.relationOf(f)
	if err != nil {
		return nil, err
	}
	rel.Account = &dynamo.Account{Key: key}
	return planGive(ctx, m.t, rel, m.reread())
}

// unnormalised replaces a lock in another spelling by the value's own.
func (m *mender) unnormalised(ctx context.Context, f check.Finding) (*Plan, error) {
	rel, key, err := m.relationOf(f)
	if err != nil {
		return nil, err
	}
	return planReplace(ctx, m.t, rel, key, m.reread()) // without the wrong lock the right one is missing still
}
