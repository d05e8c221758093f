package client

import (
	"context"

	"tallylock/dynamo/attr"
)

// UnitBytes is how much one read unit reads, strongly consistent.
const UnitBytes = 4096

// Sweep reads a whole table, or a partition of it, strongly consistent and page by page,
// within a budget. One that stopped early can be continued.
type Sweep struct {
	Page func(context.Context, PageInput) (Page, error)
	// Expected is the size in bytes by the table's description, which is hours old; 0 if
	// unknown.
	Expected int64
	// Largest is the size of the largest item so far, in bytes; an average to begin with.
	Largest int

	Items    int64 // read so far
	Bytes    int64
	Complete bool

	start   attr.Item // of the next page
	limit   int       // of the page before
	cursors Cursors
}

// Run reads on, and passes every item to visit, until all is read or the next page might
// consume more than the units that are left.
func (s *Sweep) Run(ctx context.Context, left func() float64, visit func(attr.Item)) error {
	for !s.Complete {
		s.limit = s.next(left())
		if s.limit == 0 {
			return nil
		}
		page, err := s.Page(ctx, PageInput{Limit: s.limit, Start: s.start, Consistent: true})
		if err == nil {
			err = s.cursors.Next("the table", page.Last)
		}
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			size := item.Size()
			s.Bytes += int64(size)
			s.Largest = max(s.Largest, size)
			visit(item)
		}
		s.Items += int64(len(page.Items))
		s.start, s.Complete = page.Last, page.Last == nil
	}
	return nil
}

const (
	// PageUnits is more than any page takes: DynamoDB ends it at 1 MB.
	PageUnits = 257
	// pageGrowth is how much larger a page may be than the one before, since sizes of items
	// are only known from the pages before.
	pageGrowth = 8
	mostItems  = 1 << 20
)

// next is the limit of the next page; 0 if none may be read.
func (s *Sweep) next(left float64) int {
	rest := float64(s.Expected-s.Bytes) / UnitBytes
	switch {
	case left >= PageUnits:
		return mostItems // however large they are
	case left < 1, rest > left:
		return 0 // the end is out of reach
	}
	most := min(max(s.limit, 1)*pageGrowth, mostItems)
	if s.Largest == 0 {
		return max(1, min(most, int(left)))
	}
	return min(most, int(left)*UnitBytes/s.Largest)
}
