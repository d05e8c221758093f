package dynamo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/guess/counters"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/remedy"
)

// Sample is the part of a table that was read to recognise and judge the table's layout.
type Sample struct {
	t   *Table
	own *sampler
	// unread is the reason why nothing was read, or nil if something was read.
	unread error
	// nearest returns the best candidates for accounts. It is nil if accounts were recognised.
	nearest func() []guess.Candidate
	grown   bool // Grown has enlarged the sample
	// Unlooked lists other tables that were not searched, although they may have locks or ids of this table.
	// Opening a table samples only a few other tables.
	Unlooked []string
}

// errVacant is the value of Sample.unread for an empty table.
var errVacant = errors.New("the table is empty")

// errUnread is the value of Sample.unread if the table may be read only after a question.
var errUnread = errors.New("tallylock asks before it reads this table")

// fork returns a copy of the sample for t, which is the same table under another layout. The copy uses r to
// read more items.
func (s *Sample) fork(t *Table, r *client.Reader) *Sample {
	return &Sample{
		t: t, own: s.own.fork(r), unread: s.unread, nearest: s.nearest, grown: s.grown, Unlooked: s.Unlooked,
	}
}

// Size returns the number of sampled items. The layout is judged by these items. whole is true if the table has
// no other items.
func (s *Sample) Size() (items int, whole bool) { return len(s.own.items), s.own.whole }

// Mean returns the mean of a number that count returns for each item of the sample.
func (s *Sample) Mean(count func(attr.Item) int) float64 {
	sum := 0
	for _, item := range s.own.items {
		sum += count(item)
	}
	return float64(sum) / float64(max(len(s.own.items), 1))
}

// Vacant reports whether the table was empty when the sample was read.
func (s *Sample) Vacant() bool { return errors.Is(s.unread, errVacant) }

// Unread reports whether the layout is unknown because the table may be read only after a question.
func (s *Sample) Unread() bool { return errors.Is(s.unread, errUnread) }

// NotRead returns the reason and the remedy if opening the table read no items. Both are empty if the sample has
// items, or if the table is empty.
func (s *Sample) NotRead() (why string, do remedy.Remedy) {
	switch {
	case s.unread == nil, s.Vacant():
		return "", do
	case s.Unread():
		why, text := s.t.conn.WhyUnread()
		return "no item of " + s.t.Name + " was read, because " + why, remedy.Of(remedy.Text, text)
	}
	return "no item of " + s.t.Name + " was read, because the permission dynamodb:Scan is denied", s.t.Remedy(remedy.AllowScan)
}

// Unknown describes a table without recognised accounts. For any other table the result is empty. Unknown reads
// nothing.
func (s *Sample) Unknown() (u UnknownTable) {
	if s.nearest == nil {
		return u
	}
	u.Items, u.Whole = s.Size()
	u.Shapes, u.Leases, u.Nearest = s.Others(), s.Leases(), s.nearest()
	return u
}

// Others groups the sampled items that have no role in the layout. The items of a group have keys of the same
// shape.
func (s *Sample) Others() []guess.ItemShape {
	t := s.t
	return guess.ItemShapes(t.Schema, slices.DeleteFunc(slices.Clone(s.own.items), func(item attr.Item) bool {
		role := t.Classify(t.Name, item)
		return role.Account != nil || role.Constraint != nil || s.counts(item)
	}))
}

// counts reports whether an item is a counter of the layout, or contains an id that such a counter has handed
// out.
func (s *Sample) counts(item attr.Item) bool {
	t := s.t
	return slices.ContainsFunc(t.Layout.Counters, func(c *layout.Counter) bool {
		return c.Matches(t.Schema, item) || slices.ContainsFunc(c.IDs, func(ids layout.IDs) bool {
			_, _, carries := ids.Of(t.Schema, item)
			return carries && ids.TableOf(t.Name) == t.Name
		})
	})
}

// Leases names a kind of lease if most sampled items are leases of this kind. Otherwise, or if accounts were
// recognised, the result is empty.
func (s *Sample) Leases() string {
	if s.nearest == nil {
		return ""
	}
	return guess.Leases(s.own.items)
}

// Accounts returns the sampled accounts of a kind.
func (s *Sample) Accounts(kind *layout.Account) []attr.Item {
	if s == nil || s.own == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.own.items), func(item attr.Item) bool {
		return s.t.Layout.KindOf(s.t.Schema, item) != kind
	})
}

