// Package scan reads whole tables and DynamoDB's exports to S3: bytes in, items out. A scan is
// parallel and paced, decodes pages without garbage, and reports its progress. It knows no layouts,
// accounts or locks. Start at Table and at TableExport.Scan. Page decodes items.
package scan

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// Visitor gets the items of a scan. Each worker has its own visitor, which needs no lock. The caller
// combines the visitors after the scan.
type Visitor interface {
	// Visit gets an item of a page that arrived complete and undamaged. The row is valid only until
	// Visit returns.
	Visit(Row)
}

// WholeVisitor is a visitor for Options.Whole.
type WholeVisitor interface {
	Visitor
	// VisitWhole is Visit, with the attributes outside Options.Attributes in Rest.
	VisitWhole(Row, Rest)
}

// Options say which attributes of a table are read, and how fast.
type Options struct {
	// Attributes are the names of the wanted top-level attributes, each once: see attr.Columns.
	Attributes []string
	// Whole reads the other attributes, too. Visitors then have to be WholeVisitors.
	Whole      bool
	Consistent bool
	// Segments is how many segments the table is divided into, 1…1,000,000; 0 for the result of SegmentsOf.
	Segments int
	// Workers is how many requests are in flight at once; 0 for the result of WorkersFor.
	Workers int
	// MaxReadUnits is how many read units a second the scan may consume; 0 for the default of RateOf,
	// negative for no limit.
	MaxReadUnits float64
	// Progress may be read while the scan runs. It may be nil.
	Progress *Progress
}

// Table reads a whole table: workers read its segments in random order. It calls visitor once for
// each worker, before the first request. No goroutine runs on after it returns.
//
// A page is visited once, after it is decoded completely, so the Totals count the visited items. After
// an error they are not Complete.
func Table(
	ctx context.Context, c *client.Client, table client.Description, o Options, visitor func() Visitor,
) (Totals, error) {
	o.Fill(table)
	pace := &client.Pace{Rate: o.MaxReadUnits, Each: expected(table, o)}
	fetch := o.Attributes
	if o.Whole {
		fetch = nil
	}
	err := eachSegment(ctx, o, visitor, func(page *Page, visit func()) func(context.Context, int) error {
		w := &worker{
			table:        table.Name,
			page:         page,
			visit:        visit,
			pace:         pace,
			progress:     o.Progress,
			bytesPerUnit: bytesPerUnit(o.Consistent),
		}
		w.reader = c.PageReader(client.PageScan{
			Table: table.Name, Attributes: fetch, Consistent: o.Consistent, Segments: o.Segments,
			Again: func(throttled bool, reasons []string) { o.Progress.again(w.at, throttled, reasons) },
		})
		return w.segment
	})
	if err != nil {
		err = c.Explain("reading the table "+table.Name, err)
	}
	return o.Progress.Totals(), err
}

