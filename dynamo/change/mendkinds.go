package change

import (
	"context"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
)

// findingRepair is how a kind of finding is mended, and what that costs.
type findingRepair struct {
	plan  func(*mender, context.Context, check.Finding) (*Plan, error)
	verbs []client.Verb // what it does to the lock or counter; none if people have to decide
	// reads and writes are the units to read the items again and to write the repair, for
	// items of 1 KB or less. look is set if the repair rests on a look.
	reads, writes float64
	look          bool
}

// findingRepairs has an entry for each kind of finding.
var findingRepairs = map[check.Kind]findingRepair{
	check.DuplicateValue: {plan: refuseByHand},
	check.DuplicateID:    {plan: refuseByHand},
	check.CounterUnsafe:  {plan: refuseByHand},
	check.DriftedKey:     {plan: refuseByHand},
	check.MalformedLock:  {plan: (*mender).malformed, reads: 1},
	check.OrphanedLock: {
		plan:   (*mender).orphaned,
		verbs:  []client.Verb{client.Delete},
		reads:  15,
		writes: 4,
		look:   true,
	}, // with the owner, in one transaction, several times
	check.StaleLock: {
		plan:   (*mender).orphaned,
		verbs:  []client.Verb{client.Delete},
		reads:  15,
		writes: 4,
		look:   true,
	},
	check.UnnormalisedLock: {
		plan:   (*mender).unnormalised,
		verbs:  []client.Verb{client.Put, client.Delete},
		reads:  25,
		writes: 8,
		look:   true,
	},
	check.MissingLock: {
		plan:   (*mender).missing,
		verbs:  []client.Verb{client.Put, client.Check},
		reads:  25,
		writes: 4,
	}, // what other locks have, and spellings alike
	check.ForeignLock: {
		plan:   (*mender).foreign,
		verbs:  []client.Verb{client.Update, client.Check},
		reads:  20,
		writes: 6,
	},
	check.ExpiringAccount:  {plan: (*mender).expiring, verbs: []client.Verb{client.Update}, reads: 10, writes: 6},
	check.CounterBehind:    setNumber,
	check.CounterMissing:   setNumber,
	check.CounterNotNumber: setNumber,
	check.CounterOffStep:   setNumber,
}

var setNumber = findingRepair{plan: (*mender).counter, verbs: []client.Verb{client.Update}, reads: 5, writes: 2}

// MendVerbs returns what mending a finding does to its lock or counter; none if people have
// to decide.
func MendVerbs(kind check.Kind) []client.Verb { return findingRepairs[kind].verbs }

// refuseByHand refuses what people have to decide; the finding's kind says what that is.
func refuseByHand(*mender, context.Context, check.Finding) (*Plan, error) {
	return nil, &Refusal{[]Reason{{Code: ByHand}}}
}

// expiring gives an account's locks its own expiry.
func (m *mender) expiring(ctx context.Context, f check.Finding) (*Plan, error) {
	key, err := m.account(f)
	if err != nil {
		return nil, err
	}
	return planExpire(ctx, m.t, key, &m.ttl, m.rereadOptions())
}

// orphaned releases a lock that no account claims.
func (m *mender) orphaned(ctx context.Context, f check.Finding) (*Plan, error) {
	rel, err := m.relation(f)
	if err != nil {
		return nil, err
	}
	p, err := planReleaseReread(ctx, m.t, rel, m.rereadOptions())
	return p, absentInOrder(err)
}

// foreign gives a lock to the account that holds the value.
func (m *mender) foreign(ctx context.Context, f check.Finding) (*Plan, error) {
	rel, key, err := m.relationOf(f)
	if err != nil {
		return nil, err
	}
	rel.Account = &dynamo.Account{Key: key}
	return planGiveWith(ctx, m.t, rel, m.rereadOptions())
}

// unnormalised replaces a lock in another spelling by the value's own.
func (m *mender) unnormalised(ctx context.Context, f check.Finding) (*Plan, error) {
	rel, key, err := m.relationOf(f)
	if err != nil {
		return nil, err
	}
	if f.SuspectLayout && !m.single {
		return nil, refuse(ByHand,
			"so many of these are in another spelling that the layout may be wrong, and the lock right: if it is not, mend it by itself")
	}
	return planReplaceWith(ctx, m.t, rel, key, m.rereadOptions()) // without the wrong lock the right one is missing still
}
