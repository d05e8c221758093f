package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

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
	case r.lists():
		return "a sort key that is made of a time belongs to a list"
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
