package example

import (
	"fmt"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout/config"
)

// Refusal is the error for examples that cannot be what a person says they are.
type Refusal struct {
	Why, Do string
	// Brief is the reason without keys, for people who see both items. It is empty if the items may be examples,
	// but contradict other examples or answers.
	Brief string
}

func (r *Refusal) Error() string { return r.Why }

func refuse(why, do string) error { return &Refusal{Why: why, Do: do} }

// refuseItem refuses an item whatever the other examples are. brief is the reason without keys.
func refuseItem(brief, why, do string) error { return &Refusal{Why: why, Do: do, Brief: brief} }

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
		why := fmt.Sprintf("the %s and the %s are the same item", first.name, second.name)
		return a, refuseItem(why, why, "point at two items")
	}
	return a, nil
}

// unexplained says why no rule explains a pair. invalid has the rules that hold for the pair, but not for the table.
func (d *deriving) unexplained(p Pair, invalid []rule) error {
	of, _ := d.sample(p.LockTable)
	lock, _ := of.Schema.KeyOf(p.Lock)
	account, _ := d.own.Schema.KeyOf(p.Account)
	why, do := "no part of its key holds a value of the account", "point at another lock, or at another account"
	for _, x := range invalid {
		con := constraintOf(x)
		switch {
		case x.Repeats:
			why = fmt.Sprintf("its key has only the %s of the account, and many accounts have the same", con.Attribute)
		case x.TakesAccounts:
			why = fmt.Sprintf("its key %s has the %s, but keys of accounts look alike, "+
				"and no attribute tells locks from accounts", formText(config.LockKey{PK: con.PK, SK: con.SK}), con.Attribute)
			do = "give all locks an attribute with one text, such as type = lock, and point again"
		default:
			continue
		}
		break
	}
	return refuseItem("this cannot be the account's lock: "+why,
		fmt.Sprintf("%s cannot be the lock of %s: %s", lock, account, why), do)
}
