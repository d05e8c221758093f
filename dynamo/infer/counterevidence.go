package infer

import (
	"fmt"
	"math/big"
	"slices"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// idEvidence is what ids say of a group of counters.
type idEvidence struct {
	places  []*idPlace
	scopes  []map[string]int
	highest []*big.Int // of each counter's ids; nil where none was seen
	// met are the counters whose ids were seen. Of these, last hold the highest, next the
	// one after it, and above hold less than it.
	met, last, next, above int
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
func (s *countSheet) evidenceAt(g *countGroup, vars []keyVariable, p *idPlace) *idEvidence {
	if slices.ContainsFunc(g.rows, func(r *countRow) bool { return r.kind == p.kind }) && g.entities {
		return nil
	}
	p = s.within(g, vars, p)
	at := p.scope(g, vars)
	if at == nil {
		return nil
	}
	e := &idEvidence{places: []*idPlace{p}, scopes: []map[string]int{at}, highest: make([]*big.Int, len(g.rows))}
	highest, own := map[string]*big.Int{}, map[*countRow]bool{}
	for _, c := range g.rows {
		own[c] = true
	}
	for _, r := range p.rows {
		of := childOf(r, vars, at)
		if id, ok := p.id(r); ok && !own[r] && (highest[of] == nil || id.Cmp(highest[of]) > 0) {
			highest[of] = id
		}
	}
	for n, c := range g.rows {
		e.highest[n] = highest[ownerOf(c, vars)]
	}
	e.weigh(g)
	return e
}

// within is the place under a counter's own partition key, where there is one.
func (s *countSheet) within(g *countGroup, vars []keyVariable, p *idPlace) *idPlace {
	if len(vars) > 0 || s.t.Schema.RangeName == "" || g.entities {
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

// seriesOf finds the ids that a group of counters has minted; nil where none are seen.
func (s *countSheet) seriesOf(g *countGroup, vars []keyVariable) *idEvidence {
	about := g.subject()
	var named, exact []*idEvidence
	for _, p := range s.places() {
		e := s.evidenceAt(g, vars, p)
		if e == nil || e.met == 0 {
			continue
		}
		e.named = shared(about, p.about) || p.attribute == g.attribute
		ten := e.different > 1 || e.most.Cmp(big.NewInt(10)) >= 0
		switch {
		case e.named && e.plausible(g):
			named = append(named, e)
		case e.named:
		case e.exact() && (len(about) == 0 || ten):
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

// union takes several places together: issues and pull requests have one counter. Of one
// kind of items the first is taken, which is in their keys.
func union(g *countGroup, all []*idEvidence) *idEvidence {
	if len(all) == 0 {
		return nil
	}
	u := all[0]
	for _, e := range all[1:] {
		if slices.ContainsFunc(u.places, func(p *idPlace) bool { return p.kind == e.places[0].kind }) {
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

// subject is what a group counts, as far as its names say.
func (g *countGroup) subject() []string {
	about := subjectOf(nameWords(g.attribute))
	if g.entities {
		return about
	}
	r := g.rows[0]
	for n, p := range r.parts {
		if allSame(g.textsAt(n)) && !looksRandom(p.text) {
			about = append(about, subjectOf(nameWords(p.text))...)
		}
	}
	return slices.DeleteFunc(about, func(w string) bool { return generic[w] })
}

// generic are words of keys that say nothing of what is counted.
var generic = wordSet("meta metadata config info data state system main global app default latest internal user_metadata stat stats metric root item record atomic")

// judge finds what a group's number means, and why.
func (s *countSheet) judge(g *countGroup, vars []keyVariable) {
	words := nameWords(g.attribute)
	e := s.seriesOf(g, vars)
	if e != nil && e.met > 0 {
		for n, p := range e.places {
			g.ids = append(g.ids, s.idsConfig(p, e.scopes[n]))
		}
	}
	said := append(slices.Clone(words), g.keyWords()...)
	child, counted := s.counted(g, vars)
	switch {
	case slices.Contains(said, "next"), slices.Contains(said, "nextid"):
		g.semantics, g.because, g.sure = layout.Next, "it is called next", true
	case slices.Contains(words, "last"), slices.Contains(words, "lastid"), slices.Contains(words, "highest"), slices.Contains(words, "latest"):
		g.semantics, g.because, g.sure = layout.Last, "it is called "+words[0], true
	case e != nil && e.last > 0 && e.last >= e.next:
		g.semantics, g.because = layout.Last, g.example(e, 0)
	case e != nil && e.next > 0 && s.t.Whole:
		g.semantics, g.because = layout.Next, g.example(e, 1)
	case counted:
		g.semantics, g.because, g.ids = layout.Tally, "there are as many items "+phrase.Quote(child), nil
	case anyOf(words, events), slices.ContainsFunc(vars, func(v keyVariable) bool { return v.name == shardName }):
		g.semantics, g.because, g.ids = layout.Tally, "what it counts has no ids", nil
	case e != nil && e.met > 0:
		g.semantics, g.because = layout.Last, "ids stand beside it, and it is neither the highest nor one more"
	case anyOf(words, tallying) && s.withoutIDs():
		g.semantics, g.because = layout.Tally, "no items with numbers for ids were seen"
	default:
		g.semantics, g.because = layout.Last, "nothing says otherwise"
	}
}

// tallying are words of what counts items.
var tallying = wordSet("count counts cnt total totals tally tallies")

// withoutIDs reports whether the table has items enough to tell that none has a number
// for its id.
func (s *countSheet) withoutIDs() bool {
	others := 0
	for _, r := range s.rows {
		if !r.counter {
			others++
		}
	}
	return others >= 10 && len(s.places()) == 0
}

// keyWords are the words of the parts of a group's keys that name a counter.
func (g *countGroup) keyWords() []string {
	var out []string
	for _, p := range g.rows[0].parts {
		if p.word && saysCounter(nameWords(p.text)) {
			out = append(out, nameWords(p.text)...)
		}
	}
	return out
}

// example says of one counter how it stands to its ids: more is 0 for the last, 1 for the
// next.
func (g *countGroup) example(e *idEvidence, more int64) string {
	for n, h := range e.highest {
		v := g.rows[n].number(g.attribute)
		if h == nil || v == nil || new(big.Int).Sub(v, h).Cmp(big.NewInt(more)) != 0 {
			continue
		}
		if more == 0 {
			return fmt.Sprintf("%s is the highest id seen", phrase.Group(v.String()))
		}
		return fmt.Sprintf("%s is the highest id seen and one more", phrase.Group(v.String()))
	}
	return ""
}
