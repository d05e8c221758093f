package ui

import (
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// drawWho writes into w cells who holds a finding's value, or what stands in the
// counter.
func drawWho(l *kit.Line, t *dynamo.Table, f check.Finding, w int) {
	switch {
	case f.Kind == check.CounterMissing:
		l.Words(kit.Absent, "no counter", w)
	case f.Kind == check.CounterNotNumber:
		l.Fit(kit.Text, strconv.Quote(f.Seen.Display()), w)
	case f.ID != "":
		l.Words(kit.Text, phrase.Count(len(f.Items), "item"), w)
	case f.Counter != "":
		said := ""
		if f.HighestID != "" {
			said = phrase.Group(f.Seen.Text) + ", " + phrase.Group(f.HighestID) + " in use"
		}
		if said == "" || kit.Width(said) > w {
			said = words.FitNumber(f.Seen.Text, w) // never cut: the detail has both
		}
		l.Words(kit.Text, said, w)
	case len(f.Accounts) > 1:
		l.Words(kit.Text, phrase.Count(len(f.Accounts), "account"), w)
	case len(f.Accounts) == 1:
		l.Middle(kit.Text, words.Account(t, f.Accounts[0]), w)
	case f.Owner != "":
		l.Words(kit.Absent, "owner gone", w)
	default:
		l.Words(kit.Absent, "no account", w)
	}
}

// lockTableOf is the table of a finding's lock.
func lockTableOf(f check.Finding) string {
	if f.LockTable != "" {
		return f.LockTable
	}
	return f.Table
}

// place is an item that a finding is about.
type place struct {
	what    string // "LOCK", "ACCOUNT"
	table   string
	key     attr.Key
	seen    attr.Item // as the check read it; nil where it did not, or there was none
	gone    bool      // the check found none
	account bool
}

// placesOf are the items that a finding is about: the lock first, then who holds
// its value, or the counter, or the items that share an id.
func placesOf(t *dynamo.Table, f check.Finding) []place {
	var out []place
	add := func(p place, key attr.Item) {
		if k, ok := t.SchemaOf(p.table).KeyOf(key); ok {
			p.key = k
			out = append(out, p)
		}
	}
	rel := f.Relation
	if f.Lock != nil {
		p := place{what: "LOCK", table: lockTableOf(f), gone: f.Kind == check.MissingLock}
		if rel != nil && rel.Lock.Key.Item().Equal(f.Lock) {
			p.seen = rel.Lock.Item
		}
		add(p, f.Lock)
	}
	if f.Kind == check.UnnormalisedLock && rel != nil { // f.Lock is the wrong one
		add(place{what: "LOCK IT SHOULD HAVE", table: rel.Lock.Table, gone: true}, rel.Lock.Key.Item())
	}
	accounts := slices.SortedFunc(slices.Values(f.Accounts), func(x, y attr.Item) int { // a scan meets them in any order
		return strings.Compare(words.Account(t, x), words.Account(t, y))
	})
	for _, key := range accounts {
		add(place{what: "ACCOUNT", table: f.Table, account: true, seen: accountSeen(rel, key)}, key)
	}
	if rel != nil && rel.OwnerAccount != nil {
		owner := rel.OwnerAccount
		if n := len(out) - 1; f.Kind == check.StaleLock && n >= 0 && out[n].account {
			out[n].what = "THE OWNER IT NAMES"
		} else {
			add(place{what: "THE OWNER IT NAMES", table: f.Table, account: true, seen: owner.Item}, owner.Key.Item())
		}
	}
	if f.Key != nil {
		add(place{what: "COUNTER", table: f.Table, gone: f.Kind == check.CounterMissing}, f.Key)
	}
	for _, item := range f.Items {
		p := place{what: "ITEM", table: item.Table}
		if p.table == "" {
			p.table = f.Table
		}
		if f.Kind != check.DuplicateID {
			p.what = "THE HIGHEST ID IN USE"
		}
		add(p, item.Key)
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
		all = append(all[:len(all):len(all)], *rel.OwnerAccount)
	}
	for _, a := range all {
		if a.Key.Item().Equal(key) {
			return a.Item
		}
	}
	return nil
}
