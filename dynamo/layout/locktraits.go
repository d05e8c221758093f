package layout

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"tallylock/dynamo/attr"
)

// LockTraits are the attributes of locks that accounts claim, with the texts of those that have
// few: a status, a type. The zero value has none.
type LockTraits struct {
	// Locks is how many locks were read.
	Locks int
	texts map[string]map[string]bool // by attribute; nil if it has more than mostTexts
}

// mostTexts is the greatest number of texts of an attribute that is a status.
const mostTexts = 8

// Add adds the attributes of a lock. skip names those that say nothing, such as keys.
func (h *LockTraits) Add(lock iter.Seq2[string, attr.Value], skip func(name string) bool) {
	if h.texts == nil {
		h.texts = map[string]map[string]bool{}
	}
	h.Locks++
	for name, v := range lock {
		if skip(name) {
			continue
		}
		if texts, known := h.texts[name]; known && texts == nil {
			continue
		}
		h.add(strings.Clone(name), v.Display())
	}
}

func (h *LockTraits) add(name, text string) {
	texts, known := h.texts[name]
	switch {
	case !known:
		h.texts[name] = map[string]bool{text: true}
	case texts == nil || texts[text]:
	case len(texts) == mostTexts:
		h.texts[name] = nil
	default:
		texts[text] = true
	}
}

// Merge adds the locks of other.
func (h *LockTraits) Merge(other *LockTraits) {
	if other == nil {
		return
	}
	if h.texts == nil {
		h.texts = map[string]map[string]bool{}
	}
	h.Locks += other.Locks
	for name, texts := range other.texts {
		if texts == nil {
			h.texts[name] = nil
		}
		for text := range texts {
			h.add(name, text)
		}
	}
}

// Has reports whether a lock has the attribute.
func (h *LockTraits) Has(name string) bool {
	if h == nil {
		return false
	}
	_, ok := h.texts[name]
	return ok
}

// Lacks lists the attributes that locks have and that an item lacks, in byte order.
func (h *LockTraits) Lacks(item attr.Item) []string {
	if h == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(h.texts)), func(name string) bool { return item[name].Exists() })
}

// minAge is the age from which a lock is no longer likely to be one of a sign-up in progress.
const minAge = 24 * time.Hour

// Provisional says why a lock of a value may belong to a sign-up that is not complete; empty if
// nothing says so. A layout that describes reserved locks says it instead.
func (h *LockTraits) Provisional(lock attr.Item, value string, skip func(name string) bool, now time.Time) string {
	if h == nil || h.Locks == 0 {
		return "no held lock was read that it could be compared with"
	}
	for _, name := range lock.Names() {
		if skip(name) {
			continue
		}
		v := lock[name]
		if h.isStatus(name) && isStatusText(v, value) && !h.texts[name][v.Display()] {
			return fmt.Sprintf("its %s is %q, and no held lock has that", name, v.Display())
		}
		_, latest, ok := pointInTime(v)
		if ok && latest.Unix() >= earliestSecond && latest.After(now.Add(-minAge)) && !latest.After(now.Add(clockSkew)) {
			return fmt.Sprintf("it is younger than a day (%s)", name)
		}
	}
	return ""
}

// Age returns how old a lock is by one of its attributes; false if that is no time of the past.
func Age(v attr.Value, now time.Time) (time.Duration, bool) {
	earliest, latest, ok := pointInTime(v)
	if !ok || earliest.Unix() < earliestSecond || latest.After(now) {
		return 0, false
	}
	return now.Sub(latest), true
}

// isStatus reports whether an attribute of held locks has few texts. Of three locks or more,
// these must not differ in most of them, as names do.
func (h *LockTraits) isStatus(name string) bool {
	n := len(h.texts[name])
	return n > 0 && (h.Locks < 3 || 2*n <= h.Locks)
}

// longestStatus is the greatest length of a status, in bytes.
const longestStatus = 24

// isStatusText reports whether an attribute's value is a word, or a truth value: ids, times and
// the lock's own value are no status.
func isStatusText(v attr.Value, value string) bool {
	if v.Kind == attr.BOOL {
		return true
	}
	if v.Kind != attr.S || v.Text == "" || len(v.Text) > longestStatus || Fold(v.Text) == Fold(value) {
		return false
	}
	other := func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("_- ", r) }
	return strings.IndexFunc(v.Text, other) < 0
}
