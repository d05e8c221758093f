package schema

import (
	"cmp"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Account is an account item.
type Account struct {
	Model string
	ID    string
	Key   attr.Key
	Item  attr.Item
}

// Lock is a lock item, or the key of a missing lock.
type Lock struct {
	Table  string
	Key    attr.Key
	Exists bool
	// Unread is set if the lock was not read yet, so Exists is unknown.
	Unread bool
	Item   attr.Item
	// Other is the item at Key, if this item is no lock: it lacks the attribute in the constraint's "is". Other is nil
	// if there is no such item.
	Other attr.Item
	// Further are the keys of further locks of the value, in other forms of the key. It is complete if the locks of all
	// forms were read.
	Further []attr.Key
	// Owner is the text by which the lock names its account. It is empty if the lock names no account.
	Owner string
	// Since is the attribute that tells when the lock was put. It is empty unless the layout says that locks may
	// precede their accounts.
	Since attr.Value
	// Mark is the release mark that an interrupted release left on the lock.
	Mark string
}

// Attributes returns the attributes of a lock without its key.
func (l Lock) Attributes() attr.Item {
	rest := attr.Item{}
	for name, v := range l.Item {
		if name != l.Key.Hash.Name && name != l.Key.Range.Name {
			rest[name] = v
		}
	}
	return rest
}

// Written returns when a lock was probably written: the earliest past time among its attributes. The result is
// zero if no attribute is a past time.
func (l Lock) Written(now time.Time) (since time.Time) {
	for _, v := range l.Attributes() {
		if age, ok := layout.Age(v, now); ok && (since.IsZero() || now.Add(-age).Before(since)) {
			since = now.Add(-age)
		}
	}
	return since
}

// mostAbout limits the attributes that About shows, and longestAbout the characters of each.
const (
	mostAbout    = 6
	longestAbout = 40
)

// longestBrief limits the characters of an attribute that Brief shows.
const longestBrief = 16

// About lists the attributes of a lock, without its key and without the marks of this program. It adds the age to each
// time. The result is empty if the lock has no other attributes.
func (l Lock) About(now time.Time) string {
	attributes := l.Attributes()
	delete(attributes, MarkAttribute)
	delete(attributes, AdoptAttribute)
	var all []string
	for _, name := range attributes.Names() {
		one := name + " = " + cutText(attributes[name], longestAbout)
		if age, ok := layout.Age(attributes[name], now); ok {
			one += " (" + phrase.Age(age) + ")"
		}
		all = append(all, one)
	}
	if more := len(all) - mostAbout; more > 0 {
		all = append(all[:mostAbout], phrase.Count(more, "more attribute"))
	}
	return strings.Join(all, ", ")
}

// Brief describes a lock more briefly than About: its age, and its attributes that are not times.
func (l Lock) Brief(now time.Time) string {
	var all []string
	if at := l.Written(now); !at.IsZero() {
		all = append(all, phrase.Age(now.Sub(at)))
	}
	attributes := l.Attributes()
	delete(attributes, MarkAttribute)
	delete(attributes, AdoptAttribute)
	for _, name := range attributes.Names() {
		if _, isTime := layout.Age(attributes[name], now); !isTime {
			all = append(all, name+" = "+cutText(attributes[name], longestBrief))
		}
	}
	return strings.Join(all, ", ")
}

// MarkAttribute is the attribute that marks a lock whose release has begun (docs/truth.md §3b). If the
// application then puts the lock again, the new item has no mark.
const MarkAttribute = "tallylock_release"

// AdoptAttribute is the attribute of a lock that a backfill put. Its text names the run of the backfill. If the
// application then puts the lock again, the new item has no such attribute.
const AdoptAttribute = "tallylock_adopt"

// LockOf makes a Lock of the item that was read at a key. If the item is nil, or is no lock of c, the lock does not
// exist.
func LockOf(c *layout.Constraint, table string, key attr.Key, item attr.Item) Lock {
	if item != nil && !c.Is.Holds(item) {
		return Lock{Table: table, Key: key, Other: item}
	}
	l := Lock{Table: table, Key: key, Exists: item != nil, Item: item}
	if item != nil {
		l.Owner = cmp.Or(c.OwnerOf(item), c.KeyOwner(key))
		l.Mark = item[MarkAttribute].Text
		l.Since = c.Reserved.Said(item)
	}
	return l
}

// WhyOther explains why the item at the lock's key is no lock of c. It is empty if there is no such item.
func (l Lock) WhyOther(c *layout.Constraint) string {
	if l.Other == nil {
		return ""
	}
	return "this item is not a lock: " + c.Is.Lacks()
}

// InForm updates l after a read at key, another form of the lock's key. item is the item at key; nil if it does not
// exist. If item is a lock of c, l becomes this lock, or gets it as a further lock if l exists already. If l does not
// exist and item is no lock of c, l gets the first form of its key.
func (l *Lock) InForm(c *layout.Constraint, key attr.Key, item attr.Item) {
	switch isLock := item != nil && c.Is.Holds(item); {
	case l.Exists:
		if isLock && !key.Equal(l.Key) {
			l.Further = append(l.Further, key)
		}
	case isLock:
		*l = LockOf(c, l.Table, key, item)
	default:
		l.Key = c.FirstForm(l.Key)
	}
}

// cutText returns the text of an attribute. It cuts the text after the given number of characters (longest).
func cutText(v attr.Value, longest int) string {
	text := []rune(v.Display())
	if len(text) > longest {
		text = append(text[:longest], '…')
	}
	return string(text)
}

// LockID returns a string that identifies an item by its table and key, for use in a map.
func LockID(table string, k attr.Key) string { return table + "\x00" + k.ID() }

// SameLock reports whether two locks have the same table and key.
func SameLock(a, b Lock) bool { return a.Table == b.Table && a.Key.Equal(b.Key) }
