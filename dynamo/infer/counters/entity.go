package counters

import (
	"math/big"
	"slices"
	"strings"

	"tallylock/dynamo/phrase"
)

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
