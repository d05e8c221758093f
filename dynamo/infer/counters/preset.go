package counters

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// presetCounter is the counter of a preset, as it would be in this table.
type presetCounter struct {
	name    string
	counter *layout.Counter
	telling bool
}

// presetCounters lists the counters of presets that could be in a table.
func presetCounters(presets []layout.Preset, s attr.Schema) (out []presetCounter, known map[string]bool) {
	known = map[string]bool{}
	for _, p := range presets {
		if c, ok := p.CounterIn(s); ok {
			out = append(out, presetCounter{p.Name, c, p.Counter.Telling})
			if p.Counter.Telling {
				known[c.Attribute] = true
			}
		}
	}
	return out, known
}

// byPreset finds counters under the keys and attributes of presets.
func (s *countSheet) byPreset(presets []presetCounter) []*countGroup {
	var groups []*countGroup
	for _, p := range presets {
		if p.counter.KeyIsValue(s.t.Schema) || !p.telling && !p.counter.Fixed(s.t.Schema) {
			continue
		}
		g := &countGroup{attribute: p.counter.Attribute, why: "it stands where " + p.name + " keeps it", entities: p.telling}
		numbers := 0
		for _, r := range s.rows {
			whole := r.number(g.attribute) != nil
			if slices.Contains(r.taken, g.attribute) || !p.counter.Matches(s.t.Schema, r.item) ||
				!whole && (!p.telling || !r.item.At(g.attribute).Exists()) {
				continue
			}
			if g.rows = append(g.rows, r); whole {
				numbers++
			}
		}
		if len(g.rows) == 0 || 2*numbers < len(g.rows) {
			continue
		}
		for _, r := range g.rows {
			r.take(g.attribute)
		}
		groups = append(groups, g)
	}
	return groups
}

// agreeing finds the preset that keeps a counter just there; nil where none does, or
// where it would take other items for counters as well.
func (j *judging) agreeing(g *countGroup) *presetCounter {
	s := j.sheet
	for n, p := range j.presets {
		if p.counter.Attribute != g.attribute {
			continue
		}
		fits := func(r *countRow) bool {
			return p.counter.Matches(s.t.Schema, r.item) && (p.counter.KeyIsValue(s.t.Schema) || r.item.At(g.attribute).Exists())
		}
		if !slices.ContainsFunc(g.rows, func(r *countRow) bool { return !fits(r) }) &&
			!slices.ContainsFunc(s.rows, func(r *countRow) bool { return fits(r) && !slices.Contains(g.rows, r) }) {
			return &j.presets[n]
		}
	}
	return nil
}
