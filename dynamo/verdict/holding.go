package verdict

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// A Holding describes items of one place that hold a value, although the layout does not expect it there.
type Holding struct {
	layout.Place
	// N is the number of the items.
	N int
	// Answer is a person's answer whether such items count as holders.
	Answer layout.Answer
	Keys   []attr.Key // of some of the items
	Known  bool       // all the items are accounts or locks of the layout
}

// Key is the key of one of the items.
func (h *Holding) Key() attr.Key { return h.Keys[0] }

// String says which items hold the value.
func (h *Holding) String() string {
	if len(h.Keys) == 0 {
		return fmt.Sprintf("%s items hold the value in %s", h.Items, h.Attribute)
	}
	at := "in " + h.Attribute
	if h.Attribute == layout.KeyAttribute {
		at = "in its key"
	}
	if h.N > 1 {
		return fmt.Sprintf("%s and %s like it hold the value %s", h.Key(), phrase.Count(h.N-1, "item"), at)
	}
	return fmt.Sprintf("%s holds the value %s", h.Key(), at)
}

// Holders lists the items that hold a value, besides the accounts that claim its lock.
type Holders struct {
	// Known are the places whose items hold the value, as a person says.
	Known []*Holding
	// Asks is the first place that a person has to decide about; nil if there is none.
	Asks *Holding
	// All are all places, including places that do not count, as a person says.
	All []*Holding
	// Overflow says that too many places hold the value to list them all; empty if all are listed.
	Overflow string
}

// Keeps says why the lock must stay: an item holds the value, or may hold it. It is empty if there is no
// reason.
func (h Holders) Keeps() string {
	switch {
	case len(h.Known) > 0:
		return h.Known[0].String()
	case h.Asks != nil:
		return h.Asks.String() + ". Does it count?"
	}
	return h.Overflow
}

// Sort fills Known and Asks from All, by the answers of people.
func (h *Holders) Sort() {
	h.Known, h.Asks = nil, nil
	for _, one := range h.All {
		switch {
		case one.Answer == layout.Hold:
			h.Known = append(h.Known, one)
		case one.Answer != layout.HoldNot && h.Asks == nil:
			h.Asks = one
		}
	}
}

// OutsideLayout returns the holders without the accounts and locks of the layout.
func (h Holders) OutsideLayout() Holders {
	h.All = slices.DeleteFunc(slices.Clone(h.All), func(one *Holding) bool { return one.Known })
	h.Sort()
	return h
}
