package dynamo

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/guess/counters"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/remedy"
)

// recogniser finds the layout of a table that no config describes.
type recogniser struct {
	*Opening
	kept float64 // read units of the budget, for what is read later
	// last is the last search for accounts.
	last *guess.Search
}

// own is the sample of the table, as far as it was read.
func (rec *recogniser) own() guess.Sample { return asSample(rec.t.Description, rec.t.Sample.own) }

func (rec *recogniser) layout(ctx context.Context) (*layout.Layout, error) {
	presets, err := config.Presets()
	if err != nil {
		return nil, err
	}
	counters, err := rec.sample(ctx, presets)
	if err != nil {
		return nil, err
	}
	known := rec.own()
	known.Items = rec.with(counters)
	if only := rec.t.conn.options.Layout; only != "" {
		return rec.named(ctx, presets, only)
	}
	accounts, err := rec.accounts(ctx)
	if err != nil {
		return nil, err
	}
	own := rec.own()
	if len(accounts) == 0 {
		accounts = guess.UniqueByIndex(own)
	}
	l := &layout.Layout{}
	if len(accounts) > 0 {
		if l, err = (config.Layout{Name: rec.t.Name, Accounts: accounts}).Build(); err != nil {
			return nil, err
		}
		if n := slices.IndexFunc(presets, func(p config.Preset) bool { return p.Fits(l) }); n >= 0 {
			l.Name, l.Preset = presets[n].Name, presets[n].Name
		}
	}
	l.Configured = false
	guess.Derive(own, l)
	own.Items = known.Items
	counted, err := rec.counters(ctx, own)
	if err != nil {
		return nil, err
	}
	addCounters(l, counted, rec.t.Name)
	l.SetState(layout.Guessed)
	return l, nil
}

// named is the layout of the preset that a person has named: as the sample shows it, if it is that
// preset, else by the preset's keys alone.
func (rec *recogniser) named(ctx context.Context, presets []config.Preset, name string) (*layout.Layout, error) {
	own := rec.own()
	if n := slices.IndexFunc(presets, func(p config.Preset) bool { return p.Name == name }); n >= 0 {
		rec.last, _ = guess.Look(ctx, own, nil, nil) // without a probe nothing fails
		l, err := config.Layout{Name: name, Accounts: rec.last.Accounts()}.Build()
		if err == nil && presets[n].Fits(l) {
			presets[n].Complete(l, own.Schema, own.Indexes)
			l.Configured, l.Preset = false, name
		} else {
			l = presets[n].On(own.Schema, own.Indexes)
		}
		if !l.Empty() {
			l.SetState(layout.Guessed) // a preset is a guess wherever it is named
			return l, nil
		}
	}
	return nil, &client.Error{
		Kind:   client.Usage,
		Op:     "opening " + rec.t.Name,
		Why:    "the layout " + name + " does not fit the keys of the table",
		Remedy: remedy.Of(remedy.NameOtherLayout),
	}
}

// accounts recognises the table's accounts: from its sample, then from a larger one, since
// they may be rare among other items, then by what other tables keep of them.
func (rec *recogniser) accounts(ctx context.Context) ([]config.Account, error) {
	rec.kept = fitUnits + othersUnits
	accounts, err := rec.look(ctx)
	if err != nil || len(accounts) > 0 {
		return accounts, err
	}
	if read, err := rec.t.Sample.own.more(ctx, rec.left()*moreSample); err != nil {
		return nil, err
	} else if read {
		if accounts, err = rec.look(ctx); err != nil || len(accounts) > 0 {
			return accounts, err
		}
	}
	rec.kept = fitUnits
	if own := rec.own(); guess.MayHaveAccounts(own) {
		return rec.elsewhere(ctx, own)
	}
	return nil, nil
}

// look looks for accounts in the sample, and for their locks in others, too.
func (rec *recogniser) look(ctx context.Context, others ...guess.Sample) (_ []config.Account, err error) {
	if rec.last, err = guess.Look(ctx, rec.own(), others, rec.probe); err != nil {
		return nil, err
	}
	return rec.last.Accounts(), nil
}

// left is how many read units may be taken.
func (rec *recogniser) left() float64 { return max(0, rec.budget-rec.r.Units-rec.kept) }

// addCounters adds the counters that were recognised to a layout, which is called after
// their preset where it has no name yet, or after its table.
func addCounters(l *layout.Layout, found []counters.Counter, table string) {
	for _, c := range found {
		c.Evidence = c.Why
		l.Counters = append(l.Counters, c.Counter)
		if l.Name == "" {
			l.Name, l.Preset = c.Preset, c.Preset
		}
	}
	if len(found) > 0 {
		l.Name = cmp.Or(l.Name, table)
	}
}

// moreSample is how much of what is left of a budget a second, larger sample takes. Looking
// at other tables, if it comes to that, is left othersUnits, and judging the fit fitUnits.
const (
	moreSample  = 0.6
	othersUnits = 16
	fitUnits    = 25
)

func asSample(d client.Description, s *sampler) guess.Sample {
	sample := guess.Sample{
		Name:    d.Name,
		Schema:  d.Schema,
		Indexes: d.Indexes,
		Sorted:  d.Sorted,
		Items:   s.items,
		Whole:   s.whole,
	}
	if len(d.Indexes) == 0 {
		hashes, sorted := guess.NamedIndexes(s.items)
		sample.Indexes, sample.Sorted = hashes, append(sorted, d.Sorted...)
	}
	return sample
}

