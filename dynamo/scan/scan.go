// Package scan reads whole tables and DynamoDB's exports to S3. It gets bytes and returns items. A scan
// is parallel and reports its progress. It keeps to a rate of read units, and decodes pages almost
// without allocating memory. The package knows no layouts, accounts or locks. Start at Table and at
// TableExport.Scan. Page decodes items.
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

// Visitor gets the items of a scan. Each worker has its own visitor, so a visitor needs no mutex. The
// caller combines the visitors after the scan.
type Visitor interface {
	// Visit gets one item. The item's page has arrived complete and undamaged. Rest has the attributes that
	// are not in Options.Attributes. It is empty without Options.Whole. The row and the rest are valid only
	// until Visit returns.
	Visit(Row, Rest)
}

// Options select the attributes of a table that a scan reads, and set the speed of the scan.
type Options struct {
	// Attributes are the names of the wanted top-level attributes, each once: see attr.Columns.
	Attributes []string
	// Whole makes the scan read all other attributes, too.
	Whole      bool
	Consistent bool
	// Segments is the number of segments of the table, 1…1,000,000. 0 means the result of SegmentsOf.
	Segments int
	// Workers is the number of requests in flight at once. 0 means the result of WorkersFor.
	Workers int
	// MaxReadUnits is the greatest rate of the scan, in read units a second. 0 means the result of
	// RateOf: half of the table's capacity. A negative number means no limit.
	MaxReadUnits float64
	// Progress may be read while the scan runs. It may be nil.
	Progress *Progress
}

// Table reads a whole table. Its workers read the segments of the table in random order. Table calls the
// function visitor once for each worker, before the first request. When Table returns, all workers have
// ended.
//
// Table decodes a whole page before it passes the items to a visitor, so no item is visited twice.
// Totals.Items is the number of visited items. After an error, Totals.Complete returns false.
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

// eachSegment starts o.Workers workers, which read all segments in random order. Each worker has its own
// page and visitor. For each worker, the function reader returns the function that reads a segment into
// the page. The function visit passes the page's items to the visitor. The first error stops all workers.
func eachSegment(
	ctx context.Context, o Options, visitor func() Visitor,
	reader func(page *Page, visit func()) func(context.Context, int) error,
) error {
	readers := make([]func(context.Context, int) error, o.Workers)
	for n := range readers {
		v, page := visitor(), NewPage(o.Attributes)
		page.whole = o.Whole
		readers[n] = reader(page, func() { page.Each(v.Visit) })
	}
	return inParallel(ctx, o, readers)
}

