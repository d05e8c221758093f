package say

import (
	"fmt"
	"math/big"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// CounterSentence says what the counter's number means, or what is wrong with it.
func CounterSentence(c counter.Counter) string {
	v := phrase.Group(c.Value)
	for _, f := range c.Faults {
		switch f {
		case layout.CounterMissing:
			if c.Other != "" {
				return "The counter does not exist: the item with its key is not a counter, because " + c.Other + "."
			}
			if c.Item != nil {
				return "Its item exists, but has no attribute " + c.Attribute + "."
			}
			return "The counter does not exist: nothing has been handed out yet, or it was deleted."
		case layout.CounterBehind:
			return fmt.Sprintf("It says %s, but %s is in use and will be handed out again.", v, phrase.Group(c.HighestID))
		case layout.CounterNotNumber:
			if c.Item.At(c.Attribute).Kind == attr.N {
				return fmt.Sprintf("It holds %s, which is not a whole number of 0 or more. ADD still works on it, and continues from there.",
					c.Value)
			}
			return fmt.Sprintf("It holds \"%s\", which is not stored as a number: ADD fails on it.", c.Value)
		case layout.CounterOffStep:
			return fmt.Sprintf("It says %s, which is not in its series: steps of %s, from %s on.", v, c.Step,
				c.Layout.Offset)
		case layout.CounterUnsafe:
			if seen := asDouble(c.Value); seen != c.Value {
				return fmt.Sprintf("%s is exact here and in the table. JavaScript and other programs that use doubles see %s.", v,
					phrase.Group(seen))
			}
			return v + " is exact. Above 2^53 JavaScript rounds: two ids can look the same."
		}
	}
	switch c.Semantics {
	case layout.Next:
		return v + " is the next number to hand out."
	case layout.Tally:
		return "It counts " + v + " and hands out no numbers."
	}
	if c.Next == "" {
		return v + " is the last number handed out."
	}
	return v + " is the last number handed out; the next is " + phrase.Group(c.Next) + "."
}

// NoneLeft reports whether a counter that hands out numbers has reached its end.
func NoneLeft(c counter.Counter) bool {
	_, ok := WholeNumber(c.Value)
	return ok && c.Exists && c.Next == "" && c.Semantics != layout.Tally
}

// asDouble returns the number that a program sees if it keeps the counter's number in a double. Only this function
// converts a number of a table to a double.
func asDouble(digits string) string {
	n, ok := WholeNumber(digits)
	if !ok {
		return digits
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	out, _ := big.NewFloat(f).Int(nil)
	return out.String()
}

// Stores says what the counter's number is.
func Stores(c counter.Counter) string {
	said := "the last number handed out"
	switch {
	case c.Shards > 0:
		said = "sum of " + phrase.Count(c.Shards, "item")
	case c.Semantics == layout.Next:
		said = "the next number to hand out"
	case c.Semantics == layout.Tally:
		said = "a count of items"
	}
	if c.Layout.Guess {
		said += " (a guess)"
	}
	return said
}

// Counter returns the sign for the state of a counter.
func Counter(c counter.Counter) kit.Sign {
	if len(c.Faults) > 0 {
		return Kind(finding.Kind(c.Faults[0]))
	}
	if c.Unjudged() {
		word := "not checked"
		switch { // no check can compare these counters with ids
		case c.Layout.Resets != "":
			word = "resets " + c.Layout.Resets
		case len(c.Layout.IDs) == 0:
			word = "ids unknown"
		}
		return kit.Sign{Glyph: kit.GlyphNone, Style: kit.Muted, Word: word, Quiet: true}
	}
	return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "ok", Quiet: true}
}
