package sql

import (
	"fmt"
	"maps"
	"math/big"
	"strconv"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// idsOf is one place in which items have ids of a counter. counter is the counter's index in the layout.
type idsOf struct {
	counter int
	*layout.IDs
}

// seriesOf lists the places of ids, of all counters, in the layout's order.
func seriesOf(c *Check) []idsOf {
	var all []idsOf
	for n, counter := range c.Layout.Counters {
		for m := range counter.IDs {
			all = append(all, idsOf{n, &counter.IDs[m]})
		}
	}
	return all
}

// idsWord is the word in the column rest if SQL cannot judge an item's id. The map's key is true if SQL can
// judge other ids of the same counter.
var idsWord = map[bool]string{false: "ids", true: "ids-beside"}

// digits matches an id of at most 38 digits. Leading zeros do not count.
const digits = `\A0*[0-9]{1,38}\z`

// moreDigits matches a whole number of more than 38 digits.
const moreDigits = `\A0*[1-9][0-9]{38,}\z`

// idColumns returns an item's id, and the key of the counter that the id belongs to. open is true if the
// check must judge the id, since SQL cannot.
func (c *facts) idColumns(ids idsOf) (id, khash, ksort, open expr) {
	if c.table(ids.TableOf(c.Tables[0].Name)) != c.at {
		return noNumber, noText, noText, no()
	}
	s := c.Tables[c.at].Schema
	m := match{fits: not(surely(of("starts_with", role, str("counter:")))), vars: variables{}, likely: yes()}
	if !ids.PK.Empty() {
		key := readKey(ids.PK, ids.SK, s.RangeName != "", hash, sort)
		key.fits = c.fits.column(key.fits)
		defer c.within(key.fits)()
		m = match{fits: and(m.fits, key.fits), vars: key.vars, likely: key.likely}
	}
	holds, unsure := c.is(ids.Is)
	written, kind := m.vars[layout.NumberVariable], s.HashKind
	if ids.SK.Uses(layout.NumberVariable) {
		kind = s.RangeKind
	}
	number := no()
	if ids.Attribute != "" {
		written = c.scalar(ids.Attribute)
		number = exists(c.text(ids.Attribute, attr.N))
		m.likely = and(m.likely, ascii(of("coalesce", written, str(""))))
		if !ids.Text.Empty() {
			said := read(ids.Text, written, m.vars)
			m.fits, m.likely = and(m.fits, said.fits), and(m.likely, said.likely)
			written = said.vars[layout.NumberVariable]
		}
	} else if kind == attr.N {
		number = yes()
	}
	// A number of type N may have several spellings, such as 1E3. SQL cannot compare numbers of more than
	// 38 digits.
	odd := or(and(number, not(of("matches", written, str(wholeNumber)))), of("matches", written, str(moreDigits)))
	open = and(m.fits, or(unsure, and(holds, or(not(surely(m.likely)), odd))))
	counter := c.Layout.Counters[ids.counter]
	if c.unjudgedIDs(ids.counter) != "" {
		return noNumber, noText, noText, surely(and(m.fits, or(holds, unsure)))
	}
	is := surely(and(m.fits, holds, m.likely, of("matches", written, str(digits))))
	khash, ksort, sure := c.counterKey(counter, m.vars)
	open = surely(or(open, and(is, not(sure))))
	is = and(is, sure)
	n := of("maybe", written)
	is = and(is, mints(counter, n))
	return when{is, n}.alone(), when{is, khash}.alone(), when{is, ksort}.alone(), open
}

// counterKey renders the counter's key from an item's variables. sure is true if the key parses back into
// the same variables. If sure is false, SQL cannot tell which counter the id belongs to.
func (c *facts) counterKey(counter *layout.Counter, vars variables) (khash, ksort, sure expr) {
	s := c.Tables[0].Schema
	if counter.KeyIsValue(s) {
		return emptyText, emptyText, yes()
	}
	for _, t := range []layout.Template{counter.PK, counter.SK} {
		for _, name := range t.Variables() {
			if _, ok := vars[name]; !ok && name != layout.HashVariable {
				vars[name] = noText
			}
		}
	}
	khash = render(counter.PK, vars)
	all := variables{layout.HashVariable: khash}
	maps.Copy(all, vars)
	ksort = emptyText
	if s.RangeName != "" {
		ksort = render(counter.SK, all)
	}
	return khash, ksort, surely(and(readable(counter.PK, all), readable(counter.SK, all)))
}

// mints is true if the counter can hand out the id n: n is Offset plus a multiple of Step.
func mints(counter *layout.Counter, n expr) expr {
	if counter.Step.IsInt64() && counter.Step.Int64() == 1 {
		return yes()
	}
	// The remainder of the offset is computed here. SQL must not subtract the offset from the id: the
	// difference may have too many digits.
	rest := new(big.Int).Mod(counter.Offset, counter.Step)
	return surely(eq(of("%", n, decimal(counter.Step.String())), decimal(rest.String())))
}

// The limits of the result: maxHighest items with the highest ids for each counter, and maxSame items for
// one id.
const (
	maxHighest = 3
	maxSame    = 11
)

// maxCounters is the number of counters in one statement. Each has queries with several stages of work, and
// Trino takes 150 stages a statement.
const maxCounters = 4

// counterTables creates the tables with the rows about counters and their ids.
func (c answer) counterTables() (all []statement) {
	for from := 0; from < len(c.Layout.Counters); from += maxCounters {
		q := &query{}
		for n := from; n < min(from+maxCounters, len(c.Layout.Counters)); n++ {
			counter := c.Layout.Counters[n]
			if ids := c.idsOf(n); ids != nil {
				q.union = append(q.union, c.highest(n, ids), c.same(n, ids))
			}
			if !counter.Fixed(c.Tables[0].Schema) && !counter.KeyIsValue(c.Tables[0].Schema) {
				q.union = append(q.union, c.faults(n))
			}
		}
		if len(q.union) > 0 {
			all = append(all, statement{
				about: "Counters, and their ids.", table: fmt.Sprint(countersTable, len(all)+1), query: q,
			})
		}
	}
	return all
}

// idsOf returns a query for all ids of counter n. A row has the counter's key, the id, and the item's table
// and key. idsOf returns nil if the layout has no ids for the counter.
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
			where: exists(id),
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

// place makes SQL write an item's table and key as JSON.
func (c answer) place() expr {
	return c.perTable(col("tbl"), func(at int) expr {
		if at == 0 {
			return join(str(`{"key":`), c.keyJSON(at, hash, sort), str("}"))
		}
		return join(str(`{"table":`+jsonText(c.Tables[at].Name)+`,"key":`), c.keyJSON(at, hash, sort), str("}"))
	})
}

// counterFields are the fields that identify a counter: its index in the layout, and its key.
func (c answer) counterFields(n int, ch, cs expr) []field {
	fields := []field{{"series", str(strconv.Itoa(n))}}
	if !c.Layout.Counters[n].KeyIsValue(c.Tables[0].Schema) {
		fields = append(fields, field{"key", c.keyJSON(0, ch, cs)})
	}
	return fields
}

// highest returns the items with the highest ids of each counter that is missing or behind. If the
// counter's key is fixed, highest always returns these items, since the check reads the counter again.
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
	// The items with the highest ids of each counter, numbered from the highest id down.
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
		{"counted", when{not(col("r.behind")), str(jsonText("highest"))}.alone()},
	}, c.counterFields(n, col("r.ch"), col("r.cs"))...)
	fields = append(fields, field{"id", quoted(of("words", col("r.id")))},
		field{"items", join(str("["), col("r.place"), str("]"))}, field{"confirmed", str("false")})
	return &query{
		columns: answers(c.row(fields...)),
		from:    from{inner: ranked, as: "r"},
		where:   of("<=", col("r.at"), num(maxHighest)),
	}
}

// same returns each id of counter n that two or more items have.
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

// faults returns the items of counter n whose number is wrong in itself, whatever ids are in use. The key
// of counter n has variables, so many items may be this counter.
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
