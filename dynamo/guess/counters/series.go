package counters

import (
	"math/big"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
)

// idPlace is a place at which items of one kind have numbers that may be ids: a part of their keys, or an
// attribute.
type idPlace struct {
	table     string // empty for the counter's own table
	kind      string
	entity    string // the name of the items, such as ORDER of ORDER#17, or the name of their table
	rows      []*countRow
	part      int    // the index of the key part; -1 if an attribute has the number
	attribute string // the attribute with the number
	name      string // the name of the key or attribute that is the id
	before    string // the text before the number
	about     []string
}

// longestID is the largest number of digits of an id from a counter. A longer number is a time or a
// random number.
const longestID = 18

func (p *idPlace) text(r *countRow) string {
	if p.part >= 0 {
		return r.parts[p.part].text
	}
	if v := r.item.At(p.attribute); v.Kind == attr.S || v.Kind == attr.N {
		return v.Text
	}
	return ""
}

// id returns the number of a row at the place; false if there is none, or if it is too long for an id.
func (p *idPlace) id(r *countRow) (*big.Int, bool) {
	digits, ok := strings.CutPrefix(p.text(r), p.before)
	if !ok || !onlyDigits(digits) || len(digits) > longestID {
		return nil, false
	}
	return new(big.Int).SetString(digits, 10)
}

// idPlaces lists the places in one table that may hold ids.
func (s *countSheet) idPlaces() []*idPlace {
	out := []*idPlace{}
	for _, kind := range sortedKinds(s.kinds) {
		rows := slices.DeleteFunc(slices.Clone(s.kinds[kind]), func(r *countRow) bool { return r.counter })
		if len(rows) == 0 {
			continue
		}
		for n, p := range rows[0].parts {
			if !p.word {
				place := &idPlace{kind: kind, rows: rows, part: n, about: rows[0].aboutPart(n), entity: rows[0].entityAt(n)}
				if len(rows[0].parts) == 1 || s.t.Schema.RangeName != "" && len(rows[0].parts) == 2 {
					place.name = p.keyName(s.t.Schema)
				}
				out = append(out, place)
			}
		}
		for _, name := range rows[0].item.Names() {
			words := nameWords(name)
			of := namingOf(name, s.names.known)
			named := of == idName || of == telling ||
				of == neutralName && (!anyOf(words, counts) || slices.Contains(words, "number"))
			if s.t.Schema.IsKey(name) || !named && (of != unnamed || !isSerial(rows, name)) {
				continue
			}
			about, own := subjectOf(words), subjectOf(rows[0].about)
			if named && len(about) > 0 && len(own) > 0 && !shared(about, own) {
				continue // this number is the id of other items
			}
			out = append(
				out,
				&idPlace{
					kind:      kind,
					rows:      rows,
					part:      -1,
					attribute: name,
					name:      name,
					about:     append(about, own...),
					entity:    rows[0].entityAt(0),
				},
			)
		}
	}
	return slices.DeleteFunc(out, func(p *idPlace) bool { return !p.holds() })
}

// isSerial reports whether an attribute's texts are serial numbers of the items, for any name of the attribute. The
// texts must have the same beginning and then a number. The numbers must have equally many digits with leading zeros,
// and few gaps.
func isSerial(rows []*countRow, name string) bool {
	p := &idPlace{rows: rows, part: -1, attribute: name}
	if len(rows) < 5 || rows[0].item[name].Kind != attr.S || !p.holds() || p.padding() == "" {
		return false
	}
	var all series
	for _, r := range rows {
		id, ok := p.id(r)
		if !ok {
			return false
		}
		all.add(id)
	}
	return all.isRun()
}

// series summarises some items: their number, the number of items with an id, the lowest id and the highest id. low
// and high are nil if no item has an id.
type series struct {
	items, ids int64
	low, high  *big.Int
}

func (s *series) add(id *big.Int) {
	s.ids++
	if s.low == nil || id.Cmp(s.low) < 0 {
		s.low = id
	}
	if s.high == nil || id.Cmp(s.high) > 0 {
		s.high = id
	}
}

func (s *series) span() *big.Int { return new(big.Int).Sub(s.high, s.low) }

