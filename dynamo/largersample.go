package dynamo

import (
	"context"
	"slices"

	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
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
// it was opened with: that showed no accounts, or too little to tell whether its layout fits.
func (s *Sample) Unsure() bool {
	t := s.t
	if t.Layout.State().Sure() || t.conn.options.Layout != "" || s.unread != nil || s.grown || s.own.whole {
		return false
	}
	thin := func(f layout.Fit) bool { return f.Rule.Standing == layout.Thin }
	return len(t.Layout.Accounts) == 0 && s.Leases() == "" || slices.ContainsFunc(t.Fit.All(), thin)
}

// Grown is a table as a larger sample shows it, where its own is Unsure: it is recognised
// and judged anew. changed says how its layout differs from what the smaller sample showed,
// a line each. Where no more may be read, or nothing else is shown, there is no such table.
func Grown(ctx context.Context, t *Table) (grown *Table, changed []string, err error) {
	left := unreadUnits(t)
	if !t.Sample.Unsure() || left < 0.5*sampleSegments {
		return nil, nil, nil
	}
	as := *t
	o := &Opening{t: &as, r: t.conn.Reader(), budget: left}
	as.Fit, as.Match, as.Sample = newFitting(&as), Matcher{&as}, t.Sample.fork(&as, o.r)
	as.Sample.unknown, as.Sample.grown = nil, true
	read, err := as.Sample.own.more(ctx, left*growPart)
	if client.KindOf(err) == client.Denied || err == nil && !read {
		return nil, nil, nil
	}
	if err == nil {
		_, err = o.table(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	as.Fit.spent(t.Fit.units() + o.r.Units)
	if len(as.Layout.Accounts) == 0 && len(t.Layout.Accounts) > 0 {
		return nil, nil, nil // nothing is no other layout
	}
	if changed = layout.Differences(t.Layout.Config(), as.Layout.Config()); len(changed) == 0 && !restood(t, &as) {
		return nil, nil, nil
	}
	return &as, changed, nil
}

// restood reports whether the fit of a constraint stands otherwise than it did, of two tables
// with the same layout.
func restood(t, as *Table) bool {
	return !slices.EqualFunc(t.Fit.All(), as.Fit.All(), func(a, b layout.Fit) bool {
		return a.Rule.Standing == b.Rule.Standing
	})
}
