package layout

import (
	"cmp"
	"math/big"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
)

// Semantics is the meaning of a counter's stored number.
type Semantics string

// The three meanings that applications use. A wrong meaning makes every number wrong by one step.
const (
	Last  Semantics = "last"  // the last number handed out
	Next  Semantics = "next"  // the next number to hand out
	Tally Semantics = "tally" // a count of items; it mints no ids
)

// Counter describes one counter item. If the key templates have variables, it describes a family of
// counters. For example, each partition of a Tickets table has its own counter.
type Counter struct {
	// Name is the counter's name. If it is empty, the counter has the name of its table. The name
	// of a counter in a family also contains the values of its key's variables.
	Name   string
	PK, SK Template
	Is     Discriminator
	// Attribute is the name of the attribute with the number. If that attribute is the partition
	// key, the table has only one item, and the key of the item is the number. Such a table is
	// called a NextIdTable.
	Attribute string
	Semantics Semantics
	// Start is the assumed number of a counter whose item does not exist yet. Step is the distance
	// between two numbers, at least 1. Offset is the remainder of every number after division by
	// Step.
	Start, Step, Offset *big.Int
	// Max is the highest number that the counter may hand out, for example because ids have a fixed
	// count of digits. Modulo is the number at which the counter begins again at 0. Each is nil if
	// the counter has none.
	Max, Modulo *big.Int
	// Resets is the schedule that resets the counter. It is empty if no schedule does.
	Resets string
	// IDs lists the places that contain ids from the counter. It is empty if the places are
	// unknown. It is also empty if the counter resets: then ids above the counter are normal, and a
	// comparison would show nothing.
	IDs []IDs
	// Uncompared lists the places of the ids if the counter resets. The program only writes these
	// places into the config again.
	Uncompared []IDs
	// Evidence is a sentence that explains why the item is a counter. It is empty if a person has
	// described the counter.
	Evidence string
	// Guess: Semantics is only guessed, since the attribute has no well-known name.
	Guess bool
	// State says whether the counter is guessed, or a person has confirmed it.
	State State
	// Origin is the place in the config that describes the counter.
	Origin Origin
}

// KeyIsValue reports whether the partition key itself is the counter's number.
func (c *Counter) KeyIsValue(s attr.Schema) bool { return c.Attribute == s.HashName }

// Fixed reports whether the counter has one constant key.
func (c *Counter) Fixed(s attr.Schema) bool {
	return !c.KeyIsValue(s) && c.PK.Constant() && (s.RangeName == "" || c.SK.Constant() || c.SK.String() == "{pk}")
}

// Key returns the key of a counter that is Fixed.
func (c *Counter) Key(s attr.Schema) (attr.Key, error) {
	return c.KeyFor(s, nil)
}

// Matches reports whether an item is this counter, or a counter of this family.
func (c *Counter) Matches(s attr.Schema, item attr.Fields) bool {
	k, ok := s.KeyOf(item)
	return ok && c.matches(s, k, item)
}

func (c *Counter) matches(s attr.Schema, k attr.Key, item attr.Fields) bool {
	if !c.Is.Holds(item) {
		return false
	}
	if c.KeyIsValue(s) {
		return k.Hash.Value.Kind == attr.N
	}
	var vars bindings
	if !parseKey(s, c.PK, c.SK, k, &vars) {
		return false
	}
	return c.Fixed(s) || item.At(c.Attribute).Exists()
}

// NameOf returns the name of the counter with this key in the given table.
func (c *Counter) NameOf(table string, s attr.Schema, k attr.Key) string {
	var vars bindings
	if c.KeyIsValue(s) || c.Fixed(s) || !parseKey(s, c.PK, c.SK, k, &vars) {
		return cmp.Or(c.Name, table)
	}
	return c.called(table, &vars)
}

// called returns the name of a counter of a family. vars are the variables of its key.
func (c *Counter) called(table string, vars *bindings) string {
	var said []string
	if c.Name != "" {
		said = append(said, c.Name)
	}
	for _, one := range vars.all[:vars.n] {
		said = append(said, one.text)
	}
	return cmp.Or(strings.Join(said, "/"), table)
}

// shard is the name of the variable that numbers the items of one tally. The tally is the sum of
// these items.
const shard = "shard"

// ShardOf returns the name of the tally to which the item with key k belongs. It reports false if the key templates
// have no {shard}, or if k does not fit them.
func (c *Counter) ShardOf(table string, s attr.Schema, k attr.Key) (string, bool) {
	var vars bindings
	if !c.PK.Uses(shard) && !c.SK.Uses(shard) || !parseKey(s, c.PK, c.SK, k, &vars) {
		return "", false
	}
	vars.drop(shard)
	return c.called(table, &vars), true
}

