package guess

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// This file lists all objections to a rule, with their limits. Not every item with an account's value in
// its key is a lock. The item may be a link that was sent, or data about a person without an account. Such
// items do not keep values unique. Their sign is that they are missing for many values.
const (
	// At least mostLocked percent of the values must have a lock: links that people request, for example to reset a
	// password, exist only for fewer values. If the keys name the attribute, such as EMAIL#{v}, only the locks that a
	// probe looked for count.
	mostLocked = 85
	// If all locks name their accounts, at least one in ownedShare values must have a lock: hardly any other item names an
	// account in this way. Otherwise, at least one in unownedShare values must have a lock.
	ownedShare, unownedShare = 4, 2
	// At most one in repeatedShare claims may repeat a value. If more do, the items are probably not
	// accounts but, for example, orders that repeat their customers' values.
	repeatedShare = 5
	// A rule is dropped if too many of its items have a value that no account holds: more than fewUnclaimed, and more than
	// one in unclaimedShare. There is an exception: at most one in missingShare values lacks a lock, and the rule's keys,
	// attributes or table are named like locks, or its keys name the attribute.
	missingShare, fewUnclaimed, unclaimedShare = 20, 2, 5
)

// against returns the objection to a rule; empty if there is none.
func (s *Search) against(r *rule) string {
	hits := r.hits()
	repeated := r.claims - r.values
	most := 100*hits >= mostLocked*r.values
	switch {
	case hits == 0:
		return "no value has such a lock"
	case r.opaque:
		return "the possible locks have more attributes than locks usually have"
	case r.copies():
		return "the possible locks repeat most attributes of the accounts, so they are copies"
	case s.foreign(r):
		return "the values are ids of other items"
	case r.direction() < 0:
		return "these items look like locks, and their possible locks look like accounts"
	case repeated > max(1, r.claims/repeatedShare):
		return fmt.Sprintf("%s of %s repeat, so these items may be copies of accounts", phrase.Number(repeated),
			phrase.Count(r.claims, "value"))
	case hits == 1 && !(r.values <= 2 && repeated == 0 && s.own.Whole && r.table.Whole):
		return "one lock alone does not show a rule"
	case hits == 1:
		return ""
	case r.owned == hits && ownedShare*hits < r.values, r.owned != hits && unownedShare*hits < r.values,
		!most && !r.namesAttribute(), r.asked >= triedValues && 100*r.answered < mostLocked*r.asked:
		return "too few of the values have such a lock"
	case r.namesDay():
		return "the key contains a date, so the item may be a record of that day"
	case r.keepsID():
		return "the lock's key contains the account's id, so two accounts with the same value would have two different locks"
	}
	return ""
}

// foreign reports whether most of the values are ids of further items, besides the account and its lock.
// Such a value is a reference to a further item and needs no lock.
func (s *Search) foreign(r *rule) bool {
	named, all := 0, 0
	for lock, e := range r.holders {
		for _, text := range e.texts[r.path] {
			if strings.Contains(text, "@") {
				return false // an e-mail address is not an id, even if many items have it in their keys
			}
			all++
			if slices.ContainsFunc(s.ids[text], func(of string) bool { return of != s.shapeOf[lock] && of != s.shapeOf[e] }) {
				named++
			}
		}
	}
	return 2*named > all
}

// namesAttribute reports whether the words of a lock's key name the attribute and nothing else. Items
// EMAIL#{v} keep e-mails unique. Items RESET#{v} are other data about an e-mail.
func (r *rule) namesAttribute() bool {
	said := false
	for _, word := range strings.FieldsFunc(variable.ReplaceAllString(r.config.PK+"#"+r.config.SK, "#"),
		func(c rune) bool { return !unicode.IsLetter(c) }) {
		if said = strings.EqualFold(word, r.path); !said {
			return false
		}
	}
	return said
}

var variable = regexp.MustCompile(`\{[^{}]*(\{v\})?[^{}]*\}`)

// keepsID reports whether the account's id is in the partition key of its lock, or in the sort key together with the
// value. Then two accounts with the same value have different locks, so the locks do not keep the value unique.
func (r *rule) keepsID() bool {
	id := "{" + identity + "}"
	return strings.Contains(r.config.PK, id) || strings.Contains(r.config.SK, id) && strings.Contains(r.config.SK, "v}")
}

// dated matches a date, a week or a year without a digit or letter beside it, except the T before a time.
var dated = regexp.MustCompile(
	`(?:^|[^0-9A-Za-z])(?:19|20)[0-9]{2}(?:-?(?:0[1-9]|1[0-2])(?:-?[0-3][0-9])?|-?W[0-5][0-9])?(?:$|[^0-9A-Za-z]|T[0-9])`,
)

// namesDay reports whether the template of the lock keys contains a date. Items with such keys describe
// that day.
func (r *rule) namesDay() bool {
	return dated.MatchString(variable.ReplaceAllString(r.config.PK, "#")) ||
		dated.MatchString(variable.ReplaceAllString(r.config.SK, "#"))
}

