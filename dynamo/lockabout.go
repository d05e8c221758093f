package dynamo

import (
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// The limits of About: attributes, and characters of each.
const (
	mostAbout    = 6
	longestAbout = 40
)

// longestBrief is how many characters of an attribute Brief shows.
const longestBrief = 16

// Attributes returns the attributes of a lock besides its key.
func (l Lock) Attributes() attr.Item {
	rest := attr.Item{}
	for name, v := range l.Item {
		if name != l.Key.Hash.Name && name != l.Key.Range.Name {
			rest[name] = v
		}
	}
	return rest
}

// Written returns the earliest time of the past that an attribute of a lock holds; the zero time if
// none does.
func (l Lock) Written(now time.Time) (since time.Time) {
	for _, v := range l.Attributes() {
		if age, ok := layout.Age(v, now); ok && (since.IsZero() || now.Add(-age).Before(since)) {
			since = now.Add(-age)
		}
	}
	return since
}

// About lists the attributes of a lock besides its key and a mark; each time with its age. It is
// empty if there are none.
func (l Lock) About(now time.Time) string {
	attributes := l.Attributes()
	delete(attributes, MarkAttribute)
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

// Brief is a shorter About: the age of the lock, and its attributes that are no times.
func (l Lock) Brief(now time.Time) string {
	var all []string
	if at := l.Written(now); !at.IsZero() {
		all = append(all, phrase.Age(now.Sub(at)))
	}
	attributes := l.Attributes()
	delete(attributes, MarkAttribute)
	for _, name := range attributes.Names() {
		if _, isTime := layout.Age(attributes[name], now); !isTime {
			all = append(all, name+" = "+cutText(attributes[name], longestBrief))
		}
	}
	return strings.Join(all, ", ")
}

// cutText returns the text of an attribute, cut after longest characters.
func cutText(v attr.Value, longest int) string {
	text := []rune(v.Display())
	if len(text) > longest {
		text = append(text[:longest], '…')
	}
	return string(text)
}
