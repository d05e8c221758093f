package counters

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// idSearch looks for the ids that a table's counters have handed out, in its own items and
// in those of other tables that may have them.
type idSearch struct {
	own    *countSheet
	others []*countSheet
	// found is where ids may stand, once that was looked for.
	found []*idPlace
	// barred are places that too many counters would share.
	barred map[string]bool
}

// mostSharing is how many counters may have handed out the same ids: two, one of them by
// mistake.
const mostSharing = 2

// bar bars the places of ids that more counters share, and reports whether there are any: one
// item with a number does not have the id of hundreds.
func (s *idSearch) bar(found []Counter) bool {
	counts := map[string]int{}
	s.barred = map[string]bool{}
	for _, c := range found {
		for _, place := range c.ids {
			if counts[place]++; counts[place] > mostSharing {
				s.barred[place] = true
			}
		}
	}
	return len(s.barred) > 0
}

// place tells the place from others.
func (p *idPlace) place() string {
	return fmt.Sprint(p.table, "\x00", p.kind, "\x00", p.part, "\x00", p.attribute)
}

// places lists where items that are no counters have numbers that may be ids.
func (s *idSearch) places() []*idPlace {
	if s.found != nil {
		return s.found
	}
	s.found = s.own.idPlaces()
	for _, other := range s.others {
		for _, p := range other.idPlaces() {
			p.table, p.entity = other.t.Name, other.t.Name
			p.about = append(p.about, subjectOf(nameWords(other.t.Name))...)
			s.found = append(s.found, p)
		}
	}
	return s.found
}

// none reports whether the table has items enough to tell that none has a number
// for its id.
func (s *idSearch) none() bool {
	others := 0
	for _, r := range s.own.rows {
		if !r.counter {
			others++
		}
	}
	return others >= 10 && len(s.places()) == 0
}

// config says where the ids stand, as a config has it.
func (s *idSearch) config(p *idPlace, at map[string]int) layout.IDsConfig {
	var owners []keyVariable // whose they are
	for _, name := range slices.Sorted(maps.Keys(at)) {
		owners = append(owners, keyVariable{name: name, part: at[name]})
	}
	vars := slices.Clone(owners)
	for n, part := range p.rows[0].parts {
		switch g := (&countGroup{rows: p.rows}); {
		case n == p.part:
			vars = append(vars, keyVariable{name: "number", part: n, before: p.before})
		case part.word || slices.ContainsFunc(vars, func(v keyVariable) bool { return v.part == n }):
		case !allSame(g.textsAt(n)) || !s.own.t.Whole || len(p.rows) == 1:
			vars = append(vars, keyVariable{name: "any" + string(rune('a'+n)), part: n})
		}
	}
	c := layout.IDsConfig{Table: p.table}
	c.PK, c.SK = templatesOf(p.rows[0].parts, vars)
	if c.SK != "" &&
		!slices.ContainsFunc(p.rows, func(r *countRow) bool { return r.key.Hash.Value.Text != r.key.Range.Value.Text }) {
		c.SK = "{pk}"
	}
	if p.part < 0 {
		if c.Attribute = p.attribute; p.before != "" {
			c.Text = layout.Literal(p.before) + "{number}"
		}
	}
	for _, name := range p.rows[0].item.Names() { // of the same kind by its type alone
		if v := p.rows[0].item[name]; strings.HasSuffix(p.kind, " "+name+"="+v.Text) {
			c.Is = &layout.DiscriminatorConfig{Attribute: name, Value: v.Text}
		}
	}
	s.indexed(&c, p, owners)
	return c
}

// fewIndexed is of how many items at least it is seen under what an index has them.
const fewIndexed = 3

// indexed finds an index that has the ids in their order, under one partition key for each
// counter: the same in all items, or what the counter's variables say.
func (s *idSearch) indexed(c *layout.IDsConfig, p *idPlace, owners []keyVariable) {
	of := s.own.t
	for _, other := range s.others {
		if other.t.Name == p.table {
			of = other.t
		}
	}
	attribute := p.name
	if p.part >= 0 {
		attribute = of.Schema.HashName
		if p.rows[0].parts[p.part].inSort {
			attribute = of.Schema.RangeName
		}
	}
	for _, x := range of.Sorted {
		if x.Schema.RangeName != attribute || len(p.rows) < fewIndexed {
			continue
		}
		if in := partitionOf(x.Schema, p, owners); in != "" {
			c.Index, c.In = x.Name, in
			return
		}
	}
}

// partitionOf is the template of the partition key under which an index has all items of a
// place; empty where they are under several.
func partitionOf(x attr.Schema, p *idPlace, owners []keyVariable) string {
	var texts []string
	for _, r := range p.rows {
		v := r.item[x.HashName]
		if v.Kind != x.HashKind || v.Kind == attr.B || r.item[x.RangeName].Kind != x.RangeKind {
			return "" // it is not in the index
		}
		texts = append(texts, v.Text)
	}
	if len(owners) == 0 && allSame(texts) {
		return layout.Literal(texts[0])
	}
	if len(owners) != 1 {
		return ""
	}
	owner := owners[0]
	before, ok := strings.CutSuffix(texts[0], owner.of(p.rows[0]))
	for n, r := range p.rows {
		ok = ok && texts[n] == before+owner.of(r)
	}
	if !ok {
		return ""
	}
	return layout.Literal(before) + "{" + owner.name + "}"
}
