package infer

import (
	"regexp"
	"slices"
	"strings"
)

// Where locks name their accounts, either could be taken for the other: each holds what
// the other's key is made of. What follows tells them apart.

// opaqueID is how ids look that nobody types: UUIDs, ULIDs, digests and other tokens.
var opaqueID = regexp.MustCompile(
	`^([0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{16,64}|[0-9A-Za-z_-]{20,32})$`,
)

// serial is a long number, which others than this application may have given.
var serial = regexp.MustCompile(`^[0-9]+$`)

// unlike leaves out words that have one of those in them and mean something else.
var unlike = strings.NewReplacer("block", "", "clock", "")

// lockWords are words that keys and attributes of locks have, and those of accounts do not.
var lockWords = []string{"uniq", "lock", "claim", "reserv", "constraint", "taken"}

// direction is how much speaks for a rule's items being the accounts, and not the locks.
func (r *rule) direction() int {
	score, opaque, addresses, more := 0, 0, 0, 0
	for lock, e := range r.holders {
		for _, text := range e.texts[r.path] {
			if opaqueID.MatchString(text) && !serial.MatchString(text) {
				opaque++
			}
			if strings.Contains(text, "@") {
				addresses++
			}
		}
		if len(e.item) > len(lock.item) {
			more++
		} else if len(e.item) < len(lock.item) {
			more--
		}
	}
	n := len(r.holders)
	if 2*addresses > n {
		score += 2
	}
	if 2*opaque > n {
		score -= 3
	}
	if strings.HasSuffix(strings.ToLower(r.path), "id") {
		score--
		if r.owned == 0 {
			score--
		}
	}
	if 2*more > n {
		score++
	}
	if r.saysLock() {
		score += 2
	}
	return score
}

// saysLock reports whether the locks' keys or attributes have a word for locks.
func (r *rule) saysLock() bool {
	var first *entry
	for lock := range r.locks {
		if first == nil || lock.key.ID() < first.key.ID() {
			first = lock
		}
	}
	var names []string
	if first != nil {
		names = first.item.Names()
	}
	texts := append(names, r.config.PK, r.config.SK, r.config.Table)
	low := unlike.Replace(strings.ToLower(strings.Join(texts, " ")))
	return slices.ContainsFunc(lockWords, func(word string) bool { return strings.Contains(low, word) })
}
