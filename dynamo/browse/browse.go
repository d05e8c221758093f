// Package browse reads a table page by page, so that people can look at accounts next to their locks. Start at
// New.
package browse

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// browsePage is the item limit of a page. A page of this size fills the screen of a large terminal, and costs
// few read units.
const browsePage = 300

// Browser reads a table page by page and relates accounts to locks. Only one goroutine at a time may use a
// Browser. Several goroutines may share its Views.
type Browser struct {
	t *dynamo.Table
	r *client.Reader
	// opening is the table's opening until the fit of the layout is judged; nil after that.
	opening *dynamo.Opening
	page    pages
	rows    []*row // in the order of Relations
	view    View   // the growing View; publish adds the rows
	last    View   // the View that publish returned last
	owes    bool   // Next has unfinished work on the last page
	whole   bool   // see ReadAll
	// These fields hold everything read: values has the rows of accounts, locks has the locks by table and key,
	// and unclaimed has the locks without a claimant.
	values    values
	locks     map[string]schema.Lock
	unclaimed unclaimedLocks
	include   include
	prefix    map[string]int
	groups    map[*layout.Constraint][]string // lock ids by constraint, in order
}

// row is a place among the rows of the accounts screen, with the relation there. Views share relations, so a
// Browser never changes a relation that a View has. It changes a copy, and the copy replaces the relation in
// the row.
type row struct {
	rel *verdict.Relation // nil while the place is empty
}

// renew replaces the row's relation by a copy, and returns the copy. The caller may change the copy, since no
// View has the copy yet.
func (r *row) renew() *verdict.Relation {
	now := *r.rel
	r.rel = &now
	return &now
}

// New returns a Browser at the beginning of a table. It reads nothing.
func New(t *dynamo.Table) *Browser {
	b := &Browser{t: t, r: t.Connection().Reader()}
	b.reset(browsePage)
	return b
}

// reset forgets everything that was read. items is the item limit of the next page.
func (b *Browser) reset(items int) {
	b.page = pages{tables: append([]string{b.t.Name}, dynamo.OtherTables(b.t)...), limit: items}
	b.rows, b.view = nil, View{Layout: b.t.Layout, Schema: b.t.Schema}
	for _, name := range b.page.tables[1:] {
		b.view.Expected += b.t.DescriptionOf(name).Items
	}
	b.view.Expected = max(b.view.Expected, b.t.Items)
	b.values = newValues(b)
	b.locks, b.unclaimed = map[string]schema.Lock{}, unclaimedLocks{b: b, all: map[string]*unclaimedLock{}}
	b.prefix, b.groups = map[string]int{}, map[*layout.Constraint][]string{}
}

// Table returns the table, or nil until the fit of its layout is judged.
func (b *Browser) Table() *dynamo.Table {
	if b.opening != nil {
		return nil
	}
	return b.t
}

// ReadOn reports whether Next should read the rest of the table unasked: opening the table and reading all of
// it takes no more than AutoReadUnits.
func (b *Browser) ReadOn() bool {
	return b.opening == nil && !b.view.Complete && b.small() && b.page.dearest*float64(b.next()) <= b.left()
}

// Owes reports whether Next has unfinished work on the items read so far, or on ReadAll. Without such work, Next
// reads a new page.
func (b *Browser) Owes() bool { return b.owes || b.ReadsAll() }

// ReadAll makes Next read the rest of the table in large pages. Next then judges locks only after all pages are
// read, since reading the locks of each page's accounts takes more read units than reading the whole table.
func (b *Browser) ReadAll() { b.whole = true }

// ReadsAll reports whether Next is reading the rest of the table because of ReadAll.
func (b *Browser) ReadsAll() bool { return b.whole && !b.view.Complete }

// RestCost estimates the read units that ReadAll takes for the rest of the table.
func (b *Browser) RestCost() float64 {
	var all float64
	for _, name := range append([]string{b.t.Name}, dynamo.OtherTables(b.t)...) {
		all += dynamo.WholeCost(b.t.DescriptionOf(name).Items, b.t.DescriptionOf(name).Bytes).Units
	}
	if b.view.Expected == 0 {
		return all
	}
	return max(1, all*(1-float64(b.view.Scanned)/float64(b.view.Expected)))
}

