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

// LockTraits has the attributes of locks that accounts claim. It has the texts of an attribute with
// few different texts: a status, a type. The zero value has none.
type LockTraits struct {
	// Locks is the number of locks that were read.
	Locks  int
	traits map[string]*trait // by attribute
}

// trait is an attribute of held locks.
type trait struct {
	locks int             // number of locks with the attribute
	texts map[string]bool // nil if there are more than mostTexts
}

// mostTexts is the greatest number of different texts of a status.
const mostTexts = 8

// Add adds the attributes of a lock. skip reports the names of attributes to leave out, such as
// keys.
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

// trait returns the trait of an attribute, a new one if there is none.
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

// Merge adds the locks of other.
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

// Has reports whether any lock has the attribute.
func (h *LockTraits) Has(name string) bool {
	if h == nil {
		return false
	}
	_, ok := h.traits[name]
	return ok
}

// Lacks lists the attributes of the locks that an item lacks, in byte order.
func (h *LockTraits) Lacks(item attr.Item) []string {
	if h == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(h.traits)), func(name string) bool { return item[name].Exists() })
}

// minAge is the age at which a lock is no longer likely to belong to a sign-up in progress.
const minAge = 24 * time.Hour

// Provisional returns a reason why the lock of a value may belong to a sign-up that is not
// complete; empty if there is none. If the layout describes reserved locks, it tells this better.
func (h *LockTraits) Provisional(lock attr.Item, value string, skip func(name string) bool, now time.Time) string {
	if h == nil || h.Locks == 0 {
		return "no held lock was read that it could be compared with"
	}
	for _, name := range lock.Names() {
		if skip(name) {
			continue
		}
		v := lock[name]
		if isTime, young := lockTime(v, now); young {
			return fmt.Sprintf("it is younger than a day (%s)", name)
		} else if isTime || Fold(v.Display()) == Fold(value) {
			continue
		}
		if t := h.traits[name]; t != nil && t.isStatus() && !t.texts[v.Display()] {
			return fmt.Sprintf("its %s is %q, and no held lock has that", name, v.Display())
		}
	}
	return ""
}

// isStatus reports whether an attribute has few different texts. An attribute is an id if several
// locks have it and each has another text.
func (t *trait) isStatus() bool {
	return len(t.texts) > 0 && (t.locks == 1 || len(t.texts) < t.locks)
}

// lockTime reports whether an attribute of a lock is a time, or contains one, and whether that time
// may be within the last day.
func lockTime(v attr.Value, now time.Time) (isTime, young bool) {
	number := v
	if v.Kind == attr.S {
		number = attr.Number(v.Text) // applications write times in milliseconds as texts, too
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

// IsTime reports whether an attribute of a lock is a time, or contains one.
func IsTime(v attr.Value) bool {
	isTime, _ := lockTime(v, time.Time{})
	return isTime
}

// Age returns the age of a lock by one of its attributes; false if the attribute is not a time in
// the past.
func Age(v attr.Value, now time.Time) (time.Duration, bool) {
	earliest, latest, ok := pointInTime(v)
	if !ok || earliest.Unix() < earliestSecond || latest.After(now) {
		return 0, false
	}
	return now.Sub(latest), true
}
