package verdict

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Holding is items of one place that hold a value where the layout does not say so.
type Holding struct {
	layout.Place
	// N is how many items do.
	N int
	// Answer is what a person says of such items.
	Answer layout.Answer
	Keys   []attr.Key // of some of them
	Known  bool       // the layout has all of them as accounts or locks
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

// Holders are what holds a value besides the accounts that claim its lock.
type Holders struct {
	// Known are items that hold the value, as a person says.
	Known []*Holding
	// Asks is the first place about which a person has to decide; nil if there is none.
	Asks *Holding
	// All are the places, those about which a person has said that they do not hold it included.
	All []*Holding
	// Overflow says that items of too many shapes hold the value; empty if they do not.
	Overflow string
}

// Keeps says why the lock is kept; empty if nothing holds the value.
func (h Holders) Keeps() string {
	switch {
	case len(h.Known) > 0:
		return h.Known[0].String()
	case h.Asks != nil:
		return h.Asks.String() + ". Does it count?"
	}
	return h.Overflow
}

// Sort sorts the places by what people have said of them.
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

// OutsideLayout returns the holders that the layout has neither as accounts nor as locks.
func (h Holders) OutsideLayout() Holders {
	h.All = slices.DeleteFunc(slices.Clone(h.All), func(one *Holding) bool { return one.Known })
	h.Sort()
	return h
}
