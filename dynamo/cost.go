package dynamo

import (
	"context"

	"tallylock/dynamo/client"
)

// Estimate is the likely cost of reading a whole table.
type Estimate struct {
	Items int64   // approximate, hours old
	Units float64 // read units, strongly consistent
}

// AccountsCost estimates a strongly consistent read of the whole accounts' table.
func AccountsCost(t *Table) Estimate { return RestCost(t, 0) }

// RestCost estimates the rest of that read, after a number of bytes was read.
func RestCost(t *Table, read int64) Estimate {
	return WholeCost(t.Items, max(t.Bytes-read, 0))
}

// WholeCost estimates a strongly consistent read of a number of items and bytes.
func WholeCost(items, bytes int64) Estimate {
	// A page of 1 MB is 256 units. Its items share the units.
	units := float64(bytes) / client.UnitBytes
	return Estimate{Items: items, Units: max(1, float64(int64(units*2+0.999))/2)}
}

// LookCost estimates a strongly consistent read of all tables that the layout names. Before a lock is
// deleted, such a read looks for its value.
func LookCost(t *Table) Estimate {
	var sum Estimate
	for _, name := range t.Tables() {
		one := WholeCost(t.locks[name].Items, t.locks[name].Bytes)
		sum.Items, sum.Units = sum.Items+one.Items, sum.Units+one.Units
	}
	return sum
}

// Affordable reports whether a read of the whole table may begin unasked. The estimate is hours old, so it
// only rules out reads that are far too expensive. client.Sweep stops by the consumed read units.
func Affordable(t *Table) bool {
	return AccountsCost(t).Units <= 1.5*t.conn.AutoReadUnits()
}

// SweepAccounts returns a sweep of the accounts' table. It sends nothing.
func SweepAccounts(t *Table, r *client.Reader) *client.Sweep {
	s := &client.Sweep{Expected: t.Bytes, Page: func(ctx context.Context, in client.PageInput) (client.Page, error) {
		return r.Scan(ctx, t.Name, in)
	}}
	if t.Items > 0 {
		s.Largest = int(t.Bytes / t.Items)
	}
	return s
}
