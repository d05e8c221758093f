package change

import (
	"context"
	"math/big"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
)

// fewBytes is how large a table is at most that a look reads in one part: more cost
// a request each.
const fewBytes = 4 << 20

// look reads every account of a table, strongly consistent and to the end, for the
// census. Nothing is requested before it is called, and an error means that it is not
// whole: nothing may be concluded from it (truth.md §3b).
func (c *Changer) look(ctx context.Context, t *dynamo.Table, census *dynamo.Census, progress func(Progress)) (units float64, reads []dynamo.Read, err error) {
	o := check.ScanOptions{
		Attributes: check.Columns(t.Schema.HashName, t.Schema.RangeName), Whole: true, Consistent: true,
		MaxReadUnits: c.MaxReadUnits, Progress: new(check.Progress),
	}
	if t.Bytes <= fewBytes {
		o.Segments = 1
	}
	stop := often(func() {
		read := o.Progress.Totals()
		progress(Progress{Stage: "look", Done: read.Items, Total: t.Items, ReadUnits: read.Units, Throttled: read.Throttled})
	})
	read, err := check.Scan(ctx, t.Connection(), t.Description, o, func() check.Visitor { return &onlooker{census, o.Attributes} })
	stop()
	if err != nil {
		return read.Units, nil, err
	}
	return read.Units, []dynamo.Read{{
		At: time.Now(), Table: t.Name, What: "every account", Found: plural(big.NewInt(read.Items), "item") + " read", How: "consistent", Units: read.Units,
	}}, nil
}

// onlooker hands the census what a look reads.
type onlooker struct {
	census *dynamo.Census
	names  []string
}

// Visit is not called: a look reads whole items.
func (o *onlooker) Visit(row check.Row) { o.VisitWhole(row, check.Rest{}) }

// VisitWhole takes in one item. The census keeps some.
func (o *onlooker) VisitWhole(row check.Row, rest check.Rest) {
	o.census.See(check.WholeItem(row, o.names, rest))
}

// often calls report ten times a second, one call at a time, until it is stopped.
func often(report func()) (stop func()) {
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				report()
			}
		}
	}()
	return func() {
		close(done)
		<-over
		report()
	}
}
