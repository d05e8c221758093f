package scan

import (
	"context"
	"math/rand/v2"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// Visitor is handed the items of a scan. Each worker has one of its own, so a
// visitor needs no lock; the caller puts them together after the scan.
type Visitor interface {
	// Visit is handed an item of a page that has arrived whole and undamaged.
	// The row is good only until Visit returns.
	Visit(Row)
}

// WholeVisitor is a visitor that is handed whole items where Options.Whole
// says so.
type WholeVisitor interface {
	Visitor
	// VisitWhole is Visit, with the attributes that are no columns.
	VisitWhole(Row, Rest)
}

// Options say what is read of a table, and how fast.
type Options struct {
	// Attributes are the names of the top-level attributes wanted of each item,
	// each once: see Columns.
	Attributes []string
	// Whole reads the other attributes, too: visitors have to be WholeVisitors.
	Whole      bool
	Consistent bool
	// Segments is into how many the table is divided, 1…1,000,000; 0: SegmentsOf.
	Segments int
	// Workers is how many requests are on their way at once; 0: WorkersFor.
	Workers int
	// MaxReadUnits is how many read units a second may be consumed; 0: PaceOf, and
	// negative: without bounds.
	MaxReadUnits float64
	// Progress, where there is one, can be looked at while the scan runs.
	Progress *Progress
}

// Table reads a whole table: segments in random order, by workers that each have
// a visitor of their own. visitor is called once for each worker, before the
// first request. Nothing is requested before Table is called, and nothing runs on
// after it has returned.
//
// A page is visited once, and only after it has been decoded whole; what was
// visited and what is counted in the Totals are the same. A scan that ends with
// an error is not Totals.Complete, and its totals say how much was read.
func Table(ctx context.Context, c *client.Client, table client.Description, o Options, visitor func() Visitor) (Totals, error) {
	o.Fill(table)
	pace := newPace(o.MaxReadUnits, expected(table, o))
	err := eachSegment(ctx, o, visitor, func(page *Page, visit func()) func(context.Context, int) error {
		w := &worker{table: table.Name, page: page, visit: visit, pace: pace, progress: o.Progress, bytesPerUnit: bytesPerUnit(o.Consistent)}
		w.reader = c.PageReader(client.PageScan{
			Table: table.Name, Attributes: o.fetch(), Consistent: o.Consistent, Segments: o.Segments,
			Again: func(throttled bool, reasons []string) { o.Progress.again(w.at, throttled, reasons) },
		})
		return w.segment
	})
	if err != nil {
		err = c.Explain("reading the table "+table.Name, err)
	}
	return o.Progress.Totals(), err
}

// eachSegment has o.Workers read all segments, in random order: each with a page
// and a visitor of its own, to which visit hands the items of the page. The first
// error ends all of them.
func eachSegment(ctx context.Context, o Options, visitor func() Visitor, reader func(page *Page, visit func()) func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
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
	var wg sync.WaitGroup
	for _, read := range readers {
		wg.Go(func() {
			for s := range segments {
				if err := read(ctx, s); err != nil {
					cancel(err) // the first one counts; the others stop for it
					return
				}
				o.Progress.end(s)
			}
		})
	}
	wg.Wait()
	if o.Progress.Totals().Complete() {
		return nil
	}
	return context.Cause(ctx)
}

// fetch is the attributes to ask for; none asks for all.
func (o Options) fetch() []string {
	if o.Whole {
		return nil
	}
	return o.Attributes
}

type worker struct {
	reader       *client.PageReader
	table        string
	at           int // the segment that it reads
	page         *Page
	visit        func()
	pace         *pace
	progress     *Progress
	bytesPerUnit float64
}

// segment reads one segment to its end.
func (w *worker) segment(ctx context.Context, segment int) error {
	var cursors client.Cursors
	w.at = segment
	for start := attr.Item(nil); ; start = w.page.Last {
		taken, err := w.pace.take(ctx)
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
		w.pace.settle(taken, units)
		w.visit()
		w.progress.page(segment, w.page, size)
		if w.page.Last == nil {
			return nil
		}
	}
}
