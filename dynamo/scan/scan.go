// Package scan reads whole tables and DynamoDB's exports to S3: bytes in, items out. A scan
// is parallel and paced, decodes pages without garbage, and reports its progress. It knows no
// layouts, accounts or locks. Start reading at Table, then Page.
package scan

import (
	"context"
	"math"
	"math/rand/v2"

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