// NextOf returns the next number to hand out if the counter holds v. NextOf reports false if the
// counter is a tally, or if v is not a whole number. It also reports false if the next number is
// above Max or has more than 38 digits.
func (c *Counter) NextOf(v string) (string, bool) {
	n, ok := attr.Integer(v)
	if !ok || c.Semantics == Tally {
		return "", false
	}
	if c.Semantics == Last {
		n.Add(n, c.Step)
	}
	if c.Modulo != nil {
		n.Mod(n, c.Modulo)
	}
	if !c.fits(n) {
		return "", false // the counter is used up
	}
	return n.String(), true
}

// Add returns the number that the counter holds after it has handed out n more numbers. v is the number that it holds
// before. Add reports false if v is not a whole number, or if the sum has more than 38 digits. It also reports false if
// one of the n numbers would be above Max, or if the sum is not below Modulo.
func (c *Counter) Add(v string, n *big.Int) (string, bool) {
	have, ok := attr.Integer(v)
	if !ok {
		return "", false
	}
	sum := new(big.Int).Mul(n, c.Step)
	sum.Add(sum, have)
	if _, ok := attr.Integer(sum.String()); !ok || !c.CanHold(sum) {
		return "", false
	}
	return sum.String(), true
}

// CanHold reports whether the counter may hold the number v: no number that it has handed out is then above Max, and v
// is below Modulo.
func (c *Counter) CanHold(v *big.Int) bool {
	last := v
	if c.Semantics == Next {
		last = new(big.Int).Sub(v, c.Step)
	}
	return c.fits(last) && (c.Modulo == nil || v.Cmp(c.Modulo) < 0)
}

// CounterFault is a problem of a counter. Its text is the name of the finding.
type CounterFault string

// The faults of a counter.
const (
	CounterMissing   CounterFault = "counter-missing"        // the counter has no item
	CounterBehind    CounterFault = "counter-behind"         // the counter may hand out an id that is already in use
	CounterNotNumber CounterFault = "counter-not-a-number"   // the number is negative, or not whole
	CounterUnsafe    CounterFault = "counter-unsafe-integer" // the number is above 2^53 − 1, so JavaScript rounds it
	CounterOffStep   CounterFault = "counter-off-step"       // the number is not offset + n × step
)

// Faults returns the problems that the counter's number v shows without other items. If v is not a
// whole number from 0 up, Faults returns only CounterNotNumber. Otherwise it may return
// CounterUnsafe and CounterOffStep.
func (c *Counter) Faults(v attr.Value) []CounterFault {
	n, ok := attr.Integer(v.Text)
	if v.Kind != attr.N || !ok || n.Sign() < 0 {
		return []CounterFault{CounterNotNumber}
	}
	var found []CounterFault
	if n.Cmp(safeInteger) > 0 {
		found = append(found, CounterUnsafe)
	}
	rest := new(big.Int).Sub(n, c.Offset)
	if rest.Mod(rest, c.Step).Sign() != 0 {
		found = append(found, CounterOffStep)
	}
	return found
}

// safeInteger is 2^53 − 1: above it, a double cannot hold every whole number.
var safeInteger = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 53), big.NewInt(1))

// NameOr returns the counter's name. If the counter has no name, it returns the table's name.
func (c *Counter) NameOr(table string) string { return cmp.Or(c.Name, table) }

// Words returns a short name for the number: "last number".
func (s Semantics) Words() string {
	switch s {
	case Next:
		return "next number"
	case Tally:
		return "count"
	}
	return "last number"
}

// Holds describes the number for a sentence such as "it holds the last number handed out".
func (s Semantics) Holds() string {
	switch s {
	case Next:
		return "the next number to hand out"
	case Tally:
		return "a count"
	}
	return "the last number handed out"
}

// fits reports whether the counter can hand out n: n has at most 38 digits and is not above Max.
func (c *Counter) fits(n *big.Int) bool {
	_, ok := attr.Integer(n.String())
	return ok && (c.Max == nil || n.Cmp(c.Max) <= 0)
}

// Limit describes the limit of the counter in a few words. It is empty if there is no limit.
func (c *Counter) Limit() string {
	switch {
	case c == nil:
		return ""
	case c.Max != nil:
		return "the highest number is " + phrase.Group(c.Max.String())
	case c.Modulo != nil:
		return "at " + phrase.Group(c.Modulo.String()) + " the counter goes back to 0"
	}
	return ""
}

// Room counts the numbers that the counter can still hand out if it holds v. It reports false if the
// counter is a tally or has no Max, or if v is not a whole number.
func (c *Counter) Room(v string) (*big.Int, bool) {
	if c == nil || c.Max == nil {
		return nil, false
	}
	return c.RoomTo(c.Max, v)
}

// RoomTo counts the numbers up to most that the counter can still hand out if it holds v. It reports
// false if the counter is a tally, or if v is not a whole number.
func (c *Counter) RoomTo(most *big.Int, v string) (*big.Int, bool) {
	n, ok := attr.Integer(v)
	if !ok || c.Semantics == Tally {
		return nil, false
	}
	room := new(big.Int).Sub(most, n)
	if c.Semantics == Next {
		room.Add(room, c.Step)
	}
	if room.Sign() <= 0 {
		return new(big.Int), true
	}
	return room.Quo(room, c.Step), true
}
