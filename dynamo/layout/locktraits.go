package layout

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/attr"
)

// LockTraits describes the attributes of held locks. A held lock is a lock that an account claims. Other locks are
// compared with them. If an attribute has few different texts, like a status, LockTraits keeps these texts. The zero
// LockTraits is empty.
type LockTraits struct {
	// Locks counts the locks that were added.
	Locks  int
	traits map[string]*trait // by attribute
}

// trait is one attribute of the locks.
type trait struct {
	locks int             // the number of locks with the attribute
	texts map[string]bool // its texts; nil if there are more than mostTexts
}

// mostTexts is the greatest number of different texts that a status may have.
const mostTexts = 8

// Add adds a lock. skip reports whether to leave out an attribute, such as a key.
func (h *LockTraits) Add(lock iter.Seq2[string, attr.Value], skip func(name string) bool) {
	h.Locks++
	for name, v := range lock {
		if skip(name) {
			continue
		}
		if t := h.trait(name); t.texts == nil {
			t.locks++
		} else {
			t.add(1, v.Display())
		}
	}
}

// trait returns the trait of an attribute, and creates it if needed.
func (h *LockTraits) trait(name string) *trait {
	t := h.traits[name]
	if t == nil {
		if h.traits == nil {
			h.traits = map[string]*trait{}
		}
		t = &trait{texts: map[string]bool{}}
		h.traits[strings.Clone(name)] = t
	}
	return t
}

func (t *trait) add(locks int, texts ...string) {
	t.locks += locks
	for _, text := range texts {
		if t.texts != nil && !t.texts[text] {
			t.texts[strings.Clone(text)] = true
		}
		if len(t.texts) > mostTexts {
			t.texts = nil
		}
	}
}

// Merge adds the locks of other to h.
func (h *LockTraits) Merge(other *LockTraits) {
	if other == nil {
		return
	}
	h.Locks += other.Locks
	for name, t := range other.traits {
		own := h.trait(name)
		own.add(t.locks, slices.Collect(maps.Keys(t.texts))...)
		if t.texts == nil {
			own.texts = nil
		}
	}
}

// Has reports whether any lock has this attribute.
func (h *LockTraits) Has(name string) bool {
	if h == nil {
		return false
	}
	_, ok := h.traits[name]
	return ok
}

// Lacks lists the attributes that locks in h have but item does not have, in byte order.
func (h *LockTraits) Lacks(item attr.Item) []string {
	if h == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(h.traits)), func(name string) bool { return item[name].Exists() })
}

// minAge is the age from which a lock no longer looks like part of a sign-up in progress.
const minAge = 24 * time.Hour

// Provisional returns a reason why the lock may belong to a sign-up in progress. It is empty if
// there is no reason. value is the value that the lock keeps. skip reports whether to leave out an
// attribute. If the layout describes reserved locks, use Reservation instead.
func (h *LockTraits) Provisional(lock attr.Item, value string, skip func(name string) bool, now time.Time) string {
	if h == nil || h.Locks == 0 {
		return "no held lock was read, so tallylock cannot compare this lock with a held lock"
	}
	for _, name := range lock.Names() {
		if skip(name) {
			continue
		}
		v := lock[name]
		if isTime, young := lockTime(v, now); young {
			return fmt.Sprintf("it is less than a day old (%s)", name)
		} else if isTime || Fold(v.Display()) == Fold(value) {
			continue
		}
		if t := h.traits[name]; t != nil && t.isStatus() && !t.texts[v.Display()] {
			return fmt.Sprintf("its %s is %q, unlike every held lock", name, v.Display())
		}
	}
	return ""
}

// isStatus reports whether an attribute has few different texts. If several locks have the
// attribute and all their texts differ, the attribute is an id.
func (t *trait) isStatus() bool {
	return len(t.texts) > 0 && (t.locks == 1 || len(t.texts) < t.locks)
}

// lockTime reports whether an attribute of a lock is or contains a time. young reports whether that
// time may be within the last day.
func lockTime(v attr.Value, now time.Time) (isTime, young bool) {
	number := v
	if v.Kind == attr.S {
		number = attr.Number(v.Text) // applications also write milliseconds as strings
	}
	for _, v := range []attr.Value{v, number} {
		if earliest, latest, ok := pointInTime(v); ok && earliest.Unix() >= earliestSecond {
			isTime = true
			young = young || latest.After(now.Add(-minAge)) && !earliest.After(now.Add(clockSkew))
		}
	}
	for _, e := range slices.AppendSeq(slices.Clone(v.List), maps.Values(v.Map)) {
		entryIs, entryYoung := lockTime(e, now)
		isTime, young = isTime || entryIs, young || entryYoung
	}
	return isTime, young
}

// IsTime reports whether an attribute of a lock is or contains a time.
func IsTime(v attr.Value) bool {
	isTime, _ := lockTime(v, time.Time{})
	return isTime
}

// Age returns the age of a lock. v is an attribute of the lock with a time. Age reports false if v
// is not a time in the past.
func Age(v attr.Value, now time.Time) (time.Duration, bool) {
	earliest, latest, ok := pointInTime(v)
	if !ok || earliest.Unix() < earliestSecond || latest.After(now) {
		return 0, false
	}
	return now.Sub(latest), true
}
