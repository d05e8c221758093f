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
	whole bool     // there are no others
	by    *sampler // reads more of it; nil where there is no more
}

// sampler reads a sample within a budget of read units.
type sampler struct {
	r       *client.Reader
	d       client.Description
	left    float64
	perItem float64 // the most that an item has cost
	seen    map[string]bool
	sample
	// starts is where the next page of each segment begins, and open those segments of
	// which there is one.
	starts []attr.Item
	open   []int
}

// readSample reads a sample of a table, eventually consistent, within a budget of read
// units; of 0 nothing is read.
func readSample(ctx context.Context, r *client.Reader, d client.Description, budget float64) (_ sample, err error) {
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
	s.starts, s.open = make([]attr.Item, sampleSegments), make([]int, sampleSegments)
	for n := range s.open {
		s.open[n] = n
	}
	for limit, going := segmentSample, true; going; limit = 1 << 20 {
		if going, err = s.round(ctx, limit); err != nil {
			return s.sample, err
		}
		rest := float64(d.Items - int64(len(s.items))) // read where it is small enough
		going = going && len(s.open) > 0 && d.Items > 0 && rest*s.perItem <= s.left
	}
	s.by = s
	return s.sample, nil
}

// more reads more of a table, within a budget of read units. It reports false where
// there was nothing to read, or too little left to read it.
func (s *sample) more(ctx context.Context, budget float64) (bool, error) {
	if s.by == nil || s.whole || len(s.by.open) == 0 {
		return false, nil
	}
	s.by.left = budget
	ok, err := s.by.round(ctx, 1<<20)
	s.items, s.whole = s.by.items, s.by.whole
	return ok, err
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

// round reads the next page of each segment, of at most limit items. It reports false
// where too little is left for that.
func (s *sampler) round(ctx context.Context, limit int) (bool, error) {
	if limit = min(limit, pageLimit(s.left/float64(len(s.open)), s.perItem, 1<<20)); limit == 0 {
		return false, nil
	}
	pages, err := s.pages(ctx, s.open, s.starts, limit)
	if err != nil {
		return false, err
	}
	var more []int
	for n, page := range pages {
		s.take(page)
		if s.starts[s.open[n]] = page.Last; page.Last != nil {
			more = append(more, s.open[n])
		}
	}
	s.open = more
	s.whole = len(more) == 0
	return true, nil
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