// CheaperWhole reports whether ReadAll takes fewer read units for the rest of the table than further pages
// would. It is false until the pages so far took as many units as ReadAll would take. It is also false for a table
// that is small enough to be read unasked.
func (b *Browser) CheaperWhole() bool {
	rest := b.RestCost()
	left := float64(b.view.Expected-b.view.Scanned) / float64(max(1, b.view.Scanned))
	return !b.whole && !b.view.Complete && !b.small() && b.last.Units >= rest && b.last.Units*left > rest
}

// small reports whether the whole table is small enough to be read unasked.
func (b *Browser) small() bool {
	return dynamo.AccountsCost(b.t).Units <= b.t.Connection().AutoReadUnits()
}

// next returns the item limit of the next page. The limit grows with each page. If the whole table will be read
// soon anyway, the next page already has the highest limit.
func (b *Browser) next() int {
	if b.small() && b.page.dearest*browsePage <= b.left() {
		return browsePage
	}
	return b.page.limit
}

// left returns the number of read units that may still be used unasked.
func (b *Browser) left() float64 {
	return b.t.Connection().AutoReadUnits() - b.t.Fit.Units() - b.r.Units
}

// Next does one step, and returns a View of everything read so far. The first step of opening a table shows
// items without their roles. Later steps read the locks and judge the fit of the layout. The last step of
// opening shows the verdicts. After that, each step reads a page with the locks of its accounts, or looks for
// the accounts of locks. After an error, Next continues with the unfinished work.
func (b *Browser) Next(ctx context.Context) (View, error) {
	if b.view.Complete {
		return b.last, nil
	}
	err := b.step(ctx)
	b.owes = b.opening != nil || b.values.fresh != nil || len(b.values.due) > 0 ||
		b.unclaimed.due()
	if err != nil {
		return b.last, err
	}
	b.page.dearest = max(b.page.dearest, (b.r.Units-b.page.began)/float64(max(1, b.page.items)))
	b.view.Complete = b.page.ended() && !b.owes
	b.view.ReadAt = time.Now()
	b.values.doubtDigests()
	return b.publish(), nil
}

func (b *Browser) step(ctx context.Context) error {
	if b.opening != nil {
		return b.begin(ctx)
	}
	if !b.owes || b.whole && !b.page.ended() {
		if err := b.read(ctx); err != nil {
			return err
		}
	}
	if b.whole && !b.page.ended() {
		return nil
	}
	if err := b.readWanted(ctx); err != nil {
		return err
	}
	if err := b.values.readLocks(ctx, len(b.values.fresh)); err != nil {
		return err
	}
	b.values.compare()
	if err := b.values.judgeShared(ctx); err != nil {
		return err
	}
	return b.unclaimed.judge(ctx)
}

// pages is the position of a Browser in the tables that it reads.
type pages struct {
	tables  []string // tables with unread pages: first the accounts' table, then the locks' tables
	start   attr.Item
	cursors client.Cursors
	n       int
	// group is the number of the last page, but 1 until browsePage items were read. Only new rows of the current
	// group are inserted in the order of the scan. This keeps the rows of earlier pages at their places on the
	// screen.
	group   int
	limit   int     // item limit of the next page, unless the whole table will be read soon
	items   int     // number of items on the last page
	began   float64 // read units used before the last page
	dearest float64 // highest read units per item of any page so far, locks included
	unasked bool    // the last page was read unasked
	first   float64 // read units of the first page, if the Opening's reader read it
}

// ended reports whether all pages were read.
func (p *pages) ended() bool { return len(p.tables) == 0 }

func (b *Browser) read(ctx context.Context) error {
	table, limit, before, unasked := b.page.tables[0], b.next(), b.r.Units, b.ReadOn()
	if b.whole {
		limit = 0 // no limit: a page has 1 MB
	}
	page, err := b.r.Scan(ctx, table, client.PageInput{Limit: limit, Start: b.page.start, Consistent: true})
	if err == nil {
		err = b.page.cursors.Next("the table "+table, page.Last)
	}
	if err != nil {
		return err
	}
	b.page.limit, b.page.began, b.page.unasked = min(2*b.next(), browsePage), before, unasked
	b.takePage(table, page)
	return nil
}

