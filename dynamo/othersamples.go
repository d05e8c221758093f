package dynamo

import (
	"context"
	"slices"
	"sync"
	"time"

	"tallylock/dynamo/client"
	"tallylock/dynamo/infer"
	"tallylock/dynamo/layout"
)

// otherSamples are those of tables that were looked at for the locks or ids of others: each
// table that is not recognised would read them again. It is safe for concurrent use.
type otherSamples struct {
	mu  sync.Mutex
	all map[string]*otherSample
}

// otherSample is the sample of one table, which is read once, by whoever wants it first.
type otherSample struct {
	mu     sync.Mutex
	at     time.Time // when it was read; zero: it was not
	budget float64   // read units that it might have taken
	other
}

// other is the sample of another table. Whether it shows accounts of that table's own is
// worked out once, by whoever asks first.
type other struct {
	sample      layout.Sample
	hasAccounts func() bool
}

// How long the sample of another table is kept, and of how many tables.
const (
	samplesKept = 5 * time.Minute
	mostKept    = 2 * fewTables
)

// DropSamples has other tables be read again where they are looked at for the locks of one.
func (c *Connection) DropSamples() {
	c.others.mu.Lock()
	defer c.others.mu.Unlock()
	c.others.all = nil
}

// of is what is kept of a table, or is to be.
func (o *otherSamples) of(name string) *otherSample {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil || o.all[name] == nil && len(o.all) >= mostKept {
		o.all = map[string]*otherSample{}
	}
	if o.all[name] == nil {
		o.all[name] = &otherSample{}
	}
	return o.all[name]
}

// read reads the sample within a budget of read units, unless one is kept for which there
// was hardly less.
func (o *otherSample) read(
	ctx context.Context, c *Connection, r *client.Reader, name string, budget float64,
) (other, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.at) < samplesKept && (o.sample.Whole || 2*o.budget >= budget) {
		return o.other, nil
	}
	d, err := c.Describe(ctx, name)
	if err != nil {
		return other{}, err
	}
	s, err := readSample(ctx, r, d, budget)
	if err != nil {
		return other{}, err
	}
	sample, pure := asSample(d, s), context.WithoutCancel(ctx)
	o.at, o.budget = time.Now(), budget
	o.other = other{sample, sync.OnceValue(func() bool {
		known, err := infer.Accounts(pure, sample, nil, nil)
		return err != nil || len(known) > 0
	})}
	return o.other, nil
}

// samplesOf are those of a few other tables that may be read and have items.
func (rec *recogniser) samplesOf(ctx context.Context, names []string) (all []other, err error) {
	for _, name := range names[:min(len(names), mostSampled)] {
		rec.s.unlooked = slices.DeleteFunc(rec.s.unlooked, func(other string) bool { return other == name })
		o, err := rec.c.others.of(name).read(ctx, rec.c, rec.r, name, (rec.budget-rec.r.Units)/(mostSampled+1))
		if err != nil && client.KindOf(err) != client.Denied {
			return nil, err
		}
		if len(o.sample.Items) > 0 {
			all = append(all, o)
		}
	}
	return all, nil
}
