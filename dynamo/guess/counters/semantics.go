package counters

import (
	"fmt"
	"math/big"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
)

// judging turns groups into counters. It determines whether a group's number is the last id, the next id or
// a tally.
type judging struct {
	sheet   *countSheet
	ids     *idSearch
	presets []presetCounter
}

func (j *judging) counters(groups []*countGroup) (all []Counter) {
	alike := map[string]int{}
	for _, g := range groups {
		alike[g.attribute] += len(g.rows)
	}
	for _, g := range groups {
		one := *g
		one.oneOfMany = len(g.rows) == 1 && alike[g.attribute] > mostSharing
		all = append(all, j.countersOf(&one)...)
	}
	return all
}

// countersOf makes one counter from a group. It makes a counter from each item instead if the counter of the group
// would be invalid or match other items, or if only counters of single items have known ids. For items that also hold
// other data, it never does so.
func (j *judging) countersOf(g *countGroup) []Counter {
	if j.isValue(g) {
		return j.finish(g, nil, config.Counter{PK: "{number}"})
	}
	vars := j.sheet.variables(g)
	j.judge(g, vars)
	var c config.Counter
	c.PK, c.SK = templatesOf(g.rows[0].parts, vars)
	found := j.finish(g, vars, c)
	if g.entities ||
		len(found) > 0 &&
			(len(vars) == 0 || len(g.rows) > mostFixed || g.semantics == layout.Tally || len(found[0].IDs) > 0) {
		return found
	}
	each, ids := j.oneByOne(g, found)
	if len(found) > 0 && !ids {
		return found
	}
	return each
}

// oneByOne makes a counter from each of the first mostFixed items of a group, and reports whether at least one counter
// has known ids. Counters without ids get the semantics of a counter with ids, unless their name shows the semantics.
// If a preset matched the group, all counters get the preset's semantics.
func (j *judging) oneByOne(g *countGroup, all []Counter) (found []Counter, ids bool) {
	preset := len(all) > 0 && all[0].Preset != ""
	var each []*countGroup
	var seen *countGroup
	for _, r := range g.rows[:min(len(g.rows), mostFixed)] {
		one := *g
		one.rows, one.ids, one.places, one.most, one.sure = []*countRow{r}, nil, nil, "", false
		one.oneOfMany = len(g.rows) > 1
		j.judge(&one, nil)
		if len(one.ids) > 0 && (seen == nil || one.semantics == layout.Last) {
			seen = &one
		}
		each = append(each, &one)
	}
	for n, one := range each {
		if seen != nil && len(one.ids) == 0 && !one.sure {
			one.semantics, one.because, one.sure = seen.semantics, "similar counters have this meaning", seen.sure
		}
		var c config.Counter
		c.PK, c.SK = templatesOf(g.rows[n].parts, nil)
		if preset {
			one.semantics, one.because, one.sure = all[0].Semantics, "the preset "+all[0].Preset+" says so", true
		}
		for _, c := range j.finish(one, nil, c) {
			if preset {
				c.Preset = all[0].Preset
			}
			found = append(found, c)
		}
	}
	return found, seen != nil
}

// mostFixed is the largest number of counters of a group that are described one by one.
const mostFixed = 50

func (j *judging) isValue(g *countGroup) bool { return g.attribute == j.sheet.t.Schema.HashName }

// finish makes the layout's counter of a group. If a preset describes all items of the group, it takes the
// preset's counter. It returns nothing if the counter would be invalid or match other items as well.
func (j *judging) finish(g *countGroup, vars []keyVariable, c config.Counter) []Counter {
	if p := j.agreeing(g); p != nil {
		known := *p.counter
		if built := g.build(c); built != nil && known.Semantics != layout.Tally {
			if known.Max = built.Max; len(known.IDs) == 0 && len(vars) == 0 {
				known.IDs = built.IDs
			}
		}
		return []Counter{
			{
				Counter: &known,
				Why:     g.why + "; " + string(known.Semantics) + ", as in the preset " + p.name,
				Preset:  p.name,
				ids:     g.places,
			},
		}
	}
	if j.isValue(g) {
		g.semantics, g.because = layout.Last, "nothing shows another meaning"
		if words := nameWords(g.attribute); words[0] == "next" {
			g.semantics, g.because, g.sure = layout.Next, "it is called "+g.attribute, true
		}
	}
	built := g.build(c)
	if built == nil || slices.ContainsFunc(j.sheet.rows, func(r *countRow) bool {
		return !slices.Contains(g.rows, r) && built.Matches(j.sheet.t.Schema, r.item) && r.item.At(g.attribute).Exists()
	}) {
		return nil
	}
	why := g.why + "; " + string(g.semantics) + ", since " + g.because
	if !g.sure {
		why += " (a guess)"
	}
	built.Guess = !g.sure
	return []Counter{{Counter: built, Why: why, ids: g.places}}
}

// build makes the group's counter from a config; nil if the config is invalid.
func (g *countGroup) build(c config.Counter) *layout.Counter {
	c.Attribute, c.Semantics, c.Max = g.attribute, string(g.semantics), g.most
	for _, ids := range [][]config.IDs{g.ids, nil} { // try without ids if the ids make the config invalid
		c.IDs = ids
		l, err := config.Layout{Name: "inferred", Counters: []config.Counter{g.settings(c)}}.Build()
		if err == nil {
			return l.Counters[0]
		}
	}
	return nil
}

