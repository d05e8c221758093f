package counters

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// Pair is a counter, and an item with a number that the counter has handed out. A person has pointed at both.
type Pair struct {
	Counter, ID attr.Item
	IDTable     string // the name of the table of the item with the number
}

// Explanation is a counter that explains a pair: it can have handed out the number in the item.
type Explanation struct {
	Counter config.Counter // Counter has one place of ids. Its Semantics are the ones that the sample suggests.
	// Named is set if the name of the attribute shows the meaning of the number.
	Named bool
	// Counters counts the sampled counters of this kind whose ids were seen. Of these, Last counters hold their highest
	// id, Next counters hold one more, and Behind counters hold less.
	Counters, Last, Next, Behind int
	// Number is the counter's number, and ID the number in the item.
	Number, ID string

	inKey bool
	gap   *big.Int // Number minus ID
	scope int
}

// Undecided reports whether the sample hardly distinguishes the likelier explanation x from y.
func (x Explanation) Undecided(y Explanation) bool {
	return x.exact() == y.exact() && (x.Behind == 0) == (y.Behind == 0)
}

// exact counts the counters that hold their highest id or the next number.
func (x Explanation) exact() int {
	if x.Behind > 0 {
		return 0
	}
	return x.Last + x.Next
}

// Explain lists the counters that explain a pair, the likeliest first. Unlike Of, it needs no words that name a
// counter. The samples must have the items of the pair. If the ids are in another table, others has the sample of that
// table. Equal samples give equal answers.
func Explain(t guess.Sample, others []guess.Sample, p Pair) (all []Explanation) {
	if t.Schema.HashKind == attr.B || t.Schema.RangeKind == attr.B {
		return nil
	}
	s := &idSearch{own: newCountSheet(t, nil)}
	for _, other := range others {
		s.others = append(s.others, newCountSheet(other, nil))
	}
	counter, of := s.own.rowOf(p.Counter), s.sheetOf(p.IDTable)
	if counter == nil || of == nil {
		return nil
	}
	id := of.rowOf(p.ID)
	if id == nil || id == counter {
		return nil
	}
	counter.counter = true
	for _, place := range of.placesOf(id, p.IDTable, s.own) {
		for _, name := range counter.item.Names() {
			number, ok := wholeNumber(counter.item[name])
			if ok && counter.item[name].Kind == attr.N && !t.Schema.IsKey(name) {
				for _, vars := range sharedParts(s.own, counter, place, id) {
					if x, ok := s.explanation(counter, id, name, number, place, vars); ok {
						all = append(all, x)
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, likelier)
	return all
}

func likelier(a, b Explanation) int {
	yes := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(b.exact(), a.exact()),
		cmp.Compare(yes(b.Behind == 0), yes(a.Behind == 0)),
		cmp.Compare(yes(b.Named), yes(a.Named)),
		cmp.Compare(yes(b.inKey), yes(a.inKey)),
		cmp.Compare(a.scope, b.scope),
		a.gap.Cmp(b.gap),
		strings.Compare(a.Counter.Attribute, b.Counter.Attribute),
	)
}

// rowOf returns the row of an item; nil if the sheet has none.
func (s *countSheet) rowOf(item attr.Item) *countRow {
	k, ok := s.t.Schema.KeyOf(item)
	n := slices.IndexFunc(s.rows, func(r *countRow) bool { return r.key.Equal(k) })
	if !ok || n < 0 {
		return nil
	}
	return s.rows[n]
}

func (s *idSearch) sheetOf(table string) *countSheet {
	for _, one := range append([]*countSheet{s.own}, s.others...) {
		if one.t.Name == table {
			return one
		}
	}
	return nil
}

// wholeNumber reads a whole number that is not negative.
func wholeNumber(v attr.Value) (*big.Int, bool) {
	if v.Kind != attr.N && v.Kind != attr.S {
		return nil, false
	}
	n, ok := attr.Integer(v.Text)
	return n, ok && n.Sign() >= 0
}

// placesOf lists the places at which an item has a number: parts of its key, or attributes.
func (s *countSheet) placesOf(id *countRow, table string, own *countSheet) (all []*idPlace) {
	rows := slices.DeleteFunc(slices.Clone(s.kinds[id.kind]), func(r *countRow) bool { return r.counter })
	add := func(p *idPlace) {
		if s != own {
			p.table = table
		}
		p.kind, p.rows = id.kind, rows
		if !p.holds() {
			return
		}
		if _, ok := p.id(id); ok {
			all = append(all, p)
		}
	}
	for n := range id.parts {
		add(&idPlace{part: n})
	}
	for _, name := range id.item.Names() {
		if !s.t.Schema.IsKey(name) {
			add(&idPlace{part: -1, attribute: name, name: name})
		}
	}
	return all
}

// sharedParts lists two sets of variables that a counter's key may have. One set has each part that also occurs in the
// key of the item with the number. The other set is empty. If another counter has another text at one of these parts,
// the set with the parts is the likelier one, and comes first. Otherwise the empty set comes first.
func sharedParts(s *countSheet, c *countRow, p *idPlace, id *countRow) (sets [][][2]int) {
	var both [][2]int
	varies := false
	for n, own := range c.parts {
		for m, part := range id.parts {
			if m == p.part || own.text != part.text || own.text == "" || own.word && part.word && capitals(own.text) {
				continue
			}
			both = append(both, [2]int{n, m})
			varies = varies || slices.ContainsFunc(s.rows, func(r *countRow) bool {
				return len(r.parts) == len(c.parts) && r.kind == c.kind && r.parts[n].text != own.text
			})
			break
		}
	}
	switch {
	case len(both) == 0:
		return [][][2]int{nil}
	case varies:
		return [][][2]int{both, nil}
	}
	return [][][2]int{nil, both}
}

// explanation makes the counter of an attribute, with ids at a place, and counts its evidence. shared has the
// parts of both keys that are variables. It reports false if the counter cannot have handed out the number.
func (s *idSearch) explanation(
	c, id *countRow, attribute string, number *big.Int, p *idPlace, shared [][2]int,
) (x Explanation, ok bool) {
	handed, _ := p.id(id)
	if handed.Cmp(number) > 0 {
		return x, false
	}
	g := &countGroup{attribute: attribute, rows: []*countRow{c}, semantics: layout.Last, most: p.padding()}
	var vars []keyVariable
	at, taken := map[string]int{}, map[string]bool{}
	for _, both := range shared {
		v := keyVariable{part: both[0], name: s.own.variableName(g, both[0], taken)}
		vars, taken[v.name], at[v.name] = append(vars, v), true, both[1]
	}
	g.ids = []config.IDs{s.config(p, at)}
	cc := config.Counter{Attribute: attribute, Semantics: string(layout.Last), Max: g.most, IDs: g.ids}
	cc.PK, cc.SK = templatesOf(c.parts, vars)
	cc = g.settings(cc)
	l, err := config.Layout{Name: "inferred", Counters: []config.Counter{cc}}.Build()
	if err != nil || len(l.Counters[0].IDs) == 0 {
		return x, false
	}
	x = Explanation{
		Counter: cc, Number: number.String(), ID: handed.String(), inKey: p.part >= 0, scope: len(shared),
		gap: new(big.Int).Sub(number, handed),
	}
	x.count(s, l.Counters[0], p)
	switch words := nameWords(attribute); {
	case slices.Contains(words, "next"), slices.Contains(words, "nextid"):
		x.Counter.Semantics, x.Named = string(layout.Next), true
	case slices.Contains(words, "last"), slices.Contains(words, "lastid"), slices.Contains(words, "highest"),
		slices.Contains(words, "latest"):
		x.Named = true
	case x.Next > x.Last && x.Behind == 0:
		x.Counter.Semantics = string(layout.Next)
	}
	return x, x.fits(s, l.Counters[0], c, id, p)
}

// fits reports whether the counter matches the pair: it matches the counter's item, and the variables in the key of the
// item with the number give the key of the counter. The counter must not match the item with the number.
func (x Explanation) fits(s *idSearch, l *layout.Counter, c, id *countRow, p *idPlace) bool {
	_, vars, ok := l.IDs[0].Of(s.sheetOf(cmp.Or(p.table, s.own.t.Name)).t.Schema, id.item)
	if !ok || !l.Matches(s.own.t.Schema, c.item) {
		return false
	}
	k, err := l.KeyFor(s.own.t.Schema, vars)
	return err == nil && k.Equal(c.key) && !l.Matches(s.own.t.Schema, id.item)
}

// count compares the sampled counters with their highest ids.
func (x *Explanation) count(s *idSearch, l *layout.Counter, p *idPlace) {
	of := s.sheetOf(cmp.Or(p.table, s.own.t.Name))
	highest := map[string]*big.Int{}
	for _, r := range of.rows {
		text, vars, ok := l.IDs[0].Of(of.t.Schema, r.item)
		if !ok {
			continue
		}
		n, _ := new(big.Int).SetString(text, 10)
		if k, err := l.KeyFor(s.own.t.Schema, vars); err == nil && (highest[k.ID()] == nil || n.Cmp(highest[k.ID()]) > 0) {
			highest[k.ID()] = n
		}
	}
	for _, r := range s.own.rows {
		high := highest[r.key.ID()]
		number, ok := wholeNumber(r.item.At(l.Attribute))
		if high == nil || !ok || !l.Matches(s.own.t.Schema, r.item) {
			continue
		}
		x.Counters++
		switch new(big.Int).Sub(number, high).String() {
		case "0":
			x.Last++
		case "1":
			x.Next++
		default:
			if number.Cmp(high) < 0 {
				x.Behind++
			}
		}
	}
}
