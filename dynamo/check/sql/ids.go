package sql

import (
	"maps"
	"math/big"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// idsOf is one of the places with ids of a counter.
type idsOf struct {
	counter int
	*layout.IDs
}

// seriesOf returns all places with ids, by counter.
func seriesOf(c *Check) []idsOf {
	var all []idsOf
	for n, counter := range c.Layout.Counters {
		for m := range counter.IDs {
			all = append(all, idsOf{n, &counter.IDs[m]})
		}
	}
	return all
}

// idsWord says that an item's ids are not judged, and whether SQL judges those of other
// items.
var idsWord = map[bool]string{false: "ids", true: "ids-beside"}

// digits matches the ids that are whole numbers: up to 38 digits after leading zeros.
const digits = `\A0*[0-9]{1,38}\z`

// moreDigits matches whole numbers with more digits.
const moreDigits = `\A0*[1-9][0-9]{38,}\z`

// idColumns are the id that an item has, the key of its counter, and whether SQL leaves that
// to the check.
func (c *facts) idColumns(ids idsOf, at int) (id, khash, ksort, open expr) {
	if c.table(ids.TableOf(c.Tables[0].Name)) != at {
		return noNumber, noText, noText, no()
	}
	s := c.Tables[at].Schema
	m := match{fits: not(surely(of("starts_with", role, str("counter:")))), vars: variables{}, likely: yes()}
	if !ids.PK.Empty() {
		key := readKey(ids.PK, ids.SK, s.RangeName != "", hash, sort)
		m = match{fits: and(m.fits, key.fits), vars: key.vars, likely: key.likely}
	}
	holds, unsure := is(ids.Is)
	written, kind := m.vars[layout.NumberVariable], s.HashKind
	if ids.SK.Uses(layout.NumberVariable) {
		kind = s.RangeKind
	}
	number := no()
	if ids.Attribute != "" {
		written = scalar(ids.Attribute)
		number = exists(text(ids.Attribute, attr.N))
		m.likely = and(m.likely, ascii(of("coalesce", written, str(""))))
		if !ids.Text.Empty() {
			said := read(ids.Text, written, m.vars)
			m.fits, m.likely = and(m.fits, said.fits), and(m.likely, said.likely)
			written = said.vars[layout.NumberVariable]
		}
	} else if kind == attr.N {
		number = yes()
	}
	// A number may be written in several ways, and SQL cannot compare one with more digits.
	odd := or(and(number, not(of("matches", written, str(wholeNumber)))), of("matches", written, str(moreDigits)))
	open = and(m.fits, holds, or(not(surely(m.likely)), unsure, odd))
	counter := c.Layout.Counters[ids.counter]
	if c.unjudgedIDs(ids.counter) != "" {
		return noNumber, noText, noText, surely(and(m.fits, holds))
	}
	is := surely(and(m.fits, holds, m.likely, of("matches", written, str(digits))))
	khash, ksort, sure := c.counterKey(counter, m.vars)
	open = surely(or(open, and(is, not(sure))))
	is = and(is, sure)
	n := of("maybe", written)
	is = and(is, mints(counter, n))
	return when{is, n}.alone(), when{is, khash}.alone(), when{is, ksort}.alone(), open
}

// counterKey is the key of the counter that an item's variables make, and whether the key
// reads back as them.
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

// mints tests whether an id is in the counter's series.
func mints(counter *layout.Counter, n expr) expr {
	if counter.Step.IsInt64() && counter.Step.Int64() == 1 {
		return yes()
	}
	// The remainder of the offset is known; the difference might have more digits than a
	// number holds.
	rest := new(big.Int).Mod(counter.Offset, counter.Step)
	return surely(eq(of("%", n, decimal(counter.Step.String())), decimal(rest.String())))
}
