package adopt

import (
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
)

// Locks returns the rule in the form that a backfill needs.
func (r *Rule) Locks() backfill.Rule { return locks{r} }

// locks is a rule whose locks a backfill puts.
type locks struct{ r *Rule }

// Wants implements backfill.Rule.
func (l locks) Wants(item attr.Item) *backfill.Account {
	wanted := l.r.Wants(item)
	if len(wanted) == 0 {
		return nil
	}
	a := wanted[0].Account
	out := &backfill.Account{
		Key: a.Key, ID: a.ID, Units: client.WriteUnits(item.Size()),
		Check: client.Write{Verb: client.Check, Table: l.r.Table.Name, Key: a.Key},
	}
	still := func(name string) {
		if name != "" && !l.r.Table.Schema.IsKey(name) {
			out.Check.If = addTerm(out.Check.If, item, name)
		}
	}
	still(wanted[0].Kind.Is.Attribute)
	for _, w := range wanted {
		c := w.Claim.Constraint
		if w.Item == nil {
			out.Invalid = append(out.Invalid, backfill.Invalid{
				Constraint: c.Name, Value: cut(w.Claim.Raw), Code: string(w.Unfit.Code), Why: w.Unfit.Why,
			})
			continue
		}
		for _, name := range w.Rests {
			still(name)
		}
		out.Locks = append(out.Locks, backfill.Lock{
			Constraint: c.Name, Value: cut(w.Claim.Raw), Units: client.WriteUnits(w.Item.Size() + adoptBytes),
			Put: client.Write{Verb: client.Put, Table: l.r.LockTable, Key: w.Claim.Key, Item: w.Item, Absent: true},
		})
	}
	return out
}

// addTerm adds the condition that an attribute of an item is unchanged. It skips an attribute that already has a
// condition.
func addTerm(terms []client.Term, item attr.Item, name string) []client.Term {
	for _, t := range terms {
		if t.Attribute() == name {
			return terms
		}
	}
	return append(terms, client.Term{Path: plan.PathIn(item, name), Value: item.At(name)})
}

// Names implements backfill.Rule.
func (l locks) Names(e backfill.Entry, item attr.Item) bool {
	lock, c, ok := l.r.Lock(e.Lock.Put.Table, item)
	return ok && lock.Owner != "" && l.r.Table.Names(c, lock, &schema.Account{ID: e.ID, Key: e.Key})
}

// Owner implements backfill.Rule.
func (l locks) Owner(table string, item attr.Item) (owner string, ok bool) {
	lock, _, ok := l.r.Lock(table, item)
	return lock.Owner, ok
}
