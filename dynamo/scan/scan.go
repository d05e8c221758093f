package scan

import (
	"context"
	"math/rand/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"

	"golang.org/x/sync/errgroup"
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

// fetch returns the attributes to ask for; none asks for all.
func (o Options) fetch() []string {
	if o.Whole {
		return nil
	}
	return o.Attributes
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
		w.progress.page(segment, w.page, size)
		if w.page.Last == nil {
			return nil
		}
	}
}
