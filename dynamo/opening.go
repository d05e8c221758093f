package dynamo

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// Open describes a table, finds its layout, and judges the layout's fit. It uses the config's layout that names
// the table, or else the layout that fits a sample. If no layout fits, the table opens with an empty layout, so
// that its items can be browsed.
func (c *Connection) Open(ctx context.Context, name string) (*Table, error) {
	return c.open(ctx, name, c.sampleUnits(), true)
}

// OpenWithin opens a table as Open does, but with the given limit of read units. It is for a request that a
// person has made. The units used do not count against the limit of later requests.
func (c *Connection) OpenWithin(ctx context.Context, name string, units float64) (*Table, error) {
	t, err := c.open(ctx, name, units, true)
	if err == nil {
		t.Fit.spent(0) // the next request has a separate budget
	}
	return t, err
}

func (c *Connection) open(ctx context.Context, name string, budget float64, asked bool) (*Table, error) {
	o, err := c.start(ctx, name, startOptions{budget: budget, asked: asked, items: firstItems})
	if err != nil {
		return nil, err
	}
	return o.finish(ctx)
}

// Opening is a table that is being opened: the table is described, and its first items are read. If the config
// has a layout for the table, the layout is known, but its fit is not judged yet. Two goroutines must not use
// an Opening at once.
type Opening struct {
	t *Table
	// Page is the first page of the sample, if a Browser can show it; otherwise nil. Items is the item limit of
	// that page.
	Page  *client.Page
	Items int
	// Known is set once the layout is known, even if it is empty. recognised is set if a sample gave the
	// layout.
	Known, recognised bool

	r      *client.Reader
	budget float64 // read units that r may use
	// samples has the samples for judging the fit, by table. The map is nil until they are read.
	samples map[string]*sampler
	// looked holds the locks of the first items, by table and key. A nil item means that there is no lock with that
	// key. The map is nil until the locks are read.
	looked map[string]map[string]attr.Item
}

// Start describes a table and reads its first items at the same time. items is the number of items to read:
// enough for the rows on screen. Start reads at most mostFirst items, because reading their locks costs units.
func (c *Connection) Start(ctx context.Context, name string, items int) (*Opening, error) {
	return c.start(ctx, name,
		startOptions{budget: c.sampleUnits(), asked: true, browsed: true, items: min(items, mostFirst)})
}

// mostFirst limits the items that are read before anything of a table is shown.
const mostFirst = 50

// startOptions are options to open a table. budget is in read units. If asked is set, and the limits allow even the
// most expensive page, start reads the first page before it knows the sizes of the items. If browsed is set, this
// page is read strongly consistent, so that a Browser can show it.
type startOptions struct {
	budget         float64
	asked, browsed bool
	items          int
}

