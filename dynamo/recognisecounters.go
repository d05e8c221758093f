package dynamo

import (
	"context"
	"slices"

	"tallylock/dynamo/client"
	"tallylock/dynamo/infer/counters"
	"tallylock/dynamo/layout"
)

// counters recognises the table's counters: by what stands beside them, and where that has
// none of their ids, by other tables that are called as they are.
func (rec *recogniser) counters(ctx context.Context, own layout.Sample) ([]counters.Counter, error) {
	found := counters.Of(own)
	if !counters.MayBeElsewhere(own, found) || rec.budget-rec.r.Units < mostSampled {
		return found, nil
	}
	names, err := rec.c.TableNames(ctx)
	if err != nil {
		if kind := client.KindOf(err); kind == client.Denied ||
			kind == client.NoTable { // an export knows its own tables only
			return found, nil
		}
		return nil, err
	}
	names = counters.Elsewhere(own, found, names)
	slices.Sort(names)
	all, err := rec.samplesOf(ctx, names)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return found, nil
	}
	others := make([]layout.Sample, len(all))
	for n, o := range all {
		others[n] = o.sample
	}
	return counters.Of(own, others...), nil
}
