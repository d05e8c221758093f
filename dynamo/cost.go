package dynamo

import (
	"context"

	"tallylock/dynamo/client"
)

// Estimate is the probable cost of reading a whole table.
type Estimate struct {
	Items int64   // approximate: DynamoDB's count is hours old
	Units float64 // read units, strongly consistent
}

// AccountsCost estimates a strongly consistent read of the whole table of the accounts.
func AccountsCost(t *Table) Estimate { return RestCost(t, 0) }

// RestCost estimates a strongly consistent read of the rest of the accounts' table. The parameter read is the
// number of bytes that were read already.
func RestCost(t *Table, read int64) Estimate {
	return WholeCost(t.Items, max(t.Bytes-read, 0))
}

// WholeCost estimates a strongly consistent read of a whole table with this number of items and bytes.
func WholeCost(items, bytes int64) Estimate {
	// A page of 1 MB costs 256 units for all its items together, so the sizes of single items do not matter.
	units := float64(bytes) / client.UnitBytes
	return Estimate{Items: items, Units: max(1, float64(int64(units*2+0.999))/2)}
}

// LookCost estimates a strongly consistent read of all tables that the layout names. Before a lock is deleted,
// such a read looks for items that hold the lock's value.
func LookCost(t *Table) Estimate {
	var sum Estimate
	for _, name := range t.Tables() {
		one := WholeCost(t.locks[name].Items, t.locks[name].Bytes)
		sum.Items, sum.Units = sum.Items+one.Items, sum.Units+one.Units
	}
	return sum
}

// Affordable reports whether a read of the whole table may begin without asking a person. The estimate is hours old, so
// Affordable only rules out reads that are far too expensive. client.Sweep stops a read that has used too many units.
func Affordable(t *Table) bool {
	return AccountsCost(t).Units <= 1.5*t.conn.AutoReadUnits()
}

// SweepAccounts returns a sweep that reads the accounts' table with r. SweepAccounts itself sends no request.
func SweepAccounts(t *Table, r *client.Reader) *client.Sweep {
	s := &client.Sweep{Expected: t.Bytes, Page: func(ctx context.Context, in client.PageInput) (client.Page, error) {
		return r.Scan(ctx, t.Name, in)
	}}
	if t.Items > 0 {
		s.Largest = int(t.Bytes / t.Items)
	}
	return s
}