// judge sets the semantics of a group's number, the reason for them, and the group's ids.
func (j *judging) judge(g *countGroup, vars []keyVariable) {
	words := nameWords(g.attribute)
	e := j.ids.seriesOf(g, vars)
	if e != nil && e.met > 0 {
		for n, p := range e.places {
			g.ids, g.places = append(g.ids, j.ids.config(p, e.scopes[n])), append(g.places, p.place())
			if most := p.padding(); most != "" && (g.most == "" || len(most) < len(g.most)) {
				g.most = most // the layout would sort longer ids wrongly, or refuse them
			}
		}
	}
	child, counted := j.sheet.counted(g, vars)
	plain := g.entities && namingOf(g.attribute, j.sheet.names.known) != telling && !anyOf(words, edges) &&
		!anyOf(words, counts)
	switch {
	case plain && counted:
		g.semantics, g.because = layout.Tally, "its number is the number of items "+phrase.Quote(child)
	case slices.Contains(words, "next"), slices.Contains(words, "nextid"):
		g.semantics, g.because, g.sure = layout.Next, "it is called "+g.attribute, true
	case slices.Contains(words, "last"),
		slices.Contains(words, "lastid"),
		slices.Contains(words, "highest"),
		slices.Contains(words, "latest"):
		g.semantics, g.because, g.sure = layout.Last, "it is called "+g.attribute, true
	case e != nil && e.last > 0 && e.last >= e.next:
		g.semantics, g.because = layout.Last, g.example(e, 0)
	case e != nil && e.next > 0 && j.sheet.t.Whole:
		g.semantics, g.because = layout.Next, g.example(e, 1)
	case counted:
		g.semantics, g.because = layout.Tally, "its number is the number of items "+phrase.Quote(child)
	case anyOf(words, events), slices.ContainsFunc(vars, func(v keyVariable) bool { return v.name == shardName }):
		g.semantics, g.because = layout.Tally, "the items that it counts have no ids"
	case e != nil && e.met > 0:
		g.semantics, g.because = layout.Last, "its number is neither the highest id in use nor the next number, and nothing shows another meaning"
	default:
		g.semantics, g.because = layout.Last, "nothing shows another meaning"
	}
	if g.semantics == layout.Tally {
		g.ids, g.places, g.most = nil, nil, ""
	}
}

// example compares one counter of the group with its ids, in a phrase. The parameter more is 0 for
// a counter with the highest id, and 1 for a counter with the next id.
func (g *countGroup) example(e *idEvidence, more int64) string {
	for n, h := range e.highest {
		v := g.rows[n].number(g.attribute)
		if h == nil || v == nil || new(big.Int).Sub(v, h).Cmp(big.NewInt(more)) != 0 {
			continue
		}
		if more == 0 {
			return fmt.Sprintf("%s is the highest id seen", phrase.Group(v.String()))
		}
		return fmt.Sprintf("%s is one more than the highest id seen", phrase.Group(v.String()))
	}
	return ""
}

// presetCounter is the counter of a preset, adapted to this table.
type presetCounter struct {
	name    string
	counter *layout.Counter
}

// presetCounters lists the counters of presets that fit a table's schema. known holds the
// attributes whose names only counters have.
func presetCounters(presets []config.Preset, s attr.Schema) (out []presetCounter, known map[string]bool) {
	known = map[string]bool{}
	for _, p := range presets {
		if c, ok := p.CounterIn(s); ok {
			out = append(out, presetCounter{p.Name, c})
			if p.Counter.Telling {
				known[c.Attribute] = true
			}
		}
	}
	return out, known
}

// agreeing finds the preset whose counter matches all items of a group. It returns nil if there is no such preset, or
// if the preset would match other items as well.
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

// The names of attributes in which a counter's item describes how it counts.
var (
	stepNames   = []string{"step", "stepSize", "step_size", "increment", "incrementBy", "increment_by"}
	maxNames    = []string{"max", "maxValue", "max_value", "maximum", "ceiling"}
	moduloNames = []string{"modulo", "modulus", "wrapAt", "wrap_at"}
)

// settings copies the step, the maximum or the modulo from a group's items to the config, if it is the same
// in all items.
func (g *countGroup) settings(c config.Counter) config.Counter {
	if g.entities {
		return c
	}
	if step := g.setting(stepNames); step != nil && step.Cmp(big.NewInt(1)) > 0 {
		rest := new(big.Int)
		if n := g.rows[0].number(g.attribute); n != nil {
			rest.Mod(n, step)
		}
		same := !slices.ContainsFunc(g.rows, func(r *countRow) bool {
			n := r.number(g.attribute)
			return n == nil || new(big.Int).Mod(n, step).Cmp(rest) != 0
		})
		if same {
			c.Step, c.Offset = step.String(), rest.String()
		}
	}
	if modulo := g.setting(moduloNames); modulo != nil {
		c.Modulo, c.Max, c.IDs = modulo.String(), "", nil
	} else if most := g.setting(maxNames); most != nil {
		c.Max = most.String()
	}
	return c
}

// setting returns the number that all items of a group have under one of the given names; nil if
// they differ or have none, or if the number is not above 0.
func (g *countGroup) setting(names []string) *big.Int {
	for _, name := range names {
		v := g.rows[0].item[name]
		n, ok := attr.Integer(v.Text)
		if name != g.attribute && v.Kind == attr.N && ok && n.Sign() > 0 &&
			!slices.ContainsFunc(g.rows, func(r *countRow) bool { return !r.item[name].Equal(v) }) {
			return n
		}
	}
	return nil
}
