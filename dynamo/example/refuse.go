package example

import (
	"fmt"

	"tallylock/dynamo/attr"
)

// checkPair refuses a pair that cannot be an account and its lock, whatever its texts are.
func (d *deriving) checkPair(p Pair) error {
	of, ok := d.sample(p.LockTable)
	if !ok {
		return refuse("the table "+p.LockTable+" of the lock is unknown", "name a table of this connection")
	}
	account, ok := d.own.Schema.KeyOf(p.Account)
	if !ok {
		return refuse("the account lacks a key attribute of the table "+d.own.Name, "point at an item of this table")
	}
	lock, ok := of.Schema.KeyOf(p.Lock)
	if !ok {
		return refuse("the lock lacks a key attribute of the table "+of.Name, "point at an item of this table")
	}
	for _, s := range []attr.Schema{d.own.Schema, of.Schema} {
		if s.HashKind == attr.B || s.RangeKind == attr.B {
			return refuse("the keys are binary, and a layout describes texts and numbers", "browse the items")
		}
	}
	if of.Name == d.own.Name && account.Equal(lock) {
		return refuse("the account and the lock are the same item", "point at two items")
	}
	return nil
}

// unexplained says why no rule explains a pair.
func (d *deriving) unexplained(p Pair) error {
	of, _ := d.sample(p.LockTable)
	lock, _ := of.Schema.KeyOf(p.Lock)
	account, _ := d.own.Schema.KeyOf(p.Account)
	return refuse(fmt.Sprintf("%s cannot be the lock of %s: no part of its key holds a value of the account", lock, account),
		"point at another lock, or at another account")
}
