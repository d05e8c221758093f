package example

import (
	"fmt"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout/config"
)

// Refusal is the error for items that cannot be examples.
type Refusal struct {
	Why, Do string
	// Brief is the reason without keys, for people who see both items. It is empty if the items could be examples, but
	// contradict other examples or answers.
	Brief string
}

func (r *Refusal) Error() string { return r.Why }

func refuse(why, do string) error { return &Refusal{Why: why, Do: do} }

// refuseItem refuses an item for a reason that does not depend on the other examples. brief is the reason without keys.
func refuseItem(brief, why, do string) error { return &Refusal{Why: why, Do: do, Brief: brief} }

// two is one of the two items of an example, with its name for people.
type two struct {
	name string
	item attr.Item
}

// twoKeys refuses two items that cannot be an example together. The first must be in the lesson's own table, and the
// second in the named table. twoKeys returns the key of the first.
func (d *deriving) twoKeys(first, second two, table string) (a attr.Key, err error) {
	of, ok := d.sample(table)
	if !ok {
		return a, refuse(fmt.Sprintf("the table %s of the %s is unknown", table, second.name),
			"name a table of this connection")
	}
	lacks := func(item two, table string) error {
		return refuse(fmt.Sprintf("the %s lacks a key attribute of the table %s", item.name, table),
			"choose an item of this table")
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
			return a, refuse("the keys are binary, but a layout can describe only texts and numbers", "browse the items")
		}
	}
	if of.Name == d.own.Name && a.Equal(b) {
		why := fmt.Sprintf("the %s and the %s are the same item", first.name, second.name)
		return a, refuseItem(why, why, "choose two different items")
	}
	return a, nil
}

// unexplained refuses a pair that no rule explains. invalid has the rules that fit the pair, but do not fit the table.
func (d *deriving) unexplained(p Pair, invalid []rule) error {
	of, _ := d.sample(p.LockTable)
	lock, _ := of.Schema.KeyOf(p.Lock)
	account, _ := d.own.Schema.KeyOf(p.Account)
	why, do := "no part of the lock's key is a value of the account", "choose another lock or another account"
	for _, x := range invalid {
		con := constraintOf(x)
		switch {
		case x.Repeats:
			why = fmt.Sprintf("the lock's key has only the %s of the account, but many accounts have the same %[1]s", con.Attribute)
		case x.TakesAccounts:
			why = fmt.Sprintf("the lock's key %s has the %s, but keys of accounts have the same form, "+
				"and no attribute distinguishes locks from accounts", formText(config.LockKey{PK: con.PK, SK: con.SK}), con.Attribute)
			do = "give all locks an attribute with the same text, such as type = lock, and choose the items again"
		default:
			continue
		}
		break
	}
	return refuseItem("this item cannot be the account's lock: "+why,
		fmt.Sprintf("%s cannot be the lock of %s: %s", lock, account, why), do)
}
