package example

import (
	"fmt"

	"tallylock/dynamo/attr"
)

// Refusal is the error for examples that cannot be what a person says they are.
type Refusal struct {
	Why, Do string
}

func (r *Refusal) Error() string { return r.Why }

func refuse(why, do string) error { return &Refusal{Why: why, Do: do} }

// two is one of the two items of an example, with its name for people.
type two struct {
	name string
	item attr.Item
}

// twoKeys refuses items that cannot be the two of an example. The first is in the own table, the second in the
// table named. twoKeys returns the key of the first.
func (d *deriving) twoKeys(first, second two, table string) (a attr.Key, err error) {
	of, ok := d.sample(table)
	if !ok {
		return a, refuse(fmt.Sprintf("the table %s of the %s is unknown", table, second.name),
			"name a table of this connection")
	}
	lacks := func(item two, table string) error {
		return refuse(fmt.Sprintf("the %s lacks a key attribute of the table %s", item.name, table),
			"point at an item of this table")
	}
	if a, ok = d.own.Schema.KeyOf(first.item); !ok {
		return a, lacks(first, d.own.Name)
	}
	b, ok := of.Schema.KeyOf(second.item)
	if !ok {
		return a, lacks(second, of.Name)
	}
	for _, s := range []attr.Schema{d.own.Schema, of.Schema} {
		if s.HashKind == attr.B || s.RangeKind == attr.B {
			return a, refuse("the keys are binary, and a layout describes texts and numbers", "browse the items")
		}
	}
	if of.Name == d.own.Name && a.Equal(b) {
		return a, refuse(fmt.Sprintf("the %s and the %s are the same item", first.name, second.name),
			"point at two items")
	}
	return a, nil
}

// unexplained says why no rule explains a pair. repeating has the rules by which many accounts would share a lock.
func (d *deriving) unexplained(p Pair, repeating []rule) error {
	of, _ := d.sample(p.LockTable)
	lock, _ := of.Schema.KeyOf(p.Lock)
	account, _ := d.own.Schema.KeyOf(p.Account)
	why := "no part of its key holds a value of the account"
	if len(repeating) > 0 {
		why = fmt.Sprintf("its key has only the %s of the account, and many accounts have the same",
			constraintOf(repeating[0]).Attribute)
	}
	return refuse(fmt.Sprintf("%s cannot be the lock of %s: %s", lock, account, why),
		"point at another lock, or at another account")
}
