package dynamo

import (
	"errors"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/infer"
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
