package dynamo

import (
	"cmp"
	"context"
	"sync"
)

// Browse starts to read a table while it is being opened: its Next goes on with that, and
// the Opening is not to be used any more.
func (o *Opening) Browse() *Browser {
	b := &Browser{t: o.t, r: o.t.conn.Reader(), opening: o, owes: true}
	b.reset(o.items)
	return b
}

// begin goes a step on with opening the table. What can be read at the same time is.
func (b *Browser) begin(ctx context.Context) error {
	o := b.opening
	switch {
	case o.page != nil && b.page.n == 0:
		b.takeFirst()
		return nil
	case !o.known:
		if err := o.recognise(ctx); err != nil {
			return err
		}
		b.reset(o.items)
		if o.page != nil {
			b.takeFirst()
		}
		return nil
	case o.looked == nil && (!o.recognised || len(otherTables(o.t)) > 0):
		if err := b.beside(ctx, o.sampleBeside, o.locksBeside()); err != nil {
			return err
		}
		o.look(b.values.fresh)
		return nil
	}
	if err := b.beside(ctx, o.judge, len(b.values.fresh)); err != nil {
		return err
	}
	b.opening = nil
	b.values.compare()
	return nil
}

// takeFirst takes in the page that was read when the opening began.
func (b *Browser) takeFirst() {
	page := *b.opening.page
	b.page.limit, b.page.began, b.page.first = min(2*b.opening.items, browsePage), b.r.Units-page.Units, page.Units
	b.takePage(b.t.Name, page)
}

// beside reads what the judgment of the fit needs, beside so many locks of the first rows.
func (b *Browser) beside(ctx context.Context, read func(context.Context) error, locks int) error {
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() { failed = b.values.readLocks(ctx, locks) })
	err := read(ctx)
	wg.Wait()
	return cmp.Or(err, failed)
}
