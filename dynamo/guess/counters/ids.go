package counters

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// idSearch finds the ids that a table's counters have handed out, in the table's own items and in
// those of other tables.
type idSearch struct {
	own    *countSheet
	others []*countSheet
	// found caches the result of places.
	found []*idPlace
	// barred are places that too many counters would share.
	barred map[string]bool
}

// mostSharing is the largest number of counters that may share the same ids. If there are two, one may be a mistake.
const mostSharing = 2

// bar excludes the places of ids that more than mostSharing counters share, and reports whether it excluded
// any. If hundreds of counters seem to share ids, the ids belong to none of them.
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

func (p *idPlace) place() string {
	return fmt.Sprint(p.table, "\x00", p.kind, "\x00", p.part, "\x00", p.attribute)
}

// places lists the places at which items other than counters have numbers that may be ids.
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

// config describes a place of ids for a config. The parameter at has, for each variable of the counters'
// keys, the part of the items' keys with the same text.
func (s *idSearch) config(p *idPlace, at map[string]int) config.IDs {
	var owners []keyVariable // the variables that show to which counter an id belongs
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
	c := config.IDs{Table: p.table}
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
	for _, name := range p.rows[0].item.Names() { // the type attribute is a part of the kind
		if v := p.rows[0].item[name]; strings.HasSuffix(p.kind, " "+name+"="+v.Text) {
			c.Is = &config.Discriminator{Attribute: name, Value: v.Text}
		}
	}
	s.indexed(&c, p, owners)
	return c
}

// fewIndexed is the minimum number of items that can show how an index partitions them.
const fewIndexed = 3

// indexed finds an index that sorts the ids and has one partition for each counter. The partition key is
// the same in all items, or contains the counter's variable. indexed adds the index to the config.
func (s *idSearch) indexed(c *config.IDs, p *idPlace, owners []keyVariable) {
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

// partitionOf returns the template of the index's partition key for the ids of one counter; empty if there is none.
func partitionOf(x attr.Schema, p *idPlace, owners []keyVariable) string {
	var texts []string
	for _, r := range p.rows {
		v := r.item[x.HashName]
		if v.Kind != x.HashKind || v.Kind == attr.B || r.item[x.RangeName].Kind != x.RangeKind {
			return "" // the item is not in the index
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

// idEvidence is the evidence that ids give about a group of counters.
type idEvidence struct {
	places  []*idPlace
	scopes  []map[string]int
	highest []*big.Int // the highest id of each counter; nil if no id was seen
	// met counts the counters whose ids were seen. Of these, last counters hold their highest id, next counters hold one
	// more, and above counters hold less than their highest id.
	met, last, next, above int
	runs                   int      // the number of counters whose ids are a series of their own
	most                   *big.Int // the highest number of these counters
	different              int      // the number of different numbers of these counters
	named                  bool     // the items have the name of the counters
}

// exact reports whether at least 80% of the counters hold their highest id or the next number, and no counter is lower
// than its highest id.
func (e *idEvidence) exact() bool { return e.above == 0 && 10*(e.last+e.next) >= 8*e.met }

// telling reports whether the match with the ids is exact, and not a coincidence. The counters must hold different
// numbers, or a number of at least 3.
func (e *idEvidence) telling() bool {
	return e.exact() && (e.different > 1 || atLeast(e.most, 3))
}

// plausible reports whether the ids may belong to the counters. A counter may be lower than its ids, but not by far.
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

// weigh compares each counter with its highest id.
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

// evidenceAt compares a group of counters with the ids at one place. It returns nil if the ids do not
// belong to the group.
func (s *idSearch) evidenceAt(g *countGroup, vars []keyVariable, p *idPlace) *idEvidence {
	if p.table == "" && slices.ContainsFunc(g.rows, func(r *countRow) bool { return r.kind == p.kind }) && g.entities {
		return nil
	}
	p = s.own.within(g, vars, p)
	owned, at := s.own.owned(g, vars, p)
	if at == nil {
		return nil
	}
	e := &idEvidence{places: []*idPlace{p}, scopes: []map[string]int{at}, highest: make([]*big.Int, len(g.rows))}
	for n, c := range g.rows {
		if of := owned[ownerOf(c, vars)]; of != nil && of.high != nil {
			if e.highest[n] = of.high; of.isRun() {
				e.runs++
			}
		}
	}
	if e.weigh(g); g.entities && 2*e.runs < e.met {
		return nil // all counters share one series of ids, and each holds only its own last id
	}
	return e
}

// owned summarises the items at a place, by the counter to which they belong (see ownerOf). It also returns the scope:
// the parts of the items' keys that identify the counter. Both results are nil if there are no such parts.
func (s *countSheet) owned(g *countGroup, vars []keyVariable, p *idPlace) (map[string]*series, map[string]int) {
	scope := scopeOf(g, vars, p.rows, p.part)
	if scope == nil {
		return nil, nil
	}
	all, own := map[string]*series{}, map[*countRow]bool{}
	for _, c := range g.rows {
		own[c] = true
	}
	for _, r := range p.rows {
		if own[r] {
			continue
		}
		of := childOf(r, vars, scope)
		if all[of] == nil {
			all[of] = &series{}
		}
		all[of].items++
		if id, ok := p.id(r); ok {
			all[of].add(id)
		}
	}
	return all, scope
}

// seriesOf finds the ids that a group of counters has handed out; nil if the sample has none.
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
		ten := e.different > 1 || atLeast(e.most, 10)
		switch {
		case e.named && e.plausible(g):
			named = append(named, e)
		case e.named, g.oneOfMany: // with hundreds of counters, one of them matches any number by chance
		case e.exact() && (len(about) == 0 || ten && len(p.about) == 0):
			exact = append(exact, e)
		}
	}
	if len(named) == 0 && len(exact) > 0 {
		for _, e := range exact {
			if e.places[0].kind != exact[0].places[0].kind {
				return nil // two kinds of items match, and no evidence decides between them
			}
		}
		return exact[0]
	}
	return union(g, named)
}

// numbers reports whether a group's only counter may number the items of another table. The counter must
// have the name of that table or of the items' id attribute.
func (g *countGroup) numbers(p *idPlace) bool {
	same := !g.oneOfMany && p.name == g.attribute && namingOf(g.attribute, nil) != neutralName
	return len(g.rows) == 1 && !g.entities && (same || g.rows[0].called(p))
}

// union merges the evidence of several places, since several kinds of items may share one counter, such as
// issues and pull requests. It takes one place of each kind, and begins with the kinds whose keys are
// simplest.
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
			func(p *idPlace) bool { return p.kind == e.places[0].kind }) {
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

// subject returns the words for the things that a group counts or numbers. The words come from the group's attribute
// and keys.
func (g *countGroup) subject() []string {
	about := subjectOf(nameWords(g.attribute))
	if g.entities {
		return about
	}
	r := g.rows[0]
	for n, p := range r.parts {
		scope := n+1 < len(r.parts) && r.parts[n+1].inSort == p.inSort && !r.parts[n+1].word // TENANT of TENANT#acme
		if allSame(g.textsAt(n)) && !layout.Unreadable(p.text) && (!scope || saysCounter(nameWords(p.text))) {
			about = append(about, subjectOf(nameWords(p.text))...)
		}
	}
	return slices.DeleteFunc(about, func(w string) bool { return generic[w] })
}

// generic are words of keys that do not name the counted things.
var generic = wordSet(
	"meta metadata config info data state system main global app default latest internal user_metadata stat stats metric root item record atomic",
)
