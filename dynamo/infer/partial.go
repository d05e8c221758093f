package infer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo/attr"
)

// What is kept of some accounts, such as a link that was sent, has keys as locks have, and
// so has what is kept of strangers. Neither keeps values unique: their gaps tell.

// namesAttribute reports whether the words of a lock's key name the attribute and nothing
// else: EMAIL#{v} keeps e-mails as such, RESET#{v} something about them.
func (r *rule) namesAttribute() bool { return namesAttribute(r.config.PK, r.config.SK, r.path) }

func namesAttribute(pk, sk, attribute string) bool {
	said := false
	for _, word := range strings.FieldsFunc(variable.ReplaceAllString(pk+"#"+sk, "#"), func(c rune) bool { return !unicode.IsLetter(c) }) {
		if said = strings.EqualFold(word, attribute); !said {
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
var dated = regexp.MustCompile(`(?:^|[^0-9A-Za-z])(?:19|20)[0-9]{2}(?:-?(?:0[1-9]|1[0-2])(?:-?[0-3][0-9])?|-?W[0-5][0-9])?(?:$|[^0-9A-Za-z]|T[0-9])`)

// namesDay reports whether a lock's key has a date in it, the same in all of them: then it
// keeps what was so on that day.
func (r *rule) namesDay() bool {
	return dated.MatchString(variable.ReplaceAllString(r.config.PK, "#")) || dated.MatchString(variable.ReplaceAllString(r.config.SK, "#"))
}

// fewestLacking is how many accounts without a lock can show what they have in common.
const fewestLacking = 3

// lackedBy is what nearly all items without a lock have in common, and hardly one with a
// lock: "with deletedAt". Which accounts have locks is then a rule that no layout can say.
func (r *rule) lackedBy() string {
	if len(r.lacking) < fewestLacking {
		return ""
	}
	holding := map[*entry]bool{}
	for _, e := range r.holders {
		holding[e] = true
	}
	without, with := map[string]int{}, map[string]int{}
	for _, e := range r.lacking {
		countTraits(e, without)
	}
	for e := range holding {
		countTraits(e, with)
	}
	for _, trait := range sortedKeys(without) {
		if 10*without[trait] >= 9*len(r.lacking) && 10*with[trait] <= len(holding) {
			return "with " + trait
		}
	}
	for _, trait := range sortedKeys(with) {
		if 10*with[trait] >= 9*len(holding) && 10*without[trait] <= len(r.lacking) {
			return "without " + trait
		}
	}
	return ""
}

// countTraits counts what may tell an item from others: its attributes, and what the short
// ones of them say.
func countTraits(e *entry, counts map[string]int) {
	for name, v := range e.item {
		counts[name]++
		if text := v.Display(); v.Kind == attr.BOOL || len(text) <= 24 {
			counts[name+" = "+text]++
		}
	}
}

// withoutStrangers takes the rules away whose locks keep too many values that nobody holds:
// a few are left behind, many are of people who have no account. Where the words say that
// these are locks, and hardly an account is without one, many are what is wrong with the
// table: accounts that expired.
func (s *search) withoutStrangers(chosen []*rule) []*rule {
	explained := map[*entry]bool{}
	for _, r := range chosen {
		for lock := range r.locks {
			explained[lock] = true
		}
	}
	return slices.DeleteFunc(chosen, func(r *rule) bool {
		complete := r.values-r.hits() <= max(1, r.values/20)
		if !s.own.Whole || !r.table.Whole || (complete && (r.saysLock() || r.namesAttribute())) {
			return false
		}
		strangers := 0
		for _, e := range r.table.entries {
			if r.isLock(e) && !explained[e] {
				strangers++
			}
		}
		return strangers > max(2, r.all/5)
	})
}
