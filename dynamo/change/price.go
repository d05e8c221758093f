package change

import (
	"fmt"
	"math"
	"math/big"
)

// Price is what a change costs, in capacity units. What has to be read to the
// end of a table is an estimate.
type Price struct {
	WriteUnits float64 `json:"write_units"`
	ReadUnits  float64 `json:"read_units"`
	About      bool    `json:"about"` // ReadUnits is an estimate
	// Uncounted: the endpoint does not say how large the table is.
	Uncounted bool `json:"uncounted,omitempty"`
}

// PriceOf is the price of plans that are made together: a look is paid once.
func PriceOf(plans []*Plan) Price {
	var sum Price
	look := 0.0
	for _, p := range plans {
		sum.WriteUnits += p.Price.WriteUnits
		look = max(look, p.Price.ReadUnits)
		sum.About, sum.Uncounted = sum.About || p.Price.About, sum.Uncounted || p.Price.Uncounted
	}
	sum.ReadUnits = look
	return sum
}

// Plus is the price of both.
func (p Price) Plus(other Price) Price {
	return Price{p.WriteUnits + other.WriteUnits, p.ReadUnits + other.ReadUnits, p.About || other.About, p.Uncounted || other.Uncounted}
}

// String says the price in words.
func (p Price) String() string {
	s := fmt.Sprintf("%g write units", p.WriteUnits)
	switch {
	case p.Uncounted:
		s += ", and a read of the whole table, whose size is not counted yet"
	case p.About:
		s += fmt.Sprintf(", about %s", plural(big.NewInt(int64(math.Ceil(p.ReadUnits))), "read unit"))
	case p.ReadUnits > 0:
		s += fmt.Sprintf(", %g read units", p.ReadUnits)
	}
	return s
}

// units is what writing an item of that size costs in a transaction: two
// units for each kilobyte begun.
func units(bytes int) float64 { return 2 * float64(max(1, (bytes+1023)/1024)) }
