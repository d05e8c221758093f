package counter

import (
	"math/big"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Limit is a number that ends the ids of a counter.
type Limit string

// The limits.
const (
	// LayoutMax is the highest number that the layout allows. The counter may hand this number out.
	LayoutMax Limit = "max"
	// A counter must stay below the limits that follow. Signed32 and Unsigned32 are the limits of programs that keep ids
	// in 32 bits. Below Double, JavaScript reads ids exactly. Below Digits38, DynamoDB stores numbers exactly.
	Signed32   Limit = "2^31"
	Unsigned32 Limit = "2^32"
	Double     Limit = "2^53"
	Digits38   Limit = "10^38"
)

// Room is the count of numbers that a counter can still hand out before a limit.
type Room struct {
	Limit Limit
	Left  *big.Int
	// Rise is the amount by which the stored number rises until no number is left.
	Rise *big.Int
	// Proposed: the numbers look as if the limit applies. No person has confirmed this limit.
	Proposed bool
}

// limits are the limits that are no guess, with the highest numbers below them.
var limits = []struct {
	limit Limit
	most  *big.Int
}{
	{Double, below(power(2, 53))},
	{Digits38, below(power(10, 38))},
}

func power(base, exponent int64) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(exponent), nil)
}

func below(n *big.Int) *big.Int { return n.Sub(n, big.NewInt(1)) }

// Rooms returns the limits ahead of the counter, the nearest first. If the layout has a maximum, Rooms returns only
// this limit. It returns nil if the number is not whole. It also returns nil for a counter that does not end: a
// tally, or a counter that begins again.
func (c *Counter) Rooms() []Room {
	l := c.Layout
	value, ok := attr.Integer(c.Value)
	if !ok || l == nil || l.Modulo != nil {
		return nil
	}
	var rooms []Room
	add := func(limit Limit, most *big.Int, proposed bool) {
		if left, ok := l.RoomTo(most, c.Value); ok {
			rooms = append(rooms, Room{limit, left, new(big.Int).Mul(left, l.Step), proposed})
		}
	}
	if l.Max != nil {
		add(LayoutMax, l.Max, false)
		return rooms
	}
	if limit, most, ok := c.looksLike32Bits(value); ok {
		add(limit, most, true)
	}
	for _, one := range limits {
		if last := one.limit == Digits38; last || value.Cmp(one.most) <= 0 {
			add(one.limit, one.most, false)
		}
	}
	return rooms
}

// A counter probably has a 32-bit limit if every number that was read fits into 32 bits, and if the counter has used
// half of this range. Smaller numbers fit by chance.
var (
	half32   = power(2, 30)
	most31   = below(power(2, 31))
	most32   = below(power(2, 32))
	unsigned = power(2, 31)
)

// looksLike32Bits returns the 32-bit limit ahead of the counter, if the counter probably has such a limit.
func (c *Counter) looksLike32Bits(value *big.Int) (limit Limit, most *big.Int, ok bool) {
	highest := value // the highest number handed out
	if c.Semantics == layout.Next {
		highest = new(big.Int).Sub(value, c.Layout.Step)
	}
	if id, ok := attr.Integer(c.HighestID); ok && id.Cmp(highest) > 0 {
		highest = id
	}
	switch {
	case c.Semantics == layout.Tally:
	case value.Cmp(half32) >= 0 && highest.Cmp(most31) <= 0:
		return Signed32, most31, true
	case value.Cmp(unsigned) >= 0 && highest.Cmp(most32) <= 0:
		return Unsigned32, most32, true
	}
	return "", nil, false
}
