package dynamo

import (
	"context"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// judge judges how well the table's layout fits, unless that was done, within what is left
// of the budget: until then every verdict is unknown.
func (o *Opening) judge(ctx context.Context) error {
	fit := o.t.Fit
	if fit.isJudged() {
		return nil
	}
	err := o.readSamples(ctx)
	if err == nil && o.samples != nil {
		err = fit.judge(ctx, o.r, o.samples, o.budget-o.r.Units)
	}
	fit.spent(o.r.Units)
	fit.mu.Lock()
	defer fit.mu.Unlock()
	fit.judged = err == nil
	return err
}

// readSamples reads the rest of the sample, and those of the tables that locks are in.
func (o *Opening) readSamples(ctx context.Context) error {
	t := o.t
	if o.samples != nil || len(t.Layout.Constraints()) == 0 || t.Sample.unread != nil {
		return nil
	}
	if err := t.Sample.own.rest(ctx); err != nil {
		return err
	}
	samples := map[string]*sampler{t.Name: t.Sample.own}
	for _, name := range otherTables(t) {
		s, err := readSample(ctx, o.r, t.locks[name], (o.budget-o.r.Units)*samplePart)
		if err != nil && client.KindOf(err) != client.Denied {
			return err
		}
		samples[name] = s
	}
	for name, s := range samples {
		s.looked = o.looked[name]
	}
	o.samples = samples
	return nil
}

// look notes what was read of the locks of some rows: judging the fit may need them.
func (o *Opening) look(rows []*row) {
	o.looked = map[string]map[string]attr.Item{}
	for _, r := range rows {
		rel := r.rel
		if rel.err != nil || rel.Lock.Unread {
			continue
		}
		if o.looked[rel.Lock.Table] == nil {
			o.looked[rel.Lock.Table] = map[string]attr.Item{}
		}
		o.looked[rel.Lock.Table][rel.Lock.Key.ID()] = rel.Lock.Item
	}
}

// besideUnits is how many read units a table with a known layout takes until locks stand
// beside the first rows; leastLocks are read all the same where the items alone take more.
const (
	besideUnits = 40
	leastLocks  = 24
)

// locksBeside is how many locks are read beside the sample: a unit each. The others are
// read beside what the judgment of the fit asks for.
func (o *Opening) locksBeside() int {
	units := o.budget
	if !o.recognised {
		units = min(units, besideUnits)
	}
	return max(int(units-o.r.Units), leastLocks)
}

// sampleBeside reads a smaller sample at first, beside the locks of the items that are shown.
func (o *Opening) sampleBeside(ctx context.Context) error {
	if o.page == nil || o.recognised {
		return nil
	}
	locks := 0
	for _, item := range o.page.Items {
		if kind, a := o.t.Match.account(item); a != nil {
			locks += len(o.t.Match.Relations(kind, a))
		}
	}
	own := o.t.Sample.own
	left := own.left
	own.left = min(left, besideUnits-o.r.Units-float64(min(locks, o.locksBeside())))
	before := own.left
	err := own.rest(ctx)
	own.left = left - (before - own.left)
	return err
}
