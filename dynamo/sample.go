package dynamo

import (
	"context"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// A table is sampled from fixed places, so that equal tables give equal samples: its
// first items, and, where that is not all, the beginning of each of sampleSegments
// segments. A table that is small enough is read whole.
const (
	sampleSegments = 16
	firstSample    = 200
	segmentSample  = 50
	// openUnits is how many read units a table may take before anything of it is shown.
	openUnits = 120
	// samplePart is how much of that a sample may take: the rest is for what its items
	// call for.
	samplePart = 0.6
)

// sample is some items of a table.
type sample struct {
	items []attr.Item
	whole bool // there are no others
}

// sampler reads a sample within a budget of read units.
type sampler struct {
	r       *client.Reader
	d       client.Description
	left    float64
	perItem float64 // the most that an item has cost
	seen    map[string]bool
	sample
}

// readSample reads a sample of a table, eventually consistent, within a budget of read
// units; of 0 nothing is read.
func readSample(ctx context.Context, r *client.Reader, d client.Description, budget float64) (sample, error) {
	s := &sampler{r: r, d: d, left: budget, seen: map[string]bool{}}
	if d.Items > 0 {
		s.perItem = float64(d.Bytes) / float64(d.Items) / 8192
	}
	start := attr.Item(nil)
	for limit := 1; len(s.items) < firstSample; {
		if limit = min(pageLimit(s.left, s.perItem, limit), firstSample-len(s.items)); limit == 0 {
			return s.sample, nil
		}
		page, err := r.Scan(ctx, d.Name, client.PageInput{Limit: limit, Start: start})
		if err != nil {
			return s.sample, err
		}
		if s.take(page); page.Last == nil {
			s.whole = true
			return s.sample, nil
		}
		start = page.Last
	}
	return s.sample, s.segments(ctx)
}

// take takes in a page.
func (s *sampler) take(page client.Page) {
	s.left -= page.Units
	if n := len(page.Items); n > 0 {
		s.perItem = max(s.perItem, page.Units/float64(n))
	}
	for _, item := range page.Items {
		if k, ok := s.d.Schema.KeyOf(item); ok && !s.seen[k.ID()] {
			s.seen[k.ID()] = true
			s.items = append(s.items, item)
		}
	}
}

// segments reads the beginning of each segment, and, where the budget is enough for
// all of the table, the rest of it.
func (s *sampler) segments(ctx context.Context) error {
	starts := make([]attr.Item, sampleSegments)
	open := make([]int, sampleSegments)
	for n := range open {
		open[n] = n
	}
	for limit := segmentSample; len(open) > 0; limit = 1 << 20 {
		each := s.left / float64(len(open))
		if limit = min(limit, pageLimit(each, s.perItem, 1<<20)); limit == 0 {
			return nil
		}
		pages, err := s.pages(ctx, open, starts, limit)
		if err != nil {
			return err
		}
		var more []int
		for n, page := range pages {
			s.take(page)
			if starts[open[n]] = page.Last; page.Last != nil {
				more = append(more, open[n])
			}
		}
		open = more
		if rest := float64(s.d.Items - int64(len(s.items))); s.d.Items == 0 || rest*s.perItem > s.left {
			break
		}
	}
	s.whole = len(open) == 0
	return nil
}

// pages reads a page of each of some segments, all at once.
func (s *sampler) pages(ctx context.Context, segments []int, starts []attr.Item, limit int) ([]client.Page, error) {
	pages, errs, readers := make([]client.Page, len(segments)), make([]error, len(segments)), make([]*client.Reader, len(segments))
	var wg sync.WaitGroup
	for n, segment := range segments {
		readers[n] = s.r.Fork()
		wg.Go(func() {
			pages[n], errs[n] = readers[n].Scan(ctx, s.d.Name, client.PageInput{Limit: limit, Start: starts[segment], Segment: segment, Segments: sampleSegments})
		})
	}
	wg.Wait()
	for n := range segments {
		s.r.Units += readers[n].Units
		if errs[n] != nil {
			return nil, errs[n]
		}
	}
	return pages, nil
}

// pageGrown is how much larger a page of a sample may be than the one before.
const pageGrown = 8

// pageLimit is how many items the next page of a sample may have, so that the budget
// holds as far as the items are of one size.
func pageLimit(left, perItem float64, last int) int {
	if left < 0.5 {
		return 0
	}
	most := min(last*pageGrown, 1<<20)
	if perItem == 0 {
		return max(1, min(most, int(min(left, 1<<20))))
	}
	return min(most, int(min(left/perItem, 1<<20)))
}
