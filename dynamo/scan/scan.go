// Package scan reads whole tables and DynamoDB's exports to S3: bytes in, items out. A scan
// is parallel and paced, decodes pages without garbage, and reports its progress. It knows no
// layouts, accounts or locks. Start reading at Table, then Page.
package scan

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// Visitor takes the items of a scan. Each worker has its own, so a visitor needs no lock; the
// caller combines them after the scan.
type Visitor interface {
	// Visit takes an item of a page that has arrived complete and undamaged. The row is valid
	// only until Visit returns.
	Visit(Row)
}

// WholeVisitor is a visitor for Options.Whole.
type WholeVisitor interface {
	Visitor
	// VisitWhole is Visit with the attributes that have no column.
	VisitWhole(Row, Rest)
}

// Options say what is read of a table, and how fast.
type Options struct {
	// Attributes are the names of the wanted top-level attributes, each once: see
	// attr.Columns.
	Attributes []string
	// Whole reads the other attributes, too: then visitors have to be WholeVisitors.
	Whole      bool
	Consistent bool
	// Segments is how many segments the table is divided into, 1…1,000,000; 0 for SegmentsOf.
	Segments int
	// Workers is how many requests are in flight at once; 0 for WorkersFor.
	Workers int
	// MaxReadUnits is how many read units a second may be consumed; 0 for PaceOf, negative
	// for unlimited.
	MaxReadUnits float64
	// Progress may be read while the scan runs. It may be nil.
	Progress *Progress
}

// Table reads a whole table: segments in random order, by workers with a visitor each. It
// calls visitor once for each worker, before the first request. No goroutine runs on after it
// has returned.
//
// A page is visited once, and only after it has been decoded completely, so the Totals count
// what was visited. After an error they say how much was read, and are not Complete.
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

