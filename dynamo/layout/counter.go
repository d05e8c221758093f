package layout

import (
	"cmp"
	"math/big"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
)

// Semantics is what a counter's stored number means.
type Semantics string

// The three meanings found in the wild. A wrong one is an off-by-one.
const (
	Last  Semantics = "last"  // the last number handed out
	Next  Semantics = "next"  // the next number to hand out
	Tally Semantics = "tally" // a count of items; it mints no ids
)

// Counter is one counter item, or a family of them where its key template has
// variables: each partition of a Tickets table is one.
type Counter struct {
	// Name is what people call it. Empty: the table's name, or, in a family,
	// what the variables of the key say.
	Name   string
	PK, SK Template
	Is     Discriminator
	// Attribute holds the number. Where it is the partition key's own name, the
	// key itself is the number and there is one item: a NextIdTable.
	Attribute string
	Semantics Semantics
	// Start is the value that a counter which does not exist yet is taken to
	// have. Step is the distance between two numbers, at least 1. Offset is
	// what every value leaves when divided by Step.
	Start, Step, Offset *big.Int
	// Max is the highest number that may be handed out: what the ids have digits for. A
	// counter with a Modulo begins again at 0 there. Nil where there is none.
	Max, Modulo *big.Int
	// Resets is how often a schedule sets the counter back; empty if nothing does.
	Resets string
	// IDs is where the ids stand that it has handed out. It is empty if that is unknown, or if
	// the counter resets: then no id is the highest for good, and none is compared.
	IDs []IDs
	// Uncompared are the ids of a counter that resets, to write them into a config again.
	Uncompared []IDs
	// Evidence is what it was recognised by, in a sentence; empty where a person has
	// described it.
	Evidence string
	// Guess: what the number means was not said by a name that is known.
	Guess bool
	// State says who answers for it.
	State State
	// Origin is where the config describes it.
	Origin Origin
}

// KeyIsValue reports whether the partition key itself is the number.
func (c *Counter) KeyIsValue(s attr.Schema) bool { return c.Attribute == s.HashName }

// Fixed reports whether the counter has one key that is known beforehand.
func (c *Counter) Fixed(s attr.Schema) bool {
	return !c.KeyIsValue(s) && c.PK.Constant() && (s.RangeName == "" || c.SK.Constant() || c.SK.String() == "{pk}")
}

// Key is the key of a fixed counter.
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

// NameOf is what the counter with this key is called in the given table.
func (c *Counter) NameOf(table string, s attr.Schema, k attr.Key) string {
	var vars bindings
	if c.KeyIsValue(s) || c.Fixed(s) || !parseKey(s, c.PK, c.SK, k, &vars) {
		return cmp.Or(c.Name, table)
	}
	return c.called(table, &vars)
}

// called is the name of one of a family.
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

// shard is the variable of a tally's key that tells the items whose sum it is.
const shard = "shard"

// ShardOf is what the counter is called of which the item with this key is a shard; false
// where the key template has no {shard}.
func (c *Counter) ShardOf(table string, s attr.Schema, k attr.Key) (string, bool) {
	var vars bindings
	if !c.PK.Uses(shard) && !c.SK.Uses(shard) || !parseKey(s, c.PK, c.SK, k, &vars) {
		return "", false
	}
	vars.drop(shard)
	return c.called(table, &vars), true
}

// NextOf is the number that is handed out next when the counter holds v. It
// reports false for a tally, for what is no whole number, and where the next one
// would be above the highest, or have more than 38 digits.
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
		return "", false // no room is left
	}
	return n.String(), true
}

// Add is the value after n numbers have been handed out. It reports false where
// v is no whole number, the sum has more than 38 digits, or a number would be handed out
// that is above the highest, or again.
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

// CounterFault is what can be wrong with a counter, by the name that findings have.
type CounterFault string

// The faults of a counter.
const (
	CounterMissing   CounterFault = "counter-missing"        // there is no item
	CounterBehind    CounterFault = "counter-behind"         // an id in use is higher
	CounterNotNumber CounterFault = "counter-not-a-number"   // no whole number from 0 on
	CounterUnsafe    CounterFault = "counter-unsafe-integer" // above 2^53 − 1, which JavaScript rounds
	CounterOffStep   CounterFault = "counter-off-step"       // not offset + n × step
)

// Faults are what is wrong with a value by itself: CounterNotNumber alone, or CounterUnsafe
// and CounterOffStep.
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

// safeInteger is 2^53 − 1, the last whole number that a double keeps apart from
// its neighbours.
var safeInteger = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 53), big.NewInt(1))

// NameOr is the counter's name, or the table's if it has none.
func (c *Counter) NameOr(table string) string { return cmp.Or(c.Name, table) }

// Words says what the number is.
func (s Semantics) Words() string {
	switch s {
	case Next:
		return "next number"
	case Tally:
		return "count"
	}
	return "last number"
}

// Holds says what the counter's number is, in a sentence about the counter.
func (s Semantics) Holds() string {
	switch s {
	case Next:
		return "the next number to hand out"
	case Tally:
		return "a count"
	}
	return "the last number handed out"
}

// fits reports whether a number can be handed out: below the highest, if there is one,
// and with 38 digits at most.
func (c *Counter) fits(n *big.Int) bool {
	_, ok := attr.Integer(n.String())
	return ok && (c.Max == nil || n.Cmp(c.Max) <= 0)
}

// Limit says in a few words where the counter ends; empty where it does not.
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

// Room is how many numbers the counter can hand out when it holds v. It reports false
// where it has no highest number, and where v is no whole number.
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
