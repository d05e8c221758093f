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

// Some data about accounts, such as a link that was sent, has keys like the keys of locks. So has
// data about people without an account. Such data does not keep values unique. It is recognised by
// its gaps: many values have no such item. This file lists all objections to a rule, with their
// limits.
const (
	// mostLocked is the minimum percentage of values that must have a lock, unless words say that
	// the items are locks. Data that is sent to people on request reaches fewer values.
	mostLocked = 85
	// If locks name their accounts, one in ownedShare values must have a lock, since hardly
	// anything else looks like that. Otherwise, one in unownedShare must have a lock.
	ownedShare, unownedShare = 4, 2
	// One in repeatedShare values may be held twice. Orders repeat their customers' values more
	// often.
	repeatedShare = 5
	// One in missingShare values may lack its lock if words say that the items are locks. If more
	// than fewUnclaimed items, and more than one in unclaimedShare, have values that no account
	// holds, the items are data about people and not locks.
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
		return "what would be the locks hold more than locks do: they may be things of their own"
	case r.copies():
		return "what would be the locks repeat most of what the items say: they are copies of them"
	case s.foreign(r):
		return "the values are ids of other items, which name them"
	case r.direction() < 0:
		return "these items look like locks, and what would be their locks like accounts"
	case repeated > max(1, r.claims/repeatedShare):
		return fmt.Sprintf("%s of %s repeat: these items may be copies of the accounts", phrase.Number(repeated),
			phrase.Count(r.claims, "value"))
	case hits == 1 && !(r.values <= 2 && s.own.Whole && r.table.Whole):
		return "one lock alone does not show a rule"
	case hits == 1:
		return ""
	case r.owned == hits && ownedShare*hits < r.values, r.owned != hits && unownedShare*hits < r.values,
		!most && !r.namesAttribute(), r.asked >= triedValues && 100*r.answered < mostLocked*r.asked:
		return "too few of the values have such a lock"
	case r.namesDay():
		return "the key has a date in it: it keeps what was so on that day"
	case r.keepsID():
		return "the key has the id of the item in it: two items with one value would have two such locks"
	}
	return ""
}

// foreign reports whether most of the values are ids of items other than the account and its lock.
// Such a value is a reference and needs no lock.
func (s *Search) foreign(r *rule) bool {
	named, all := 0, 0
	for lock, e := range r.holders {
		for _, text := range e.texts[r.path] {
			if strings.Contains(text, "@") {
				return false // an address is no id, though many items may have it in their keys
			}
			all++
			if slices.ContainsFunc(s.ids[text], func(of string) bool { return of != s.shapeOf[lock] && of != s.shapeOf[e] }) {
				named++
			}
		}
	}
	return 2*named > all
}

// namesAttribute reports whether the words of a lock's key name the attribute and nothing else.
// EMAIL#{v} keeps e-mails; RESET#{v} keeps something about them.
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

// keepsID reports whether two accounts with one value would have locks with different keys. The
// account's id is in the partition key, or in the sort key together with the value.
func (r *rule) keepsID() bool {
	id := "{" + identity + "}"
	return strings.Contains(r.config.PK, id) || strings.Contains(r.config.SK, id) && strings.Contains(r.config.SK, "v}")
}

// dated matches a date, a week or a year without a digit or letter beside it.
var dated = regexp.MustCompile(
	`(?:^|[^0-9A-Za-z])(?:19|20)[0-9]{2}(?:-?(?:0[1-9]|1[0-2])(?:-?[0-3][0-9])?|-?W[0-5][0-9])?(?:$|[^0-9A-Za-z]|T[0-9])`,
)

// namesDay reports whether all lock keys of a rule contain the same date. Such keys describe that
// day.
func (r *rule) namesDay() bool {
	return dated.MatchString(variable.ReplaceAllString(r.config.PK, "#")) ||
		dated.MatchString(variable.ReplaceAllString(r.config.SK, "#"))
}

// withoutUnclaimed drops the rules whose locks keep too many values that no account holds. A few
// such locks are leftovers; many belong to people without an account. It keeps a rule if words say
// that these are locks and hardly an account lacks one: then the table has a problem, such as
// accounts that expired. It can judge only rules whose samples are complete.
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

// A lock holds its key, its owner, a time and a duration. An item with much else is a thing of its
// own whose key happens to be a value, such as a cart or a session.

// enoughLocks is a number of locks. If at least so many locks all hold one text, the text is a word
// of the layout.
const enoughLocks = 3

// moment matches the date at the beginning of a date or time.
var moment = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}`)

// holdsMore reports whether the rule's locks hold data that neither their accounts nor the nature
// of a lock explains.
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
			// The text is a request id or a secret, in a lock that names its account.
		default:
			return true
		}
	}
	return false
}

// fewRepeated is the number of attributes that a lock must repeat to be a copy, if words say that
// it is a lock. Some locks keep their account's name, or its tenant.
const fewRepeated = 2

// copies reports whether most of the rule's locks repeat most attributes of their accounts: a lock
// is a marker. The value, the account's id, times, and words that all accounts share do not count.
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

// explained reports whether an attribute of a lock describes the lock itself: its value, its
// account, a time, or nothing at all.
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

// holds reports whether an entry has a text in its key or as an attribute.
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

// moments reports whether a number is a point in time, or has one digit and may count writes.
func moments(text string) bool {
	if len(text) <= 1 {
		return true // one digit may be a version
	}
	whole, _, _ := strings.Cut(text, ".")
	return len(whole) >= 9 && len(whole) <= 16 && strings.Trim(whole, "0123456789") == ""
}

// leases are the kinds of items that reserve something for a while. Their attributes, in lower
// case, identify them. They look like locks of values but are not: they come and go, and no account
// claims them.
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
