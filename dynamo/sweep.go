package dynamo

import (
	"context"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// Estimate is what reading a whole table is likely to cost.
type Estimate struct {
	Items int64   // about, hours old
	Units float64 // read units, strongly consistent
}

// unitBytes is what a read unit reads, strongly consistent.
const unitBytes = 4096

// LookCost estimates a strongly consistent read of the whole account table.
func LookCost(t *Table) Estimate { return restCost(t, 0) }

// restCost estimates the rest of that read, after a number of bytes.
func restCost(t *Table, read int64) Estimate {
	return wholeCost(t.Items, max(t.Bytes-read, 0))
}

func wholeCost(items, bytes int64) Estimate {
	// A page of 1 MB is 256 units; items smaller than that share them.
	units := float64(bytes) / unitBytes
	return Estimate{Items: items, Units: max(1, float64(int64(units*2+0.999))/2)}
}

// Tables lists the tables that the layout names, the accounts' table first.
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
func SearchCost(t *Table) Estimate {
	var sum Estimate
	for _, name := range t.Tables() {
		one := wholeCost(t.locks[name].Items, t.locks[name].Bytes)
		sum.Items, sum.Units = sum.Items+one.Items, sum.Units+one.Units
	}
	return sum
}

// affordable reports whether a whole read may be begun unasked. The estimate
// only keeps from beginning what is far out of reach: it is hours old, and what
// was really consumed decides (sweep).
func affordable(t *Table) bool {
	return LookCost(t).Units <= 1.5*t.conn.AutoReadUnits()
}

// sweep is a strongly consistent reading of one stretch of items, page by page: a
// whole table, or a partition. Where it stopped it can go on.
type sweep struct {
	page func(context.Context, client.PageInput) (client.Page, error)
	// expected is how many bytes there are by the table's description, which is hours
	// old; 0 where nothing says so.
	expected int64

	start    attr.Item // of the next page
	limit    int       // of the page before
	items    int64
	bytes    int64
	largest  int // item, in bytes
	complete bool
	cursors  client.Cursors
}

// sweepAccounts makes a reading of the whole account table. It sends nothing.
func sweepAccounts(t *Table, r *client.Reader) *sweep {
	s := &sweep{expected: t.Bytes, page: func(ctx context.Context, in client.PageInput) (client.Page, error) {
		return r.Scan(ctx, t.Name, in)
	}}
	if t.Items > 0 {
		s.largest = int(t.Bytes / t.Items)
	}
	return s
}

// run reads on, and gives every item to visit, until all is read or the next page might
// take more units than left says.
func (s *sweep) run(ctx context.Context, left func() float64, visit func(attr.Item)) error {
	for !s.complete {
		s.limit = s.next(left())
		if s.limit == 0 {
			return nil
		}
		page, err := s.page(ctx, client.PageInput{Limit: s.limit, Start: s.start, Consistent: true})
		if err == nil {
			err = s.cursors.Next("the table", page.Last)
		}
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			size := item.Size()
			s.bytes += int64(size)
			s.largest = max(s.largest, size)
			visit(item)
		}
		s.items += int64(len(page.Items))
		s.start, s.complete = page.Last, page.Last == nil
	}
	return nil
}

const (
	// pageUnits is more than any page takes: DynamoDB ends it at 1 MB.
	pageUnits = 257
	// pageGrowth is how much larger a page may be than the one before, while what is
	// known of the items' sizes is what those before were like.
	pageGrowth = 8
	mostItems  = 1 << 20
)

// next is how many items the next page may have; 0: none.
func (s *sweep) next(left float64) int {
	rest := float64(s.expected-s.bytes) / unitBytes
	switch {
	case left >= pageUnits:
		return mostItems // however large they are
	case left < 1, rest > left:
		return 0 // the end is out of reach
	}
	most := min(max(s.limit, 1)*pageGrowth, mostItems)
	if s.largest == 0 {
		return max(1, min(most, int(left)))
	}
	return min(most, int(left)*unitBytes/s.largest)
}
