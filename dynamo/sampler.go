package dynamo

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// A table is sampled from fixed places, so that equal tables give equal samples: its
// first items, and, where that is not all, the beginning of each of sampleSegments
// segments. A table that is small enough is read whole.
const (
	sampleSegments = 16
	firstItems     = 40
	firstSample    = 200 // of a table that may have no more
	segmentSample  = 60
	wholeSample    = 1000 // of a table that is read whole, where the budget allows it
	// openUnits is how many read units a table may take before anything of it is shown.
	openUnits = 120
	// samplePart is how much of that a sample may take: the rest is for what its items
	// call for.
	samplePart = 0.6
)

// sampler is a sample of a table, which is read within a budget of read units.
type sampler struct {
	r       *client.Reader
	d       client.Description
	left    float64
	perItem float64 // the most that items of a page have taken on average, in read units
	items   []attr.Item
	whole   bool // there are no others
	seen    map[string]bool
	// looked are items that were read by their keys, beside the sample: nil for what does
	// not exist.
	looked map[string]attr.Item
	start  attr.Item // of the page after the first items
	// starts is where the next page of each segment begins, and open those segments of
	// which there is one.
	starts []attr.Item
	open   []int
}

// newSampler makes a sampler of a table. It sends nothing.
func newSampler(r *client.Reader, d client.Description, budget float64) *sampler {
	s := &sampler{r: r, d: d, left: budget, seen: map[string]bool{}}
	if d.Items > 0 {
		s.perItem = float64(d.Bytes) / float64(d.Items) / bytesPerUnit
	}
	return s
}

// readSample reads a sample of a table, eventually consistent, within a budget of read
// units; of 0 nothing is read.
func readSample(ctx context.Context, r *client.Reader, d client.Description, budget float64) (*sampler, error) {
	s := newSampler(r, d, budget)
	err := s.first(ctx)
	if err == nil {
		err = s.rest(ctx)
	}
	return s, err
}

// first reads the table's first items.
func (s *sampler) first(ctx context.Context) error { return s.until(ctx, firstItems) }

// until reads on until there are so many items, in pages that grow while their sizes are
// not known.
func (s *sampler) until(ctx context.Context, most int) error {
	for limit := max(1, len(s.items)); len(s.items) < most && !s.whole; {
		if limit = min(pageLimit(s.left, s.perItem, limit), most-len(s.items)); limit == 0 {
			return nil
		}
		page, err := s.r.Scan(ctx, s.d.Name, client.PageInput{Limit: limit, Start: s.start})
		if err != nil {
			return err
		}
		s.begin(page)
	}
	return nil
}

// begin takes in a page of the table's first items.
func (s *sampler) begin(page client.Page) {
	s.take(page)
	s.start, s.whole = page.Last, page.Last == nil
}

// rest reads the beginning of each segment, all at once, or all of them where the table is
// small enough.
func (s *sampler) rest(ctx context.Context) (err error) {
	if s.d.Items <= firstSample && s.starts == nil { // it may be so small that this is all of it
		if err := s.until(ctx, firstSample); err != nil {
			return err
		}
	}
	if s.whole || s.starts != nil {
		return nil
	}
	defer func() {
		if err != nil {
			s.starts = nil // to be read again
		}
	}()
	s.starts, s.open = make([]attr.Item, sampleSegments), make([]int, sampleSegments)
	for n := range s.open {
		s.open[n] = n
	}
	for going := true; going && len(s.open) > 0; {
		limit := segmentSample
		if rest := float64(s.d.Items - int64(len(s.items))); s.d.Items > 0 && s.d.Items <= wholeSample &&
			rest*s.perItem+sampleSegments/2 <= s.left {
			limit = 1 << 20
		} else if s.starts[s.open[0]] != nil {
			break
		}
		if going, err = s.round(ctx, limit); err != nil {
			return err
		}
	}
	return nil
}

// fork is the same sample, of which another reader reads more.
func (s *sampler) fork(r *client.Reader) *sampler {
	other := *s
	other.r, other.items, other.seen = r, slices.Clone(s.items), maps.Clone(s.seen)
	other.starts, other.open = slices.Clone(s.starts), slices.Clone(s.open)
	return &other
}

// more reads more of a table, within a budget of read units. It reports false where
// there was nothing to read, or too little left to read it.
func (s *sampler) more(ctx context.Context, budget float64) (bool, error) {
	if s.whole || len(s.open) == 0 {
		return false, nil
	}
	s.left = budget
	return s.round(ctx, 1<<20)
}

// take takes in the items of a page.
func (s *sampler) take(page client.Page) {
	s.left -= page.Units
	bytes := 0
	for _, item := range page.Items {
		bytes += item.Size()
		if k, ok := s.d.Schema.KeyOf(item); ok && !s.seen[k.ID()] {
			s.seen[k.ID()] = true
			s.items = append(s.items, item)
		}
	}
	if n := len(page.Items); n > 0 {
		s.perItem = max(s.perItem, float64(bytes)/float64(n)/bytesPerUnit)
	}
}

// round reads the next page of each segment, of at most limit items, all at once. It
// reports false where too little is left for that.
func (s *sampler) round(ctx context.Context, limit int) (bool, error) {
	if limit = min(limit, pageLimit(s.left/float64(len(s.open)), s.perItem, 1<<20)); limit == 0 {
		return false, nil
	}
	var inputs []client.PageInput
	for _, segment := range s.open {
		inputs = append(inputs,
			client.PageInput{Limit: limit, Start: s.starts[segment], Segment: segment, Segments: sampleSegments})
	}
	pages, err := s.pages(ctx, inputs)
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

// pages reads some pages, all at once.
func (s *sampler) pages(ctx context.Context, inputs []client.PageInput) ([]client.Page, error) {
	pages := make([]client.Page, len(inputs))
	errs := make([]error, len(inputs))
	readers := make([]*client.Reader, len(inputs))
	var wg sync.WaitGroup
	for n, in := range inputs {
		readers[n] = s.r.Fork()
		wg.Go(func() { pages[n], errs[n] = readers[n].Scan(ctx, s.d.Name, in) })
	}
	wg.Wait()
	for n := range inputs {
		s.r.Units += readers[n].Units
		if errs[n] != nil {
			return nil, errs[n]
		}
	}
	return pages, nil
}

// pageGrown is how much larger a page of a sample may be than the one before.
const pageGrown = 8

// bytesPerUnit is how many bytes an eventually consistent read unit pays for. Pages are
// paid in halves of it.
const bytesPerUnit = 8192

// pageLimit is how many items the next page of a sample may have, so that the budget
// holds as far as the items are of one size.
func pageLimit(left, perItem float64, last int) int {
	if left < 0.5 {
		return 0
	}
	left = math.Floor(2*left) / 2
	most := min(last*pageGrown, 1<<20)
	if perItem == 0 {
		return max(1, min(most, int(min(left, 1<<20))))
	}
	return min(most, int(min(left/perItem, 1<<20)))
}