// inParallel reads all segments in random order, with one worker for each of the readers. The first error
// stops all workers.
func inParallel(ctx context.Context, o Options, readers []func(context.Context, int) error) error {
	o.Progress.begin(o.Segments)
	segments := make(chan int, o.Segments)
	for _, s := range rand.Perm(o.Segments) {
		segments <- s
	}
	close(segments)
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

// RateOf returns the greatest rate of a scan of the table, in read units a second. most is the configured
// rate. If most is 0, the result is half of the table's read capacity, so the application keeps the other
// half. If this capacity is unknown, too, the result is 0: no limit.
func RateOf(d client.Description, most float64) float64 { return cmp.Or(most, d.ReadCapacity()/2) }

// pageBytes is the greatest size of the items of a page, in bytes.
const pageBytes = 1 << 20

// bytesPerUnit returns the number of bytes of a table that one read unit reads.
func bytesPerUnit(consistent bool) float64 {
	if consistent {
		return client.UnitBytes
	}
	return 2 * client.UnitBytes
}

// segmentBytes is the approximate size of a segment, in bytes. Small segments keep all workers busy to
// the end, and make the order of reading random. But each segment costs at least one request.
const segmentBytes = 64 << 20

// SegmentsOf returns the default number of segments for a scan of the table: one for each segmentBytes of
// the table's estimated size. There are at least four segments for each partition. The number of
// partitions follows from the read capacity.
func SegmentsOf(d client.Description) int {
	partitions := math.Ceil(d.ReadCapacity() / partitionUnits)
	return int(min(max(math.Ceil(float64(d.Bytes)/segmentBytes), 4*partitions, 4), mostSegments))
}

const (
	partitionUnits = 3000 // the greatest read rate of one partition, in read units a second
	mostSegments   = 100_000
)

// WorkersFor returns the default number of requests in flight. With this number, the scan reaches the
// rate o.MaxReadUnits if each page takes a fifth of a second.
func WorkersFor(o Options) int {
	workers := 16
	if o.MaxReadUnits > 0 {
		pages := o.MaxReadUnits * bytesPerUnit(o.Consistent) / pageBytes // pages a second
		workers = int(min(math.Ceil(pages/5)+1, client.MostAtOnce))
	}
	return max(min(workers, o.Segments), 1)
}

// Fill replaces each option that is zero by its default for the table.
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

// expected estimates the read units of a segment's first page.
func expected(d client.Description, o Options) float64 {
	size := float64(pageBytes)
	if d.Bytes > 0 {
		size = min(size, float64(d.Bytes)/float64(o.Segments))
	}
	return max(size/bytesPerUnit(o.Consistent), 0.5)
}

// Units estimates the read units of a scan of the table. If segments is 0, the scan has SegmentsOf(d)
// segments. DynamoDB rounds up the units of every page: to a whole unit if consistent is true, and
// otherwise to half a unit.
func Units(d client.Description, segments int, consistent bool) float64 {
	each := bytesPerUnit(consistent)
	if segments <= 0 {
		segments = SegmentsOf(d)
	}
	pages := float64(segments) + float64(d.Bytes)/pageBytes
	return math.Ceil(float64(d.Bytes)/each + pages*client.UnitBytes/each)
}

// Totals has the counts of a scan.
type Totals struct {
	Items    int64
	Pages    int64
	Units    float64 // read units, as the endpoint reported them
	Segments int     // the segments of the table
	Done     int     // the segments that were read to their end
	// Throttled counts the retries of throttled requests. Reasons counts them by DynamoDB's reason for
	// the throttling.
	Throttled int64
	Reasons   map[string]int64
	// Repeated counts the requests that were sent again because a response was damaged or never came.
	Repeated int64
}

// Complete reports whether all segments were read to their end.
func (t Totals) Complete() bool { return t.Segments > 0 && t.Done == t.Segments }

// Progress records the progress of a scan. It is safe for concurrent use. The zero Progress is ready for
// one scan.
type Progress struct {
	mu     sync.Mutex
	totals Totals
	asked  map[int]bool  // the segments with a request in flight; true if an attempt got no response
	silent time.Time     // the time of the first retry since the last response; zero if none
	open   map[int]int64 // the number of items read from each unfinished segment
	ended  []int         // the number of ended segments in each part
}

// maxParts is the greatest number of parts whose progress Parts returns. If the table has more segments,
// each part is a group of neighbouring segments.
const maxParts = 16

// Totals returns the counts so far.
func (p *Progress) Totals() Totals {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.totals
	t.Reasons = maps.Clone(t.Reasons)
	return t
}

// Parts returns the progress of each part of the table (see maxParts) as a number from 0 to 1. It also
// returns the number of ended segments. items is the estimated number of items in the table. The progress
// of an unfinished segment is an estimate, so a part reaches 1 only when all its segments have ended.
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

// part returns the index of the part to which a segment belongs. The caller holds p.mu.
func (p *Progress) part(segment int) int { return segment * len(p.ended) / p.totals.Segments }

func (p *Progress) begin(segments int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totals.Segments, p.totals.Reasons = segments, map[string]int64{}
	p.asked, p.open, p.ended = map[int]bool{}, map[int]int64{}, make([]int, min(segments, maxParts))
}

// Silent returns the time of the first retry since the last response, so that a screen can say how long
// the endpoint has been silent. It returns zero while a first attempt is in flight, and after a response.
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

// ask records that the first attempt to read a page of the segment is in flight.
func (p *Progress) ask(segment int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[segment] = false
}

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

func (p *Progress) end(segment int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, segment)
	p.ended[p.part(segment)]++
	p.totals.Done++
}

// again counts a retry of a request for a segment. Throttling is a response: it ends a silence. A retry without a
// response starts one.
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
	p.silent = time.Time{}
	p.totals.Throttled++
	for _, r := range reasons {
		p.totals.Reasons[r]++
	}
}
