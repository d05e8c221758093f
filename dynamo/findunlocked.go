package dynamo

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// unlockedSearch answers for the rules that no locks keep: who holds the query.
type unlockedSearch struct {
	*search
	whole *accountSweep
}

// unlockedOf makes the values that the query could mean under rules without locks.
func (s *search) unlockedOf() {
	for kind, c := range s.t.Layout.Unlocked() {
		if v := c.Normalised(s.query); v != "" {
			u := useOf(kind, c, v)
			u.scope = s.scope
			s.uses = append(s.uses, u)
		}
	}
}

// open reports whether a value that no lock keeps needs every account to be read.
func (s *unlockedSearch) open() bool {
	return slices.ContainsFunc(s.uses, func(u *Use) bool { return len(u.Accounts) == 0 && !u.listed(s.t) })
}

// heldOnce reports whether a value that no lock keeps has one account so far: that no other
// holds it takes every account to be read.
func (s *unlockedSearch) heldOnce() bool {
	return slices.ContainsFunc(s.uses, func(u *Use) bool { return u.together(s.t) == 1 })
}

// read reads the accounts that an index or the sweep has named for the values that no
// locks keep, each value's together, and judges by that.
func (s *unlockedSearch) read(ctx context.Context) error {
	for _, u := range s.uses {
		if err := s.readUse(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

func (s *unlockedSearch) readUse(ctx context.Context, u *Use) error {
	keys := slices.Clone(u.met)
	for _, k := range u.question.hints {
		if !slices.ContainsFunc(keys, k.Equal) && len(keys) < client.MaxBatch {
			keys = append(keys, k)
		}
	}
	apart := false
	if len(keys) > 0 {
		slices.SortFunc(keys, func(a, b attr.Key) int { return strings.Compare(a.ID(), b.ID()) })
		var places []client.Address
		for _, k := range keys {
			places = append(places, client.Address{Table: s.t.Name, Key: k})
		}
		items, one, err := s.r.Together(ctx, places)
		if client.KindOf(err) == client.Conflict {
			u.Verdict, u.Why = Unknown, "the application keeps writing to the accounts that may hold it"
			return nil
		}
		if err != nil {
			return err
		}
		apart, u.Accounts = one, nil
		for n, item := range items {
			kind, a := s.t.Match.account(item)
			said := "no account with it"
			if a != nil && u.holds(kind, item) {
				u.Accounts, said = append(u.Accounts, *a), "an account with it"
			}
			s.r.Note(s.t.Name, keys[n].String(), said, "transaction", 0)
		}
	}
	s.judge(u, apart)
	return nil
}

// judge judges a value by the accounts that were read together, and by what is known of
// all others.
func (s *unlockedSearch) judge(u *Use, apart bool) {
	e := UseEvidence{Accounts: u.together(s.t), Apart: apart, Regions: s.t.Regions()}
	switch {
	case s.whole.swept:
		e.Others = OthersAbsent
	case u.listed(s.t):
		e.Others, e.Index = OthersIndexed, u.Constraint.Index
	default:
		e.OthersWhy = fmt.Sprintf("only reading the whole table tells: about %s",
			phrase.Count(int(math.Round(s.whole.rest().Units)), "read unit"))
	}
	j := JudgeUse(e)
	u.Verdict, u.Provisional, u.Why = j.Verdict, j.Provisional, j.Why
}

// cost is the whole table's price where only that tells more of a value that no lock
// keeps; nil where reading it would not.
func (s *unlockedSearch) cost() *Estimate {
	if s.whole.swept ||
		!slices.ContainsFunc(s.uses, func(u *Use) bool { return u.Verdict == Unknown && len(u.Accounts) == 0 }) {
		return nil
	}
	cost := s.whole.rest()
	return &cost
}
