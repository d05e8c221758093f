// Package counters recognises the counters of a table, from a sample of its items: by the
// words of keys and attributes, by tables that keep nothing else, and by what the ids of
// other items say. What could be something else it leaves alone: a wrong counter is worse
// than none. Each comes with its evidence in a sentence, and says where it was guessed. It
// reads nothing, and imports attr, layout, phrase and infer's Table. Start at Of.
package counters

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/infer"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Counter is a counter that was recognised, or a family of them.
type Counter struct {
	*layout.Counter
	// Why is the evidence, in one sentence.
	Why string
	// Preset is the preset that keeps it so; empty where none does.
	Preset string
}

// Of recognises the counters of a table. Others are tables of the same connection that may
// have the ids of its items.
func Of(t infer.Table, others ...infer.Table) []Counter {
	presets, err := layout.Presets()
	if err != nil || t.Schema.HashKind == attr.B || t.Schema.RangeKind == attr.B || len(t.Items) == 0 {
		return nil // the presets are a part of the program, and tested
	}
	patterns, known := presetCounters(presets, t.Schema)
	s := newCountSheet(t, known)
	for _, other := range others {
		s.others = append(s.others, newCountSheet(other, known))
	}
	var groups []*countGroup
	if g := s.byValue(); g != nil {
		groups = []*countGroup{g}
	} else {
		groups = s.byPreset(patterns)
		if g := s.byShape(); len(groups) == 0 && g != nil {
			groups = g.alikes()
		}
		if len(groups) == 0 || slices.ContainsFunc(s.rows, func(r *countRow) bool { return !r.counter }) {
			groups = append(groups, s.byWord()...)
			groups = append(groups, s.byEntities()...)
			s.idPlaces = nil
			groups = append(groups, s.byChildren()...)
		}
	}
	var found []Counter
	for _, g := range groups {
		found = append(found, s.countersOf(g, patterns)...)
	}
	nameCounters(found)
	noteDoubles(found, t)
	return found
}

// noteDoubles says of counters that number the same items that one should be enough.
func noteDoubles(all []Counter, t infer.Table) {
	ids := func(c Counter) string {
		if len(c.IDs) == 0 || c.Preset != "" {
			return ""
		}
		first := c.IDs[0]
		return first.Table + "\x00" + first.PK.String() + "\x00" + first.SK.String() + "\x00" + first.Attribute + "\x00" + first.Text.String()
	}
	for n := range all {
		if all[n].KeyIsValue(t.Schema) && len(t.Items) > 1 {
			all[n].Why += "; there are " + phrase.Count(len(t.Items), "item") + ", and there should be one"
		}
		for m := range all {
			if of := ids(all[n]); n != m && of != "" && of == ids(all[m]) {
				all[n].Why += "; " + phrase.Quote(all[m].Name) + " numbers the same items, and there should be one counter"
			}
		}
	}
}

// countersOf makes counters of a group: one, or, where a family's keys would be those of
// other items as well, one for each item.
func (s *countSheet) countersOf(g *countGroup, patterns []presetCounter) []Counter {
	if s.isValue(g) {
		return s.finish(g, nil, layout.CounterConfig{PK: "{number}"}, patterns)
	}
	vars := s.variables(g)
	s.judge(g, vars)
	var c layout.CounterConfig
	c.PK, c.SK = templatesOf(g.rows[0].parts, vars)
	found := s.finish(g, vars, c, patterns)
	if g.entities || len(found) > 0 && (len(vars) == 0 || len(g.rows) > mostFixed || g.semantics == layout.Tally || len(found[0].IDs) > 0) {
		return found
	}
	each, ids := s.oneByOne(g, found, patterns)
	if len(found) > 0 && !ids {
		return found
	}
	return each
}

