// Package counters recognises the counters of a table from a sample of its items. Its evidence is the words
// of keys and attributes, tables that hold only counters, and the ids of other items. It leaves ambiguous
// items alone: a wrong counter is worse than none. Counter.Why has the evidence in one sentence, and says
// whether the meaning of the number is a guess. The package reads no table. It imports only attr, guess,
// layout, layout/config and phrase. Start at Of. There, newCountSheet splits the sample, an idSearch finds
// the ids that counters have handed out, and judging determines the meaning of the counters' numbers.
package counters

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
)

// Counter is a recognised counter, or a family of counters.
type Counter struct {
	*layout.Counter
	// Why is the evidence, in one sentence.
	Why string
	// Preset is the preset that describes the counter; empty if no preset does.
	Preset string
	ids    []string // the places of its ids
}

// Of recognises the counters of a table. The parameter others holds tables of the same connection,
// whose items may have ids from these counters.
func Of(t guess.Sample, others ...guess.Sample) []Counter {
	presets, err := config.Presets()
	if err != nil || t.Schema.HashKind == attr.B || t.Schema.RangeKind == attr.B || len(t.Items) == 0 {
		return nil // an error of Presets is impossible: tests cover the built-in presets
	}
	patterns, known := presetCounters(presets, t.Schema)
	s := newCountSheet(t, known)
	var beside []*countSheet
	for _, other := range others {
		beside = append(beside, newCountSheet(other, known))
	}
	ids := &idSearch{own: s, others: beside}
	var groups []*countGroup
	if g := s.byValue(); g != nil {
		groups = []*countGroup{g}
	} else {
		groups = s.byKnownName()
		if g := s.byShape(); len(groups) == 0 && g != nil {
			groups = g.alikes()
		}
		if len(groups) == 0 || slices.ContainsFunc(s.rows, func(r *countRow) bool { return !r.counter }) {
			groups = append(groups, s.byWord()...)
			groups = append(groups, ids.byEntities()...)
			ids = &idSearch{own: s, others: beside} // again, because the items of found counters have no ids
			groups = append(groups, ids.byChildren()...)
		}
	}
	j := &judging{sheet: s, ids: ids, presets: patterns}
	found := j.counters(groups)
	if ids.bar(found) {
		found = j.counters(groups)
	}
	nameCounters(found)
	noteDoubles(found, t)
	return found
}

// noteDoubles adds a note to the evidence of counters that number the same items, since one counter should
// be enough. It adds a similar note if the number is the counter's key and the table has several items,
// since one item should be enough.
func noteDoubles(all []Counter, t guess.Sample) {
	ids := func(c Counter) string {
		if len(c.ids) == 0 || c.Preset != "" {
			return ""
		}
		return c.ids[0]
	}
	for n := range all {
		if all[n].KeyIsValue(t.Schema) && len(t.Items) > 1 {
			all[n].Why += "; the table has " + phrase.Count(len(t.Items), "item") + ", but should have only one"
		}
		for m := range all {
			if of := ids(all[n]); n != m && of != "" && of == ids(all[m]) {
				all[n].Why += "; the counter " + phrase.Quote(all[m].Name) + " gives ids to the same items, but these items should have only one counter"
			}
		}
	}
}

// nameCounters gives the counters different names.
func nameCounters(all []Counter) {
	if len(all) < 2 {
		return
	}
	for _, c := range all {
		if c.Preset == "" {
			c.Name = keyName(c)
		}
	}
	for _, by := range []func(Counter) string{
		func(c Counter) string { return c.Attribute },
		func(c Counter) string { return c.PK.String() + " " + c.Attribute },
		func(c Counter) string { return c.PK.String() + " " + c.SK.String() + " " + c.Attribute },
	} {
		names := map[string]int{}
		for _, c := range all {
			names[c.Name]++
		}
		for _, c := range all {
			if names[c.Name] > 1 {
				c.Name = by(c)
			}
		}
	}
}

// keyName returns the last part of a counter's key that names the numbered items; empty if there is no such part.
func keyName(c Counter) (name string) {
	between := func(r rune) bool { return strings.ContainsRune(layout.Separators, r) }
	for _, text := range []string{c.PK.String(), c.SK.String()} {
		for _, part := range strings.FieldsFunc(text, between) {
			words := nameWords(part)
			if strings.Contains(part, "{") || allOf(words, neutral) ||
				len(words) == 1 && (saysCounter(words) || generic[words[0]]) {
				continue
			}
			name = part
			if strings.HasPrefix(part, "$") { // ElectroDB: $tenant-counter_1
				name = strings.TrimRight(part[1:], "_0123456789")
			}
		}
	}
	return name
}

// Elsewhere returns a function that takes the name of another table. The function reports whether that table's items
// may have ids from counters of t. Elsewhere returns nil if no other table is needed, because each found counter has
// ids, or cannot have any. If no counter was found, Elsewhere returns nil unless each item of t is one whole number,
// and so may be a counter.
func Elsewhere(t guess.Sample, found []Counter) func(table string) bool {
	lacks := func(c Counter) bool {
		return len(c.IDs) == 0 && c.Semantics != layout.Tally && !c.KeyIsValue(t.Schema)
	}
	if len(t.Items) > mostOwnCounters && len(found) == 0 || len(found) > 0 && !slices.ContainsFunc(found, lacks) {
		return nil
	}
	s := newCountSheet(t, nil)
	if len(found) == 0 && !s.allBare() {
		return nil
	}
	var rows []*countRow
	names := map[string]bool{}
	for _, r := range s.rows {
		at := slices.IndexFunc(found, func(c Counter) bool { return c.Matches(t.Schema, r.item) })
		switch {
		case at < 0 && s.bare([]*countRow{r}) == nil:
			continue
		case at >= 0 && !lacks(found[at]):
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
	return func(table string) bool {
		place := &idPlace{table: table, entity: table}
		return table != t.Name && (names[plainName(table)] ||
			slices.ContainsFunc(rows, func(r *countRow) bool { return r.called(place) }))
	}
}