func (b *Browser) takePage(table string, page client.Page) {
	if b.page.n++; b.view.Scanned < browsePage {
		b.page.group = 1
	} else {
		b.page.group = b.page.n
	}
	b.page.start, b.page.items = page.Last, len(page.Items)
	if page.Last == nil {
		b.page.tables, b.page.cursors = b.page.tables[1:], client.Cursors{}
	}
	b.values.looked = false
	for _, item := range page.Items {
		b.take(table, item)
	}
	b.view.Scanned += int64(len(page.Items))
}

func (b *Browser) take(table string, item attr.Item) {
	key, ok := b.t.SchemaOf(table).KeyOf(item)
	if !ok || b.tookAhead(table, key) {
		return
	}
	if table == b.t.Name {
		b.view.Items = append(b.view.Items, item)
		b.prefix[prefixOf(key)]++
	}
	role := b.t.Classify(table, item)
	switch {
	case role.Constraint != nil:
		id := schema.LockID(table, key)
		b.locks[id] = schema.LockOf(role.Constraint, table, key, item)
		b.groups[role.Constraint] = append(b.groups[role.Constraint], id)
		if len(b.values.claims[id]) == 0 {
			place := new(row) // stays empty if an account claims the lock
			b.rows = append(b.rows, place)
			b.unclaimed.order = append(b.unclaimed.order, id)
			b.unclaimed.all[id] = &unclaimedLock{page: b.page.group, row: place, read: verdict.Relation{
				Constraint: role.Constraint, Value: role.Value, Lock: b.locks[id], Malformed: role.Malformed,
			}}
		}
	case role.Account != nil:
		b.view.Accounts++
		a := &schema.Account{Model: role.Account.Model, ID: role.ID, Key: key, Item: item}
		b.rows = append(b.rows, b.values.take(role.Account, a)...)
	}
}

// prefixOf returns the beginning of a key up to a separator. These prefixes give people an idea of the table's
// contents.
func prefixOf(k attr.Key) string {
	if k.Hash.Value.Kind != attr.S {
		return "a key of type " + string(k.Hash.Value.Kind)
	}
	text := k.Hash.Value.Text
	n := strings.IndexAny(text, "#:/|")
	if n < 0 {
		return "no prefix"
	}
	if more := strings.IndexByte(text[n+1:], '#'); more >= 0 && n+1+more < longestPrefix {
		n += 1 + more
	}
	return text[:n+1]
}

// longestPrefix limits the length of a prefix with two separators, in bytes.
const longestPrefix = 24

// NewOpening returns a Browser for a table that is still being opened. Next continues the opening, so the
// caller must not use the Opening any more.
func NewOpening(o *dynamo.Opening) *Browser {
	b := &Browser{t: o.Table(), r: o.Table().Connection().Reader(), opening: o, owes: true}
	b.reset(o.Items)
	return b
}

// begin does one step of opening the table. Independent reads run at the same time.
func (b *Browser) begin(ctx context.Context) error {
	o := b.opening
	switch {
	case o.Page != nil && b.page.n == 0:
		b.takeFirst()
		return nil
	case !o.Known:
		if err := o.Recognise(ctx); err != nil {
			return err
		}
		b.reset(o.Items)
		if o.Page != nil {
			b.takeFirst()
		}
		return nil
	case o.WantsLocks():
		if err := b.beside(ctx, o.SampleBeside, o.LocksBeside()); err != nil {
			return err
		}
		o.TakeLocks(b.values.known())
		return nil
	}
	if err := b.beside(ctx, o.Judge, len(b.values.fresh)); err != nil {
		return err
	}
	b.opening = nil
	b.values.compare()
	return nil
}

