package counters

import (
	"math/big"
	"slices"
	"strings"

	"tallylock/dynamo/phrase"
)

// byChildren finds counters in items that also hold other data. It accepts a number only if the items
// beside it confirm the number.
func (s *idSearch) byChildren() []*countGroup {
	groups := s.own.grouped(func(r *countRow) ([]string, string) {
		if r.barred || r.counter {
			return nil, ""
		}
		return sortedNumbers(r), ""
	})
	return slices.DeleteFunc(groups, func(g *countGroup) bool { return !s.bornOut(g) })
}

// bornOut reports whether other items confirm that a group's number is a counter. The number must be the
// count of these items, or fit their ids.
func (s *idSearch) bornOut(g *countGroup) bool {
	words := nameWords(g.attribute)
	of := namingOf(g.attribute, s.own.names.known)
	if of == countingEvent || len(words) == 0 {
		return false
	}
	edge, count := edges[words[0]], counts[words[len(words)-1]]
	said := edge || count || of == telling // a word of the attribute shows the meaning of the number
	silent := !said && !g.rows[0].edged()
	single := len(g.rows) == 1 && g.rows[0].others == 0 &&
		(s.own.t.Schema.RangeName == "" || len(s.own.kinds[g.rows[0].kind]) == 1)
	g.entities = !single
	about := g.subject()
	vars := s.own.variables(g)
	e := s.seriesOf(g, vars)
	child, counted := s.own.counted(g, vars)
	switch {
	case counted && silent && s.mayNumber(g, vars, child):
		return false // it may be the last id or the number of children
	case e != nil && of == telling && edge && e.named && e.plausible(g):
		g.why = "items beside it have ids, and the name " + g.attribute + " suggests a counter"
		return true
	case e != nil && (silent && single || !said && !s.own.t.Whole):
		return false // the id that was last read, shown or chosen would look the same
	case e != nil && e.telling() && (e.named || said && len(about) == 0 && (e.different > 1 || single)):
		g.why = "its number fits the ids beside it"
		return true
	}
	if !count && len(about) == 0 || edge {
		return false
	}
	if counted {
		g.why = "it counts the items " + child + " beside it"
	}
	return counted
}

// mayNumber reports whether a group's numbers may be last ids as well as counts: the counted items have ids that end
// with these numbers. Then no word shows which meaning is right.
func (s *idSearch) mayNumber(g *countGroup, vars []keyVariable, child string) bool {
	return slices.ContainsFunc(s.places(), func(p *idPlace) bool {
		if p.kind != child {
			return false
		}
		e := s.evidenceAt(g, vars, p)
		return e != nil && e.met > 0 && e.exact()
	}) || g.isAmong(s.own.kinds[child])
}

// edged reports whether a word of the row's key is one of edges, such as last or next.
func (r *countRow) edged() bool {
	return slices.ContainsFunc(r.parts, func(p keyPart) bool { return p.word && anyOf(nameWords(p.text), edges) })
}

// isAmong reports whether one of the rows has the same number as the group's only counter.
func (g *countGroup) isAmong(rows []*countRow) bool {
	return len(g.rows) == 1 && slices.ContainsFunc(rows, func(r *countRow) bool {
		return slices.ContainsFunc(sortedNumbers(r), func(name string) bool {
			n, v := r.number(name), g.rows[0].number(g.attribute)
			return v != nil && n.Cmp(v) == 0
		})
	})
}

// counted finds the kind of items that a group's numbers count exactly. It reports false if there is none,
// or if the sample lacks items of the table.
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
		if !named && len(about) > 0 && !s.plain(g) && (g.entities || g.why == "" || len(subjectOf(rows[0].about)) > 0) {
			continue
		}
		if s.exactly(g, vars, s.within(g, vars, &idPlace{kind: kind, rows: rows, part: -1}), named) {
			return kind, true
		}
	}
	return "", false
}

// within limits a place to the items in the partition of the group's only counter. If that partition has
// none of them, it returns the place unchanged.
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

