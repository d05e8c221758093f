package adopt

import (
	"context"
	"slices"
	"sync"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
)

// MostUnfit is the greatest number of accounts with unfit values that Verify names.
const MostUnfit = 1000

// unfitAccounts collects the accounts with values that cannot have a lock, in the first reading of a check. A survey
// judges values by the same Rule.Wants.
type unfitAccounts struct {
	r *Rule

	mu   sync.Mutex
	keys []attr.Key
	more int64 // counts the unfit values of accounts that are not in keys
}

// begin begins a reading.
func (u *unfitAccounts) begin() func(attr.Item) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.keys, u.more = nil, 0
	return u.visit
}

// visit adds an account, if one of its values is unfit.
func (u *unfitAccounts) visit(item attr.Item) {
	wants := slices.DeleteFunc(u.r.Wants(item), func(w Wanted) bool { return w.Item != nil })
	if len(wants) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.keys) < MostUnfit {
		u.keys = append(u.keys, wants[0].Account.Key)
	} else {
		u.more += int64(len(wants))
	}
}

// read reads the accounts again, and returns the values that are still unfit. n also counts the values of accounts that
// were too many to name.
func (u *unfitAccounts) read(ctx context.Context, reader *client.Reader) (problems []Problem, n int64, err error) {
	items, err := reader.Get(ctx, u.r.Table.Name, u.keys, true)
	if err != nil {
		return nil, int64(len(u.keys)) + u.more, err
	}
	for _, key := range u.keys {
		for _, w := range u.r.Wants(items[key.ID()]) {
			if w.Item == nil {
				problems = append(problems, unfitProblem(u.r, w))
			}
		}
	}
	return problems, int64(len(problems)) + u.more, nil
}

// unfit reports whether a finding is about a value that cannot have a lock. Verify counts such a value as unfit, and
// not as a missing lock: a backfill puts no lock for it.
func (r *Rule) unfit(f finding.Finding) bool {
	if f.Relation == nil || len(f.Relation.Claimants) == 0 {
		return false
	}
	return !slices.ContainsFunc(f.Relation.Claimants, func(a schema.Account) bool {
		return !slices.ContainsFunc(r.Wants(a.Item), func(w Wanted) bool {
			return w.Item == nil && w.Claim.Value == f.Relation.Value
		})
	})
}

// addAges counts the accounts of a finding that are newer than the verified writers. A time that a person confirmed
// makes an account newer. Without such a time, another date makes it only perhaps newer.
func (v *Verified) addAges(r *Rule, w *Writers, f finding.Finding, now time.Time) {
	if w == nil || w.Since.IsZero() || f.Relation == nil {
		return
	}
	lock := f.Relation.Lock
	for _, a := range f.Relation.Claimants {
		own := lock.Exists && r.Table.Names(f.Relation.Constraint, lock, &a)
		if own && !lock.Item[schema.AdoptAttribute].Exists() {
			continue // the account came with its lock, and an older account holds the value, too
		}
		switch w.Times.read(a.Item, a.ID, w.Since, now).state {
		case came:
			v.Newer++
		case untimed, future:
			if at, by := createdAt(a.ID, a.Item, now); by != "" && at.After(w.Since) {
				v.MaybeNewer++
			}
		}
	}
}
