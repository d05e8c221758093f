package dynamo

import (
	"context"

	"tallylock/dynamo/client"
)

// Estimate is what reading a whole table is likely to cost.
type Estimate struct {
	Items int64   // about, hours old
	Units float64 // read units, strongly consistent
}

// AccountsCost estimates a strongly consistent read of the whole account table.
func AccountsCost(t *Table) Estimate { return RestCost(t, 0) }

// RestCost estimates the rest of that read, after a number of bytes.
func RestCost(t *Table, read int64) Estimate {
	return WholeCost(t.Items, max(t.Bytes-read, 0))
}

// WholeCost estimates a strongly consistent read of so many items and bytes.
func WholeCost(items, bytes int64) Estimate {
	// A page of 1 MB is 256 units; items smaller than that share them.
	units := float64(bytes) / client.UnitBytes
	return Estimate{Items: items, Units: max(1, float64(int64(units*2+0.999))/2)}
}

// LookCost estimates a strongly consistent read of all tables that the layout names,
// which is what looks for a value before its lock is deleted.
func LookCost(t *Table) Estimate {
	var sum Estimate
	for _, name := range t.Tables() {
		one := WholeCost(t.locks[name].Items, t.locks[name].Bytes)
		sum.Items, sum.Units = sum.Items+one.Items, sum.Units+one.Units
	}
	return sum
}

// Affordable reports whether a whole read may be begun unasked. The estimate
// only keeps from beginning what is far out of reach: it is hours old, and what
// was really consumed decides (client.Sweep).
func Affordable(t *Table) bool {
	return AccountsCost(t).Units <= 1.5*t.conn.AutoReadUnits()
}

// SweepAccounts returns a sweep of the account table. It sends nothing.
func SweepAccounts(t *Table, r *client.Reader) *client.Sweep {
	s := &client.Sweep{Expected: t.Bytes, Page: func(ctx context.Context, in client.PageInput) (client.Page, error) {
		return r.Scan(ctx, t.Name, in)
	}}
	if t.Items > 0 {
		s.Largest = int(t.Bytes / t.Items)
	}
	return s
}
