package check

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// idCheck compares counters with the ids in use, and finds ids that two items have.
type idCheck struct {
	run    *run
	report *report
	series seriesMap
	filter *idFilter // nil unless duplicates are wanted
	// unresolved: SQL has not judged all ids, and only reading all items tells who has them.
	unresolved bool
	// uncompared is why the counters were not compared with the ids in use.
	uncompared string
}

// begin prepares for a first reading of about that many items.
func (c *idCheck) begin(items int64) {
	if c.filter = nil; c.wantsDuplicates(c.run.o.followedIDs) {
		c.filter = newIDFilter(items, c.run.o.Memory)
	}
}

// wantsDuplicates reports whether duplicate ids of a counter are wanted that is as asked.
func (c *idCheck) wantsDuplicates(is func(*layout.Counter) bool) bool {
	return c.run.o.wants(DuplicateID) && slices.ContainsFunc(c.run.t.Layout.Counters, is)
}

// guessed reports whether duplicate ids are looked for whose place is only guessed.
func (c *idCheck) guessed() bool {
	return c.wantsDuplicates(func(l *layout.Counter) bool { return len(l.IDs) > 0 && !c.run.o.followedIDs(l) })
}

// twice reports whether two items may have the same id.
func (c *idCheck) twice() bool { return c.filter != nil && len(c.filter.twice) > 0 }

// overflow reports whether there may be more duplicate ids than are followed up, and how many
// those are.
func (c *idCheck) overflow() (most int, over bool) {
	if c.filter == nil {
		return 0, false
	}
	return c.filter.max, c.filter.overflowed
}

// idsOf is an attribute of a table that has the ids of a counter.
type idsOf struct {
	counter int // its index in the layout
	ids     *layout.IDs
	fixed   *attr.Key // the counter's key; nil if it varies with the item
}

// idsIn returns where a table has ids.
func (c *idCheck) idsIn(from *source) []idsOf {
	var all []idsOf
	for n, counter := range c.run.t.Layout.Counters {
		for m := range counter.IDs {
			of := idsOf{counter: n, ids: &counter.IDs[m]}
			if of.ids.TableOf(c.run.t.Name) != from.name {
				continue
			}
			if counter.KeyIsValue(c.run.t.Schema) {
				of.fixed = &attr.Key{}
			} else if counter.Fixed(c.run.t.Schema) {
				if k, err := counter.Key(c.run.t.Schema); err == nil {
					of.fixed = &k
				}
			}
			all = append(all, of)
		}
	}
	return all
}
