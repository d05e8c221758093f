package counters

import (
	"math/big"
	"slices"
)

// idEvidence is what ids say of a group of counters.
type idEvidence struct {
	places  []*idPlace
	scopes  []map[string]int
	highest []*big.Int // of each counter's ids; nil where none was seen
	// met are the counters whose ids were seen. Of these, last hold the highest, next the
	// one after it, and above hold less than it.
	met, last, next, above int
	runs                   int      // of these, whose ids are a series of their own
	most                   *big.Int // the highest value of those met
	different              int      // values of those met
	named                  bool     // the items are called as the counters are
}

// exact reports whether nearly all counters hold the highest id or the one after it.
func (e *idEvidence) exact() bool { return e.above == 0 && 10*(e.last+e.next) >= 8*e.met }

// telling reports whether that can be no coincidence.
func (e *idEvidence) telling() bool {
	return e.exact() && (e.different > 1 || e.most.Cmp(big.NewInt(3)) >= 0)
}

// plausible reports whether the ids may be those of the counters: one may be behind, and
// not by far.
func (e *idEvidence) plausible(g *countGroup) bool {
	far := 0
	for n, h := range e.highest {
		if v := g.rows[n].number(g.attribute); h != nil && v != nil {
			bound := new(big.Int).Add(new(big.Int).Lsh(v, 1), big.NewInt(100))
			if h.Cmp(bound) > 0 {
				far++
			}
		}
	}
	return e.met > 0 && 2*far < e.met
}

// weigh compares the counters with the highest ids.
func (e *idEvidence) weigh(g *countGroup) {
	e.met, e.last, e.next, e.above, e.most = 0, 0, 0, 0, new(big.Int)
	values := map[string]bool{}
	for n, h := range e.highest {
		v := g.rows[n].number(g.attribute)
		if h == nil || v == nil {
			continue
		}
		e.met++
		values[v.String()] = true
		if v.Cmp(e.most) > 0 {
			e.most = v
		}
		switch after := new(big.Int).Add(h, big.NewInt(1)); {
		case v.Cmp(h) == 0:
			e.last++
		case v.Cmp(after) == 0:
			e.next++
		case v.Cmp(h) < 0:
			e.above++
		}
	}
	e.different = len(values)
}

// evidenceAt is what the ids at one place say of a group; nil where they are not its.
func (s *idSearch) evidenceAt(g *countGroup, vars []keyVariable, p *idPlace) *idEvidence {
	if p.table == "" && slices.ContainsFunc(g.rows, func(r *countRow) bool { return r.kind == p.kind }) && g.entities {
		return nil
	}
	p = s.own.within(g, vars, p)
	at := p.scope(g, vars)
	if at == nil {
		return nil
	}
	e := &idEvidence{places: []*idPlace{p}, scopes: []map[string]int{at}, highest: make([]*big.Int, len(g.rows))}
	highest, lowest, many, own := map[string]*big.Int{}, map[string]*big.Int{}, map[string]int64{}, map[*countRow]bool{}
	for _, c := range g.rows {
		own[c] = true
	}
	for _, r := range p.rows {
		of := childOf(r, vars, at)
		id, ok := p.id(r)
		if !ok || own[r] {
			continue
		}
		many[of]++
		if highest[of] == nil || id.Cmp(highest[of]) > 0 {
			highest[of] = id
		}
		if lowest[of] == nil || id.Cmp(lowest[of]) < 0 {
			lowest[of] = id
		}
	}
	for n, c := range g.rows {
		of := ownerOf(c, vars)
		if e.highest[n] = highest[of]; highest[of] != nil && isRun(lowest[of], highest[of], many[of]) {
			e.runs++
		}
	}
	if e.weigh(g); g.entities && 2*e.runs < e.met {
		return nil // each has some of one series: it has the last that is its own
	}
	return e
}