// takeFirst adds the page that the Opening has read already.
func (b *Browser) takeFirst() {
	page := *b.opening.Page
	b.page.limit, b.page.began, b.page.first = min(2*b.opening.Items, browsePage), b.r.Units-page.Units, page.Units
	b.takePage(b.t.Name, page)
}

// beside calls the function read. At the same time it reads locks of the first rows, at most as many as the
// parameter locks says.
func (b *Browser) beside(ctx context.Context, read func(context.Context) error, locks int) error {
	var g errgroup.Group
	g.Go(func() error { return b.values.readLocks(ctx, locks) })
	err := read(ctx)
	return cmp.Or(err, g.Wait())
}

// View is the state of a Browser after a step. A View does not change, because each step makes a new one.
type View struct {
	// Relations are the rows of the accounts screen, in the order read. Each value of an account has a row with
	// its lock. A lock without a claimant has a row if the lock names its account, or if the whole table was
	// read.
	Relations []*verdict.Relation
	// Layout is the layout of the rows, and Schema is the key schema of the accounts' table. While the
	// table's layout is unknown, Layout is empty, and there are no rows.
	Layout *layout.Layout
	Schema attr.Schema
	// Locks are all locks read, by constraint.
	Locks []LockGroup
	// Items are all items read from the accounts' table. A screen shows them if no layout fits the table.
	Items []attr.Item
	// Prefixes counts the prefixes of the partition keys, most frequent first.
	Prefixes []Prefix

	Accounts  int // number of accounts among the items
	Scanned   int64
	Expected  int64 // DescribeTable's estimate: show it with "about"
	Units     float64
	Complete  bool      // the whole table was read
	ReadAt    time.Time // time of the last Next
	Confirmed time.Time // when Confirm finished; zero before
	Ahead     int       // number of items that Include has read before their pages
	// Unmatched counts locks that no account read so far claims, and that have no verdict yet.
	Unmatched int
}

// LockGroup holds the locks of one constraint.
type LockGroup struct {
	Constraint *layout.Constraint
	Relations  []*verdict.Relation
}

// Prefix is a beginning of partition keys, with the number of items that have it.
type Prefix struct {
	Text  string
	Items int
}

// Provisional returns the relations whose verdict a second reading may confirm. Of these, Confirm judges only the
// relations without a claimant.
func (v View) Provisional() []*verdict.Relation {
	var out []*verdict.Relation
	for _, r := range v.Relations {
		if r.Confirmable() {
			out = append(out, r)
		}
	}
	return out
}

func (b *Browser) publish() View {
	v := b.view
	v.Units = b.r.Units + b.page.first
	v.Unmatched = b.unclaimed.unmatched()
	for _, r := range b.rows {
		if r.rel != nil {
			v.Relations = append(v.Relations, r.rel)
		}
	}
	var pairs map[*verdict.Relation]*verdict.Relation
	v.Relations, pairs = verdict.Paired(v.Relations)
	for _, text := range slices.Sorted(maps.Keys(b.prefix)) {
		v.Prefixes = append(v.Prefixes, Prefix{text, b.prefix[text]})
	}
	slices.SortStableFunc(v.Prefixes, func(a, b Prefix) int { return b.Items - a.Items })
	for _, c := range b.t.Layout.Constraints() {
		group := LockGroup{Constraint: c}
		ids := b.groups[c]
		if ids == nil {
			continue
		}
		for _, id := range ids {
			switch s := b.unclaimed.all[id]; {
			case len(b.values.claims[id]) > 0:
				group.Relations = append(group.Relations, b.values.claims[id][0].rel)
			case s != nil && s.row.rel != nil:
				group.Relations = append(group.Relations, cmp.Or(pairs[s.row.rel], s.row.rel))
			default:
				if lock := b.locks[id]; lock.Exists {
					value, _, _ := c.ParseLock(b.t.SchemaOf(lock.Table), lock.Key)
					group.Relations = append(group.Relations,
						verdict.Unsought(&verdict.Relation{Constraint: c, Value: value, Lock: lock}, "its account has not been read yet"))
				}
			}
		}
		v.Locks = append(v.Locks, group)
	}
	b.last = v
	return v
}
