package findings

import (
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/ui/words"
)

// lockTableOf is the table of a finding's lock.
func lockTableOf(f check.Finding) string {
	if f.LockTable != "" {
		return f.LockTable
	}
	return f.Table
}

// item is an item that a finding is about.
type item struct {
	what    string // "LOCK", "ACCOUNT"
	table   string
	key     attr.Key
	seen    attr.Item // as the check read it; nil where it did not, or there was none
	gone    bool      // the check found none
	account bool
}

// itemsOf are the items that a finding is about: the lock first, then who holds
// its value, or the counter, or the items that share an id.
func itemsOf(t *dynamo.Table, f check.Finding) []item {
	var out []item
	add := func(p item, key attr.Item) {
		if k, ok := t.SchemaOf(p.table).KeyOf(key); ok {
			p.key = k
			out = append(out, p)
		}
	}
	rel := f.Relation
	if f.Lock != nil {
		p := item{what: "LOCK", table: lockTableOf(f), gone: f.Kind == check.MissingLock}
		if rel != nil && rel.Lock.Key.Item().Equal(f.Lock) {
			p.seen = rel.Lock.Item
		}
		add(p, f.Lock)
	}
	if f.Kind == check.UnnormalisedLock && rel != nil { // f.Lock is the wrong one
		add(item{what: "LOCK IT SHOULD HAVE", table: rel.Lock.Table, gone: true}, rel.Lock.Key.Item())
	}
	accounts := slices.SortedFunc(slices.Values(f.Accounts), func(x, y attr.Item) int { // a scan meets them in any order
		return strings.Compare(words.Account(t, x), words.Account(t, y))
	})
	for _, key := range accounts {
		add(item{what: "ACCOUNT", table: f.Table, account: true, seen: accountSeen(rel, key)}, key)
	}
	if rel != nil && rel.OwnerAccount != nil {
		owner := rel.OwnerAccount
		if n := len(out) - 1; f.Kind == check.StaleLock && n >= 0 && out[n].account {
			out[n].what = "THE OWNER IT NAMES"
		} else {
			add(item{what: "THE OWNER IT NAMES", table: f.Table, account: true, seen: owner.Item}, owner.Key.Item())
		}
	}
	if f.Key != nil {
		add(item{what: "COUNTER", table: f.Table, gone: f.Kind == check.CounterMissing}, f.Key)
	}
	for _, at := range f.Items {
		p := item{what: "ITEM", table: at.Table}
		if p.table == "" {
			p.table = f.Table
		}
		if f.Kind != check.DuplicateID {
			p.what = "THE HIGHEST ID IN USE"
		}
		add(p, at.Key)
	}
	return out
}

// accountSeen is an account as the check read it, nil where it read no more than
// its key.
func accountSeen(rel *dynamo.Relation, key attr.Item) attr.Item {
	if rel == nil {
		return nil
	}
	all := rel.Claimants
	if rel.OwnerAccount != nil {
		all = append(slices.Clip(all), *rel.OwnerAccount)
	}
	for _, a := range all {
		if a.Key.Item().Equal(key) {
			return a.Item
		}
	}
	return nil
}
