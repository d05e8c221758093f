// Package mend plans repairs: of a check's finding, of a value and its lock, or of a counter. findingRepairs has an
// entry for each kind of finding.
package mend

import (
	"context"

	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
)

// findingRepair describes the repair of a kind of finding, and its price.
type findingRepair struct {
	plan func(*mender, context.Context, finding.Finding) (*plan.Plan, error)
	// verbs lists the verbs that the repair sends for the lock or counter; empty if people have to decide. If the
	// repair needs a look, the first verb sets the mark.
	verbs []client.Verb
	// reads and writes are the capacity units to read the items again and to write the repair, for items of 1 KB or
	// less. look is set if the repair needs a look, which reads every item.
	reads, writes float64
	look          bool
}

// findingRepairs has an entry for each kind of finding.
var findingRepairs = map[finding.Kind]findingRepair{
	finding.DuplicateValue: {plan: refuseByHand},
	finding.DuplicateID:    {plan: refuseByHand},
	finding.CounterUnsafe:  {plan: refuseByHand},
	finding.DriftedKey:     {plan: refuseByHand},
	finding.MalformedLock:  {plan: (*mender).malformed, reads: 1},
	finding.OrphanedLock:   releaseUnclaimed,
	finding.StaleLock:      releaseUnclaimed,
	finding.UnnormalisedLock: {
		plan:   (*mender).unnormalised,
		verbs:  []client.Verb{client.Update, client.Put, client.Delete, client.Check},
		reads:  25,
		writes: 8,
		look:   true,
	},
	finding.MissingLock: {
		plan:   (*mender).missing,
		verbs:  []client.Verb{client.Put, client.Check},
		reads:  25, // includes the reads of locks with similar spellings
		writes: 4,
	},
	finding.ForeignLock: {
		plan:   (*mender).foreign,
		verbs:  []client.Verb{client.Update, client.Check},
		reads:  20,
		writes: 6,
	},
	finding.ExpiringAccount:  {plan: (*mender).expiring, verbs: []client.Verb{client.Update}, reads: 10, writes: 6},
	finding.CounterBehind:    setNumber,
	finding.CounterMissing:   setNumber,
	finding.CounterNotNumber: setNumber,
	finding.CounterOffStep:   setNumber,
}

var (
	releaseUnclaimed = findingRepair{
		plan:   (*mender).orphaned,
		verbs:  []client.Verb{client.Update, client.Delete},
		reads:  15, // includes the reads of the lock's owner
		writes: 4,
		look:   true,
	}
	setNumber = findingRepair{plan: (*mender).counter, verbs: []client.Verb{client.Update}, reads: 5, writes: 2}
)

// Verbs returns the verbs that every repair of a kind of finding sends for its lock or counter; empty if people
// have to decide. owner is the account that the lock names; empty if there is none.
func Verbs(kind finding.Kind, owner string) []client.Verb {
	return findingRepairs[kind].verbsFor(owner)
}

// ReleaseVerbs returns the verbs that every release of a lock sends, whatever the lock's fault. owner is the
// account that the lock names; empty if there is none.
func ReleaseVerbs(owner string) []client.Verb { return releaseUnclaimed.verbsFor(owner) }

// verbsFor returns the verbs of the repair. If the lock names its owner, it omits the verb that sets the mark,
// since one transaction may then be enough.
func (r findingRepair) verbsFor(owner string) []client.Verb {
	if r.look && owner != "" {
		return r.verbs[1:]
	}
	return r.verbs
}

// refuseByHand refuses a finding about which people have to decide. The refusal has no text, since the kind of the
// finding explains the decision.
func refuseByHand(*mender, context.Context, finding.Finding) (*plan.Plan, error) {
	return nil, &plan.Refusal{Reasons: []plan.Reason{{Code: plan.ByHand}}}
}

// expiring plans to give an account's locks the expiry of the account.
func (m *mender) expiring(ctx context.Context, f finding.Finding) (*plan.Plan, error) {
	key, err := m.account(f)
	if err != nil {
		return nil, err
	}
	return planner.Expire(ctx, m.t, key, &m.ttl, m.rereadOptions())
}

// orphaned plans to release a lock that no account claims.
func (m *mender) orphaned(ctx context.Context, f finding.Finding) (*plan.Plan, error) {
	rel, err := m.relation(f)
	if err != nil {
		return nil, err
	}
	p, err := planner.ReleaseReread(ctx, m.t, rel, m.rereadOptions(), false)
	if err == nil {
		p.Live.Release.DigestChecked = f.Confirmed
	}
	return plan.AsInOrder(p, err, plan.Absent)
}

// foreign plans to give a lock to the account that holds the value.
func (m *mender) foreign(ctx context.Context, f finding.Finding) (*plan.Plan, error) {
	rel, key, err := m.relationOf(f)
	if err != nil {
		return nil, err
	}
	rel.Account = &schema.Account{Key: key}
	return planner.GiveWith(ctx, m.t, rel, m.rereadOptions())
}

// unnormalised plans to replace a lock in a wrong spelling by the right lock of the account's value.
func (m *mender) unnormalised(ctx context.Context, f finding.Finding) (*plan.Plan, error) {
	rel, key, err := m.relationOf(f)
	if err != nil {
		return nil, err
	}
	p, err := planner.Replacement{Value: f.Value, AnyOwner: true, Reread: m.rereadOptions()}.Plan(ctx, m.t, rel, key)
	if err == nil && f.SuspectLayout && !m.single {
		return nil, plan.Refuse(plan.ByHand, "very many locks have another spelling than the layout expects. The layout may be wrong, and this lock may be right. "+
			"If this lock is wrong, repair it separately")
	}
	return p, err
}
