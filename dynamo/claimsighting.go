package dynamo

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Sighting is what holds a value and is no account of the layout: the items of one shape
// that have it under one attribute.
type Sighting struct {
	Items     string   // their shape
	Attribute string   // a path, or the name of a key
	Key       attr.Key // of the first
	N         int
	As        Holding
	Seen      string // the numbers that As rests on; empty where a person has said it
	lock      bool   // the lock that is asked about itself has an attribute that no held lock has
	known     bool   // the layout takes each for an account or a lock
	// form is the lock of another form of the value, which an account among them calls for.
	form layout.Claim
}

// Holding is what items that hold a value are to it.
type Holding string

// What items that hold a value may be.
const (
	// HoldsUndecided: they may be accounts, and nobody has said.
	HoldsUndecided Holding = "undecided"
	HoldsAccount   Holding = "account"    // a person has said that they hold values
	HoldsCopy      Holding = "copy"       // they repeat values of accounts
	HoldsOther     Holding = "irrelevant" // what they hold there is nothing that locks keep
)

// Sightings are the items that hold the value and are no accounts of the layout, by their
// shape, each with what they are to it. All readers have to be closed.
func (c Claims) Sightings() []Sighting {
	s, rel, g := c.s, c.rel, c.of
	if g == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Sighting
	for _, h := range g.seen().sightings {
		if g.anyScope && h.N == 1 && h.Key.Equal(rel.Lock.Key) {
			continue // the lock itself
		}
		one := *h
		one.As, one.Seen = c.decide(h)
		out = append(out, one)
	}
	if lock := rel.Lock; lock.Exists && lock.Item != nil {
		if odd := s.oddAttribute(rel.Constraint, lock.Table, lock.Key, itemFields(lock.Item)); odd != "" {
			h := Sighting{Items: layout.ShapeOf(lock.Key), Attribute: odd, Key: lock.Key, N: 1, As: HoldsUndecided, lock: true}
			if s.t.Layout.Holds(h.Items, odd) {
				h.As = HoldsAccount
			}
			out = append(out, h)
		}
	}
	slices.SortFunc(out, compareSightings)
	return out
}

// decide says what the items of a shape are to a value.
func (c Claims) decide(h *Sighting) (Holding, string) {
	l := c.s.t.Layout
	switch {
	case l.Holds(h.Items, h.Attribute):
		return HoldsAccount, ""
	case l.Copies(h.Items, h.Attribute):
		return HoldsCopy, ""
	}
	return c.s.shapes.decide(c.s, c.of, h)
}

// Undecided is the first of the items that hold the value of which nobody has said what
// they are, or of which somebody has said that they hold values; nil where there is none.
func Undecided(sightings []Sighting) *Sighting {
	for n := range sightings {
		if sightings[n].As == HoldsUndecided || sightings[n].As == HoldsAccount {
			return &sightings[n]
		}
	}
	return nil
}

// String says what the holder does to a lock's release.
func (h Sighting) String() string {
	switch {
	case h.lock && h.As == HoldsUndecided:
		return fmt.Sprintf("this lock has an attribute %q that no used lock has: is it an account?", h.Attribute)
	case h.As == HoldsAccount:
		return fmt.Sprintf("%s holds it under %s", h.Key, h.Attribute)
	case h.As == HoldsUndecided && h.form.Constraint != nil:
		return fmt.Sprintf("%s holds it under %s, and its lock keeps %q: whether that is another form of it is not known",
			h.Key, h.Attribute, h.form.Value)
	case h.As == HoldsUndecided && h.N > 1:
		return fmt.Sprintf("%s and %d more %s items hold it under %s: are those accounts?", h.Key, h.N-1, h.Items,
			h.Attribute)
	case h.As == HoldsUndecided:
		return fmt.Sprintf("%s holds it under %s: is that an account?", h.Key, h.Attribute)
	}
	why := h.Seen
	if why == "" {
		why = "as somebody has said"
	}
	verb := "hold"
	if h.N == 1 {
		verb = "holds"
	}
	return fmt.Sprintf("%s %s it under %s (%s: %s)", phrase.Count(h.N, h.Items+" item"), verb, h.Attribute, h.As, why)
}

// Say is how a person says what the items are that hold the value.
func (h Sighting) Say(t *Table) string {
	return "If they only repeat values of accounts: " + t.Command([]string{"layout", "--no-holder", "CONSTRAINT " + h.Items + " " + h.Attribute}) + ". If they are accounts: the same with --holder in place of --no-holder."
}
