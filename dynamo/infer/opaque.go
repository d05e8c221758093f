package infer

import (
	"regexp"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// A lock holds its key, who has it, when and for how long: an item with much else is a
// thing of its own that happens to be kept under a value, such as a cart or a session.

// enoughLocks is how many locks show that what all of them hold is a word of the layout.
const enoughLocks = 3

// moment is how dates and times are written.
var moment = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}`)

// holdsMore reports whether the rule's locks hold what neither their accounts nor locks as
// such explain.
func (r *rule) holdsMore() bool {
	held, unexplained := map[string]int{}, map[string]int{}
	texts := map[string]map[string]bool{}
	tokens := map[string]int{}
	for lock, e := range r.holders {
		for name, v := range lock.item {
			if r.table.Schema.IsKey(name) {
				continue
			}
			held[name]++
			if texts[name] == nil {
				texts[name] = map[string]bool{}
			}
			texts[name][v.Display()] = true
			if !explained(v, lock, e) {
				unexplained[name]++
				if v.Kind == attr.S && len(v.Text) >= 16 && !strings.ContainsAny(v.Text, " @") {
					tokens[name]++
				}
			}
		}
	}
	for name, n := range unexplained {
		switch {
		case 10*n <= held[name]:
		case len(r.locks) >= enoughLocks && len(texts[name]) <= max(1, held[name]/8):
			// One word, or a few, for all of them.
		case r.owned > 0 && tokens[name] == n:
			// An id of the request or a secret, in an item that names its account.
		default:
			return true
		}
	}
	return false
}

// fewRepeated is how many attributes a lock repeats at least where words say that it is a
// lock: some keep their account's name, or its tenant.
const fewRepeated = 2

// copies reports whether most of the rule's locks repeat most attributes of their accounts,
// besides the value and the account's id: a lock is a marker. Times and words that all have in
// common do not count.
func (r *rule) copies() bool {
	least, copied := 1, 0
	if r.saysLock() || r.namesAttribute() {
		least = fewRepeated
	}
	differs := map[string]map[string]bool{}
	for _, e := range r.holders {
		for name, v := range e.item {
			if differs[name] == nil {
				differs[name] = map[string]bool{}
			}
			differs[name][v.Display()] = true
		}
	}
	for lock, e := range r.holders {
		id, _ := r.account.Matches(e.of.Schema, e.item)
		had, repeated := 0, 0
		for name, v := range e.item {
			if e.of.Schema.IsKey(name) || name == r.path || v.Text == id || len(differs[name]) == 1 ||
				moment.MatchString(v.Text) || v.Kind == attr.N && moments(v.Text) {
				continue
			}
			had++
			if v.Equal(lock.item[name]) {
				repeated++
			}
		}
		if repeated >= least && 2*repeated > had {
			copied++
		}
	}
	return 2*copied > len(r.holders)
}

// lists reports whether the value, or another part of the locks' sort key, is a time.
func (r *rule) lists() bool {
	timed := func(path string) bool {
		n := 0
		for _, e := range r.holders {
			if text := e.text(path); moment.MatchString(text) {
				n++
			}
		}
		return 2*n > len(r.holders)
	}
	return timed(r.path) || slices.ContainsFunc(r.constraint.SK.Variables(), timed)
}

// explained reports whether an attribute of a lock says something of the lock's own: its
// value, its account, a time, or nothing at all.
func explained(v attr.Value, lock, account *entry) bool {
	switch v.Kind {
	case attr.BOOL, attr.NULL:
		return true
	case attr.N:
		return moments(v.Text) || holds(account, v.Text)
	case attr.S:
	default:
		for _, text := range layout.Texts(v) {
			if !holds(account, text) {
				return false
			}
		}
		return len(layout.Texts(v)) > 0 || len(v.List)+len(v.Map)+len(v.Text) == 0
	}
	text := v.Text
	if text == "" || moment.MatchString(text) || holds(account, text) || kindWord(text, lock) {
		return true
	}
	for _, path := range account.paths {
		for _, x := range account.texts[path] {
			if len(x) > 2 && strings.Contains(strings.ToLower(text), strings.ToLower(x)) {
				return true
			}
		}
	}
	return strings.Contains(lock.hash, text) || strings.Contains(lock.sort, text) || strings.Contains(text, lock.hash)
}

// kindWord reports whether a text names a kind of thing: letters alone, in a lock's key or
// with a word for locks in it.
func kindWord(text string, lock *entry) bool {
	low := strings.ToLower(text)
	if len(text) > 40 || strings.Trim(low, "abcdefghijklmnopqrstuvwxyz_-.") != "" {
		return false
	}
	for _, word := range []string{
		"uniq", "lock", "claim", "reserv", "constraint", "email", "user", "name",
		"active", "confirmed", "pending", "entity", "lookup", "index",
	} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return strings.Contains(strings.ToLower(lock.hash+lock.sort), low)
}

// holds reports whether an account says a text, in its key or an attribute.
func holds(e *entry, text string) bool {
	if findRun(e.hash, text) >= 0 || findRun(e.sort, text) >= 0 {
		return true
	}
	for _, all := range e.texts {
		for _, x := range all {
			if strings.EqualFold(x, text) {
				return true
			}
		}
	}
	return false
}

// moments reports whether a number is a point in time, or a small one that counts writes.
func moments(text string) bool {
	if len(text) <= 1 {
		return true // a version
	}
	whole, _, _ := strings.Cut(text, ".")
	return len(whole) >= 9 && len(whole) <= 16 && strings.Trim(whole, "0123456789") == ""
}
