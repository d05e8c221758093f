package counter_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
)

// At each limit the counter can hand out exactly the numbers that are left: the last number is within the limit, and
// the next one is not.
func TestRoomAtTheLimits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	ends := map[counter.Limit]*big.Int{
		counter.Signed32: power(2, 31), counter.Unsigned32: power(2, 32), counter.Double: power(2, 53), counter.Digits38: power(10, 38),
	}
	one := big.NewInt(1)
	met := map[counter.Limit]int{}
	for range 20_000 {
		l := &layout.Counter{Semantics: []layout.Semantics{layout.Last, layout.Next}[r.IntN(2)], Offset: new(big.Int)}
		l.Step = []*big.Int{one, big.NewInt(2), big.NewInt(9), big.NewInt(1000), power(10, 37)}[r.IntN(5)]
		at := []*big.Int{new(big.Int), power(2, 30), power(2, 31), power(2, 32), power(2, 53), power(10, 38)}[r.IntN(6)]
		value := new(big.Int).Sub(at, big.NewInt(r.Int64N(4001)-2000))
		if r.IntN(8) == 0 {
			l.Max = new(big.Int).Sub(at, big.NewInt(r.Int64N(100)))
		}
		if _, ok := attr.Integer(value.String()); !ok {
			continue // DynamoDB cannot store this number
		}
		c := counter.Counter{Exists: true, Value: value.String(), Semantics: l.Semantics, Layout: l}
		rooms := c.Rooms()
		if len(rooms) == 0 {
			t.Fatalf("no limit of %s", value)
		}
		for n, room := range rooms {
			met[room.Limit]++
			most := l.Max
			if most == nil {
				most = new(big.Int).Sub(ends[room.Limit], one)
			}
			first := new(big.Int).Set(value) // the next number that the counter hands out
			if l.Semantics == layout.Last {
				first.Add(first, l.Step)
			}
			last := new(big.Int).Mul(new(big.Int).Sub(room.Left, one), l.Step)
			last.Add(last, first)
			more := new(big.Int).Add(last, l.Step)
			if room.Left.Sign() < 0 || room.Left.Sign() > 0 && last.Cmp(most) > 0 || more.Cmp(most) <= 0 {
				t.Fatalf("%+v holds %s: %s left until %s", *l, value, room.Left, room.Limit)
			}
			if rise := new(big.Int).Mul(room.Left, l.Step); room.Rise.Cmp(rise) != 0 {
				t.Fatalf("it rises by %s, want %s", room.Rise, rise)
			}
			if room.Proposed != (room.Limit == counter.Signed32 || room.Limit == counter.Unsigned32) {
				t.Fatalf("%s is proposed: %v", room.Limit, room.Proposed)
			}
			if n > 0 && rooms[n-1].Left.Cmp(room.Left) > 0 {
				t.Fatalf("the nearest limit is not first: %+v", rooms)
			}
		}
	}
	for limit := range ends {
		if met[limit] == 0 {
			t.Errorf("no counter had the limit %s", limit)
		}
	}
}

// The limit 2^31 is proposed only if all numbers are below it, and if the counter has used half of them.
func TestNumbersThatLookLike32Bits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ value, highest, limit, left string }{
		{"42", "", "2^53", "9007199254740949"},
		{"1073741823", "", "2^53", "9007198180999168"},
		{"1073741824", "", "2^31", "1073741823"},
		{"2147481649", "2147481649", "2^31", "1998"},
		{"2147481649", "2147483648", "2^53", "9007197107259342"},
		{"2147483647", "", "2^31", "0"},
		{"2147483648", "", "2^32", "2147483647"},
		{"4294967296", "", "2^53", "9007194959773695"},
		{"-7", "", "2^53", "9007199254740998"},
		{"9007199254740991", "", "2^53", "0"},
		{"9007199254740992", "", "10^38", "99999999999999999999990992800745259007"},
		{"99999999999999999999999999999999999999", "", "10^38", "0"},
	} {
		c := counter.Counter{Exists: true, Value: tc.value, HighestID: tc.highest, Semantics: layout.Last, Layout: &layout.Counter{
			Semantics: layout.Last, Step: big.NewInt(1), Offset: new(big.Int),
		}}
		if got := c.Rooms()[0]; string(got.Limit) != tc.limit || got.Left.String() != tc.left {
			t.Errorf("%s: %s left until %s, want %s until %s", tc.value, got.Left, got.Limit, tc.left, tc.limit)
		}
	}
	// A counter that holds the next number has not handed it out yet.
	for value, want := range map[string]string{
		"2147483647": "1 until 2^31", "2147483648": "0 until 2^31", "2147483649": "2147483647 until 2^32",
		"4294967296": "0 until 2^32", "4294967297": "9007194959773695 until 2^53",
	} {
		c := counter.Counter{Exists: true, Value: value, Semantics: layout.Next, Layout: &layout.Counter{
			Semantics: layout.Next, Step: big.NewInt(1), Offset: new(big.Int),
		}}
		if got := c.Rooms()[0]; fmt.Sprint(got.Left, " until ", got.Limit) != want {
			t.Errorf("the next number is %s: %s left until %s, want %s", value, got.Left, got.Limit, want)
		}
	}
	for _, c := range []counter.Counter{
		{Value: "A-1007", Layout: &layout.Counter{Step: big.NewInt(1)}},
		{Value: "7", Layout: &layout.Counter{Step: big.NewInt(1), Semantics: layout.Tally}},
		{Value: "7", Layout: &layout.Counter{Step: big.NewInt(1), Modulo: big.NewInt(100)}},
	} {
		if rooms := c.Rooms(); rooms != nil {
			t.Errorf("%s has the limit %+v", c.Value, rooms)
		}
	}
}

func power(base, exponent int64) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(exponent), nil)
}
