package dynamo

import (
	"strings"
	"time"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// The limits of About: attributes, and characters of each.
const (
	mostAbout    = 6
	longestAbout = 40
)

// About lists the attributes of a lock besides its key and a mark; each time with its age. It is
// empty if there are none.
func (l Lock) About(now time.Time) string {
	var all []string
	for _, name := range l.Item.Names() {
		if name == l.Key.Hash.Name || name == l.Key.Range.Name || name == MarkAttribute {
			continue
		}
		text := []rune(l.Item[name].Display())
		if len(text) > longestAbout {
			text = append(text[:longestAbout], '…')
		}
		one := name + " = " + string(text)
		if age, ok := layout.Age(l.Item[name], now); ok {
			one += " (" + phrase.Age(age) + ")"
		}
		all = append(all, one)
	}
	if more := len(all) - mostAbout; more > 0 {
		all = append(all[:mostAbout], phrase.Count(more, "more attribute"))
	}
	return strings.Join(all, ", ")
}