// isRun reports whether ids are a series of their own: they begin at 0 or 1, or few are
// missing between them.
func isRun(lowest, highest *big.Int, many int64) bool {
	if lowest.Cmp(big.NewInt(1)) <= 0 {
		return true
	}
	span := new(big.Int).Sub(highest, lowest)
	return many >= 3 && span.Cmp(big.NewInt(3*many)) <= 0
}

// seriesOf finds the ids that a group of counters has minted; nil where none are seen.
func (s *idSearch) seriesOf(g *countGroup, vars []keyVariable) *idEvidence {
	about := g.subject()
	var named, exact []*idEvidence
	for _, p := range s.places() {
		e := s.evidenceAt(g, vars, p)
		if e == nil || e.met == 0 || s.barred[p.place()] {
			continue
		}
		e.named = shared(about, p.about) || p.name == g.attribute && !g.oneOfMany
		if p.table != "" && !g.numbers(p) {
			continue
		}
		ten := e.different > 1 || e.most.Cmp(big.NewInt(10)) >= 0
		switch {
		case e.named && e.plausible(g):
			named = append(named, e)
		case e.named, g.oneOfMany: // one of hundreds holds any number by chance
		case e.exact() && (len(about) == 0 || ten && len(p.about) == 0):
			exact = append(exact, e)
		}
	}
	if len(named) == 0 && len(exact) > 0 {
		for _, e := range exact {
			if e.places[0].kind != exact[0].places[0].kind {
				return nil // it could be either's
			}
		}
		return exact[0]
	}
	return union(g, named)
}

// numbers reports whether the items of another table are those that a counter numbers: it
// is called after the table, or, where it is the only one, the same as their ids.
func (g *countGroup) numbers(p *idPlace) bool {
	same := !g.oneOfMany && p.name == g.attribute && namingOf(g.attribute, nil) != neutralName
	return len(g.rows) == 1 && !g.entities && (same || g.rows[0].called(p))
}

// union takes several places together: issues and pull requests have one counter. Where
// the same ids stand twice the first place is taken: the simplest key.
func union(g *countGroup, all []*idEvidence) *idEvidence {
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *idEvidence) int {
		return len(a.places[0].rows[0].parts) - len(b.places[0].rows[0].parts)
	})
	u := all[0]
	for _, e := range all[1:] {
		if slices.ContainsFunc(u.places,
			func(p *idPlace) bool { return p.kind == e.places[0].kind || p.overlaps(e.places[0]) }) {
			continue
		}
		u.places, u.scopes = append(u.places, e.places...), append(u.scopes, e.scopes...)
		for n, h := range e.highest {
			if h != nil && (u.highest[n] == nil || h.Cmp(u.highest[n]) > 0) {
				u.highest[n] = h
			}
		}
	}
	u.weigh(g)
	return u
}

// overlaps reports whether two places have an id in common under one partition key, or
// both have it there.
func (p *idPlace) overlaps(q *idPlace) bool {
	seen := map[string]bool{}
	ids := func(p *idPlace, met func(string)) {
		for _, r := range p.rows {
			if id, ok := p.id(r); ok {
				met(id.String() + " " + r.key.Hash.Value.Text)
			}
		}
	}
	ids(p, func(id string) { seen[id] = true })
	both := false
	ids(q, func(id string) { both = both || seen[id] })
	return both
}

// subject is what a group counts, as far as its names say.
func (g *countGroup) subject() []string {
	about := subjectOf(nameWords(g.attribute))
	if g.entities {
		return about
	}
	r := g.rows[0]
	for n, p := range r.parts {
		scope := n+1 < len(r.parts) && r.parts[n+1].inSort == p.inSort && !r.parts[n+1].word // whose it is: TENANT#acme
		if allSame(g.textsAt(n)) && !looksRandom(p.text) && (!scope || saysCounter(nameWords(p.text))) {
			about = append(about, subjectOf(nameWords(p.text))...)
		}
	}
	return slices.DeleteFunc(about, func(w string) bool { return generic[w] })
}

// generic are words of keys that say nothing of what is counted.
var generic = wordSet(
	"meta metadata config info data state system main global app default latest internal user_metadata stat stats metric root item record atomic",
)
