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

// The three meanings found in the wild. A wrong one is an off-by-one.
const (
	Last  Semantics = "last"  // the last number handed out
	Next  Semantics = "next"  // the next number to hand out
	Tally Semantics = "tally" // a count of items; it mints no ids
)

// Counter is one counter item, or a family of counter items if its key template has variables: in a
// Tickets table, each partition is a counter.
type Counter struct {
	// Name is the counter's name. If it is empty, the table's name stands for it; in a family, the
	// variables of the key do.
	Name   string
	PK, SK Template
	Is     Discriminator
	// Attribute has the number. If it is the partition key's name, the key itself is the number and
	// the table has one item: a NextIdTable.
	Attribute string
	Semantics Semantics
	// Start is the assumed value of a counter whose item does not exist yet. Step is the distance
	// between two numbers, at least 1. Offset is the remainder of every value divided by Step.
	Start, Step, Offset *big.Int
	// Max is the highest number that may be handed out, such as the highest one that the ids have
	// digits for. Modulo is the number at which the counter begins again at 0. Each is nil if the
	// counter has none.
	Max, Modulo *big.Int
	// Resets is how often a schedule sets the counter back; empty if no schedule does.
	Resets string
	// IDs are the places of the ids that the counter has handed out. It is empty if they are
	// unknown, or if the counter resets: then no id stays the highest, and ids are not compared
	// with the counter.
	IDs []IDs
	// Uncompared are the places of ids of a counter that resets. They are kept to write them into a
	// config again.
	Uncompared []IDs
	// Evidence is a sentence that says how the counter was recognised; empty if a person has
	// described it.
	Evidence string
	// Guess: the meaning of the number is guessed, since the attribute has no well-known name.
	Guess bool
	// State says whether a person answers for the counter.
	State State
	// Origin is the place in the config that describes the counter.
	Origin Origin
}

// KeyIsValue reports whether the partition key itself is the counter's number.
func (c *Counter) KeyIsValue(s attr.Schema) bool { return c.Attribute == s.HashName }

// Fixed reports whether the counter has a single key, which the layout alone tells.
func (c *Counter) Fixed(s attr.Schema) bool {
	return !c.KeyIsValue(s) && c.PK.Constant() && (s.RangeName == "" || c.SK.Constant() || c.SK.String() == "{pk}")
}

// Key returns the key of a fixed counter.
func (c *Counter) Key(s attr.Schema) (attr.Key, error) {
	return c.KeyFor(s, nil)
}

// Matches reports whether an item is this counter, or one of its family.
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

// called returns the name of one counter of a family.
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

// shard is the variable of a tally's key that numbers its items: the tally is the sum of all of
// them.
const shard = "shard"

// ShardOf returns the name of the counter that the item with this key is a shard of; false if the
// key template has no {shard}, or the key does not fit it.
func (c *Counter) ShardOf(table string, s attr.Schema, k attr.Key) (string, bool) {
	var vars bindings
	if !c.PK.Uses(shard) && !c.SK.Uses(shard) || !parseKey(s, c.PK, c.SK, k, &vars) {
		return "", false
	}
	vars.drop(shard)
	return c.called(table, &vars), true
}

// NextOf returns the next number of a counter that holds v. It reports false for a tally, if v is
// not a whole number, and if the next number would be above the highest or have more than 38
// digits.
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

// Add returns the value of a counter that holds v after it has handed out n numbers. It reports
// false if v is not a whole number, if the sum has more than 38 digits, or if one of the numbers
// would be above the highest or a repeated one.
func (c *Counter) Add(v string, n *big.Int) (string, bool) {
	have, ok := attr.Integer(v)
	if !ok {
		return "", false
	}
	sum := new(big.Int).Mul(n, c.Step)
	sum.Add(sum, have)
	most := new(big.Int).Set(sum)
	if c.Semantics == Next {
		most.Sub(most, c.Step)
	}
	if _, ok := attr.Integer(sum.String()); !ok || !c.fits(most) || c.Modulo != nil && sum.Cmp(c.Modulo) >= 0 {
		return "", false
	}
	return sum.String(), true
}

// CounterFault is a problem of a counter. Its text is the name of the finding.
type CounterFault string

// The faults of a counter.
const (
	CounterMissing   CounterFault = "counter-missing"        // there is no item
	CounterBehind    CounterFault = "counter-behind"         // an id in use is higher
	CounterNotNumber CounterFault = "counter-not-a-number"   // not a whole number, or negative
	CounterUnsafe    CounterFault = "counter-unsafe-integer" // above 2^53 − 1, which JavaScript rounds
	CounterOffStep   CounterFault = "counter-off-step"       // not offset + n × step
)

// Faults returns the problems that a value shows by itself: CounterNotNumber alone, or any of
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

// safeInteger is 2^53 − 1, the last whole number that a double can tell from its neighbours.
var safeInteger = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 53), big.NewInt(1))

// NameOr returns the counter's name, or the table's if the counter has none.
func (c *Counter) NameOr(table string) string { return cmp.Or(c.Name, table) }

// Words returns a short name of the counter's number: "last number".
func (s Semantics) Words() string {
	switch s {
	case Next:
		return "next number"
	case Tally:
		return "count"
	}
	return "last number"
}

// Holds describes the counter's number, for a sentence about the counter.
func (s Semantics) Holds() string {
	switch s {
	case Next:
		return "the next number to hand out"
	case Tally:
		return "a count"
	}
	return "the last number handed out"
}

// fits reports whether a number can be handed out: it has 38 digits at most, and is not above the
// highest number.
func (c *Counter) fits(n *big.Int) bool {
	_, ok := attr.Integer(n.String())
	return ok && (c.Max == nil || n.Cmp(c.Max) <= 0)
}

// Limit says in a few words where the counter ends; empty if it does not end.
func (c *Counter) Limit() string {
	switch {
	case c == nil:
		return ""
	case c.Max != nil:
		return "its highest number is " + phrase.Group(c.Max.String())
	case c.Modulo != nil:
		return "it begins again at " + phrase.Group(c.Modulo.String())
	}
	return ""
}

// Room returns how many numbers a counter that holds v can still hand out. It reports false if the
// counter is a tally, if it has no highest number, or if v is not a whole number.
func (c *Counter) Room(v string) (*big.Int, bool) {
	n, ok := attr.Integer(v)
	if c == nil || c.Max == nil || !ok || c.Semantics == Tally {
		return nil, false
	}
	room := new(big.Int).Sub(c.Max, n)
	if c.Semantics == Next {
		room.Add(room, c.Step)
	}
	if room.Sign() <= 0 {
		return new(big.Int), true
	}
	return room.Quo(room, c.Step), true
}
