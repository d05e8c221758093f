package check

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/ids"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/layout"
)

// sharing is a value or an id with the items that have it.
type sharing struct {
	text    string
	con     *layout.Constraint // the constraint of a value; nil for an id
	scope   string             // the scope of the value's accounts, by layout.Account.ScopeOf
	series  *ids.Series        // the series of an id; nil for a value
	guessed bool               // the layout is only guessed here, so the items are not read again
	items   []ids.Item
	more    int // the number of items that there was no room for
}

// maxIDHolders is how many items with one id are listed.
const maxIDHolders = 10

// addTo adds an item that has the value or the id.
func (s sharing) addTo(c *twice.Entries[sharing], print uint64, r *join.Room, from *join.Source, key attr.Key) {
	c.At(print, func(have *sharing) {
		if have.con == nil && have.series == nil {
			s.text, s.scope = strings.Clone(s.text), strings.Clone(s.scope)
			*have = s
		}
		switch {
		case slices.ContainsFunc(have.items, func(h ids.Item) bool { return h.From == from && h.Key.Equal(key) }):
			// the item is known already: it holds the value under two constraints
		case have.series != nil && len(have.items) == maxIDHolders, !r.Take(len(have.items)):
			have.more++
		default:
			have.items = append(have.items, ids.Item{ID: have.text, From: from, Key: key.Clone()})
		}
	})
}