// Texts returns the values of a constraint that the sampled accounts hold. It skips one account: the account
// with the given key.
func (s *Sample) Texts(c *layout.Constraint, but attr.Key) []string {
	if s.own == nil {
		return nil
	}
	var texts []string
	for _, item := range s.own.items {
		kind := s.t.Layout.KindOf(s.t.Schema, item)
		if key, ok := s.t.Schema.KeyOf(item); !ok || kind == nil || key.Equal(but) {
			continue
		}
		for _, of := range slices.Concat(kind.Constraints, kind.Unlocked) {
			if of == c {
				texts = append(texts, layout.Texts(item.At(c.Attribute))...)
			}
		}
	}
	return texts
}

// Suggested compares the sample with the config's layout of the table. It returns the names of constraints and
// counters that the sample suggests, and that the layout neither has nor ignores. It reads nothing.
func (s *Sample) Suggested() (constraints, counted []string) {
	t := s.t
	if s.own == nil || !t.Layout.Configured {
		return nil, nil
	}
	own := asSample(t.Description, s.own)
	rules := t.Layout.Rules()
	for _, a := range append(guess.Accounts(own), guess.Unlocked(own)...) {
		for _, c := range a.Constraints {
			known := slices.ContainsFunc(rules, func(r *layout.Constraint) bool {
				return r.Attribute == c.Attribute || c.PK != "" && r.PK.String() == c.PK && r.SK.String() == c.SK
			})
			if name := c.Name; !known && !layout.Ignores(t.Layout, name) && !slices.Contains(constraints, name) {
				constraints = append(constraints, name)
			}
		}
	}
	for _, c := range counters.Of(own) {
		name := cmp.Or(c.Name, t.Name)
		if !s.knows(c.Counter) && !layout.Ignores(t.Layout, name) {
			counted = append(counted, name)
		}
	}
	return constraints, counted
}

// CountersWith recognises counters among the sampled items and the given other items.
func (s *Sample) CountersWith(others []attr.Item) []counters.Counter {
	if len(others) == 0 || s.own == nil {
		return nil
	}
	all := asSample(s.t.Description, s.own)
	all.Items = slices.Concat(all.Items, others)
	return counters.Of(all)
}

// knows reports whether all sampled items of a recognised counter already have a role in the layout.
func (s *Sample) knows(c *layout.Counter) bool {
	for _, item := range s.own.items {
		if c.Matches(s.t.Schema, item) && s.t.Classify(s.t.Name, item) == (layout.Role{}) {
			return false
		}
	}
	return true
}

// UnknownTable describes a table without recognised accounts.
type UnknownTable struct {
	Items   int               // number of items that were read
	Whole   bool              // the table has no other items
	Shapes  []guess.ItemShape // shapes of the keys, without counters and items with a counter's id
	Nearest []guess.Candidate
	// Leases names a kind of lease if most items are leases of this kind; empty otherwise.
	Leases string
}

// Masked returns u without the candidates whose keys may identify a person.
func (u UnknownTable) Masked() UnknownTable {
	u.Nearest = slices.DeleteFunc(slices.Clone(u.Nearest), func(c guess.Candidate) bool {
		return (c.Hits < 2 && !c.Account.Constraints[0].Unique) || c.Items < 2
	})
	return u
}

// mostNearest limits the candidates that are listed for a table without recognised accounts.
const mostNearest = 3

// CandidateOf returns the layout that a candidate suggests for a table.
func CandidateOf(table string, c guess.Candidate) config.Layout {
	return config.Layout{Name: table, Tables: []string{table}, Accounts: []config.Account{c.Account}}
}

// largerUnits limits the read units for opening a table and enlarging its sample. The larger sample is read
// after the first rows are on screen, so nobody waits for it.
const largerUnits = 200

// growPart is the part of the remaining read units that a larger sample may take. The rest pays for reading the
// locks of the sampled values. Such locks reveal accounts, even if accounts are rare.
const growPart = 0.4

// Unsure reports whether a larger sample may recognise more, because the first sample contained no accounts.
func (s *Sample) Unsure() bool {
	t := s.t
	if t.Layout.State().Sure() || t.conn.options.Layout != "" || s.unread != nil || s.grown || s.own.whole {
		return false
	}
	return len(t.Layout.Accounts) == 0 && s.Leases() == ""
}

