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
	filter *twiceFilter // nil unless duplicates are wanted
	// unresolved: SQL has not judged all ids, and only reading all items tells who has them.
	unresolved bool
	// uncompared is why the counters were not compared with the ids in use.
	uncompared string
}

// begin prepares for a first reading of about that many items.
func (c *idCheck) begin(items int64) {
	if c.filter = nil; c.wantsDuplicates(c.run.o.followedIDs) {
		c.filter = newTwiceFilter(items/4, c.run.o.Memory) // 16 bits for each item
	}
}

// wantsDuplicates reports whether duplicate ids of a counter are wanted that is as asked.
func (c *idCheck) wantsDuplicates(is func(*layout.Counter) bool) bool {
	return c.run.o.wants(DuplicateID) && slices.ContainsFunc(c.run.t.Layout.Counters, is)
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
