package mend

import (
	"fmt"
	"math"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/phrase"
)

// Price is the estimated maximum price of mending findings. No finding has been read again yet, and the size of the
// table may be hours old.
type Price struct {
	// Verify is the number of read units to read each finding again.
	Verify float64
	// Looks is the number of looks, each of which reads every item. LookUnits counts the read units of all looks.
	Looks     int
	LookUnits float64
	// SizeUnknown is set if the endpoint does not report the size of the table.
	SizeUnknown bool
	WriteUnits  float64
}

// PriceOf returns the price to mend findings of one table together. It sends nothing.
func PriceOf(t *dynamo.Table, findings ...finding.Finding) Price {
	var p Price
	for _, f := range findings {
		repair := findingRepairs[f.Kind]
		if repair.look && f.Owner == "" && f.Kind != finding.UnnormalisedLock {
			repair.reads = 2 // reads the lock, and an index if there is one
		}
		p.Verify += repair.reads
		p.WriteUnits += repair.writes
		if repair.look && p.Looks == 0 { // all releases share one look
			p.Looks, p.LookUnits, p.SizeUnknown = 1, math.Ceil(dynamo.LookCost(t).Units), t.Bytes == 0
		}
	}
	return p
}

// Plus returns the sum of two prices.
func (p Price) Plus(other Price) Price {
	return Price{
		p.Verify + other.Verify,
		p.Looks + other.Looks,
		p.LookUnits + other.LookUnits,
		p.SizeUnknown || other.SizeUnknown,
		p.WriteUnits + other.WriteUnits,
	}
}

// String returns the price in words.
func (p Price) String() string {
	count := func(units float64, what string) string {
		return phrase.Count(int64(math.Ceil(units)), what)
	}
	parts := []string{"about " + count(p.Verify, "read unit") + " to read each finding again"}
	switch {
	case p.Looks == 0:
	case p.SizeUnknown:
		parts = append(parts,
			fmt.Sprintf("%s of every account, in a table of unknown size", count(float64(p.Looks), "read")))
	default:
		parts = append(parts,
			fmt.Sprintf("about %s for %s of every account", count(p.LookUnits, "read unit"), count(float64(p.Looks), "read")))
	}
	return "at most " + strings.Join(append(parts, "about "+count(p.WriteUnits, "write unit")), "; ")
}