// isRun reports whether the ids form a series: the lowest id is 0 or 1, or there are at least three ids, and they are
// about a third or more of the numbers between the lowest and the highest.
func (s *series) isRun() bool {
	return !atLeast(s.low, 2) || s.ids >= 3 && !atLeast(s.span(), 3*s.ids+1)
}

func atLeast(n *big.Int, least int64) bool { return n.Cmp(big.NewInt(least)) >= 0 }

// entityAt returns the name of a row's item: the last word up to a part of the row's key. For the part 17
// of ORDER#17, it returns ORDER.
func (r *countRow) entityAt(part int) string {
	for n := part; n >= 0; n-- {
		if r.parts[n].word && r.parts[n].inSort == r.parts[part].inSort {
			return r.parts[n].text
		}
	}
	return ""
}

// aboutPart returns the words for the thing that a number in the row's key identifies. They come
// from the word before the number, or from the whole key.
func (r *countRow) aboutPart(part int) []string {
	for n := part - 1; n >= 0 && r.parts[n].inSort == r.parts[part].inSort; n-- {
		if about := subjectOf(nameWords(r.parts[n].text)); r.parts[n].word && len(about) > 0 {
			return about
		}
	}
	return subjectOf(r.about)
}

// holds reports whether the numbers at the place may be ids. Nearly all items must have a number, and
// hardly any number may occur twice in one partition. holds also finds the text before the numbers.
func (p *idPlace) holds() bool {
	var texts []string
	for _, r := range p.rows {
		if text := p.text(r); text != "" {
			texts = append(texts, text)
		}
	}
	if 10*len(texts) < 9*len(p.rows) {
		return false
	}
	before, _ := guess.CommonEnds(texts)
	p.before = strings.TrimRight(before, "0123456789")
	p.about = append(p.about, subjectOf(nameWords(p.before))...)
	different := map[string]bool{}
	for _, r := range p.rows {
		if id, ok := p.id(r); ok {
			different[r.key.Hash.Value.Text+" "+id.String()] = true
		}
	}
	return 10*len(different) >= 9*len(p.rows)
}

// padding returns the highest number with as many digits as the ids. It returns an empty string unless the
// ids have equally many digits and leading zeros.
func (p *idPlace) padding() string {
	width, zero := 0, false
	for _, r := range p.rows {
		if _, ok := p.id(r); !ok {
			continue
		}
		digits := strings.TrimPrefix(p.text(r), p.before)
		if width == 0 {
			width = len(digits)
		}
		if zero = zero || digits[0] == '0' && len(digits) > 1; len(digits) != width {
			return ""
		}
	}
	if !zero {
		return ""
	}
	return strings.Repeat("9", width)
}

// scopeOf finds the parts of the items' keys (rows) that name the counter of an item. For each variable it returns
// the index of the key part that has the variable's texts in most rows, and at least in half of them. The
// parameter but is the index of the part with the ids: scopeOf skips this part. It returns nil if a variable has
// no such part.
func scopeOf(g *countGroup, vars []keyVariable, rows []*countRow, but int) map[string]int {
	at := map[string]int{}
	for _, v := range vars {
		if _, ok := at[v.name]; ok {
			continue
		}
		values := map[string]bool{}
		for _, r := range g.rows {
			values[v.of(r)] = true
		}
		best, most := -1, 0
		for n, part := range rows[0].parts {
			hits := 0
			for _, r := range rows {
				if values[r.parts[n].text] {
					hits++
				}
			}
			if n != but && !part.word && 2*hits >= len(rows) && hits > most {
				best, most = n, hits
			}
		}
		if best < 0 {
			return nil
		}
		at[v.name] = best
	}
	return at
}

// ownerOf returns the texts of the variables in a counter's key, such as a tenant, a parent or a year.
// childOf returns the same texts from an item's key.
func ownerOf(counter *countRow, vars []keyVariable) string {
	var b strings.Builder
	for n := range vars {
		b.WriteString(vars[n].of(counter) + "\x00")
	}
	return b.String()
}

func childOf(r *countRow, vars []keyVariable, at map[string]int) string {
	var b strings.Builder
	for n := range vars {
		b.WriteString(r.parts[at[vars[n].name]].text + "\x00")
	}
	return b.String()
}
