package counters

import (
	"math/big"
	"slices"
	"strings"

	"tallylock/dynamo/phrase"
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
		if !named && len(about) > 0 && (g.entities || g.why == "" || len(subjectOf(rows[0].about)) > 0) {
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
		!g.entities && most.Cmp(big.NewInt(10)) >= 0
	return met > 0 && 10*exact >= 9*met && enough
}

// byEntities finds the counters that no word gives away: a table of items that are one
// whole number each, under the name of a kind of items, or of a table, whose highest id
// it is, or one more. A stock or a score stands under such names as well, and is no id of
// anything. In a table of other items that is not enough: what was read, shown or pinned
// last is kept just so.
func (s *idSearch) byEntities() []*countGroup {
	if !s.own.allBare() {
		return nil
	}
	var groups []*countGroup
	for _, kind := range sortedKinds(s.own.kinds) {
		g := s.own.bare(s.own.kinds[kind])
		if g == nil {
			continue
		}
		if of := s.numbered(g); of != "" {
			g.why = "it is one whole number, called after " + phrase.Quote(of)
			groups = append(groups, g)
			for _, r := range g.rows {
				r.take(g.attribute)
			}
		}
	}
	return groups
}

// allBare reports whether all items are one whole number each.
func (s *countSheet) allBare() bool {
	for _, kind := range sortedKinds(s.kinds) {
		if s.bare(s.kinds[kind]) == nil {
			return false
		}
	}
	return len(s.rows) > 0
}

// bare are the items of a kind, where each is one whole number under the same name and
// nothing else; nil where they are not, or words say that they are something else.
func (s *countSheet) bare(rows []*countRow) *countGroup {
	g := &countGroup{rows: rows}
	for _, r := range rows {
		names := sortedNumbers(r)
		if r.barred || r.counter || r.others > 0 || len(names) != 1 || g.attribute != "" && g.attribute != names[0] ||
			s.names.readsOn(r) ||
			r.measures() {
			return nil
		}
		g.attribute = names[0]
	}
	if of := namingOf(g.attribute, s.names.known); of == otherNumber || of == countingEvent ||
		len(rows) > mostOwnCounters {
		return nil
	}
	return g
}

// measures reports whether a word of the row's key says that its number is no count.
func (r *countRow) measures() bool {
	return slices.ContainsFunc(r.parts, func(p keyPart) bool {
		words := nameWords(p.text)
		return anyOf(words, measures) || anyOf(words, versions) || anyOf(words, barring)
	})
}

// numbered says after what items the counters of a group are called whose ids they have
// handed out; empty where that is not so, or may be chance.
func (s *idSearch) numbered(g *countGroup) string {
	all, of, same := &idEvidence{highest: make([]*big.Int, len(g.rows))}, "", true
	for n, r := range g.rows {
		one := &countGroup{attribute: g.attribute, rows: []*countRow{r}}
		for _, p := range s.places() {
			if !r.called(p) {
				continue
			}
			if e := s.seriesAt(one, p); e != nil && (all.highest[n] == nil || e.highest[0].Cmp(all.highest[n]) > 0) {
				all.highest[n], of = e.highest[0], p.entity
				same = same && p.name == g.attribute && len(g.attribute) >= specific
			}
		}
	}
	if all.weigh(g); all.mints(len(g.rows), same) {
		return of
	}
	return ""
}

// seriesAt is what ids at a place say of a group, where they are a series.
func (s *idSearch) seriesAt(g *countGroup, p *idPlace) *idEvidence {
	if p.table == "" && p.kind == g.rows[0].kind || len(p.rows) < 3 {
		return nil
	}
	e := s.evidenceAt(g, nil, p)
	if e == nil || e.met == 0 || 2*e.runs < e.met {
		return nil
	}
	return e
}

// mints reports whether counters are the highest ids, or all one more, so that it is no
// coincidence: each of several, or one that is called as its ids are. What has read to the
// last of them, or is the most that may be, stands at the highest id as well, but seldom
// for all, and under another name.
func (e *idEvidence) mints(counters int, same bool) bool {
	exact := e.met == counters && (e.last == counters || e.next == counters)
	return exact && (e.different > 1 || same && e.most.Cmp(big.NewInt(10)) >= 0)
}

// specific is how long the name of an attribute is at least that says whose id it is.
const specific = 5

// called reports whether a part of the row's key is the name of the items at a place:
// order and ORDER#17, or a table called orders.
func (r *countRow) called(p *idPlace) bool {
	return p.entity != "" &&
		slices.ContainsFunc(r.parts, func(part keyPart) bool { return plainName(part.text) == plainName(p.entity) })
}

// plainName is a name without case, separators and plural.
func plainName(name string) string {
	words := nameWords(name)
	if len(words) == 0 {
		return ""
	}
	words[len(words)-1] = singular(words[len(words)-1])
	return strings.Join(words, "")
}
