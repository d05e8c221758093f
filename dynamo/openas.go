package dynamo

import (
	"context"

	"tallylock/dynamo/layout"
)

// OpenWithin is Open with a budget of read units of its own, which somebody has asked for.
func (c *Connection) OpenWithin(ctx context.Context, name string, units float64) (*Table, error) {
	t, err := c.open(ctx, name, units, true)
	if err == nil {
		t.Fit.spent(0) // what is asked next is another question
	}
	return t, err
}

// As is the table read by another layout, whose fit is judged by the same sample.
func (t *Table) As(ctx context.Context, config layout.Config) (*Table, error) {
	l, err := &layout.Layout{Name: config.Name}, error(nil)
	if len(config.Accounts)+len(config.Counters) > 0 {
		if l, err = config.Build(); err != nil {
			return nil, err
		}
	}
	l.Configured = false // trying a layout is not describing it
	as := *t
	as.r, as.budget, as.page, as.Kept = t.conn.Reader(), t.conn.sampleUnits(), nil, nil
	as.own, as.inferred, as.recognition = t.own.fork(as.r), t.shown(""), newRecognition()
	as.Fit, as.Match = newFitting(&as), Matcher{&as}
	if len(l.Accounts) > 0 {
		as.unknown = nil
	}
	if err := as.use(ctx, l); err != nil {
		return nil, err
	}
	return &as, as.Judge(ctx)
}
