package check

import (
	"maps"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/ids"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// idCheck compares counters with the ids in use, and finds duplicate ids.
type idCheck struct {
	ids.Check
	prints *twice.Prints // nil unless the check looks for duplicates
	// unresolved is set if SQL has left some ids for the check to judge. Only a pass over all items finds every item
	// with such an id.
	unresolved bool
}

// begin prepares for a first pass.
func (c *idCheck) begin() {
	if c.prints.Close(); c.wantsDuplicates(c.Options.FollowedIDs) {
		c.prints = c.Options.Prints()
	}
}

// wantsDuplicates reports whether the check looks for duplicate ids of at least one counter for which the function
// returns true.
func (c *idCheck) wantsDuplicates(is func(*layout.Counter) bool) bool {
	return c.Options.Wants(finding.DuplicateID) && slices.ContainsFunc(c.Table.Layout.Counters, is)
}

// addIDs records the ids of the current item, and reports whether the item has an id.
func (v *visitor) addIDs(key attr.Key) (has bool) {
	c := v.run
	if v.pass.shared == nil && !v.pass.first {
		return false
	}
	for n := range v.ids {
		of := &v.ids[n]
		id, at, ok := of.Read(v.from.Schema, c.t.Schema, &v.row)
		if !ok {
			continue
		}
		has = true
		name := ids.NameOf(of.Index, at)
		v.key = append(append(append(v.key[:0], name...), 0), id...)
		one := sharing{text: id, guessed: !c.o.FollowedIDs(of.Counter)}
		print := c.seed.Fingerprint(v.key)
		if !v.pass.first {
			if one.series = c.ids.Series[name]; one.series != nil &&
				(c.ids.prints.Has(print) || c.ids.prints != nil && c.o.Known.Repeats(id)) {
				v.addSharing(v.pass.shared, &one, print, key)
			}
			continue
		}
		one.series = v.series.Follow(name, of.Counter, at)
		one.series.Add(id, v.from, key)
		switch {
		case one.guessed:
			if g := v.pass.guess; g != nil && c.o.Wants(finding.DuplicateID) {
				v.addSharing(&g.shared, &one, print, key)
			}
		case c.ids.prints != nil:
			v.prints = append(v.prints, print)
			if slices.Contains(v.unjudged, candidates.IDsBeside) { // an item that SQL has judged may have the id, too
				c.ids.prints.Mark(print)
				c.ids.unresolved = true
			}
		}
	}
	v.flushPrints(c.ids.prints)
	v.shared = v.shared[:0]
	return has
}

// addCounter records the current item, a counter, if the check would not read it later. The check later reads each
// single counter, and each counter of a family whose ids it has found. So addCounter records a counter of a family only
// if its value is faulty. If the check reads only an export, it reads no counter later, and addCounter records every
// counter.
func (v *visitor) addCounter(l *layout.Counter, key attr.Key) {
	t, export := v.run.t, v.run.o.ExportOnly()
	alone := l.Fixed(t.Schema) || l.KeyIsValue(t.Schema)
	if !v.pass.first || !export && (alone || len(l.Faults(v.row.At(l.Attribute))) == 0) {
		return
	}
	at := key
	if l.KeyIsValue(t.Schema) {
		at = attr.Key{}
	}
	m := v.series.Follow(ids.NameOf(slices.Index(t.Layout.Counters, l), at), l, at)
	if export {
		m.Exported = scan.CloneMap(attr.Item{l.Attribute: v.row.At(l.Attribute)})
		maps.Copy(m.Exported, scan.CloneMap(key.Item()))
	}
}
