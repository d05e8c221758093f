package counters

import (
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// If an item has more than mostOthers attributes that a counter seldom has, it is not a counter but another item with a
// number. mostOwnCounters is the largest number of items in a table of counters.
const (
	mostOthers      = 1 // limit for an item with a counter word in its key or attributes
	mostOwnCounters = 500
)

// countGroup is one counter, or a family of counters whose items are alike.
type countGroup struct {
	attribute string
	rows      []*countRow
	why       string // the evidence that it is a counter
	oneOfMany bool   // similar counters exist, but this one is judged alone
	entities  bool   // the items also hold other data, such as an account that counts its orders
	semantics layout.Semantics
	because   string // the reason for the semantics
	sure      bool
	ids       []config.IDs
	places    []string // the places of these ids
	most      string   // the highest number with as many digits as the ids
}

// byKnownName finds counters by attribute names that only counters have. At least half of the items with
// such an attribute must hold a number there.
func (s *countSheet) byKnownName() []*countGroup {
	var groups []*countGroup
	for _, name := range slices.Sorted(maps.Keys(s.names.known)) {
		g := &countGroup{attribute: name, why: "the name " + name + " suggests a counter", entities: true}
		numbers := 0
		for _, r := range s.rows {
			if !r.item.At(name).Exists() {
				continue
			}
			if g.rows = append(g.rows, r); r.number(name) != nil {
				numbers++
			}
		}
		if len(g.rows) == 0 || 2*numbers < len(g.rows) {
			continue
		}
		for _, r := range g.rows {
			r.take(name)
		}
		groups = append(groups, g)
	}
	return groups
}

// grouped groups the rows of each kind by the attributes that pick returns for a row.
func (s *countSheet) grouped(pick func(*countRow) (attributes []string, why string)) (groups []*countGroup) {
	for _, kind := range sortedKinds(s.kinds) {
		picked := map[string]*countGroup{}
		for _, r := range s.kinds[kind] {
			attributes, why := pick(r)
			for _, name := range attributes {
				if picked[name] == nil {
					picked[name] = &countGroup{attribute: name, why: why}
					groups = append(groups, picked[name])
				}
				picked[name].rows = append(picked[name].rows, r)
			}
		}
	}
	return groups
}

// byWord finds counters by a word in their key or in an attribute's name.
func (s *countSheet) byWord() []*countGroup {
	groups := s.grouped(func(r *countRow) ([]string, string) { return s.names.pick(r, len(s.kinds[r.kind])) })
	groups = slices.DeleteFunc(groups, (*countGroup).isSeries)
	for _, g := range groups {
		for _, r := range g.rows {
			r.take(g.attribute)
		}
	}
	return groups
}

// names holds the words of a table's name and of its key names. They help to judge the words of the
// table's items.
type names struct {
	table, keys []string        // the words of these names
	known       map[string]bool // attributes that only counters have
	attributes  map[string]attributeName
}

// attributeName is the meaning of an attribute's name. It is cached, since most items of a table
// have the attribute.
type attributeName struct {
	words  []string
	naming naming
}

func namesOf(t guess.Sample, known map[string]bool) names {
	keys := append(nameWords(t.Schema.HashName), nameWords(t.Schema.RangeName)...)
	return names{nameWords(t.Name), keys, known, map[string]attributeName{}}
}

// of returns the words and the meaning of an attribute's name, and caches them.
func (n *names) of(attribute string) attributeName {
	a, met := n.attributes[attribute]
	if !met {
		a = attributeName{nameWords(attribute), namingOf(attribute, n.known)}
		n.attributes[attribute] = a
	}
	return a
}

// pick lists the attributes of a row that are counters according to words of the key or of their names. The
// result why is the evidence. The parameter many is the number of items of the row's kind.
func (n *names) pick(r *countRow, many int) (names []string, why string) {
	if r.barred || r.others > mostOthers {
		return nil, ""
	}
	by := map[naming][]string{}
	for _, name := range sortedNumbers(r) {
		if slices.Contains(r.taken, name) {
			continue
		}
		of := namingOf(name, n.known)
		by[of] = append(by[of], name)
	}
	word := r.counterWord()
	events := slices.Concat(by[neutralName], by[countingEvent])
	switch {
	case word == "" && r.ofShard() && len(events) == 1:
		return events, "its key names a shard"
	case word == "" && (len(by[telling]) == 0 || n.readsOn(r) || !n.mayName(r, by[telling], many)):
		return nil, ""
	case word == "":
		return by[telling], "the name " + by[telling][0] + " suggests a counter"
	}
	names = by[telling]
	if len(names) == 0 {
		names = by[neutralName]
	}
	if len(names) == 0 && !slices.ContainsFunc(r.parts, func(p keyPart) bool { return beginsCounter(p.text) }) {
		names = slices.Concat(by[idName], by[unnamed], by[countingEvent])
	}
	return names, word
}

// readsOn reports whether words of a row's key or table show a read position, or something that ends. In
// such a row, a number with the name last is no counter.
func (n *names) readsOn(r *countRow) bool {
	return anyOf(slices.Concat(n.table, n.keys), barringKeys) ||
		slices.ContainsFunc(r.parts, func(p keyPart) bool { return anyOf(nameWords(p.text), barringKeys) })
}

// mayName reports whether the names of a row's attributes may show a counter, although no word of its key does. If many
// items have such a number, such as a dose or a step, the names show no counter.
func (n *names) mayName(r *countRow, attributes []string, many int) bool {
	for _, name := range attributes {
		words := nameWords(name)
		about := subjectOf(words)
		mints := anyOf(about, minted) && words[0] != "last" && !shared(about, subjectOf(r.about))
		if !mints && (r.others > 0 && many > 1 || many > 2 && !edges[words[0]]) {
			return false
		}
	}
	return true
}

// minted words name things whose numbers only the application assigns. Such a number never comes from
// outside.
var minted = wordSet("invoice ticket issue receipt quote document bill voucher case contract shipment")

// ofShard reports whether the row's key names one shard of something: SHARD#3.
func (r *countRow) ofShard() bool {
	return slices.ContainsFunc(r.parts, func(p keyPart) bool {
		words := nameWords(p.text)
		return len(words) > 0 && words[len(words)-1] == shardName
	})
}

// beginsCounter reports whether a name begins with a counter word but names something else:
// counter-strike.
func beginsCounter(text string) bool {
	words := nameWords(text)
	return len(words) > 1 && saysCounter(words[:1])
}

// counterWord returns a phrase for the part of the row's key that names a counter; empty if there is no such part. A
// counter word before a number does not name a counter: SEQ#000017 is the position of an event in a stream. But a word
// that contains counter, or a word before a year, does.
func (r *countRow) counterWord() string {
	for n, p := range r.parts {
		if !saysCounter(nameWords(p.text)) {
			continue
		}
		if n+1 < len(r.parts) && onlyDigits(r.parts[n+1].text) && !isYear(r.parts[n+1].text) &&
			!strings.Contains(strings.ToLower(p.text), "counter") {
			return ""
		}
		return "its key says " + p.text
	}
	return ""
}

func isYear(text string) bool {
	return len(text) == 4 && onlyDigits(text) && (strings.HasPrefix(text, "19") || strings.HasPrefix(text, "20"))
}

// isSeries reports whether the group's numbers are ids of their own items, and therefore not counters. There must be at
// least four numbers, all different, with few gaps between them. Counters seldom form such a series, since they rise
// independently of each other.
func (g *countGroup) isSeries() bool {
	if g.rows[0].counterWord() != "" || len(g.rows) < 4 || g.rows[0].ofShard() {
		return false
	}
	seen, all := map[string]bool{}, &series{}
	for _, r := range g.rows {
		n := r.number(g.attribute)
		seen[n.String()] = true
		all.add(n)
	}
	return len(seen) == len(g.rows) && !atLeast(all.span(), 2*all.ids+1)
}

// byShape finds the counters of a table that keeps only counters. Each item of such a table has one
// number, under the same name.
func (s *countSheet) byShape() *countGroup {
	var of []string
	for _, r := range s.rows {
		if r.barred || r.others > 0 {
			return nil
		}
		for name := range r.numbers {
			if !slices.Contains(of, name) {
				of = append(of, name)
			}
		}
	}
	if len(of) != 1 {
		return nil
	}
	g := &countGroup{attribute: of[0], why: "every item of the table has only a whole number"}
	for _, r := range s.rows {
		if r.number(of[0]) != nil {
			g.rows = append(g.rows, r)
		} else if !r.item.At(of[0]).Exists() {
			return nil
		}
	}
	if !s.countsByName(g) || g.isSeries() {
		return nil
	}
	g.rows = s.rows
	for _, r := range s.rows {
		r.take(g.attribute)
	}
	return g
}

// countsByName reports whether names show that the numbers of a table are counters.
func (s *countSheet) countsByName(g *countGroup) bool {
	of := namingOf(g.attribute, s.names.known)
	switch {
	case of == otherNumber, s.names.readsOn(s.rows[0]):
		return false
	case of == telling && (s.names.mayName(s.rows[0], []string{g.attribute}, len(s.kinds[s.rows[0].kind])) ||
		allSubjects(g.rows)):
		return true
	case saysCounter(s.names.table), saysCounter(s.names.keys), s.shards(g) && (of == neutralName || of == countingEvent):
		return true
	case of == idName:
		only := s.rows[0].key.Hash.Value.Text
		return len(s.rows) == 1 && (only == "0" || only == "-1") || allSubjects(g.rows)
	case of == neutralName:
		return allOf(s.names.keys, keyNouns) && allSubjects(g.rows)
	}
	return false
}

// keyNouns are key names that do not describe the items.
var keyNouns = wordSet(
	"id key pk sk name entity entities type kind model table partition hash range sort item object record resource collection of for",
)

// shards reports whether the keys of a group have a variable for shards.
func (s *countSheet) shards(g *countGroup) bool {
	return slices.ContainsFunc(s.variables(g), func(v keyVariable) bool { return v.name == shardName })
}

// subjects are common words for things that applications number.
var subjects = wordSet(`order invoice ticket issue user customer client account member post article comment product item
	payment receipt quote case task job booking reservation shipment delivery purchase document contract employee student
	patient message thread report request voucher coupon bill project org organization company vendor supplier event
	circular donation record file page asset device incident claim policy credit note statement subscription transaction`)

// allSubjects reports whether the partition key of each row begins or ends with one of subjects.
func allSubjects(rows []*countRow) bool {
	return !slices.ContainsFunc(rows, func(r *countRow) bool {
		words := nameWords(r.key.Hash.Value.Text)
		return r.key.Hash.Value.Kind != attr.S || len(words) == 0 ||
			!subjects[singular(words[len(words)-1])] && !subjects[singular(words[0])]
	})
}

// byValue finds a counter that is the only item of its table, and has the number as its key.
func (s *countSheet) byValue() *countGroup {
	schema := s.t.Schema
	if schema.HashKind != attr.N || schema.RangeName != "" || len(s.rows) == 0 || len(s.rows) > 2 {
		return nil // the table has one item, and two while the counter is replaced
	}
	words := nameWords(schema.HashName)
	if !saysCounter(words) && namingOf(schema.HashName, s.names.known) != telling && !saysCounter(s.names.table) {
		return nil
	}
	for _, r := range s.rows {
		if n, ok := attr.Integer(r.key.Hash.Value.Text); len(r.item) > 1 || !ok || n.Sign() < 0 {
			return nil
		}
	}
	return &countGroup{
		attribute: schema.HashName,
		rows:      s.rows,
		why:       "the key of the table's only item, " + schema.HashName + ", is the number itself",
	}
}
