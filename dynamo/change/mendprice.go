package change

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
)

// MendPrice is what mending findings costs at most, and about: none of them has been
// read again, and what a table holds was counted hours ago.
type MendPrice struct {
	// Verify is the read units of reading each again.
	Verify float64
	// Looks is how often every account is looked at, and LookUnits the read units of
	// all those looks.
	Looks     int
	LookUnits float64
	// Uncounted: the endpoint does not say how large the table is.
	Uncounted  bool
	WriteUnits float64
}

// PriceMends says what mending findings of a table together costs. It sends nothing.
func PriceMends(t *dynamo.Table, findings ...check.Finding) MendPrice {
	var p MendPrice
	for _, f := range findings {
		reads, writes, look := mendUnits(f)
		p.Verify += reads
		p.WriteUnits += writes
		if look && p.Looks == 0 { // all of them share one
			p.Looks, p.LookUnits, p.Uncounted = 1, math.Ceil(t.SearchCost().Units), t.Bytes == 0
		}
	}
	return p
}

// mendUnits is what reading one finding again takes, and writing what mends it, of
// items of a kilobyte or less; and whether that rests on a look.
func mendUnits(f check.Finding) (reads, writes float64, look bool) {
	switch f.Kind {
	case check.DuplicateValue, check.DuplicateID, check.CounterUnsafe:
		return 0, 0, false
	case check.MalformedLock:
		return 1, 0, false
	case check.OrphanedLock, check.StaleLock:
		if f.Owner == "" {
			return 2, 4, true // the lock, and an index where there is one
		}
		return 15, 4, true // the lock and its owner in one transaction, several times
	case check.UnnormalisedLock:
		return 25, 8, true
	case check.MissingLock:
		return 25, 4, false // what other locks have, and spellings alike
	case check.ForeignLock:
		return 20, 6, false // what other locks have
	case check.ExpiringAccount:
		return 10, 6, false
	}
	return 5, 2, false // a counter
}

// Plus is the price of both.
func (p MendPrice) Plus(other MendPrice) MendPrice {
	return MendPrice{p.Verify + other.Verify, p.Looks + other.Looks, p.LookUnits + other.LookUnits, p.Uncounted || other.Uncounted, p.WriteUnits + other.WriteUnits}
}

// String says the price in words.
func (p MendPrice) String() string {
	count := func(units float64, what string) string {
		return plural(big.NewInt(int64(math.Ceil(units))), what)
	}
	parts := []string{"about " + count(p.Verify, "read unit") + " to read each again"}
	switch {
	case p.Looks == 0:
	case p.Uncounted:
		parts = append(parts, fmt.Sprintf("%s at every account of a table whose size is not counted yet", count(float64(p.Looks), "look")))
	default:
		parts = append(parts, fmt.Sprintf("about %s for %s at every account", count(p.LookUnits, "read unit"), count(float64(p.Looks), "look")))
	}
	return "at most " + strings.Join(append(parts, "about "+count(p.WriteUnits, "write unit")), "; ")
}