// eachSegment has o.Workers read all segments in random order, each with its own page and
// visitor, to which visit hands the page's items. The first error ends all of them.
func eachSegment(
	ctx context.Context, o Options, visitor func() Visitor,
	reader func(page *Page, visit func()) func(context.Context, int) error,
) error {
	o.Progress.begin(o)
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
	at           int // the segment that is read
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

// PaceOf returns how many read units a second a scan of the table may consume by default:
// half of its capacity, so that the application keeps the other half; 0 for unlimited, if the
// endpoint does not tell the capacity.
func PaceOf(d client.Description) float64 { return d.ReadCapacity() / 2 }

// RateOf returns the read units a second for an Options.MaxReadUnits: PaceOf if that is 0.
func RateOf(d client.Description, most float64) float64 {
	if most == 0 {
		return PaceOf(d)
	}
	return most
}

// How many bytes a read unit pays for, and how many a page holds.
const (
	pageBytes = 1 << 20
)

// bytesPerUnit is how many bytes of a table one read unit reads.
func bytesPerUnit(consistent bool) float64 {
	if consistent {
		return client.UnitBytes
	}
	return 2 * client.UnitBytes
}

// segmentBytes is about how much of a table is in one segment. Many small segments keep all
// workers busy to the end and make the order random; each costs at least one request.
const segmentBytes = 64 << 20

// SegmentsOf returns how many segments a scan of the table has by default: by the table's
// size, which is an estimate, and at least four for each partition that its capacity implies.
func SegmentsOf(d client.Description) int {
	partitions := math.Ceil(d.ReadCapacity() / partitionUnits)
	return int(min(max(math.Ceil(float64(d.Bytes)/segmentBytes), 4*partitions, 4), mostSegments))
}

const (
	partitionUnits = 3000 // read units a second that one partition gives at most
	mostSegments   = 100_000
)

// WorkersFor returns how many requests are in flight at once: as many as keep the pace if a
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

// expected returns how many read units a page will cost, as far as is known before the first
// one.
func expected(d client.Description, o Options) float64 {
	size := float64(pageBytes)
	if d.Bytes > 0 {
		size = min(size, float64(d.Bytes)/float64(o.Segments))
	}
	return max(size/bytesPerUnit(o.Consistent), 0.5)
}

// Units returns about how many read units one reading of a table in that many segments takes,
// or in SegmentsOf if that is 0. Every page is rounded up, by half a unit or a whole one.
func Units(d client.Description, segments int, consistent bool) float64 {
	each := bytesPerUnit(consistent)
	if segments <= 0 {
		segments = SegmentsOf(d)
	}
	pages := float64(segments) + float64(d.Bytes)/pageBytes
	return math.Ceil(float64(d.Bytes)/each + pages*client.UnitBytes/each)
}

// Totals is how much of a table has been read.
type Totals struct {
	Items    int64
	Pages    int64
	Units    float64 // read units, as the endpoint counts them
	Segments int     // into which the table was divided
	Done     int     // segments that have ended
	// Throttled is how many requests were throttled and sent again, and Reasons how often
	// DynamoDB gave each reason for it.
	Throttled int64
	Reasons   map[string]int64
	// Repeated is how many were sent again because a response was damaged or never came.
	Repeated int64
}

// Complete reports whether every item was read.
func (t Totals) Complete() bool { return t.Segments > 0 && t.Done == t.Segments }

// Progress is how far a scan is. It is safe for concurrent use. The zero Progress is ready
// for one scan.
type Progress struct {
	items, pages, units    atomic.Int64 // units in thousandths
	throttled, repeated    atomic.Int64
	segments, segmentsDone atomic.Int64
	extent                 extent

	mu      sync.Mutex
	reasons map[string]int64
	asked   map[int]bool // the segments with a request in flight; true if that is a retry
	silent  time.Time    // since when only retries are in flight and nothing came; zero otherwise
}

// Totals returns what has been read so far.
func (p *Progress) Totals() Totals {
	p.mu.Lock()
	reasons := maps.Clone(p.reasons)
	p.mu.Unlock()
	return Totals{
		Items: p.items.Load(), Pages: p.pages.Load(), Units: float64(p.units.Load()) / 1000,
		Segments: int(p.segments.Load()), Done: int(p.segmentsDone.Load()),
		Throttled: p.throttled.Load(), Repeated: p.repeated.Load(), Reasons: reasons,
	}
}

// Parts returns how far each part of the table is, if that has about that many items, and how
// many segments have ended: see extent.
func (p *Progress) Parts(items int64) (parts []float64, ended int) { return p.extent.parts(items) }

func (p *Progress) begin(o Options) {
	p.segments.Store(int64(o.Segments))
	p.extent.begin(o.Segments)
}

// Silent returns since when every request in flight has been a retry and no response has
// come; zero if one has, or if a first attempt is in flight.
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

// ask says that a request for a segment is in flight.
func (p *Progress) ask(segment int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil {
		p.asked = map[int]bool{}
	}
	p.asked[segment] = false
}

func (p *Progress) page(segment int, page *Page) {
	p.mu.Lock()
	delete(p.asked, segment)
	p.silent = time.Time{}
	p.mu.Unlock()
	p.extent.read(segment, page.Items)
	p.items.Add(int64(page.Items))
	p.pages.Add(1)
	p.units.Add(int64(math.Round(page.Units * 1000)))
}

func (p *Progress) end(segment int) {
	p.extent.end(segment)
	p.segmentsDone.Add(1)
}

func (p *Progress) again(segment int, throttled bool, reasons []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !throttled {
		p.asked[segment] = true
		if p.repeated.Add(1); p.silent.IsZero() {
			p.silent = time.Now()
		}
		return
	}
	p.throttled.Add(1)
	if p.reasons == nil {
		p.reasons = map[string]int64{}
	}
	for _, r := range reasons {
		p.reasons[r]++
	}
}

// maxParts is how many parts of a table Progress reports at most: of more segments,
// neighbours share a part.
const maxParts = 16

// extent tracks how far each segment of a table has been read.
type extent struct {
	mu       sync.Mutex
	segments int
	ended    []int         // by part
	open     map[int]int64 // the items read of each segment that has begun
}

func (e *extent) begin(segments int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.segments, e.ended, e.open = segments, make([]int, min(segments, maxParts)), map[int]int64{}
}

func (e *extent) part(segment int) int { return segment * len(e.ended) / e.segments }

// read takes in that so many more items of a segment were read.
func (e *extent) read(segment, items int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open[segment] += int64(items)
}

// end takes in that a segment has ended.
func (e *extent) end(segment int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.open, segment)
	e.ended[e.part(segment)]++
}

// parts returns how far each part is if the whole table has about that many items, and how
// many segments have ended. DynamoDB does not say how long a segment is, so a part is 1 only
// when it has ended.
func (e *extent) parts(items int64) (out []float64, all int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	out = make([]float64, len(e.ended))
	for n, ended := range e.ended {
		out[n] = float64(ended)
		all += ended
	}
	for segment, read := range e.open {
		out[e.part(segment)] += min(float64(read)*float64(e.segments)/float64(max(items, 1)), 0.99)
	}
	for n := range out {
		first := (n*e.segments + len(out) - 1) / len(out) // segments of the part: from the first …
		next := ((n+1)*e.segments + len(out) - 1) / len(out)
		out[n] /= float64(next - first)
	}
	return out, all
}