func (c *Connection) start(ctx context.Context, name string, with startOptions) (*Opening, error) {
	if !c.Opens(name) {
		return nil, c.NotOpen(name)
	}
	c.readLockTables()
	t := &Table{conn: c, View: schema.NewView(&layout.Layout{}, name, nil)}
	t.Fit, t.Sample = newFitting(t), &Sample{t: t}
	o := &Opening{t: t, r: c.Reader(), budget: with.budget, Items: with.items}
	l, hash, byName, err := c.described(name)
	if err != nil {
		return nil, err
	}
	t.described = hash
	var first firstPage
	var wg sync.WaitGroup
	if with.asked && with.budget >= OpenUnits && c.AutoReadUnits() >= client.PageUnits {
		first.by = o.r.Fork()
		wg.Go(func() {
			first.page, first.err = first.by.Scan(ctx, name, client.PageInput{Limit: with.items, Consistent: with.browsed})
		})
	}
	err = o.describe(ctx, name, l)
	wg.Wait()
	if err == nil {
		err = o.begin(ctx, first, with)
	}
	if err == nil && l != nil {
		err = o.use(ctx, l)
	}
	if err == nil && byName {
		err = t.sameAccount()
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}

// firstPage is a page that is read at the same time as the description. by is the reader of the page, or nil if
// no page is read.
type firstPage struct {
	by   *client.Reader
	page client.Page
	err  error
}

// begin adds the first page to the sample. Unless that page is for a Browser, begin then reads the first items
// that the sample still lacks.
func (o *Opening) begin(ctx context.Context, first firstPage, with startOptions) error {
	sample := o.t.Sample
	sample.own = newSampler(o.r, o.t.Description, o.budget*samplePart)
	if first.by != nil {
		o.r.Units += first.by.Units
	}
	if first.by != nil && first.err == nil {
		if with.browsed {
			o.Page = &first.page
		}
		sample.own.begin(first.page)
	}
	var err error
	if o.Page == nil { // no browsed page was read
		err = sample.own.first(ctx)
	}
	o.t.Fit.spent(o.r.Units)
	switch {
	case client.KindOf(err) == client.Denied:
		sample.unread = err
		return nil
	case o.budget < 0.5:
		sample.unread = errUnread
	case sample.own.whole && len(sample.own.items) == 0:
		sample.unread = errVacant
	}
	return err
}

// describe describes the table and the tables that its layout names, all at the same time.
func (o *Opening) describe(ctx context.Context, name string, l *layout.Layout) error {
	t := o.t
	names := tablesOf(cmp.Or(l, t.Layout), name)
	all, errs := make([]client.Description, len(names)), make([]error, len(names))
	var wg sync.WaitGroup
	for n, one := range names {
		if d, have := t.locks[one]; have {
			all[n] = d
			continue
		}
		wg.Go(func() {
			if all[n], errs[n] = t.conn.Describe(ctx, one); client.KindOf(errs[n]) == client.NoTable {
				errs[n] = t.conn.meant(ctx, one, errs[n])
			}
		})
	}
	wg.Wait()
	if errs[0] != nil {
		return errs[0]
	}
	t.Description, t.locks = all[0], map[string]client.Description{}
	schemas := map[string]attr.Schema{}
	for n, d := range all {
		if errs[n] != nil {
			return fmt.Errorf("the layout %s names the table %s: %w", l.Name, names[n], errs[n])
		}
		t.locks[names[n]], schemas[names[n]] = d, d.Schema
	}
	t.View = schema.NewView(t.Layout, name, schemas)
	return nil
}

// use makes l the layout of the table. It returns an error if the layout does not match the table.
func (o *Opening) use(ctx context.Context, l *layout.Layout) error {
	t := o.t
	t.View, o.Known = schema.NewView(l, t.Name, t.Schemas), true
	if err := o.describe(ctx, t.Name, l); err != nil {
		return err
	}
	if err := cmp.Or(checkKeys(t), checkIDs(t)); err != nil {
		return err
	}
	if err := checkWrittenIn(t); err != nil {
		return err
	}
	t.Answers = answers.New(t.View, t.conn.Answers, func(table string) answers.Table {
		return t.conn.identity(t.DescriptionOf(table))
	}, t.Remedy)
	return nil
}

// finish recognises the table's layout, judges the fit, and returns the table. After an error, another call
// continues with the unfinished reads.
func (o *Opening) finish(ctx context.Context) (*Table, error) {
	if err := o.Recognise(ctx); err != nil {
		return nil, err
	}
	return o.t, o.Judge(ctx)
}

// Recognise finds the table's layout by a sample, unless the config has a layout for the table.
func (o *Opening) Recognise(ctx context.Context) error {
	if o.Known {
		return nil
	}
	t := o.t
	rec := &recogniser{Opening: o}
	l, err := rec.layout(ctx)
	if err != nil {
		return err
	}
	l.SetState(layout.Guessed)
	guessed := l.Clone()
	t.conn.Answers.PutAccepted(t.conn.identity(t.Description), l)
	if len(l.Accounts) == 0 {
		t.Sample.nearest = sync.OnceValue(func() []guess.Candidate { return rec.last.Nearest(mostNearest) })
	}
	o.recognised = true
	if err = o.use(ctx, l); client.KindOf(err) == client.NoTable {
		err = o.use(ctx, guessed) // the lock table of an accepted constraint is gone
	}
	if err != nil {
		o.Known = false
		return err
	}
	t.Fit.spent(o.r.Units)
	return nil
}

// Judge judges the fit of the table's layout, within the rest of the budget. It does nothing if the fit is already
// judged. Until then, every verdict is unknown.
func (o *Opening) Judge(ctx context.Context) error {
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

// readSamples reads the rest of the table's sample, and samples of the other tables with locks.
func (o *Opening) readSamples(ctx context.Context) error {
	t := o.t
	if o.samples != nil || len(t.Layout.Constraints()) == 0 || t.Sample.unread != nil {
		return nil
	}
	if err := t.Sample.own.rest(ctx); err != nil {
		return err
	}
	samples := map[string]*sampler{t.Name: t.Sample.own}
	for _, name := range OtherTables(t) {
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

// TakeLocks sets the locks of the first items, by table and key, so that Judge does not read them again. A nil
// item means that there is no lock with that key.
func (o *Opening) TakeLocks(looked map[string]map[string]attr.Item) { o.looked = looked }

// WantsLocks reports whether the caller must read the locks of the first items and pass them to TakeLocks
// before Judge.
func (o *Opening) WantsLocks() bool {
	return o.looked == nil && (!o.recognised || len(OtherTables(o.t)) > 0)
}

// Table returns the table. Its fit is judged only after Judge.
func (o *Opening) Table() *Table { return o.t }

// If a table's layout is known, opening the table takes about besideUnits read units until the first rows show
// their locks. At least leastLocks locks are read, even if the items alone take more units.
const (
	besideUnits = 40
	leastLocks  = 24
)

// LocksBeside returns the number of locks that the caller may read while SampleBeside reads the sample. Each lock
// takes one read unit. The caller reads the remaining locks while Judge runs.
func (o *Opening) LocksBeside() int {
	units := o.budget
	if !o.recognised {
		units = min(units, besideUnits)
	}
	return max(int(units-o.r.Units), leastLocks)
}

// SampleBeside reads a first part of the sample, while the caller reads the locks of the items on screen. The
// part is small, so that both together take about besideUnits.
func (o *Opening) SampleBeside(ctx context.Context) error {
	if o.Page == nil || o.recognised {
		return nil
	}
	locks := 0
	for _, item := range o.Page.Items {
		if kind, a := o.t.AccountOf(item); a != nil {
			locks += len(o.t.Relations(kind, a))
		}
	}
	own := o.t.Sample.own
	left := own.left
	own.left = min(left, besideUnits-o.r.Units-float64(min(locks, o.LocksBeside())))
	before := own.left
	err := own.rest(ctx)
	own.left = left - (before - own.left)
	return err
}

// OpenAs opens t under another layout. It judges the fit of that layout by t's sample.
func OpenAs(ctx context.Context, t *Table, config config.Layout) (*Table, error) {
	l, err := &layout.Layout{Name: config.Name}, error(nil)
	if len(config.Accounts)+len(config.Counters) > 0 {
		if l, err = config.Build(); err != nil {
			return nil, err
		}
	}
	l.Configured = false // a layout that is only tried is not described in the config
	l.SetState(layout.Guessed)
	return openAs(ctx, t, l)
}

func openAs(ctx context.Context, t *Table, l *layout.Layout) (*Table, error) {
	o := t.again(t.conn.sampleUnits())
	if len(l.Accounts) > 0 {
		o.t.Sample.nearest = nil
	}
	if err := o.use(ctx, l); err != nil {
		return nil, err
	}
	return o.t, o.Judge(ctx)
}

// again returns an Opening of the same table with a copy of its sample.
func (t *Table) again(budget float64) *Opening {
	as := *t
	o := &Opening{t: &as, r: t.conn.Reader(), budget: budget}
	as.Fit, as.Sample = newFitting(&as), t.Sample.fork(&as, o.r)
	return o
}
