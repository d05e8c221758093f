package counters

import (
	"slices"

	"tallylock/dynamo/attr"
)

// byShape finds the counters of a table that keeps nothing else: every item has one
// number, under one name.
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
	if len(of) != 1 || len(s.rows) > mostOwnCounters {
		return nil
	}
	g := &countGroup{attribute: of[0], why: "every item of the table is one whole number"}
	for _, r := range s.rows {
		if r.number(of[0]) != nil {
			g.rows = append(g.rows, r)
		} else if !r.item.At(of[0]).Exists() || namingOf(of[0], s.names.known) != telling {
			return nil
		}
	}
	if 2*len(g.rows) < len(s.rows) || !s.countsByName(g) || !s.shards(g) && g.isSeries() {
		return nil
	}
	g.rows = s.rows
	for _, r := range s.rows {
		r.take(g.attribute)
	}
	return g
}

// countsByName reports whether names make counters of a table of numbers.
func (s *countSheet) countsByName(g *countGroup) bool {
	table, key := s.names.table, s.names.keys
	of := namingOf(g.attribute, s.names.known)
	named := saysCounter(table) || saysCounter(key) || slices.Equal(key, []string{"table", "name"})
	switch {
	case of == otherNumber, s.names.readsOn(s.rows[0]):
		return false
	case of == telling && (s.names.mayName(s.rows[0], []string{g.attribute}, len(s.kinds[s.rows[0].kind])) ||
		allSubjects(g.rows)):
		return true
	case named, s.shards(g) && (of == neutralName || of == countingEvent):
		return true
	case of == idName:
		only := s.rows[0].key
		return len(s.rows) == 1 && (only.Hash.Value.Text == "0" || only.Hash.Value.Text == "-1") || allSubjects(g.rows)
	case of == neutralName:
		return !anyOf(key, barringKeys) && !anyOf(table, barringKeys) && allOf(key, keyNouns) && allSubjects(g.rows)
	}
	return false
}

// keyNouns are names of keys under which anything may stand.
var keyNouns = wordSet(
	"id key pk sk name entity entities type kind model table partition hash range sort item object record resource collection of for",
)

// shards reports whether the keys of a group tell shards.
func (s *countSheet) shards(g *countGroup) bool {
	return len(g.alikes()) == 1 &&
		slices.ContainsFunc(s.variables(g), func(v keyVariable) bool { return v.name == shardName })
}

// subjects are what applications number, besides tables of theirs.
var subjects = wordSet(`order invoice ticket issue user customer client account member post article comment product item
	payment receipt quote case task job booking reservation shipment delivery purchase document contract employee student
	patient message thread report request voucher coupon bill project org organization company vendor supplier event
	circular donation record file page asset device incident claim policy credit note statement subscription transaction`)

// allSubjects reports whether the rows are called by what applications number.
func allSubjects(rows []*countRow) bool {
	return !slices.ContainsFunc(rows, func(r *countRow) bool {
		words := nameWords(r.key.Hash.Value.Text)
		return r.key.Hash.Value.Kind != attr.S || len(words) == 0 ||
			!subjects[singular(words[len(words)-1])] && !subjects[singular(words[0])]
	})
}

// byValue finds the counter of a table whose one item has the number as its key.
func (s *countSheet) byValue() *countGroup {
	schema := s.t.Schema
	if schema.HashKind != attr.N || schema.RangeName != "" || len(s.rows) == 0 || len(s.rows) > 2 {
		return nil // one item, and one more while it is replaced
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
		why:       "the key of the table's one item, " + schema.HashName + ", is the number itself",
	}
}
