package verdict

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// A Holding describes items that hold a value, besides its account and its lock. All these items have one
// place: one table, one shape of keys, one attribute.
type Holding struct {
	layout.Place
	// N is the number of items.
	N int
	// Answer is a person's answer to the question: do such items really hold the value?
	Answer layout.Answer
	Keys   []attr.Key // keys of some of the items
	Known  bool       // set if all items are accounts or locks of the layout
}

// Key is the key of one of the items.
func (h *Holding) Key() attr.Key { return h.Keys[0] }

// String names the items that hold the value: "… holds the value in …".
func (h *Holding) String() string {
	if len(h.Keys) == 0 {
		return fmt.Sprintf("%s items hold the value in %s", h.Items, h.Attribute)
	}
	at := "in " + h.Attribute
	if h.Attribute == layout.KeyAttribute {
		at = "in the key"
	}
	if h.N > 1 {
		return fmt.Sprintf("%s and %s like it hold the value %s", h.Key(), phrase.Count(h.N-1, "item"), at)
	}
	return fmt.Sprintf("%s holds the value %s", h.Key(), at)
}

// Holders lists the items that hold a value, besides the accounts that claim its lock.
type Holders struct {
	// Known are the places with the answer Hold.
	Known []*Holding
	// Asks is the first place without an answer (Hold or HoldNot): the program asks a person about it. Asks
	// is nil if every place has an answer.
	Asks *Holding
	// All lists every place, also the places with the answer HoldNot.
	All []*Holding
	// Overflow says that there are too many places to list. It is empty if All is complete.
	Overflow string
}

// Keeps explains why the lock must stay: an item holds the value, or may hold it. It is empty if there
// is no such item.
func (h Holders) Keeps() string {
	switch {
	case len(h.Known) > 0:
		return h.Known[0].String()
	case h.Asks != nil:
		return h.Asks.String() + ". Does such an item count as a holder?"
	}
	return h.Overflow
}

// Sort sets Known and Asks by the answers in All.
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

// OutsideLayout returns the holders that are neither accounts nor locks of the layout.
func (h Holders) OutsideLayout() Holders {
	h.All = slices.DeleteFunc(slices.Clone(h.All), func(one *Holding) bool { return one.Known })
	h.Sort()
	return h
}
