package dynamo

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Use is a value that no lock keeps unique, and the accounts that hold it.
type Use struct {
	Constraint *layout.Constraint
	Value      string // as the layout compares it
	Accounts   []Account
	// Verdict is InUse, Duplicate, Free or Unknown: none of a lock.
	Verdict     Verdict
	Provisional bool
	Why         string // what the verdict rests on, or still needs

	kind *layout.Account
	// question is how an index is asked.
	question *candidate
	met      []attr.Key // accounts that hold it, by the sweep
}

// useOf is a value of a rule without locks, not read yet.
func useOf(kind *layout.Account, c *layout.Constraint, v string) *Use {
	return &Use{Constraint: c, Value: v, kind: kind, question: &candidate{rel: &Relation{Constraint: c, Value: v}}}
}

// holds reports whether an item is an account that holds the value.
func (u *Use) holds(kind *layout.Account, item attr.Item) bool {
	return kind == u.kind && slices.Contains(u.Constraint.AppendValues(nil, item), u.Value)
}

// meet takes in an account that the sweep has read.
func (u *Use) meet(kind *layout.Account, a *Account) {
	if len(u.met) < client.MaxBatch && u.holds(kind, a.Item) {
		u.met = append(u.met, a.Key)
	}
}

// listed reports whether an index has answered for the accounts: it lists values as the
// layout compares them.
func (u *Use) listed(t *Table) bool {
	return u.question.indexed && len(u.Constraint.Normalise) == 0 && indexKey(t, u.Constraint.Index) == u.Constraint.Attribute
}

// usesOpen reports whether a value that no lock keeps needs every account to be read.
func (f *finding) usesOpen() bool {
	return slices.ContainsFunc(f.uses, func(u *Use) bool { return len(u.Accounts) == 0 && !u.listed(f.t) })
}

// usedOnce reports whether a value that no lock keeps has one account so far: that no other
// holds it takes every account to be read.
func (f *finding) usedOnce() bool {
	return slices.ContainsFunc(f.uses, func(u *Use) bool { return len(u.Accounts) == 1 })
}

// readUses reads the accounts that an index or the sweep has named for the values that no
// locks keep, each value's together, and judges by that.
func (f *finding) readUses(ctx context.Context) error {
	for _, u := range f.uses {
		if err := f.readUse(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

func (f *finding) readUse(ctx context.Context, u *Use) error {
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
			places = append(places, client.Address{Table: f.t.Name, Key: k})
		}
		items, one, err := f.r.Together(ctx, places)
		if client.KindOf(err) == client.Conflict {
			u.Verdict, u.Why = Unknown, "the application keeps writing to the accounts that may hold it"
			return nil
		}
		if err != nil {
			return err
		}
		apart, u.Accounts = one, nil
		for n, item := range items {
			kind, a := f.t.Match.account(item)
			said := "no account with it"
			if a != nil && u.holds(kind, item) {
				u.Accounts, said = append(u.Accounts, *a), "an account with it"
			}
			f.r.Note(f.t.Name, keys[n].String(), said, "transaction", 0)
		}
	}
	f.judgeUse(u, apart)
	return nil
}

// judgeUse judges a value by the accounts that were read together, and by what is known of
// all others.
func (f *finding) judgeUse(u *Use, apart bool) {
	e := UseEvidence{Accounts: len(u.Accounts), Apart: apart, Regions: f.t.Regions()}
	switch {
	case f.whole.swept:
		e.Others = OthersAbsent
	case u.listed(f.t):
		e.Others, e.Index = OthersIndexed, u.Constraint.Index
	default:
		e.OthersWhy = fmt.Sprintf("only reading the whole table tells: about %s", phrase.Count(int(math.Round(f.whole.rest().Units)), "read unit"))
	}
	j := JudgeUse(e)
	u.Verdict, u.Provisional, u.Why = j.Verdict, j.Provisional, j.Why
}

// Sentence says who holds the value, as Relation.Sentence does.
func (u *Use) Sentence() string {
	return useSentence(u.Constraint, u.Value, u.Verdict, u.Accounts, client.MaxBatch)
}

// useSentence says who holds a value that no locks keep. Of most accounts there may be more.
func useSentence(c *layout.Constraint, v string, verdict Verdict, accounts []Account, most int) string {
	what := c.Name + " " + phrase.Quote(v)
	switch verdict {
	case Duplicate:
		many := phrase.Count(len(accounts), "account")
		if len(accounts) == most {
			many += " or more"
		}
		return fmt.Sprintf("%s hold the %s.", many, what)
	case InUse:
		return fmt.Sprintf("%s holds the %s. No locks keep it unique.", accounts[0].Key.Hash.Value.Display(), what)
	case Free:
		return "No account holds the " + what + "."
	}
	return "Whether an account holds the " + what + " is not known."
}

// Consequence says what the verdict means to people; empty where that is not known.
func (u *Use) Consequence() string { return useConsequence(u.Value, u.Verdict) }

func useConsequence(v string, verdict Verdict) string {
	switch verdict {
	case Duplicate:
		return "two people share what only one may have; who keeps it is for people to decide"
	case InUse:
		return "the application alone decides whether a second account may take it"
	case Free:
		return "anybody can sign up as " + phrase.Quote(v)
	}
	return ""
}

// unlockedOf makes the values that the query could mean under rules without locks.
func (s *search) unlockedOf() {
	for kind, c := range s.t.Layout.Unlocked() {
		if v := c.Normalised(s.query); v != "" {
			s.uses = append(s.uses, useOf(kind, c, v))
		}
	}
}

// usesCost is the whole table's price where only that tells more of a value that no lock
// keeps; nil where reading it would not.
func (f *finding) usesCost() *Estimate {
	if f.whole.swept || !slices.ContainsFunc(f.uses, func(u *Use) bool { return u.Verdict == Unknown && len(u.Accounts) == 0 }) {
		return nil
	}
	cost := f.whole.rest()
	return &cost
}
