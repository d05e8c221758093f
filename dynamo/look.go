package dynamo

import (
	"context"
	"slices"

	"tallylock/dynamo/attr"
)

// Estimate is what reading a whole table is likely to cost.
type Estimate struct {
	Items int64   // about, hours old
	Units float64 // read units, strongly consistent
}

// LookCost estimates a strongly consistent read of the whole account table.
func (t *Table) LookCost() Estimate { return wholeCost(t.Description) }

func wholeCost(d Description) Estimate {
	// A page of 1 MB is 256 units; items smaller than that share them.
	units := float64(d.Bytes) / 4096
	return Estimate{Items: d.Items, Units: max(1, float64(int64(units*2+0.999))/2)}
}

// Tables lists the tables that the layout names, that of the accounts first.
func (t *Table) Tables() []string {
	all := []string{t.Name}
	for _, name := range slices.Concat(t.Layout.LockTables(t.Name), t.Layout.IDTables(t.Name)) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// SearchCost estimates a strongly consistent read of all tables that the layout names,
// which is what looks for a value before its lock is deleted.
func (t *Table) SearchCost() Estimate {
	var sum Estimate
	for _, name := range t.Tables() {
		one := wholeCost(t.locks[name])
		sum.Items, sum.Units = sum.Items+one.Items, sum.Units+one.Units
	}
	return sum
}

// affordable reports whether a whole read may be begun unasked. The estimate
// only keeps from beginning what is far out of reach: it is hours old, and what
// was really consumed decides (sweep).
func (t *Table) affordable() bool {
	return t.LookCost().Units <= 1.5*t.conn.AutoReadUnits()
}

// sweep reads the account table from end to end, strongly consistent, and gives
// every item to visit. It stops before it consumes more than ceiling, as far as
// the items are of one size, and tells whether the table was read whole.
func (r *reading) sweep(ctx context.Context, t *Table, ceiling float64, visit func(attr.Item)) (complete bool, items int64, err error) {
	spent, perItem := 0.0, 0.0
	if t.Items > 0 {
		perItem = float64(t.Bytes) / float64(t.Items) / 4096
	}
	in := scanInput{Consistent: true}
	var cursors Cursors
	for limit := 1; ; {
		limit = pageLimit(ceiling-spent, perItem, limit)
		in.Limit = limit
		if in.Limit == 0 {
			return false, items, nil
		}
		page, err := r.scan(ctx, t.Name, in)
		if err == nil {
			err = cursors.Next("the table "+t.Name, page.Last)
		}
		if err != nil {
			return false, items, err
		}
		for _, item := range page.Items {
			visit(item)
		}
		spent += page.Units
		items += int64(len(page.Items))
		if page.Last == nil {
			return true, items, nil
		}
		if n := len(page.Items); n > 0 {
			perItem = max(perItem, page.Units/float64(n))
		}
		in.Start = page.Last
	}
}

// pageGrowth is how much larger a page may be than the one before: what is known
// of the items' size is what the pages before have cost.
const pageGrowth = 8

// pageLimit is how many items the next page may have, so that the ceiling holds.
func pageLimit(left, perItem float64, last int) int {
	if left <= 0 {
		return 0
	}
	most := min(last*pageGrowth, 1<<20)
	if perItem == 0 {
		return max(1, min(most, int(min(left, 1<<20))))
	}
	return min(most, int(min(left/perItem, 1<<20)))
}
