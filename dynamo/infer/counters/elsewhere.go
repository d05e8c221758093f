package counters

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Elsewhere lists the tables, of some of a connection, that may have the ids of a table's
// counters, by their names: those of counters without ids beside them, and of items that
// are one whole number and may be counters.
func Elsewhere(t layout.Sample, found []Counter, tables []string) []string {
	s := newCountSheet(t, nil)
	var rows []*countRow
	names := map[string]bool{}
	for _, r := range s.rows {
		at := slices.IndexFunc(found, func(c Counter) bool { return c.Matches(t.Schema, r.item) })
		switch {
		case at < 0 && s.bare([]*countRow{r}) == nil:
			continue
		case at >= 0 && (found[at].Semantics == layout.Tally || len(found[at].IDs) > 0):
			continue
		}
		rows = append(rows, r)
		for _, name := range sortedNumbers(r) {
			for _, about := range subjectOf(nameWords(name)) {
				names[about] = true
			}
		}
	}
	if len(rows) == 0 || len(rows) > mostOwnCounters {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(tables), func(name string) bool {
		place := &idPlace{table: name, entity: name}
		return name == t.Name || !names[plainName(name)] &&
			!slices.ContainsFunc(rows, func(r *countRow) bool { return r.called(place) })
	})
}

// MayBeElsewhere reports whether there are counters, or items that may be some, whose ids
// were not found beside them.
func MayBeElsewhere(t layout.Sample, found []Counter) bool {
	return slices.ContainsFunc(found, func(c Counter) bool {
		return len(c.IDs) == 0 &&
			c.Semantics != layout.Tally && !c.KeyIsValue(t.Schema)
	}) ||
		len(found) == 0 && len(t.Items) <= mostOwnCounters && allNumbered(t) && newCountSheet(t, nil).allBare()
}

// allNumbered reports whether all items have a number besides their keys: one without is no
// counter, and the others need not be looked at.
func allNumbered(t layout.Sample) bool {
	return !slices.ContainsFunc(t.Items, func(item attr.Item) bool {
		for name, v := range item {
			if v.Kind == attr.N && !t.Schema.IsKey(name) {
				return false
			}
		}
		return true
	})
}
