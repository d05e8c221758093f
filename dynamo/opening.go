package dynamo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Open describes a table, finds its layout, and judges how well that fits: the config's
// where one names the table, else the one that fits a sample. A table that no layout fits
// opens with an empty one: its items can be browsed. It is Start and Ready.
func (c *Connection) Open(ctx context.Context, name string) (*Table, error) {
	return c.open(ctx, name, c.sampleUnits(), true)
}

func (c *Connection) open(ctx context.Context, name string, budget float64, asked bool) (*Table, error) {
	t, err := c.start(ctx, name, startOptions{budget: budget, asked: asked, items: firstItems})
	if err != nil {
		return nil, err
	}
	return t.Ready(ctx)
}

// Start describes a table and reads its first items, at the same time: as many as are to
// be shown, or one more. Its layout is known if the config has it, and is not judged yet.
func (c *Connection) Start(ctx context.Context, name string, items int) (*Table, error) {
	return c.start(ctx, name, startOptions{budget: c.sampleUnits(), asked: true, browsed: true, items: items})
}

// startOptions are how a table is opened: within a budget of read units. Before the sizes
// of its items are known it is read only if it was asked for, and any page is within the
// ceiling; strongly consistent, if it is to be browsed.
type startOptions struct {
	budget         float64
	asked, browsed bool
	items          int
}

