package dynamo

import (
	"context"

	"tallylock/dynamo/layout"
)

// OpenAs is a table read by another layout, whose fit is judged by the same sample.
func OpenAs(ctx context.Context, t *Table, config layout.Config) (*Table, error) {
	l, err := &layout.Layout{Name: config.Name}, error(nil)
	if len(config.Accounts)+len(config.Counters) > 0 {
		if l, err = config.Build(); err != nil {
			return nil, err
		}
	}
	l.Configured = false // trying a layout is not describing it
	l.SetState(layout.Guessed)
	return openAs(ctx, t, l)
}

func openAs(ctx context.Context, t *Table, l *layout.Layout) (*Table, error) {
	as := *t
	o := &Opening{t: &as, r: t.conn.Reader(), budget: t.conn.sampleUnits()}
	as.Fit, as.Match = newFitting(&as), Matcher{&as}
	as.Sample = t.Sample.fork(&as, o.r)
	if len(l.Accounts) > 0 {
		as.Sample.nearest = nil
	}
	if err := o.use(ctx, l); err != nil {
		return nil, err
	}
	return &as, o.judge(ctx)
}