// withoutUnclaimed drops a rule if too many of its locks have a value that no account holds. A few such locks are
// leftovers. Many such items are no locks, but data about people without an account. An exception is a rule whose words
// name locks or the attribute, if nearly all values have a lock: then the table has a problem, such as accounts that
// expired. Rules of incomplete samples stay, since the sample may lack the accounts.
func (s *Search) withoutUnclaimed(chosen []*rule) []*rule {
	explained := map[*entry]bool{}
	for _, r := range chosen {
		for lock := range r.locks {
			explained[lock] = true
		}
	}
	return slices.DeleteFunc(chosen, func(r *rule) bool {
		complete := r.values-r.hits() <= max(1, r.values/missingShare)
		if !s.own.Whole || !r.table.Whole || (complete && (r.saysLock() || r.namesAttribute())) {
			return false
		}
		unclaimed := 0
		for _, e := range r.table.entries {
			if r.isLock(e) && !explained[e] {
				unclaimed++
			}
		}
		return unclaimed > max(fewUnclaimed, r.all/unclaimedShare)
	})
}

// withoutParts drops the rules of a part of a kind, such as the items with the plan "free", if items outside the part
// have such locks, too. Then the attribute does not tell which items have locks: the part only leaves out items without
// a lock. Locks that another rule explains do not count: orders may repeat their customers' values.
func (s *Search) withoutParts(sound []*rule) []*rule {
	return slices.DeleteFunc(slices.Clone(sound), func(r *rule) bool {
		if r.kind.divided == nil {
			return false
		}
		rest := *r
		rest.kind = &kind{pk: r.kind.pk, sk: r.kind.sk, entries: slices.DeleteFunc(slices.Clone(r.kind.divided.entries),
			func(e *entry) bool { return slices.Contains(r.kind.entries, e) })}
		if !rest.build() {
			return false
		}
		s.count(&rest)
		for _, other := range sound {
			for lock := range other.locks {
				delete(rest.locks, lock)
			}
		}
		return rest.hits() > rest.values/missingShare
	})
}

// A lock holds its key, its owner, a time and a duration. An item with much more data is not a lock, even if its key is
// a value: it may be a cart or a session.

// enoughLocks is the minimum number of locks of a rule before a text that they share counts as a word of
// the layout.
const enoughLocks = 3

// moment matches a text that begins with a date.
var moment = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}`)

// holdsMore reports whether the rule's locks hold data that describes neither the lock nor its account (see
// explained). A text that many locks share does not count. A request id or a secret does not count either
// if locks name their accounts.
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
			// All locks hold one text, or one of a few texts.
		case r.owned > 0 && tokens[name] == n:
			// A request id or a secret, in a lock that names its account, does not count.
		default:
			return true
		}
	}
	return false
}

// fewRepeated is the minimum number of attributes that a copy repeats, if words say that the items are
// locks. A lock may repeat one attribute, such as its account's name or tenant.
const fewRepeated = 2

// copies reports whether most of the rule's locks repeat most attributes of their accounts. Such items are
// copies: a lock is only a marker. The value, the account's id and times do not count, and neither do
// attributes that are the same in all accounts.
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

// explained reports whether an attribute belongs in a lock. Such an attribute is a flag, a time or empty,
// or repeats a text of the lock's key or of the account.
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
	if text == "" || moment.MatchString(text) || holds(account, text) {
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

// holds reports whether a text occurs in an entry's key, or is the text of an attribute.
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

// moments reports whether a number may be a point in time or a version. A version has one digit.
func moments(text string) bool {
	if len(text) <= 1 {
		return true // one digit may be a version
	}
	whole, _, _ := strings.Cut(text, ".")
	return len(whole) >= 9 && len(whole) <= 16 && strings.Trim(whole, "0123456789") == ""
}

// leases lists kinds of items that reserve something for a while. They look like locks of values but are
// not: they come and go, and no account claims them. Each kind is recognised by names of attributes, in
// lower case.
var leases = []struct {
	what string
	have []string
}{
	{"leases of the DynamoDB lock client", []string{"ownername", "leaseduration", "recordversionnumber"}},
	{"leases of a lock client", []string{"owner", "leasedurationms", "fencingtoken"}},
	{"leases of the Kinesis client library", []string{"leasekey", "leaseowner", "leasecounter"}},
	{"state locks of Terraform", []string{"lockid"}},
	{"idempotency records", []string{"status", "expiration", "validation"}},
	{"idempotency records", []string{"status", "expiration", "in_progress_expiration"}},
	{"idempotency records", []string{"status", "expiration", "data"}},
}

// Leases names the kind of lease that most of the items are: "leases of a lock client". It returns
// an empty string if most items are something else.
func Leases(items []attr.Item) string {
	counts := map[string]int{}
	for _, item := range items {
		names := map[string]bool{}
		for name := range item {
			names[strings.ToLower(name)] = true
		}
		for _, l := range leases {
			all := true
			for _, name := range l.have {
				all = all && names[name]
			}
			if all {
				counts[l.what]++
				break
			}
		}
	}
	for _, l := range leases {
		if 2*counts[l.what] > len(items) {
			return l.what
		}
	}
	return ""
}
