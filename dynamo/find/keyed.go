package find

import (
	"context"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// keyedValue is a value in one scope, under a constraint whose lock keys contain the account's id.
type keyedValue struct {
	con          *layout.Constraint
	value, scope string
}

// judgeKeyed finds duplicate values of constraints whose lock keys contain the account's id. There, two accounts with
// the same value have two locks. Each lock has its account, so each lock alone looks healthy.
func (f *finding) judgeKeyed(ctx context.Context) error {
	groups := map[keyedValue][]*verdict.Relation{}
	var order []keyedValue
	for _, c := range f.candidates {
		con := c.rel.Constraint
		if c.rel.Impossible != nil || len(c.rel.Claimants) == 0 || !con.KeyedByAccount() {
			continue
		}
		kind, a := f.t.AccountOf(c.rel.Claimants[0].Item)
		if a == nil {
			continue
		}
		scope, _ := kind.ScopeOf(con, f.t.Schema, a.Item)
		at := keyedValue{con, c.rel.Value, scope}
		if groups[at] == nil {
			order = append(order, at)
		}
		groups[at] = append(groups[at], c.rel)
	}
	for _, at := range order {
		if err := f.judgeGroup(ctx, groups[at]); err != nil {
			return err
		}
	}
	return nil
}

// judgeGroup reads all locks of one value together with their accounts, and judges the locks. If there are
// several accounts, each lock gets all of them as claimants.
func (f *finding) judgeGroup(ctx context.Context, rels []*verdict.Relation) error {
	if len(rels) < 2 {
		return nil
	}
	l := dynamo.NewLockReader(f.t, f.r)
	n, _ := l.Fewest(rels, dynamo.SnapshotLimit)
	rels = rels[:n]
	if err := l.JudgeTogether(ctx, rels); err != nil {
		return err
	}
	var all []schema.Account
	apart := false
	for _, rel := range rels {
		for _, a := range rel.Claimants {
			if !slices.ContainsFunc(all, func(have schema.Account) bool { return have.Key.Equal(a.Key) }) {
				all = append(all, a)
			}
		}
		apart = apart || rel.Apart
	}
	if len(all) < 2 {
		return nil
	}
	slices.SortFunc(all, func(a, b schema.Account) int { return strings.Compare(a.Key.ID(), b.Key.ID()) })
	for _, rel := range rels {
		if len(rel.Claimants) > 0 {
			rel.Claimants, rel.Apart = all, apart
			rel.Conclude(f.t.Facts(rel, nil, verdict.OthersUnknown))
		}
	}
	return nil
}