// oneByOne makes a counter of each item of a group, as far as they go, and reports whether
// the ids of one were seen. What their numbers mean is judged by those that have ids, or as
// the preset has it by which all of them were found.
func (s *countSheet) oneByOne(g *countGroup, all []Counter, patterns []presetCounter) (found []Counter, ids bool) {
	preset := len(all) > 0 && all[0].Preset != ""
	var each []*countGroup
	var seen *countGroup
	for _, r := range g.rows[:min(len(g.rows), mostFixed)] {
		one := *g
		one.rows, one.ids, one.most, one.sure, one.oneOfMany = []*countRow{r}, nil, "", false, len(g.rows) > 1
		s.judge(&one, nil)
		if len(one.ids) > 0 && (seen == nil || one.semantics == layout.Last) {
			seen = &one
		}
		each = append(each, &one)
	}
	for n, one := range each {
		if seen != nil && len(one.ids) == 0 && !one.sure {
			one.semantics, one.because, one.sure = seen.semantics, "those beside it are", seen.sure
		}
		var c layout.CounterConfig
		c.PK, c.SK = templatesOf(g.rows[n].parts, nil)
		if preset {
			one.semantics, one.because, one.sure = all[0].Semantics, "the preset "+all[0].Preset+" has it so", true
		}
		for _, c := range s.finish(one, nil, c, patterns) {
			if preset {
				c.Preset = all[0].Preset
			}
			found = append(found, c)
		}
	}
	return found, seen != nil
}

// mostFixed is how many counters of a kind are described one by one.
const mostFixed = 50

func (s *countSheet) isValue(g *countGroup) bool { return g.attribute == s.t.Schema.HashName }

// finish makes the layout's counter, as a preset has it where one agrees. It answers none
// where other items would be taken for the counter.
func (s *countSheet) finish(g *countGroup, vars []keyVariable, c layout.CounterConfig, patterns []presetCounter) []Counter {
	if p := s.agreeing(patterns, g); p != nil {
		known := *p.counter
		if built := s.build(g, c); built != nil && known.Semantics != layout.Tally {
			if known.Max = built.Max; len(known.IDs) == 0 && len(vars) == 0 {
				known.IDs = built.IDs
			}
		}
		return []Counter{{Counter: &known, Why: g.why + "; " + string(known.Semantics) + ", as the preset " + p.name + " has it", Preset: p.name}}
	}
	if s.isValue(g) {
		g.semantics, g.because = layout.Last, "nothing says otherwise"
		if words := nameWords(g.attribute); words[0] == "next" {
			g.semantics, g.because, g.sure = layout.Next, "it is called next", true
		}
	}
	built := s.build(g, c)
	if built == nil || slices.ContainsFunc(s.rows, func(r *countRow) bool {
		return !slices.Contains(g.rows, r) && built.Matches(s.t.Schema, r.item) && r.item.At(g.attribute).Exists()
	}) {
		return nil
	}
	why := g.why + "; " + string(g.semantics) + ", since " + g.because
	if !g.sure {
		why += " (a guess)"
	}
	built.Guess = !g.sure
	return []Counter{{Counter: built, Why: why}}
}

// build makes a counter of a config; nil where none can be made of it.
func (s *countSheet) build(g *countGroup, c layout.CounterConfig) *layout.Counter {
	c.Attribute, c.Semantics, c.Max = g.attribute, string(g.semantics), g.most
	for _, ids := range [][]layout.IDsConfig{g.ids, nil} { // ids that no config can say are left out
		c.IDs = ids
		l, err := layout.Config{Name: "inferred", Counters: []layout.CounterConfig{g.settings(c)}}.Build()
		if err == nil {
			return l.Counters[0]
		}
	}
	return nil
}

// nameCounters gives counters names by which they can be told apart.
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

// keyName is what the key of a counter says of it: the last part that says more than
// that it is one.
func keyName(c Counter) (name string) {
	for _, text := range []string{c.PK.String(), c.SK.String()} {
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(keySeparators, r) }) {
			words := nameWords(part)
			if strings.Contains(part, "{") || allOf(words, neutral) || len(words) == 1 && (saysCounter(words) || generic[words[0]]) {
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
