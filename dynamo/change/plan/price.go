package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tallylock/dynamo/phrase"
)

// Price is the price of a change in capacity units. The price of reading a whole table is an estimate.
type Price struct {
	WriteUnits float64 `json:"write_units"`
	ReadUnits  float64 `json:"read_units"`
	Estimate   bool    `json:"about"` // true if ReadUnits is an estimate
	// SizeUnknown is set if the endpoint does not report the size of the table.
	SizeUnknown bool `json:"uncounted,omitempty"`
}

// PriceOf returns the price of plans that are applied together. The plans share one look: one read of every item.
func PriceOf(plans []*Plan) Price {
	var sum Price
	look := 0.0
	for _, p := range plans {
		sum.WriteUnits += p.Price.WriteUnits
		look = max(look, p.Price.ReadUnits)
		sum.Estimate, sum.SizeUnknown = sum.Estimate || p.Price.Estimate, sum.SizeUnknown || p.Price.SizeUnknown
	}
	sum.ReadUnits = look
	return sum
}

// Plus returns the sum of two prices.
func (p Price) Plus(other Price) Price {
	return Price{
		p.WriteUnits + other.WriteUnits,
		p.ReadUnits + other.ReadUnits,
		p.Estimate || other.Estimate,
		p.SizeUnknown || other.SizeUnknown,
	}
}

// String returns the price in words.
func (p Price) String() string {
	s := units(p.WriteUnits, "write")
	switch {
	case p.SizeUnknown:
		s += ", and a read of the whole table (its size is unknown)"
	case p.Estimate:
		s += fmt.Sprintf(", about %s", phrase.Count(int64(math.Ceil(p.ReadUnits)), "read unit"))
	case p.ReadUnits > 0:
		s += ", " + units(p.ReadUnits, "read")
	}
	return s
}

// units counts units of a kind: "1 read unit", "0.5 read units".
func units(n float64, kind string) string {
	whole, part, _ := strings.Cut(strconv.FormatFloat(n, 'f', -1, 64), ".")
	if part != "" {
		part = "." + part
	}
	if n == 1 {
		kind += " unit"
	} else {
		kind += " units"
	}
	return phrase.Group(whole) + part + " " + kind
}
