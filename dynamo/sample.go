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

// Sample is what was read of a table to recognise and judge its layout by.
type Sample struct {
	t   *Table
	own *sampler
	// unread is why nothing could be read; nil where something could.
	unread error
	// nearest lists what came nearest in a table in which no accounts were recognised; nil for others.
	nearest func() []guess.Candidate
	grown   bool // it is a larger one already
	// unlooked are the other tables that were not looked at for locks or ids of this one.
	unlooked []string
}

// errVacant is why no items could be read of a table that has none.
var errVacant = errors.New("the table is empty")

// errUnread is why no items were read of a table that nobody has asked about.
var errUnread = errors.New("nothing may be read unasked")

// fork is the same sample of a table that is read by another layout, of which another
// reader reads more.
func (s *Sample) fork(t *Table, r *client.Reader) *Sample {
	return &Sample{
		t: t, own: s.own.fork(r), unread: s.unread, nearest: s.nearest, grown: s.grown, unlooked: s.unlooked,
	}
}

// Unlooked lists the other tables that may keep locks or ids of this one and were not looked at,
// since opening a table samples few others.
func (s *Sample) Unlooked() []string { return s.unlooked }

// Size is how many items the layout is judged by, and whether there are no others.
func (s *Sample) Size() (items int, whole bool) { return len(s.own.items), s.own.whole }

// Vacant reports whether the table had no items when its layout was looked for.
func (s *Sample) Vacant() bool { return errors.Is(s.unread, errVacant) }

// Unread reports whether nothing was read to recognise the table's layout by, since
// nothing may be read unasked.
func (s *Sample) Unread() bool { return errors.Is(s.unread, errUnread) }

// NotRead says why nothing of the table was read when it was opened, and what to do. why is empty
// if something was read.
func (s *Sample) NotRead() (why string, do remedy.Remedy) {
	switch {
	case s.unread == nil, s.Vacant():
		return "", do
	case s.Unread():
		why, text := s.t.conn.WhyUnread()
		return "nothing of " + s.t.Name + " was read, since " + why, remedy.Of(remedy.Text, text)
	}
	return "nothing of " + s.t.Name + " was read, since the permission dynamodb:Scan is denied", s.t.Remedy(remedy.AllowScan)
}

// Unknown says what was seen of a table in which no accounts were recognised; nothing of
// others. It reads nothing.
func (s *Sample) Unknown() (u UnknownTable) {
	if s.nearest == nil {
		return u
	}
	u.Items, u.Whole = s.Size()
	u.Shapes, u.Leases, u.Nearest = s.Others(), s.Leases(), s.nearest()
	return u
}

// Others are the sampled items that are nothing in the layout, by what their keys have in
// common.
func (s *Sample) Others() []guess.ItemShape {
	t := s.t
	return guess.ItemShapes(t.Schema, slices.DeleteFunc(slices.Clone(s.own.items), func(item attr.Item) bool {
		role := t.Classify(t.Name, item)
		return role.Account != nil || role.Constraint != nil || s.counts(item)
	}))
}

// counts reports whether an item is a counter of the layout, or carries an id of one.
func (s *Sample) counts(item attr.Item) bool {
	t := s.t
	return slices.ContainsFunc(t.Layout.Counters, func(c *layout.Counter) bool {
		return c.Matches(t.Schema, item) || slices.ContainsFunc(c.IDs, func(ids layout.IDs) bool {
			_, _, carries := ids.Of(t.Schema, item)
			return carries && ids.TableOf(t.Name) == t.Name
		})
	})
}

// Leases says what most items of a table are whose layout was not recognised, where they
// are leases or the like; empty where not.
func (s *Sample) Leases() string {
	if s.nearest == nil {
		return ""
	}
	return guess.Leases(s.own.items)
}

// Texts are the values of a constraint as other accounts of the sample hold them.
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
		for _, of := range kind.Constraints {
			if of == c {
				texts = append(texts, layout.Texts(item.At(c.Attribute))...)
			}
		}
	}
	return texts
}

// Suggested returns the names of constraints and counters that the sample suggests, and that the
// table's described layout lacks and does not ignore. It reads nothing.
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

// CountersWith recognises counters among the sampled items and others.
func (s *Sample) CountersWith(others []attr.Item) []counters.Counter {
	if len(others) == 0 || s.own == nil {
		return nil
	}
	all := asSample(s.t.Description, s.own)
	all.Items = slices.Concat(all.Items, others)
	return counters.Of(all)
}

// knows reports whether the layout takes every sampled item of a counter for one.
func (s *Sample) knows(c *layout.Counter) bool {
	for _, item := range s.own.items {
		if c.Matches(s.t.Schema, item) && s.t.Classify(s.t.Name, item) == (layout.Role{}) {
			return false
		}
	}
	return true
}

// UnknownTable is what was seen of a table in which no accounts were recognised.
type UnknownTable struct {
	Items   int               // that were read
	Whole   bool              // there are no others
	Shapes  []guess.ItemShape // of those that are neither counters nor carry their ids
	Nearest []guess.Candidate
	// Leases says what most items are that are no locks of values; empty where they may be.
	Leases string
}

