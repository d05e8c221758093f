package sql

import (
	"fmt"
	"strconv"

	"tallylock/dynamo/layout"
)

// maxHighest is how many items with the highest ids are listed for a counter, and maxSame how
// many with one id.
const (
	maxHighest = 3
	maxSame    = 11
)

// counters are the rows about counters and ids.
func (c answer) counters() []*query {
	var all []*query
	for n, counter := range c.Layout.Counters {
		if ids := c.idsOf(n); ids != nil {
			all = append(all, c.highest(n, ids), c.same(n, ids))
		}
		if !counter.Fixed(c.Tables[0].Schema) && !counter.KeyIsValue(c.Tables[0].Schema) {
			all = append(all, c.faults(n))
		}
	}
	return all
}

// idsOf are all ids of a counter: the counter's key, the id, and where it is.
func (c answer) idsOf(n int) *query {
	q := &query{}
	for at, ids := range seriesOf(c.Check) {
		if ids.counter != n {
			continue
		}
		id := col(fmt.Sprintf("i%d", at))
		q.union = append(q.union, &query{
			columns: []as{
				{"ch", col(fmt.Sprintf("ih%d", at))},
				{"cs", col(fmt.Sprintf("is%d", at))},
				{"id", id},
				{"place", c.place()},
			},
			from:  from{table: itemsTable},
			where: and(exists(id), exists(col(fmt.Sprintf("ih%d", at))), exists(col(fmt.Sprintf("is%d", at)))),
		})
	}
	switch len(q.union) {
	case 0:
		return nil
	case 1:
		return q.union[0]
	}
	return q
}

// place is an item's table and key.
func (c answer) place() expr {
	return c.perTable(col("tbl"), func(at int) expr {
		if at == 0 {
			return join(str(`{"key":`), c.keyJSON(at, hash, sort), str("}"))
		}
		return join(str(`{"table":`+jsonText(c.Tables[at].Name)+`,"key":`), c.keyJSON(at, hash, sort), str("}"))
	})
}

// counterFields identify a counter by its index in the layout and its key.
func (c answer) counterFields(n int, ch, cs expr) []field {
	fields := []field{{"series", str(strconv.Itoa(n))}}
	if !c.Layout.Counters[n].KeyIsValue(c.Tables[0].Schema) {
		fields = append(fields, field{"key", c.keyJSON(0, ch, cs)})
	}
	return fields
}

// highest are the counters that are missing or behind the ids in use, with the items that
// have the highest ids. A counter with a fixed key is always listed, since it is read again.
func (c answer) highest(n int, ids *query) *query {
	counter, s := c.Layout.Counters[n], c.Tables[0].Schema
	most := &query{
		columns: []as{{"ch", col("ch")}, {"cs", col("cs")}, {"high", of("max", col("id"))}},
		from:    from{inner: ids, as: "i"}, group: 2,
	}
	own := &query{
		columns: []as{{"hash", hash}, {"sort", sort}, {"number", col("number")}},
		from:    from{table: itemsTable}, where: eq(role, str(counterRole(n))),
	}
	behind := map[bool]string{false: "<", true: "<="}[counter.Semantics == layout.Next]
	q := &query{
		columns: []as{
			{"ch", col("m.ch")},
			{"cs", col("m.cs")},
			{"there", exists(col("c.number"))},
			{"behind", of("coalesce", of(behind, of("maybe", col("c.number")), col("m.high")), yes())},
		},
		from: from{
			inner: most,
			as:    "m",
			joins: []joined{
				{how: "LEFT", query: own, as: "c", on: and(eq(col("m.ch"), col("c.hash")), eq(col("m.cs"), col("c.sort")))},
			},
		},
	}
	if !counter.Fixed(s) && !counter.KeyIsValue(s) {
		q = &query{all: true, from: from{inner: q, as: "q"}, where: col("behind")}
	}
	// The items: for each counter those few with the highest ids.
	ranked := &query{
		columns: []as{
			{"ch", col("i.ch")},
			{"cs", col("i.cs")},
			{"there", col("b.there")},
			{"behind", col("b.behind")},
			{"id", col("i.id")},
			{"place", col("i.place")},
			{"at", of("rank", col("i.ch"), col("i.cs"), col("i.id"), col("i.place"))},
		},
		from: from{
			inner: ids,
			as:    "i",
			joins: []joined{
				{how: "INNER", query: q, as: "b", on: and(eq(col("i.ch"), col("b.ch")), eq(col("i.cs"), col("b.cs")))},
			},
		},
	}
	fields := append([]field{
		{"finding", choose(when{not(col("r.there")), str(jsonText("counter-missing"))},
			when{col("r.behind"), str(jsonText("counter-behind"))})},
		{"counted", when{and(col("r.there"), not(col("r.behind"))), str(jsonText("highest"))}.alone()},
	}, c.counterFields(n, col("r.ch"), col("r.cs"))...)
	fields = append(fields, field{"id", quoted(of("words", col("r.id")))},
		field{"items", join(str("["), col("r.place"), str("]"))}, field{"confirmed", str("false")})
	return &query{
		columns: answers(c.row(fields...)),
		from:    from{inner: ranked, as: "r"},
		where:   of("<=", col("r.at"), num(maxHighest)),
	}
}

// same are the ids that several items have.
func (c answer) same(n int, ids *query) *query {
	q := &query{
		columns: []as{
			{"ch", col("ch")},
			{"cs", col("cs")},
			{"id", col("id")},
			{"n", of("many", col("*"))},
			{"places", of("all", of("least", col("place"), num(maxSame)))},
		},
		from: from{
			inner: several(
				ids,
				join(of("words", of("length", col("ch"))), str(":"), col("ch"), str(":"), col("cs"), str(":"),
					of("words", col("id"))),
			),
			as: "i",
		},
		group: 3, having: of(">", of("many", col("*")), num(1)),
	}
	fields := append([]field{{"finding", str(jsonText("duplicate-id"))}}, c.counterFields(n, col("s.ch"), col("s.cs"))...)
	fields = append(fields, field{"id", quoted(of("words", col("s.id")))},
		field{"items", join(str("["), col("s.places"), str("]"))}, field{"confirmed", str("false")})
	return &query{columns: answers(c.row(fields...)), from: from{inner: q, as: "s"}}
}

// faults are counters of a family whose value alone is faulty.
func (c answer) faults(n int) *query {
	counter := c.Layout.Counters[n]
	v := of("maybe", col("number"))
	well := and(of("matches", col("number"), str(wholeNumber)), not(of("<", v, num(0))),
		not(of(">", v, decimal("9007199254740991"))), mints(counter, v))
	fields := append([]field{{"finding", str(jsonText("counter-not-a-number"))}}, c.counterFields(n, hash, sort)...)
	return &query{
		columns: answers(c.row(append(fields, field{"confirmed", str("false")})...)),
		from:    from{table: itemsTable}, where: and(eq(role, str(counterRole(n))), not(surely(well))),
	}
}
