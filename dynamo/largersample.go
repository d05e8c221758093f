package dynamo

import (
	"bytes"
	"context"

	"tallylock/dynamo/client"
)

// largerUnits is what recognising a table's layout may take in all, where nobody waits for
// its first rows any more.
const largerUnits = 200

// growPart is how much of what is left of them a larger sample may take: as far as accounts
// are rare, it is what its items call for that shows what they are.
const growPart = 0.4

// unreadUnits is how many of them are left.
func unreadUnits(t *Table) float64 {
	most := min(largerUnits, t.conn.AutoReadUnits())
	if t.conn.options.Asked {
		most = largerUnits
	}
	return most - t.Fit.units()
}

// Unsure reports whether a larger sample may recognise more of the table than the one that
// it was opened with, which showed no accounts.
func (s *Sample) Unsure() bool {
	t := s.t
	if t.Layout.State().Sure() || t.conn.options.Layout != "" || s.unread != nil || s.grown || s.own.whole {
		return false
	}
	return len(t.Layout.Accounts) == 0 && s.Leases() == ""
}

// Grown returns a table as a larger sample shows it, if its own sample is Unsure. It returns nil
// if no more may be read, or if the larger sample shows nothing else.
func Grown(ctx context.Context, t *Table) (*Table, error) {
	left := unreadUnits(t)
	if !t.Sample.Unsure() || left < 0.5*sampleSegments {
		return nil, nil
	}
	as := *t
	o := &Opening{t: &as, r: t.conn.Reader(), budget: left}
	as.Fit, as.Match, as.Sample = newFitting(&as), Matcher{&as}, t.Sample.fork(&as, o.r)
	as.Sample.nearest, as.Sample.grown = nil, true
	read, err := as.Sample.own.more(ctx, left*growPart)
	if client.KindOf(err) == client.Denied || err == nil && !read {
		return nil, nil
	}
	if err == nil {
		_, err = o.table(ctx)
	}
	if err != nil {
		return nil, err
	}
	as.Fit.spent(t.Fit.units() + o.r.Units)
	if bytes.Equal(t.Layout.Config().TOML(), as.Layout.Config().TOML()) {
		return nil, nil
	}
	return &as, nil
}