func (c *Connection) start(ctx context.Context, name string, o startOptions) (*Table, error) {
	t := &Table{conn: c, r: c.Reader(), budget: o.budget, Layout: &layout.Layout{}, recognition: newRecognition()}
	t.Fit, t.Match = newFitting(t), Matcher{t}
	l, err := c.configured(name)
	if err != nil {
		return nil, err
	}
	var first firstPage
	var wg sync.WaitGroup
	if o.asked && o.budget >= openUnits && c.AutoReadUnits() >= pageUnits {
		first.by = t.r.Fork()
		wg.Go(func() {
			first.page, first.err = first.by.Scan(ctx, name, client.PageInput{Limit: o.items, Consistent: o.browsed})
		})
	}
	err = t.describe(ctx, name, l)
	wg.Wait()
	if err == nil {
		err = t.begin(ctx, first, o)
	}
	if err == nil && l == nil && c.options.Layout == "" {
		t.Kept, l, err = c.readKept(t.Description)
	}
	if err == nil && l != nil {
		err = t.use(ctx, l)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// firstPage is a page that is read beside the description; by is nil where none is.
type firstPage struct {
	by   *client.Reader
	page client.Page
	err  error
}

// begin takes the first items in, or reads them where their sizes had to be known first.
func (t *Table) begin(ctx context.Context, first firstPage, o startOptions) error {
	t.own = newSampler(t.r, t.Description, t.budget*samplePart)
	if first.by != nil {
		t.r.Units += first.by.Units
	}
	if first.by != nil && first.err == nil {
		if o.browsed {
			t.page = &first.page
		}
		t.own.begin(first.page)
	}
	var err error
	if t.page == nil { // what could not be read before sizes were known
		err = t.own.first(ctx)
	}
	t.Fit.spent(t.r.Units)
	switch {
	case client.KindOf(err) == client.Denied:
		t.unsampled = err
		return nil
	case t.budget < 0.5:
		t.unsampled = errUnread
	case t.own.whole && len(t.own.items) == 0:
		t.unsampled = errVacant
	}
	return err
}

// describe asks what the table is, and those of its layout, at the same time.
func (t *Table) describe(ctx context.Context, name string, l *layout.Layout) error {
	names := []string{name}
	if l != nil {
		names = append(names, slices.Concat(l.LockTables(name), l.IDTables(name))...)
	}
	slices.Sort(names[1:])
	names = append(names[:1], slices.DeleteFunc(slices.Compact(names[1:]), func(other string) bool { return other == name })...)
	all, errs := make([]client.Description, len(names)), make([]error, len(names))
	var wg sync.WaitGroup
	for n, one := range names {
		if d, have := t.locks[one]; have {
			all[n] = d
			continue
		}
		wg.Go(func() { all[n], errs[n] = t.conn.Describe(ctx, one) })
	}
	wg.Wait()
	if errs[0] != nil {
		return errs[0]
	}
	t.Description, t.locks = all[0], map[string]client.Description{}
	for n, d := range all {
		if errs[n] != nil {
			return fmt.Errorf("the layout %s keeps locks or ids in %s: %w", l.Name, names[n], errs[n])
		}
		t.locks[names[n]] = d
	}
	return nil
}

// configured is the layout that the config has for a table; nil where it has none.
func (c *Connection) configured(name string) (*layout.Layout, error) {
	for _, cfg := range c.layouts() {
		if cfg.Name == c.options.Layout || (c.options.Layout == "" && slices.Contains(cfg.Tables, name)) {
			return cfg.Build()
		}
	}
	return nil, nil
}

// use takes a layout for the table's.
func (t *Table) use(ctx context.Context, l *layout.Layout) error {
	t.Layout, t.recognised = l, true
	if err := t.describe(ctx, t.Name, l); err != nil {
		return err
	}
	t.regions = regionsOf(t)
	if err := cmp.Or(checkKeys(t), checkIDs(t)); err != nil {
		return err
	}
	if err := t.regions.fits(t); err != nil {
		return err
	}
	said, err := readDecisions(t.conn.options.Decisions)
	if err == nil {
		t.Fit.Decisions.follow(said)
	}
	return err
}

// Recognised reports whether the table's layout was looked for: an empty one means that
// none fits.
func (t *Table) Recognised() bool { return t.recognised }

// Ready is the table with its layout, judged: Recognise and Judge.
func (t *Table) Ready(ctx context.Context) (*Table, error) {
	known, err := t.Recognise(ctx)
	if err != nil {
		return nil, err
	}
	return known, known.Judge(ctx)
}

// recognition is the one that a table gets. turn is held by whoever looks for the layout.
type recognition struct {
	turn  chan struct{}
	known *Table
}

func newRecognition() *recognition { return &recognition{turn: make(chan struct{}, 1)} }

// Recognise finds the table's layout by a sample, where the config has none, and answers
// the table with it, which is always the same. What Start has read it does not read again.
func (t *Table) Recognise(ctx context.Context) (*Table, error) {
	if t.recognised {
		return t, nil
	}
	select {
	case t.recognition.turn <- struct{}{}:
		defer func() { <-t.recognition.turn }()
	case <-ctx.Done():
		return nil, t.conn.Explain("recognising the layout of "+t.Name, ctx.Err())
	}
	if t.recognition.known != nil {
		return t.recognition.known, nil
	}
	known := *t
	known.Fit, known.Match = newFitting(&known), Matcher{&known}
	rec := &recogniser{t: &known, c: t.conn, r: t.r, d: t.Description, own: t.own, budget: t.budget, probed: map[string]map[string]attr.Item{}}
	l, err := rec.layout(ctx)
	if err != nil {
		return nil, err
	}
	if len(l.Accounts) == 0 {
		known.unknown = rec
	}
	if t.conn.options.Layout == "" {
		known.inferred = l.Hash()
	}
	if err := known.use(ctx, l); err != nil {
		return nil, err
	}
	known.Fit.spent(t.r.Units)
	t.recognition.known = &known
	return &known, nil
}

// Judge judges how well the table's layout fits, unless that was done: until then every
// verdict is unknown. It may be called from any goroutine.
func (t *Table) Judge(ctx context.Context) error {
	if t.Fit.Judged() {
		return nil
	}
	select {
	case t.Fit.judging <- struct{}{}:
		defer func() { <-t.Fit.judging }()
	case <-ctx.Done():
		return t.conn.Explain("judging the layout of "+t.Name, ctx.Err())
	}
	if t.Fit.Judged() {
		return nil
	}
	err := t.sampleFit(ctx)
	t.Fit.spent(t.r.Units)
	t.Fit.mu.Lock()
	defer t.Fit.mu.Unlock()
	t.Fit.judged = err == nil
	return err
}

// sampleFit judges how well the layout fits, within what is left of the budget.
func (t *Table) sampleFit(ctx context.Context) error {
	if len(t.Layout.Constraints()) == 0 || t.unsampled != nil {
		return nil
	}
	if err := t.beside(ctx); err != nil {
		return err
	}
	if err := t.own.rest(ctx); err != nil {
		return err
	}
	samples := map[string]*sampler{t.Name: t.own}
	for _, name := range t.Layout.LockTables(t.Name) {
		if name == t.Name {
			continue
		}
		s, err := readSample(ctx, t.r, t.locks[name], (t.budget-t.r.Units)*samplePart)
		if err != nil && client.KindOf(err) != client.Denied {
			return err
		}
		samples[name] = s
	}
	return t.Fit.judge(ctx, t.r, samples, t.budget-t.r.Units)
}

// besideUnits is how many read units a table with a known layout takes until locks stand
// beside the first rows.
const besideUnits = 40

// beside reads a smaller sample at first, beside the locks of the items that are shown.
func (t *Table) beside(ctx context.Context) error {
	if t.page == nil || t.recognition.known != nil {
		return nil
	}
	locks := 0
	for _, item := range t.page.Items {
		if kind, a := t.Match.account(item); a != nil {
			locks += len(t.Match.Relations(kind, a))
		}
	}
	left := t.own.left
	t.own.left = min(left, besideUnits-t.r.Units-float64(locks))
	before := t.own.left
	err := t.own.rest(ctx)
	t.own.left = left - (before - t.own.left)
	return err
}