// The other tables of a connection that are looked at for the locks of one that has none:
// how many tables a connection has at most for that, and how many of them are sampled.
const (
	fewTables   = 20
	mostSampled = 4
)

// elsewhere looks for the locks of the table's accounts in the connection's other tables.
func (rec *recogniser) elsewhere(ctx context.Context, own guess.Sample) ([]config.Account, error) {
	names, err := rec.otherTables(ctx)
	rec.t.Sample.unlooked = slices.Sorted(slices.Values(names))
	if err != nil || rec.budget-rec.r.Units < mostSampled {
		return nil, err
	}
	if len(names) > fewTables {
		names = slices.DeleteFunc(names, func(name string) bool { return !guess.MayKeepLocks(own.Name, name) })
	}
	slices.SortStableFunc(names, func(a, b string) int {
		rank := func(name string) int {
			if guess.MayKeepLocks(own.Name, name) {
				return 0
			}
			return 1
		}
		return cmp.Compare(rank(a), rank(b))
	})
	all, err := rec.samplesOf(ctx, names)
	if err != nil {
		return nil, err
	}
	var others []guess.Sample
	for _, o := range all {
		if !o.hasAccounts() { // locks of a table's own accounts are not those of another's
			others = append(others, o.sample)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	return rec.look(ctx, others...)
}

// otherTables lists the other tables of the connection: none if they may not be listed, or of an
// export.
func (rec *recogniser) otherTables(ctx context.Context) ([]string, error) {
	names, err := rec.t.conn.TableNames(ctx)
	if kind := client.KindOf(err); kind == client.Denied || kind == client.NoTable {
		return nil, nil
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == rec.t.Name }), err
}

// probe reads what inference asks for, as far as the budget goes.
func (rec *recogniser) probe(
	ctx context.Context, table string, keys []attr.Key,
) (map[string]attr.Item, []attr.Key, error) {
	found := map[string]attr.Item{}
	var asked []attr.Key
	if most := int(rec.left() / max(0.5, rec.t.Sample.own.perItem)); most < len(keys) {
		keys = keys[:most]
	}
	for batch := range slices.Chunk(keys, client.MaxBatch) {
		items, err := rec.r.Get(ctx, table, batch, false)
		if client.KindOf(err) == client.Denied {
			return found, asked, nil
		}
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(found, items)
		asked = append(asked, batch...)
	}
	return found, asked, nil
}

// sample reads the rest of the sample, and beside it the counters that presets know by their
// keys, which a sample of a large table hardly holds.
func (rec *recogniser) sample(ctx context.Context, presets []config.Preset) (counters []attr.Item, err error) {
	keys := config.CounterKeys(presets, rec.t.Schema)
	if rec.t.Sample.own.whole || rec.r.Units+float64(len(keys)) > rec.budget {
		keys = nil
	}
	rec.t.Sample.own.left -= float64(len(keys))
	by := rec.r.Fork()
	var found map[string]attr.Item
	var g errgroup.Group
	g.Go(func() (err error) {
		if found, err = by.Get(ctx, rec.t.Name, keys, true); client.KindOf(err) == client.Denied {
			err = nil
		}
		return err
	})
	if rec.t.Sample.unread == nil {
		err = rec.t.Sample.own.rest(ctx)
	}
	err = cmp.Or(err, g.Wait())
	rec.r.Units += by.Units
	for _, k := range keys {
		if item := found[k.ID()]; item != nil {
			counters = append(counters, item)
		}
	}
	return counters, err
}

// with is the sample's items with others.
func (rec *recogniser) with(others []attr.Item) []attr.Item {
	items := slices.Clone(rec.t.Sample.own.items)
	for _, item := range others {
		if !slices.ContainsFunc(items, item.Equal) {
			items = append(items, item)
		}
	}
	return items
}

// counters recognises the table's counters: by what stands beside them, and where that has
// none of their ids, by other tables that are called as they are.
func (rec *recogniser) counters(ctx context.Context, own guess.Sample) ([]counters.Counter, error) {
	found := counters.Of(own)
	if !counters.MayBeElsewhere(own, found) || rec.budget-rec.r.Units < mostSampled {
		return found, nil
	}
	names, err := rec.otherTables(ctx)
	if err != nil {
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
	others := make([]guess.Sample, len(all))
	for n, o := range all {
		others[n] = o.sample
	}
	return counters.Of(own, others...), nil
}

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

// other is what was sampled of a table. It does not change: a sample that is read later takes its place.
type other struct {
	sample guess.Sample
	// hasAccounts reports whether it shows accounts of the table's own. Whoever asks first works that out.
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
	sample := asSample(d, s)
	o.at, o.budget = time.Now(), budget
	o.other = other{sample, sync.OnceValue(func() bool { return len(guess.Accounts(sample)) > 0 })}
	return o.other, nil
}

// samplesOf are those of a few other tables that may be read and have items.
func (rec *recogniser) samplesOf(ctx context.Context, names []string) (all []other, err error) {
	for _, name := range names[:min(len(names), mostSampled)] {
		rec.t.Sample.unlooked = slices.DeleteFunc(rec.t.Sample.unlooked, func(other string) bool { return other == name })
		budget := (rec.budget - rec.r.Units) / (mostSampled + 1)
		o, err := rec.t.conn.others.of(name).read(ctx, rec.t.conn, rec.r, name, budget)
		if err != nil && client.KindOf(err) != client.Denied {
			return nil, err
		}
		if len(o.sample.Items) > 0 {
			all = append(all, o)
		}
	}
	return all, nil
}
