package dynamo

import (
	"fmt"
	"slices"

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
	// scope is what was asked for of the constraint's scope; nil: all of it.
	scope map[string]string
}

// useOf is a value of a rule without locks, not read yet.
func useOf(kind *layout.Account, c *layout.Constraint, v string) *Use {
	return &Use{Constraint: c, Value: v, kind: kind, question: &candidate{rel: &Relation{Constraint: c, Value: v}}}
}

// holds reports whether an item is an account that holds the value.
func (u *Use) holds(kind *layout.Account, item attr.Item) bool {
	for _, name := range u.Constraint.Within {
		if asked, ok := u.scope[name]; ok && item.At(name).Text != asked {
			return false
		}
	}
	return kind == u.kind && slices.Contains(u.Constraint.AppendValues(nil, item), u.Value)
}

// together is how many of the accounts share a scope, at most: those hold one value.
func (u *Use) together(t *Table) (most int) {
	if len(u.Constraint.Within) == 0 {
		return len(u.Accounts)
	}
	sharing := map[string]int{}
	for _, a := range u.Accounts {
		most = max(most, 1)
		if scope, ok := u.kind.ScopeOf(u.Constraint, t.Schema, a.Item); ok {
			sharing[scope]++
			most = max(most, sharing[scope])
		}
	}
	return most
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
	return u.question.indexed && len(u.Constraint.Normalise) == 0 &&
		indexKey(t, u.Constraint.Index) == u.Constraint.Attribute
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
		if len(accounts) > 1 {
			return fmt.Sprintf("%s hold the %s, each in another %s. No locks keep it unique.",
				phrase.Count(len(accounts), "account"), what, phrase.List(c.Within))
		}
		return fmt.Sprintf("%s holds the %s. No locks keep it unique.", accounts[0].Key.Hash.Value.Display(), what)
	case Free:
		return "No account holds the " + what + "."
	}
	return "Whether an account holds the " + what + " is not known."
}
