package find

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// unlockedSearch finds the accounts that hold the query under constraints without locks.
type unlockedSearch struct {
	*search
	whole *accountSweep
}

// unlockedOf adds the query as a value of each constraint without locks.
func (s *search) unlockedOf() {
	for kind, c := range s.t.Layout.Unlocked() {
		if v := c.Normalised(s.query); v != "" {
			s.lockless = append(s.lockless, &candidate{kind: kind, rel: &verdict.Relation{Constraint: c, Value: v}})
		}
	}
}

// holds reports whether an account holds the value of a constraint without locks. An account in another
// scope than the question's does not count.
func (s *search) holds(u *candidate, kind *layout.Account, item attr.Item) bool {
	c := u.rel.Constraint
	for _, name := range c.Within {
		if asked, ok := s.scope[name]; ok && item.At(name).Text != asked {
			return false
		}
	}
	return kind == u.kind && slices.Contains(c.AppendValues(nil, item), u.rel.Value)
}

// meet adds an account of the sweep to the claimants of each value that it holds, under constraints without
// locks.
func (s *search) meet(kind *layout.Account, a *schema.Account) {
	for _, u := range s.lockless {
		if !s.holds(u, kind, a.Item) {
			continue
		}
		if u.claiming++; u.claiming <= holders.MostClaimants {
			u.claimants = append(u.claimants, a.Key)
		}
	}
}

// inOneScope returns the number of accounts that hold the value in one scope. If there are several scopes,
// it returns the largest number. Two accounts in one scope are a duplicate.
func (s *unlockedSearch) inOneScope(u *candidate) (most int) {
	sharing := map[string]int{}
	for _, a := range u.rel.Claimants {
		most = max(most, 1)
		if scope, ok := u.kind.ScopeOf(u.rel.Constraint, s.t.Schema, a.Item); ok {
			sharing[scope]++
			most = max(most, sharing[scope])
		}
	}
	return most
}

// indexListed reports whether the index lists all accounts with the value. It does so only if the layout compares
// values exactly as the index stores them.
func (s *unlockedSearch) indexListed(u *candidate) bool {
	c := u.rel.Constraint
	return u.indexed && len(c.Normalise) == 0 && dynamo.IndexKey(s.t, c.Index) == c.Attribute
}

// open reports whether every account must be read to judge a value without locks: the value has no known
// holder, and no index lists all holders.
func (s *unlockedSearch) open() bool {
	return slices.ContainsFunc(s.lockless, func(u *candidate) bool {
		return len(u.rel.Claimants) == 0 && !s.indexListed(u)
	})
}

// heldOnce reports whether a value without locks has exactly one known holder in a scope. Only a reading of
// every account shows whether there is a second holder.
func (s *unlockedSearch) heldOnce() bool {
	return slices.ContainsFunc(s.lockless, func(u *candidate) bool { return s.inOneScope(u) == 1 })
}

// read judges the values of constraints without locks. For each value, it reads all accounts that an index
// or the sweep has found, at one moment if possible.
func (s *unlockedSearch) read(ctx context.Context) error {
	for _, u := range s.lockless {
		if err := s.readUse(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

func (s *unlockedSearch) readUse(ctx context.Context, u *candidate) error {
	keys := slices.Clone(u.claimants)
	for _, k := range u.hints {
		if !slices.ContainsFunc(keys, k.Equal) && len(keys) < holders.MostClaimants {
			keys = append(keys, k)
		}
	}
	if len(keys) > 0 {
		slices.SortFunc(keys, func(a, b attr.Key) int { return strings.Compare(a.ID(), b.ID()) })
		items, one, err := s.r.Together(ctx, dynamo.Addresses(s.t.Name, keys))
		if u.rel.Busy = client.KindOf(err) == client.Conflict; u.rel.Busy {
			s.judge(u)
			return nil
		}
		if err != nil {
			return err
		}
		u.rel.Apart, u.rel.Claimants = one, nil
		for n, item := range items {
			kind, a := s.t.AccountOf(item)
			said := "not an account with the value"
			if a != nil && s.holds(u, kind, item) {
				u.rel.Claimants, said = append(u.rel.Claimants, *a), "an account with the value"
			}
			s.r.Note(s.t.Name, keys[n].String(), said, dynamo.HowTogether(one), 0)
		}
		u.rel.MoreClaimants, u.rel.More = u.unread(len(keys), s.whole)
	}
	s.judge(u)
	return nil
}

// judge judges a value by the accounts that were read together, and by the sweep or the index, which may list
// other accounts.
func (s *unlockedSearch) judge(u *candidate) {
	e := s.t.Facts(u.rel, nil, verdict.OthersUnknown)
	e.Sharing = s.inOneScope(u)
	switch {
	case s.whole.swept:
		e.Others = verdict.OthersAbsent
	case s.indexListed(u):
		e.Others, e.Index = verdict.OthersIndexed, u.rel.Constraint.Index
	default:
		e.OthersWhy = fmt.Sprintf("only a scan of the whole table can answer: about %s",
			phrase.Count(int(math.Round(s.whole.rest().Units)), "read unit"))
	}
	u.rel.Conclude(e)
	u.rel.Account = nil
	if len(u.rel.Claimants) > 0 {
		u.rel.Account = &u.rel.Claimants[0]
	}
}

// cost returns the cost of reading the whole table. It returns nil if this reading cannot improve the
// verdict of any value without locks.
func (s *unlockedSearch) cost() *dynamo.Estimate {
	if s.whole.swept || !slices.ContainsFunc(s.lockless, func(u *candidate) bool {
		return u.rel.Verdict == verdict.Unknown && len(u.rel.Claimants) == 0
	}) {
		return nil
	}
	cost := s.whole.rest()
	return &cost
}