// Grown enlarges the sample of a table if the sample is Unsure. It returns the table under the layout that the
// larger sample suggests. It returns nil if no more items may be read, or if the larger sample suggests the
// same layout.
func Grown(ctx context.Context, t *Table) (*Table, error) {
	most := min(largerUnits, t.conn.AutoReadUnits())
	if t.conn.options.Asked {
		most = largerUnits
	}
	left := most - t.Fit.Units()
	if !t.Sample.Unsure() || left < 0.5*sampleSegments {
		return nil, nil
	}
	o := t.again(left)
	as := o.t
	as.Sample.nearest, as.Sample.grown = nil, true
	read, err := as.Sample.own.more(ctx, left*growPart)
	if client.KindOf(err) == client.Denied || err == nil && !read {
		return nil, nil
	}
	if err == nil {
		_, err = o.finish(ctx)
	}
	if err != nil {
		return nil, err
	}
	as.Fit.spent(t.Fit.Units() + o.r.Units)
	if bytes.Equal(config.Of(t.Layout).TOML(), config.Of(as.Layout).TOML()) {
		return nil, nil
	}
	return as, nil
}

// Every sample of a table is read at the same places, so that equal tables give equal samples. The sample is
// the first items of the table and, if it has more, the first items of each of sampleSegments segments. A small
// table is read whole.
const (
	sampleSegments = 16
	firstItems     = 40
	firstSample    = 200 // up to this many items, a table is read without segments
	segmentSample  = 60
	wholeSample    = 1000 // largest number of items of a table that is read whole
	// OpenUnits limits the read units for opening a table before its first rows are shown.
	OpenUnits = 120
	// samplePart is the part of a budget that a sample may take. The rest pays for reading the locks and accounts that
	// belong to the sampled items.
	samplePart = 0.6
)

// sampler samples a table within a budget of read units.
type sampler struct {
	r       *client.Reader
	d       client.Description
	left    float64
	perItem float64 // the highest average item size of a page, in read units
	items   []attr.Item
	whole   bool // the table has no other items
	seen    map[string]bool
	// looked holds items that were read by their keys, in addition to the sample. A nil item means that there is no
	// item with that key.
	looked map[string]attr.Item
	start  attr.Item // the start of the page after the first items
	// starts has the start of each segment's next page. open lists the segments that have a next page.
	starts []attr.Item
	open   []int
}

// newSampler returns a sampler of a table. It sends no request.
func newSampler(r *client.Reader, d client.Description, budget float64) *sampler {
	s := &sampler{r: r, d: d, left: budget, seen: map[string]bool{}}
	if d.Items > 0 {
		s.perItem = float64(d.Bytes) / float64(d.Items) / bytesPerUnit
	}
	return s
}

// readSample reads a sample of a table, eventually consistent, within a budget of read units. If the
// budget is 0, it reads nothing.
func readSample(ctx context.Context, r *client.Reader, d client.Description, budget float64) (*sampler, error) {
	s := newSampler(r, d, budget)
	err := s.first(ctx)
	if err == nil {
		err = s.rest(ctx)
	}
	return s, err
}

func (s *sampler) first(ctx context.Context) error { return s.until(ctx, firstItems) }

// until reads pages until the sample has the required number of items (most), or until the budget is used. The
// first page is small, because the size of the items is unknown. Each further page is larger.
func (s *sampler) until(ctx context.Context, most int) error {
	for limit := max(1, len(s.items)); len(s.items) < most && !s.whole; {
		if limit = min(pageLimit(s.left, s.perItem, limit), most-len(s.items)); limit == 0 {
			return nil
		}
		page, err := s.r.Scan(ctx, s.d.Name, client.PageInput{Limit: limit, Start: s.start})
		if err != nil {
			return err
		}
		s.begin(page)
	}
	return nil
}

// begin adds a page of the table's first items to the sample.
func (s *sampler) begin(page client.Page) {
	s.take(page)
	s.start, s.whole = page.Last, page.Last == nil
}