// eachSegment starts o.Workers workers, which read all segments in random order. Each has its own page
// and visitor; visit passes the page's items to the visitor. The first error ends all workers.
func eachSegment(
	ctx context.Context, o Options, visitor func() Visitor,
	reader func(page *Page, visit func()) func(context.Context, int) error,
) error {
	o.Progress.begin(o.Segments)
	segments := make(chan int, o.Segments)
	for _, s := range rand.Perm(o.Segments) {
		segments <- s
	}
	close(segments)
	readers := make([]func(context.Context, int) error, o.Workers)
	for n := range readers {
		v, page := visitor(), NewPage(o.Attributes)
		visit := func() { page.Rows(v.Visit) }
		if whole, ok := v.(WholeVisitor); ok && o.Whole {
			page = NewWholePage(o.Attributes)
			visit = func() { page.Whole(whole.VisitWhole) }
		}
		readers[n] = reader(page, visit)
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, read := range readers {
		g.Go(func() error {
			for s := range segments {
				if err := read(ctx, s); err != nil {
					return err
				}
				o.Progress.end(s)
			}
			return nil
		})
	}
	if g.Wait() == nil {
		return nil
	}
	return context.Cause(ctx)
}

type worker struct {
	reader       *client.PageReader
	table        string
	at           int // the current segment
	page         *Page
	visit        func()
	pace         *client.Pace
	progress     *Progress
	bytesPerUnit float64
}

// segment reads one segment to its end.
func (w *worker) segment(ctx context.Context, segment int) error {
	var cursors client.Cursors
	w.at = segment
	for start := attr.Item(nil); ; start = w.page.Last {
		taken, err := w.pace.Take(ctx)
		if err != nil {
			return err
		}
		w.progress.ask(segment)
		size := 0
		err = w.reader.Read(ctx, segment, start, func(body []byte) (float64, bool, error) {
			size = len(body)
			err := w.page.Decode(body)
			return w.page.Units, w.page.Priced, err
		})
		if err == nil {
			err = cursors.Next("the table "+w.table, w.page.Last)
		}
		if err != nil {
			return err
		}
		units := w.page.Units
		if !w.page.Priced {
			units = float64(size) / w.bytesPerUnit
		}
		w.pace.Settle(taken, units)
		w.visit()
		w.progress.page(segment, w.page)
		if w.page.Last == nil {
			return nil
		}
	}
}

// RateOf returns how many read units a second a scan of the table may consume. It is most, or half of the
// table's capacity if most is 0: the application keeps the other half. If the capacity is unknown, the
// result is 0, which means no limit.
func RateOf(d client.Description, most float64) float64 { return cmp.Or(most, d.ReadCapacity()/2) }

// pageBytes is the greatest size of a page's items, in bytes.
const pageBytes = 1 << 20

// bytesPerUnit is how many bytes of a table one read unit reads.
func bytesPerUnit(consistent bool) float64 {
	if consistent {
		return client.UnitBytes
	}
	return 2 * client.UnitBytes
}

// segmentBytes is about how many bytes of a table are in one segment. Small segments keep all workers busy
// to the end, and make the order of reading random. Each segment costs at least one request.
const segmentBytes = 64 << 20

// SegmentsOf returns how many segments a scan of the table has by default. It depends on the table's
// estimated size, with at least four segments for each partition that the capacity implies.
func SegmentsOf(d client.Description) int {
	partitions := math.Ceil(d.ReadCapacity() / partitionUnits)
	return int(min(max(math.Ceil(float64(d.Bytes)/segmentBytes), 4*partitions, 4), mostSegments))
}

const (
	partitionUnits = 3000 // read units a second that one partition gives at most
	mostSegments   = 100_000
)

// WorkersFor returns how many requests are in flight at once by default: enough to keep the pace if a
// page takes a fifth of a second.
func WorkersFor(o Options) int {
	workers := 16
	if o.MaxReadUnits > 0 {
		pages := o.MaxReadUnits * bytesPerUnit(o.Consistent) / pageBytes // a second
		workers = int(min(math.Ceil(pages/5)+1, client.MostAtOnce))
	}
	return max(min(workers, o.Segments), 1)
}

// Fill sets the options that are zero to their defaults.
func (o *Options) Fill(d client.Description) {
	o.MaxReadUnits = RateOf(d, o.MaxReadUnits)
	if o.Segments <= 0 {
		o.Segments = SegmentsOf(d)
	}
	if o.Workers <= 0 {
		o.Workers = WorkersFor(*o)
	}
	if o.Progress == nil {
		o.Progress = new(Progress)
	}
}

// expected estimates how many read units the first pages cost.
func expected(d client.Description, o Options) float64 {
	size := float64(pageBytes)
	if d.Bytes > 0 {
		size = min(size, float64(d.Bytes)/float64(o.Segments))
	}
	return max(size/bytesPerUnit(o.Consistent), 0.5)
}

// Units estimates how many read units it takes to read a table in this many segments, or in SegmentsOf
// segments if the number is 0. DynamoDB rounds every page up to half a unit or a whole unit.
func Units(d client.Description, segments int, consistent bool) float64 {
	each := bytesPerUnit(consistent)
	if segments <= 0 {
		segments = SegmentsOf(d)
	}
	pages := float64(segments) + float64(d.Bytes)/pageBytes
	return math.Ceil(float64(d.Bytes)/each + pages*client.UnitBytes/each)
}

// Totals counts how much of a table was read.
type Totals struct {
	Items    int64
	Pages    int64
	Units    float64 // read units, by the endpoint's count
	Segments int     // the segments of the table
	Done     int     // the segments that have ended
	// Throttled counts the retries of throttled requests. Reasons counts them by DynamoDB's reason.
	Throttled int64
	Reasons   map[string]int64
	// Repeated counts the requests that were sent again because a response was damaged or never came.
	Repeated int64
}

// Complete reports whether every item was read.
func (t Totals) Complete() bool { return t.Segments > 0 && t.Done == t.Segments }

// Progress records how far a scan is. It is safe for concurrent use. The zero Progress is ready for one
// scan.
type Progress struct {
	mu     sync.Mutex
	totals Totals
	asked  map[int]bool  // the segments with a request in flight; true if it is a retry
	silent time.Time     // see Silent
	open   map[int]int64 // the items read of each segment that has begun and not ended
	ended  []int         // how many segments of each part have ended
}

// maxParts is the greatest number of parts that Progress reports. If there are more segments, neighbours
// share a part.
const maxParts = 16

// Totals returns how much has been read so far.
func (p *Progress) Totals() Totals {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.totals
	t.Reasons = maps.Clone(t.Reasons)
	return t
}

// Parts returns how far each part is if the whole table has about items items, and how many segments have
// ended. DynamoDB does not say how long a segment is, so a part is 1 only after its end.
func (p *Progress) Parts(items int64) (parts []float64, ended int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	segments := p.totals.Segments
	parts = make([]float64, len(p.ended))
	for n, ended := range p.ended {
		parts[n] = float64(ended)
	}
	for segment, read := range p.open {
		parts[p.part(segment)] += min(float64(read)*float64(segments)/float64(max(items, 1)), 0.99)
	}
	for n := range parts {
		first := (n*segments + len(parts) - 1) / len(parts) // the first segment of the part
		next := ((n+1)*segments + len(parts) - 1) / len(parts)
		parts[n] /= float64(next - first)
	}
	return parts, p.totals.Done
}

// part returns the part of a segment. The caller holds the lock.
func (p *Progress) part(segment int) int { return segment * len(p.ended) / p.totals.Segments }

// begin begins a scan in this many segments.
func (p *Progress) begin(segments int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totals.Segments, p.totals.Reasons = segments, map[string]int64{}
	p.asked, p.open, p.ended = map[int]bool{}, map[int]int64{}, make([]int, min(segments, maxParts))
}

// Silent returns the time since which no response has come and all requests in flight are retries. It is
// zero if a response has come, or if a first attempt is in flight.
func (p *Progress) Silent() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, again := range p.asked {
		if !again {
			return time.Time{}
		}
	}
	return p.silent
}

// ask records that the first attempt of a request for a segment is in flight.
func (p *Progress) ask(segment int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[segment] = false
}

// page counts a page of a segment.
func (p *Progress) page(segment int, page *Page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asked, segment)
	p.silent = time.Time{}
	p.open[segment] += int64(page.Items)
	p.totals.Items += int64(page.Items)
	p.totals.Pages++
	p.totals.Units += page.Units
}

// end records the end of a segment.
func (p *Progress) end(segment int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, segment)
	p.ended[p.part(segment)]++
	p.totals.Done++
}

// again counts a retry of a request for a segment.
func (p *Progress) again(segment int, throttled bool, reasons []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !throttled {
		p.asked[segment] = true
		if p.totals.Repeated++; p.silent.IsZero() {
			p.silent = time.Now()
		}
		return
	}
	p.totals.Throttled++
	for _, r := range reasons {
		p.totals.Reasons[r]++
	}
}
