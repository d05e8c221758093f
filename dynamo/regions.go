package dynamo

import (
	"cmp"
	"maps"
	"slices"

	"tallylock/dynamo/client"
	"tallylock/dynamo/verdict"
)

// Regions returns the Regions that have a replica of the table or of a table with its locks or ids. Some Regions
// are in the descriptions of these tables. Other Regions are in the items read: an item of a global table of
// version 2017 names the Region of its last write.
func (t *Table) Regions() verdict.Regions {
	r := verdict.Regions{Here: cmp.Or(t.Region, t.conn.Region()), WrittenIn: t.Layout.WrittenIn}
	several := false
	for _, name := range slices.Sorted(maps.Keys(t.locks)) {
		d, said := t.locks[name], t.conn.UpdateRegions(name)
		several = several || len(said) > 0
		for _, other := range slices.Concat(d.Replicas, said) {
			if other != r.Here && other != client.AnotherRegion && !slices.Contains(r.Others, other) {
				r.Others = append(r.Others, other)
			}
			several = several || other == client.AnotherRegion
		}
		if d.Strong && r.Strong == "" {
			r.Strong = name
		}
	}
	if several && len(r.Others) == 0 {
		r.Others = []string{client.AnotherRegion}
	}
	slices.Sort(r.Others)
	return r
}