// rest reads the first items of all segments at the same time. If the table is small enough, it reads all
// segments to their ends.
func (s *sampler) rest(ctx context.Context) (err error) {
	if s.d.Items <= firstSample && s.starts == nil { // the table may have no further items
		if err := s.until(ctx, firstSample); err != nil {
			return err
		}
	}
	if s.whole || s.starts != nil {
		return nil
	}
	defer func() {
		if err != nil {
			s.starts = nil // so that a retry reads the segments again
		}
	}()
	s.starts, s.open = make([]attr.Item, sampleSegments), make([]int, sampleSegments)
	for n := range s.open {
		s.open[n] = n
	}
	for going := true; going && len(s.open) > 0; {
		limit := segmentSample
		if rest := float64(s.d.Items - int64(len(s.items))); s.d.Items > 0 && s.d.Items <= wholeSample &&
			rest*s.perItem+sampleSegments/2 <= s.left {
			limit = 1 << 20
		} else if s.starts[s.open[0]] != nil {
			break
		}
		if going, err = s.round(ctx, limit); err != nil {
			return err
		}
	}
	return nil
}

// fork returns a copy of the sampler. The copy uses r to read more items.
func (s *sampler) fork(r *client.Reader) *sampler {
	other := *s
	other.r, other.items, other.seen = r, slices.Clone(s.items), maps.Clone(s.seen)
	other.starts, other.open = slices.Clone(s.starts), slices.Clone(s.open)
	return &other
}

// more reads further pages of a table, within a budget of read units. It returns false if nothing is left to
// read, or if the budget is too small.
func (s *sampler) more(ctx context.Context, budget float64) (bool, error) {
	if s.whole || len(s.open) == 0 {
		return false, nil
	}
	s.left = budget
	return s.round(ctx, 1<<20)
}

func (s *sampler) take(page client.Page) {
	s.left -= page.Units
	bytes := 0
	for _, item := range page.Items {
		bytes += item.Size()
		if k, ok := s.d.Schema.KeyOf(item); ok && !s.seen[k.ID()] {
			s.seen[k.ID()] = true
			s.items = append(s.items, item)
		}
	}
	if n := len(page.Items); n > 0 {
		s.perItem = max(s.perItem, float64(bytes)/float64(n)/bytesPerUnit)
	}
}

// round reads the next page of all segments at the same time. A page has at most limit items. round returns
// false if the budget is too small.
func (s *sampler) round(ctx context.Context, limit int) (bool, error) {
	if limit = min(limit, pageLimit(s.left/float64(len(s.open)), s.perItem, 1<<20)); limit == 0 {
		return false, nil
	}
	var inputs []client.PageInput
	for _, segment := range s.open {
		inputs = append(inputs,
			client.PageInput{Limit: limit, Start: s.starts[segment], Segment: segment, Segments: sampleSegments})
	}
	pages, err := s.pages(ctx, inputs)
	if err != nil {
		return false, err
	}
	var more []int
	for n, page := range pages {
		s.take(page)
		if s.starts[s.open[n]] = page.Last; page.Last != nil {
			more = append(more, s.open[n])
		}
	}
	s.open = more
	s.whole = len(more) == 0
	return true, nil
}

func (s *sampler) pages(ctx context.Context, inputs []client.PageInput) ([]client.Page, error) {
	pages := make([]client.Page, len(inputs))
	readers := make([]*client.Reader, len(inputs))
	var g errgroup.Group
	for n, in := range inputs {
		readers[n] = s.r.Fork()
		g.Go(func() (err error) {
			pages[n], err = readers[n].Scan(ctx, s.d.Name, in)
			return err
		})
	}
	err := g.Wait()
	for _, r := range readers {
		s.r.Units += r.Units
	}
	return pages, err
}

// pageGrown limits the growth of pages: the item limit of a page is at most pageGrown times the limit of the
// page before.
const pageGrown = 8

// bytesPerUnit is the number of bytes that one read unit reads, eventually consistent. Pages are charged in steps
// of half a unit.
const bytesPerUnit = 8192

// pageLimit returns the item limit of a sample's next page. left is the budget, and perItem is the average size
// of an item, both in read units. last is the limit of the page before. The result is 0 if the budget is too
// small.
func pageLimit(left, perItem float64, last int) int {
	if left < 0.5 {
		return 0
	}
	left = math.Floor(2*left) / 2
	most := min(last*pageGrown, 1<<20)
	if perItem == 0 {
		return max(1, min(most, int(min(left, 1<<20))))
	}
	return min(most, int(min(left/perItem, 1<<20)))
}
