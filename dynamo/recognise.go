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

// recogniser finds the layout of a table that the config does not describe.
type recogniser struct {
	*Opening
	kept float64 // read units of the budget that are kept for later reads
	// last is the most recent search for accounts.
	last *guess.Search
}

// own returns the table's sample as read so far.
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
	own.Items = rec.with(counters) // read again, because accounts may have enlarged the sample
	counted, err := rec.counters(ctx, own)
	if err != nil {
		return nil, err
	}
	addCounters(l, counted, rec.t.Name)
	l.SetState(layout.Guessed)
	return l, nil
}

// named returns the layout of the preset that a person has named. If the sample fits that preset, the layout
// comes from the sample. Otherwise the layout comes from the preset's keys alone.
func (rec *recogniser) named(ctx context.Context, presets []config.Preset, name string) (*layout.Layout, error) {
	own := rec.own()
	if n := slices.IndexFunc(presets, func(p config.Preset) bool { return p.Name == name }); n >= 0 {
		rec.last, _ = guess.Look(ctx, own, nil, nil) // without a probe, Look cannot fail
		l, err := config.Layout{Name: name, Accounts: rec.last.Accounts()}.Build()
		if err == nil && presets[n].Fits(l) {
			presets[n].Complete(l, own.Schema, own.Indexes)
			l.Configured, l.Preset = false, name
		} else {
			l = presets[n].On(own.Schema, own.Indexes)
		}
		if !l.Empty() {
			l.SetState(layout.Guessed) // the layout is a guess, even if a person has named the preset
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

// accounts recognises the table's accounts. It tries the sample first, then a larger sample, since accounts may
// be rare among other items, and last the locks in other tables.
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

// look searches the sample for accounts. It searches the given samples of other tables for the accounts' locks.
func (rec *recogniser) look(ctx context.Context, others ...guess.Sample) (_ []config.Account, err error) {
	if rec.last, err = guess.Look(ctx, rec.own(), others, rec.probe); err != nil {
		return nil, err
	}
	return rec.last.Accounts(), nil
}

// left returns the number of read units that may still be used.
func (rec *recogniser) left() float64 { return max(0, rec.budget-rec.r.Units-rec.kept) }

// addCounters adds recognised counters to a layout. A layout without a name gets the name of the first
// counter's preset, or of the table.
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

// moreSample is the part of the remaining budget that the larger sample may take. othersUnits are the read
// units kept for searching other tables, and fitUnits those for judging the fit.
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

// If a connection has at most fewTables other tables, all of them may be searched for locks. If it has more,
// only tables whose names suggest locks are searched. At most mostSampled of these tables are sampled.
const (
	fewTables   = 20
	mostSampled = 4
)

// elsewhere looks in the connection's other tables for the locks of the table's accounts.
func (rec *recogniser) elsewhere(ctx context.Context, own guess.Sample) ([]config.Account, error) {
	names, err := rec.otherTables(ctx)
	rec.t.Sample.Unlooked = slices.Sorted(slices.Values(names))
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
		if !o.hasAccounts() { // a table with accounts has locks for its own accounts
			others = append(others, o.sample)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	return rec.look(ctx, others...)
}

// otherTables lists the other tables of the connection. The list is empty if listing tables is denied, or if
// the table is an export.
func (rec *recogniser) otherTables(ctx context.Context) ([]string, error) {
	names, err := rec.t.conn.TableNames(ctx)
	if kind := client.KindOf(err); kind == client.Denied || kind == client.NoTable {
		return nil, nil
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == rec.t.Name }), err
}

// probe reads the keys that guess.Look asks for, as far as the budget allows. It returns the items that exist,
// and the keys that it has read.
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

// sample reads the rest of the sample. At the same time it reads counters by the keys that presets give them,
// because the sample of a large table probably misses these counters.
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

// with returns the sample's items and the given other items, without duplicates.
func (rec *recogniser) with(others []attr.Item) []attr.Item {
	items := slices.Clone(rec.t.Sample.own.items)
	for _, item := range others {
		if !slices.ContainsFunc(items, item.Equal) {
			items = append(items, item)
		}
	}
	return items
}

// counters recognises the table's counters by the items around them. If the table does not contain the ids of a
// counter, these ids may be in another table. Then counters also uses samples of tables whose names match.
func (rec *recogniser) counters(ctx context.Context, own guess.Sample) ([]counters.Counter, error) {
	found := counters.Of(own)
	mayHaveIDs := counters.Elsewhere(own, found)
	if mayHaveIDs == nil || rec.budget-rec.r.Units < mostSampled {
		return found, nil
	}
	names, err := rec.otherTables(ctx)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !mayHaveIDs(name) })
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

// otherSamples keeps samples of the tables that were searched for the locks or ids of another table. Without
// these samples, each unrecognised table would read the same tables again. otherSamples is safe for concurrent
// use.
type otherSamples struct {
	mu  sync.Mutex
	all map[string]*otherSample
}

// otherSample is the kept sample of one table. The first caller that needs the sample reads it.
type otherSample struct {
	mu     sync.Mutex
	at     time.Time // when the sample was read; zero before that
	budget float64   // read units that the sample was allowed to take
	other
}

// other is the sample of a table. It never changes: a later sample replaces it.
type other struct {
	sample guess.Sample
	// hasAccounts reports whether the sample contains accounts. The first call computes the result.
	hasAccounts func() bool
}

// samplesKept is the lifetime of a sample in otherSamples. mostKept is the greatest number of samples there.
const (
	samplesKept = 5 * time.Minute
	mostKept    = 2 * fewTables
)

// DropSamples drops the kept samples of other tables. The next search for locks reads them again.
func (c *Connection) DropSamples() {
	c.others.mu.Lock()
	defer c.others.mu.Unlock()
	c.others.all = nil
}

// of returns the entry of a table, and adds the entry if it is missing. If there are mostKept entries already,
// of first drops all of them.
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

// read returns a sample of a table, within a budget of read units. It reuses a fresh kept sample that is large
// enough: the sample is the whole table, or its own budget was at least half of the given budget.
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

// samplesOf returns samples of the first few tables in the list names. It leaves out tables that are empty, and
// tables that the program is not permitted to read, or that do not exist.
func (rec *recogniser) samplesOf(ctx context.Context, names []string) (all []other, err error) {
	for _, name := range names[:min(len(names), mostSampled)] {
		rec.t.Sample.Unlooked = slices.DeleteFunc(rec.t.Sample.Unlooked, func(other string) bool { return other == name })
		budget := (rec.budget - rec.r.Units) / (mostSampled + 1)
		o, err := rec.t.conn.others.of(name).read(ctx, rec.t.conn, rec.r, name, budget)
		switch client.KindOf(err) {
		case client.Denied, client.Forbidden, client.NoTable: // skip a table that this connection cannot read
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(o.sample.Items) > 0 {
			all = append(all, o)
		}
	}
	return all, nil
}
