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

// What is kept of some accounts, such as a link that was sent, has keys as locks have, and
// so has what is kept of people without an account. Neither keeps values unique: their gaps tell. Here is
// all that speaks against a rule, with the numbers that it takes.
const (
	// mostLocked is how many of a hundred values have a lock where the words do not say that
	// these are locks: what is sent to people on request reaches fewer.
	mostLocked = 85
	// Where locks name the items that hold their values, one in ownedShare values has to
	// have one, since hardly anything else looks like that; else one in unownedShare.
	ownedShare, unownedShare = 4, 2
	// One in repeatedShare values may be held twice: orders repeat their customers' oftener.
	repeatedShare = 5
	// One in missingShare values may have no lock where words say that these are locks. More
	// than fewUnclaimed locks, and one in unclaimedShare, have to keep what nobody holds
	// before they are taken for what is kept of anybody.
	missingShare, fewUnclaimed, unclaimedShare = 20, 2, 5
)

// against says why a rule is not taken for one; empty where it may be.
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

// foreign reports whether the values are ids of other items than the locks: those are
// named by them, and need no locks.
func (s *Search) foreign(r *rule) bool {
	named, all := 0, 0
	for lock, e := range r.holders {
		for _, text := range e.texts[r.path] {
			if strings.Contains(text, "@") {
				return false // people's own, under which much may be kept
			}
			all++
			if slices.ContainsFunc(s.ids[text], func(of string) bool { return of != s.shapeOf[lock] && of != s.shapeOf[e] }) {
				named++
			}
		}
	}
	return 2*named > all
}

// namesAttribute reports whether the words of a lock's key name the attribute and nothing
// else: EMAIL#{v} keeps e-mails as such, RESET#{v} something about them.
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

// keepsID reports whether the locks of two accounts with one value would not meet: the
// account's id is in the partition key, or in the sort key with the value.
func (r *rule) keepsID() bool {
	id := "{" + identity + "}"
	return strings.Contains(r.config.PK, id) || strings.Contains(r.config.SK, id) && strings.Contains(r.config.SK, "v}")
}

// dated is a date, a week or a year between other things than digits and letters.
var dated = regexp.MustCompile(
	`(?:^|[^0-9A-Za-z])(?:19|20)[0-9]{2}(?:-?(?:0[1-9]|1[0-2])(?:-?[0-3][0-9])?|-?W[0-5][0-9])?(?:$|[^0-9A-Za-z]|T[0-9])`,
)

// namesDay reports whether a lock's key has a date in it, the same in all of them: then it
// keeps what was so on that day.
func (r *rule) namesDay() bool {
	return dated.MatchString(variable.ReplaceAllString(r.config.PK, "#")) ||
		dated.MatchString(variable.ReplaceAllString(r.config.SK, "#"))
}

// withoutUnclaimed takes the rules away whose locks keep too many values that nobody holds:
// a few are left behind, many are of people who have no account. Where the words say that
// these are locks, and hardly an account is without one, many are what is wrong with the
// table: accounts that expired.
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

// leases are the kinds of items that keep something for a while, by the attributes that
// all of a kind have, in lower case. They look like locks of values, and are none: they
// come and go, and nobody calls for them.
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

// Leases says what most of some items are, where those are leases or the like: "leases of
// a lock client". It is empty where they are not.
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