// Masked is the same without the candidates whose keys may be somebody's.
func (u UnknownTable) Masked() UnknownTable {
	u.Nearest = slices.DeleteFunc(slices.Clone(u.Nearest), func(c guess.Candidate) bool {
		return (c.Hits < 2 && !c.Account.Constraints[0].Unique) || c.Items < 2
	})
	return u
}

// mostNearest is how many candidates are named for a table that is not known.
const mostNearest = 3

// CandidateOf is the layout that a table would have by a rule that came near.
func CandidateOf(table string, c guess.Candidate) config.Layout {
	return config.Layout{Name: table, Tables: []string{table}, Accounts: []config.Account{c.Account}}
}

// largerUnits is what recognising a table's layout may take in all, where nobody waits for
// its first rows any more.
const largerUnits = 200

// growPart is how much of what is left of them a larger sample may take: as far as accounts
// are rare, it is what its items call for that shows what they are.
const growPart = 0.4

// Unsure reports whether a larger sample may recognise more of the table than the one that
// it was opened with, which showed no accounts.
func (s *Sample) Unsure() bool {
	t := s.t
	if t.Layout.State().Sure() || t.conn.options.Layout != "" || s.unread != nil || s.grown || s.own.whole {
		return false
	}
	return len(t.Layout.Accounts) == 0 && s.Leases() == ""
}

// Grown returns a table as a larger sample shows it, if its own sample is Unsure. It returns nil
// if no more may be read, or if the larger sample shows nothing else.
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

// A table is sampled from fixed places, so that equal tables give equal samples: its
// first items, and, where that is not all, the beginning of each of sampleSegments
// segments. A table that is small enough is read whole.
const (
	sampleSegments = 16
	firstItems     = 40
	firstSample    = 200 // of a table that may have no more
	segmentSample  = 60
	wholeSample    = 1000 // of a table that is read whole, where the budget allows it
	// OpenUnits is how many read units a table may take before anything of it is shown.
	OpenUnits = 120
	// samplePart is how much of that a sample may take: the rest is for what its items
	// call for.
	samplePart = 0.6
)

// sampler is a sample of a table, which is read within a budget of read units.
type sampler struct {
	r       *client.Reader
	d       client.Description
	left    float64
	perItem float64 // the most that items of a page have taken on average, in read units
	items   []attr.Item
	whole   bool // there are no others
	seen    map[string]bool
	// looked are items that were read by their keys, beside the sample: nil for what does
	// not exist.
	looked map[string]attr.Item
	start  attr.Item // of the page after the first items
	// starts is where the next page of each segment begins, and open those segments of
	// which there is one.
	starts []attr.Item
	open   []int
}

// newSampler makes a sampler of a table. It sends nothing.
func newSampler(r *client.Reader, d client.Description, budget float64) *sampler {
	s := &sampler{r: r, d: d, left: budget, seen: map[string]bool{}}
	if d.Items > 0 {
		s.perItem = float64(d.Bytes) / float64(d.Items) / bytesPerUnit
	}
	return s
}

// readSample reads a sample of a table, eventually consistent, within a budget of read
// units; of 0 nothing is read.
func readSample(ctx context.Context, r *client.Reader, d client.Description, budget float64) (*sampler, error) {
	s := newSampler(r, d, budget)
	err := s.first(ctx)
	if err == nil {
		err = s.rest(ctx)
	}
	return s, err
}

// first reads the table's first items.
func (s *sampler) first(ctx context.Context) error { return s.until(ctx, firstItems) }

// until reads on until there are so many items, in pages that grow while their sizes are
// not known.
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

// begin takes in a page of the table's first items.
func (s *sampler) begin(page client.Page) {
	s.take(page)
	s.start, s.whole = page.Last, page.Last == nil
}

// rest reads the beginning of each segment, all at once, or all of them where the table is
// small enough.
func (s *sampler) rest(ctx context.Context) (err error) {
	if s.d.Items <= firstSample && s.starts == nil { // it may be so small that this is all of it
		if err := s.until(ctx, firstSample); err != nil {
			return err
		}
	}
	if s.whole || s.starts != nil {
		return nil
	}
	defer func() {
		if err != nil {
			s.starts = nil // to be read again
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

// fork is the same sample, of which another reader reads more.
func (s *sampler) fork(r *client.Reader) *sampler {
	other := *s
	other.r, other.items, other.seen = r, slices.Clone(s.items), maps.Clone(s.seen)
	other.starts, other.open = slices.Clone(s.starts), slices.Clone(s.open)
	return &other
}

// more reads more of a table, within a budget of read units. It reports false where
// there was nothing to read, or too little left to read it.
func (s *sampler) more(ctx context.Context, budget float64) (bool, error) {
	if s.whole || len(s.open) == 0 {
		return false, nil
	}
	s.left = budget
	return s.round(ctx, 1<<20)
}

// take takes in the items of a page.
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

// round reads the next page of each segment, of at most limit items, all at once. It
// reports false where too little is left for that.
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

// pages reads some pages, all at once.
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

// pageGrown is how much larger a page of a sample may be than the one before.
const pageGrown = 8

// bytesPerUnit is how many bytes an eventually consistent read unit pays for. Pages are
// paid in halves of it.
const bytesPerUnit = 8192

// pageLimit is how many items the next page of a sample may have, so that the budget
// holds as far as the items are of one size.
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
