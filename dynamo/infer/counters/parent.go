package counters

import (
	"math/big"
	"slices"
)

// byChildren finds the counters in items that are something else besides: their numbers
// are believed where the items beside them bear them out.
func (s *idSearch) byChildren() []*countGroup {
	var groups []*countGroup
	for _, kind := range sortedKinds(s.own.kinds) {
		names := map[string]*countGroup{}
		var order []string
		for _, r := range s.own.kinds[kind] {
			if r.barred || r.counter {
				continue
			}
			for _, name := range sortedNumbers(r) {
				if names[name] == nil {
					names[name] = &countGroup{attribute: name, entities: true}
					order = append(order, name)
				}
				names[name].rows = append(names[name].rows, r)
			}
		}
		for _, name := range order {
			if g := names[name]; s.bornOut(g) {
				groups = append(groups, g)
			}
		}
	}
	return groups
}

// bornOut reports whether the children of a group's items show that the number counts or
// numbers them.
func (s *idSearch) bornOut(g *countGroup) bool {
	words := nameWords(g.attribute)
	of := namingOf(g.attribute, s.own.names.known)
	if of == countingEvent || len(words) == 0 {
		return false
	}
	first, last := words[0], words[len(words)-1]
	edge, count := edges[first] && first != "max", counts[first] || counts[last]
	single := len(g.rows) == 1 && g.rows[0].others == 0 &&
		(s.own.t.Schema.RangeName == "" || len(s.own.kinds[g.rows[0].kind]) == 1)
	g.entities = !single
	about := g.subject()
	vars := s.own.variables(g)
	e := s.seriesOf(g, vars)
	child, counted := s.own.counted(g, vars)
	if counted && of != telling && (!edge && !count || of == neutralName) && !g.rows[0].edged() &&
		s.mayNumber(g, vars, child) {
		return false // it may as well be the last id as their number
	}
	switch {
	case e != nil && e.named && of == telling && edge && e.plausible(g):
		g.why = "its items have ids beside them, and " + g.attribute + " names a counter"
		return true
	case e != nil && !s.own.t.Whole && !edge && !count && of != telling:
		return false
	case e != nil && single && of != telling && (!edge && !count || of == neutralName) && !g.rows[0].edged():
		return false // what was read, shown or chosen last is kept just so
	case e != nil && e.telling() && (e.named || (edge || count || of == telling) && len(about) == 0 &&
		(e.different > 1 || single)):
		g.why = "it is the number of the ids beside it"
		return true
	case e != nil && single && e.exact() && e.most.Cmp(big.NewInt(10)) >= 0:
		g.why = "its one number is that of the highest id in the table"
		return true
	}
	if !count && len(about) == 0 || edges[first] {
		return false
	}
	if counted {
		g.why = "it counts the items " + child + " beside it"
	}
	return counted
}

// mayNumber reports whether the items that a group's numbers count have ids that end with
// these numbers, and no word says which of the two they are.
func (s *idSearch) mayNumber(g *countGroup, vars []keyVariable, child string) bool {
	return slices.ContainsFunc(s.places(), func(p *idPlace) bool {
		if p.kind != child {
			return false
		}
		e := s.evidenceAt(g, vars, p)
		return e != nil && e.met > 0 && e.exact()
	}) || g.isAmong(s.own.kinds[child])
}

// edged reports whether the row's key says that it has the last or next of something.
func (r *countRow) edged() bool {
	return slices.ContainsFunc(r.parts, func(p keyPart) bool { return p.word && anyOf(nameWords(p.text), edges) })
}

// isAmong reports whether an attribute of some items is a number that is, of one of them,
// that of the group's one counter.
func (g *countGroup) isAmong(rows []*countRow) bool {
	return len(g.rows) == 1 && slices.ContainsFunc(rows, func(r *countRow) bool {
		return slices.ContainsFunc(sortedNumbers(r), func(name string) bool {
			n, v := r.number(name), g.rows[0].number(g.attribute)
			return v != nil && n.Cmp(v) == 0
		})
	})
}

// counted finds the items that a group's numbers count exactly. It answers false where
// not all items of the table were seen.
func (s *countSheet) counted(g *countGroup, vars []keyVariable) (child string, ok bool) {
	if !s.t.Whole {
		return "", false
	}
	about := g.subject()
	for _, kind := range sortedKinds(s.kinds) {
		rows := slices.DeleteFunc(slices.Clone(s.kinds[kind]),
			func(r *countRow) bool { return r.counter || slices.Contains(g.rows, r) })
		if len(rows) == 0 || g.entities && kind == g.rows[0].kind {
			continue
		}
		named := shared(about, subjectOf(rows[0].about))
		if !named && len(about) > 0 && !g.plain() && (g.entities || g.why == "" || len(subjectOf(rows[0].about)) > 0) {
			continue
		}
		place := s.within(g, vars, &idPlace{kind: kind, rows: rows, part: -1})
		at := scopeOf(g, vars, place.rows, -1)
		if at == nil {
			continue
		}
		if exactly(g, vars, place.rows, at, named) {
			return kind, true
		}
	}
	return "", false
}

// within is the place under a counter's own partition key, where there is one.
func (s *countSheet) within(g *countGroup, vars []keyVariable, p *idPlace) *idPlace {
	if len(vars) > 0 || p.table != "" || s.t.Schema.RangeName == "" || g.entities {
		return p
	}
	var same []*countRow
	for _, r := range p.rows {
		if r.key.Hash.Value.Equal(g.rows[0].key.Hash.Value) {
			same = append(same, r)
		}
	}
	if len(same) == 0 {
		return p
	}
	narrow := *p
	narrow.rows = same
	return &narrow
}

// plain reports whether several items are one number each, and nothing else.
func (g *countGroup) plain() bool {
	return len(g.rows) > 1 &&
		!slices.ContainsFunc(g.rows, func(r *countRow) bool { return r.others > 0 || len(r.numbers) != 1 || r.measures() })
}

// exactly reports whether a group's numbers are how many items each has; of the items
// that it is not called after only if that can be no coincidence.
func exactly(g *countGroup, vars []keyVariable, rows []*countRow, at map[string]int, named bool) bool {
	have := map[string]int64{}
	for _, r := range rows {
		have[childOf(r, vars, at)]++
	}
	met, exact, most, different := 0, 0, big.NewInt(0), map[string]bool{}
	for _, c := range g.rows {
		v, n := c.number(g.attribute), have[ownerOf(c, vars)]
		if v == nil || n == 0 && v.Sign() == 0 {
			continue
		}
		if met++; v.Cmp(big.NewInt(n)) == 0 {
			exact++
			if different[v.String()] = true; v.Cmp(most) > 0 {
				most = v
			}
		}
	}
	enough := len(different) > 1 && (named || len(different) > 2 || most.Cmp(big.NewInt(5)) >= 0) ||
		named && most.Cmp(big.NewInt(3)) >= 0 ||
		(!g.entities || g.plain()) && most.Cmp(big.NewInt(10)) >= 0
	return met > 0 && 10*exact >= 9*met && enough
}