// exactly reports whether nearly all counters of a group hold the number of items that belong to them. The
// parameter named says that the items have the counter's name. Without the name, the match must be too good
// for a coincidence.
func (s *countSheet) exactly(g *countGroup, vars []keyVariable, p *idPlace, named bool) bool {
	owned, scope := s.owned(g, vars, p)
	if scope == nil {
		return false
	}
	e := &idEvidence{highest: make([]*big.Int, len(g.rows))}
	for n, c := range g.rows {
		v, of := c.number(g.attribute), owned[ownerOf(c, vars)]
		switch {
		case of != nil:
			e.highest[n] = big.NewInt(of.items)
		case v != nil && v.Sign() > 0:
			e.highest[n] = new(big.Int)
		}
	}
	e.weigh(g)
	return e.met > 0 && 10*e.last >= 9*e.met &&
		(e.different > 1 && (named || e.different > 2 || atLeast(e.most, 5)) ||
			named && atLeast(e.most, 3) || (!g.entities || s.plain(g)) && atLeast(e.most, 10))
}

// byEntities finds counters that no counter word shows. It works only in a table whose items are one whole
// number each. Such a counter has the name of a kind of items, or of a table, and its number is the highest
// id of these items or one more. A stock or a score may have such a name as well, but its number is no
// item's id. If the table has other items, this evidence is too weak: the id that was last read, shown or
// pinned looks the same.
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
			g.why = "the item has only a whole number, and its key names " + phrase.Quote(of)
			groups = append(groups, g)
			for _, r := range g.rows {
				r.take(g.attribute)
			}
		}
	}
	return groups
}

// allBare reports whether each item of the table is one whole number.
func (s *countSheet) allBare() bool {
	for _, kind := range sortedKinds(s.kinds) {
		if s.bare(s.kinds[kind]) == nil {
			return false
		}
	}
	return len(s.rows) > 0
}

// bare makes a group of rows that hold only one whole number, under the same name in all rows. It returns nil if a row
// holds something else, or if words show that the numbers are no counters.
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

// plain reports whether a group has several rows that are one number each, and nothing else.
func (s *countSheet) plain(g *countGroup) bool { return len(g.rows) > 1 && s.bare(g.rows) != nil }

// measures reports whether a word of the row's key shows that the row's number is not a counter: a price, a version, a
// limit.
func (r *countRow) measures() bool {
	return slices.ContainsFunc(r.parts, func(p keyPart) bool {
		words := nameWords(p.text)
		return anyOf(words, measures) || anyOf(words, versions) || anyOf(words, barring)
	})
}

// numbered returns the name of the items whose ids the counters of a group have handed out. It
// returns an empty string if there are no such items, or if the match may be a coincidence.
func (s *idSearch) numbered(g *countGroup) string {
	all, of, same := &idEvidence{highest: make([]*big.Int, len(g.rows))}, "", true
	for n, r := range g.rows {
		one := &countGroup{attribute: g.attribute, rows: []*countRow{r}}
		for _, p := range s.places() {
			if !r.called(p) || len(p.rows) < 3 || p.table == "" && p.kind == r.kind {
				continue
			}
			e := s.evidenceAt(one, nil, p)
			if e == nil || e.met == 0 || e.runs == 0 {
				continue
			}
			if all.highest[n] == nil || e.highest[0].Cmp(all.highest[n]) > 0 {
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

// mints reports whether the counters have handed out the ids that were seen. All counters must equal their highest id,
// or all must be one above it. A read position or a limit can equal the highest id by chance, but rarely for different
// numbers. If all counters hold one number, it must be at least 10. In that case, same must be set, too: the attribute
// of the ids has the name of the counters' attribute.
func (e *idEvidence) mints(counters int, same bool) bool {
	exact := e.met == counters && (e.last == counters || e.next == counters)
	return exact && (e.different > 1 || same && atLeast(e.most, 10))
}

// specific is the minimum length, in bytes, of an attribute name that says what its id identifies. It
// excludes names such as id and num.
const specific = 5

// called reports whether a part of the row's key is the name of the items at a place. The key part order is
// the name of items such as ORDER#17, and of the items in a table orders.
func (r *countRow) called(p *idPlace) bool {
	return p.entity != "" &&
		slices.ContainsFunc(r.parts, func(part keyPart) bool { return plainName(part.text) == plainName(p.entity) })
}

// plainName returns a name in lower case and in the singular, without separators.
func plainName(name string) string {
	words := nameWords(name)
	if len(words) == 0 {
		return ""
	}
	words[len(words)-1] = singular(words[len(words)-1])
	return strings.Join(words, "")
}
