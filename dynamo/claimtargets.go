package dynamo

import (
	"fmt"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// target is one lock that a ClaimScan searches for. There may be very many, so it is small.
type target struct {
	con        *layout.Constraint
	value      string // as the lock's key has it
	hash, sort string // the lock's key; empty if anyScope
	met        *met   // nil until an item was found
	anyScope   bool
}

// met is what a ClaimScan has found for a target.
type met struct {
	claimants []Account // the first of them, without their items
	claiming  int       // how many there are
	holdings  []*Holding
	// callers are the accounts that hold a value of any scope, with the locks that they claim.
	callers []caller
	// overflow: items of more shapes than are kept hold the value.
	overflow string
}

// caller is an account that holds a value, and the lock that it claims, in few bytes.
type caller struct {
	con                      *layout.Constraint
	hash, sort               string // of the lock
	accountHash, accountSort string
	place                    layout.Place
}

// none is the met of a target for which nothing was found.
var none = new(met)

// seen returns what was found, to be read.
func (g *target) seen() *met {
	if g.met == nil {
		return none
	}
	return g.met
}

// meet returns what was found, to be added to.
func (g *target) meet() *met {
	if g.met == nil {
		g.met = new(met)
	}
	return g.met
}

// Limits of what is kept for one value.
const (
	mostHoldings  = 1000 // places
	mostClaimants = 100
	mostCallers   = 100
	mostExamples  = 8 // keys of a place
)

// claim adds an account that claims the lock.
func (m *met) claim(a Account) {
	if m.claiming++; m.claiming <= mostClaimants {
		m.claimants = append(m.claimants, Account{Model: a.Model, ID: strings.Clone(a.ID), Key: a.Key.Clone()})
	}
}

// hold adds an item that holds the value. known: the layout has the item as an account or a lock.
func (m *met) hold(place layout.Place, key attr.Key, known bool) {
	for _, h := range m.holdings {
		if h.Place == place {
			h.known = h.known && known
			if h.N++; len(h.keys) < mostExamples {
				h.keys = append(h.keys, key.Clone())
			}
			return
		}
	}
	if len(m.holdings) == mostHoldings {
		m.overflow = fmt.Sprintf("items of more than %d shapes hold it, %s among them", mostHoldings, key)
		return
	}
	m.holdings = append(m.holdings, &Holding{Place: place, N: 1, keys: []attr.Key{key.Clone()}, known: known})
}

// is reports whether the target is the lock with this key.
func (g *target) is(t *Table, table string, key attr.Key) bool {
	return !g.anyScope && g.con.LockTable(t.Name) == table && g.key(t).Equal(key)
}

func (g *target) key(t *Table) attr.Key {
	return t.SchemaOf(g.con.LockTable(t.Name)).KeyFrom(g.hash, g.sort)
}

// callerOf copies the texts: those of an item would keep all of it in memory.
func callerOf(claim layout.Claim, account attr.Key, place layout.Place) caller {
	return caller{
		claim.Constraint, strings.Clone(claim.Key.Hash.Value.Text), strings.Clone(claim.Key.Range.Value.Text),
		strings.Clone(account.Hash.Value.Text), strings.Clone(account.Range.Value.Text), place,
	}
}

func (k caller) lock(t *Table) Lock {
	table := k.con.LockTable(t.Name)
	return Lock{Table: table, Key: t.SchemaOf(table).KeyFrom(k.hash, k.sort)}
}

func (k caller) account(t *Table) attr.Key { return t.Schema.KeyFrom(k.accountHash, k.accountSort) }
