package dynamo

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/infer"
	"tallylock/dynamo/infer/counters"
	"tallylock/dynamo/layout"
)

// Sample is what was read of a table to recognise and judge its layout by.
type Sample struct {
	t   *Table
	own *sampler
	// unread is why nothing could be read; nil where something could.
	unread error
	// nearest lists what came nearest in a table in which no accounts were recognised; nil for others.
	nearest func() []infer.Candidate
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

// NotRead says why nothing of the table was read when it was opened, and what to do; empty
// where something was.
func (s *Sample) NotRead() (why, do string) {
	switch {
	case s.unread == nil, s.Vacant():
		return "", ""
	case s.Unread():
		why, do = s.t.conn.WhyUnread()
		return "nothing of " + s.t.Name + " was read, since " + why, do
	}
	return "nothing of " + s.t.Name + " was read, since the permission dynamodb:Scan is denied", "have it allowed: " + s.t.Command([]string{"policy", "viewer"}) + " prints what is needed"
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
func (s *Sample) Others() []ItemShape {
	t := s.t
	return shapesOf(t.Schema, slices.DeleteFunc(slices.Clone(s.own.items), func(item attr.Item) bool {
		role := t.Layout.Classify(t.Name, t.Name, t.Schema, item)
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
	return infer.Leases(s.own.items)
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
func (s *Sample) Suggested(ctx context.Context) (constraints, counted []string, err error) {
	t := s.t
	if s.own == nil || !t.Layout.Configured {
		return nil, nil, nil
	}
	own := asSample(t.Description, s.own)
	accounts, err := infer.Accounts(ctx, own, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	rules := t.Layout.Rules()
	for _, a := range append(accounts, infer.Unlocked(own)...) {
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
		name := c.Name
		if name == "" {
			name = t.Name
		}
		if !s.knows(c.Counter) && !layout.Ignores(t.Layout, name) {
			counted = append(counted, name)
		}
	}
	return constraints, counted, nil
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
		if c.Matches(s.t.Schema, item) && s.t.Layout.Classify(s.t.Name, s.t.Name, s.t.Schema, item) == (layout.Role{}) {
			return false
		}
	}
	return true
}

// UnknownTable is what was seen of a table in which no accounts were recognised.
type UnknownTable struct {
	Items   int         // that were read
	Whole   bool        // there are no others
	Shapes  []ItemShape // of those that are neither counters nor carry their ids
	Nearest []infer.Candidate
	// Leases says what most items are that are no locks of values; empty where they may be.
	Leases string
}

// Masked is the same without the candidates whose keys may be somebody's.
func (u UnknownTable) Masked() UnknownTable {
	u.Nearest = slices.DeleteFunc(slices.Clone(u.Nearest), func(c infer.Candidate) bool {
		return (c.Hits < 2 && !c.Account.Constraints[0].Unique) || c.Items < 2
	})
	return u
}

// mostNearest is how many candidates are named for a table that is not known.
const mostNearest = 3

// CandidateOf is the layout that a table would have by a rule that came near.
func CandidateOf(table string, c infer.Candidate) layout.Config {
	return layout.Config{Name: table, Tables: []string{table}, Accounts: []layout.AccountConfig{c.Account}}
}

// largerUnits is what recognising a table's layout may take in all, where nobody waits for
// its first rows any more.
const largerUnits = 200

// growPart is how much of what is left of them a larger sample may take: as far as accounts
// are rare, it is what its items call for that shows what they are.
const growPart = 0.4

// unreadUnits is how many of them are left.
func unreadUnits(t *Table) float64 {
	most := min(largerUnits, t.conn.AutoReadUnits())
	if t.conn.options.Asked {
		most = largerUnits
	}
	return most - t.Fit.units()
}

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
	left := unreadUnits(t)
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
		_, err = o.table(ctx)
	}
	if err != nil {
		return nil, err
	}
	as.Fit.spent(t.Fit.units() + o.r.Units)
	if bytes.Equal(t.Layout.Config().TOML(), as.Layout.Config().TOML()) {
		return nil, nil
	}
	return as, nil
}
