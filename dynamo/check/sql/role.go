package sql

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// The roles of items, in the column role.
const (
	unjudgedRole = "unjudged" // SQL cannot tell the role
	strangeRole  = "strange"  // the item lacks the table's key
)

func lockRole(n int) string      { return fmt.Sprintf("lock:%d", n) }
func malformedRole(n int) string { return fmt.Sprintf("malformed:%d", n) }
func accountRole(n int) string   { return fmt.Sprintf("account:%d", n) }
func keyedRole(n int) string     { return fmt.Sprintf("keyed:%d", n) }
func counterRole(n int) string   { return fmt.Sprintf("counter:%d", n) }

// roles builds the column role for one table. The order of its cases is the order of Layout.Classify.
type roles struct {
	*stages
	cases []when
}

var hash, sort = col("hash"), col("sort")

// take adds a role. An item has the role if three conditions are true: m fits the item's key, kind fits the
// item's attributes, and more is true. If SQL cannot tell whether m or kind fits, the item is unjudged.
func (r *roles) take(m match, kind layout.Discriminator, more func() expr, role string) {
	m.fits = r.fits.column(m.fits)
	defer r.within(m.fits)()
	r.guards[role] = m.fits
	holds, unsure := r.is(kind)
	r.unsure(and(m.fits, or(surely(unsure), not(surely(m.likely)))))
	r.cases = append(r.cases, when{and(m.fits, holds, more()), str(role)})
}

func (r *roles) unsure(cond expr) {
	if cond.op != "raw" || cond.text != no().text {
		r.cases = append(r.cases, when{cond, str(unjudgedRole)})
	}
}

// unsureIn makes an item unjudged if both conditions are true.
func (r *roles) unsureIn(fits, cond expr) {
	if cond.op != "raw" || cond.text != no().text {
		r.cases = append(r.cases, when{and(fits, cond), str(unjudgedRole)})
	}
}

// role returns several columns. The first one that is not NULL is the role of an item.
func (s *stages) role() (parts []as) {
	schema := s.Tables[s.at].Schema
	r := &roles{stages: s, cases: []when{{isNull(hash), str(strangeRole)}}}
	if schema.RangeName != "" {
		r.cases = append(r.cases, when{isNull(sort), str(strangeRole)})
	}
	r.key(hash, schema.HashKind)
	if schema.RangeName != "" {
		r.key(sort, schema.RangeKind)
	}
	r.locks()
	if s.at == 0 {
		r.counters(true)
		for n, a := range s.Layout.Accounts {
			r.take(readKey(a.PK, a.SK, schema.RangeName != "", hash, sort), a.Is, yes, accountRole(n))
		}
		r.counters(false)
	}
	r.malformed()
	if s.at == 0 {
		for n, a := range s.Layout.Keyed { // items that are neither locks nor accounts, but have derived keys
			r.take(readKey(a.PK, a.SK, schema.RangeName != "", hash, sort), a.Is, yes, keyedRole(n))
		}
	}
	for cases := range slices.Chunk(r.cases, maxCases) {
		parts = append(parts, as{fmt.Sprint("r", len(parts)), choose(cases...)})
	}
	return parts
}

// maxCases is the greatest number of cases that one expression has. Trino compiles an expression to a method of
// at most 64 KB.
const maxCases = 40

// firstOf returns the first column that is not NULL. It names each column twice. If a column is named only once, an
// optimiser replaces it by its expression, and so makes one large expression again.
func (s *stages) firstOf(parts []as) expr {
	var cases []when
	for _, p := range parts {
		cases = append(cases, when{exists(col(p.name)), col(p.name)})
	}
	return choose(cases...)
}

// key makes an item unjudged if its key may have several spellings.
func (r *roles) key(part expr, kind attr.Kind) {
	switch kind {
	case attr.S:
	case attr.N:
		r.unsure(not(of("matches", part, str(wholeNumber))))
	default:
		r.unsure(exists(part))
	}
}

// foreign is true if the item's key has characters outside ASCII, and SQL judges only ASCII keys of the
// constraint's locks.
func (r *roles) foreign(con *layout.Constraint) expr {
	if r.exact(con) {
		return no()
	}
	some := not(ascii(hash))
	if r.Tables[r.at].Schema.RangeName != "" {
		some = or(some, not(ascii(sort)))
	}
	return r.fits.column(some)
}

// locks adds the roles of locks. If several constraints have the same lock keys, the lock belongs to one of
// them. It is the first constraint that has no owner attribute, or whose owner attribute the lock has. If
// there is no such constraint, it is the first of all.
func (r *roles) locks() {
	for _, naming := range []bool{true, false} {
		for n, con := range r.constraints() {
			if r.lockTable(con) != r.at || !naming && con.Owner == "" {
				continue
			}
			m := readKey(con.PK, con.SK, r.Tables[r.at].Schema.RangeName != "", hash, sort)
			m.fits = r.fits.column(m.fits)
			if r.unjudged(n) != "" {
				r.unsure(m.fits)
				for _, form := range con.Also {
					r.unsure(readKey(form.PK, form.SK, r.Tables[r.at].Schema.RangeName != "", hash, sort).fits)
				}
				continue
			}
			r.unsureIn(m.fits, r.foreign(con))
			done := r.within(m.fits)
			more := yes
			if naming && con.Owner != "" {
				owner := r.scalar(con.Owner)
				r.unsure(and(m.fits, r.hasKind(con.Owner, "B")))
				more = func() expr { return surely(of("<>", owner, str(""))) }
			}
			done()
			r.take(m, con.Is, more, lockRole(n))
		}
	}
}

func (r *roles) counters(fixed bool) {
	s := r.Tables[0].Schema
	for n, c := range r.Layout.Counters {
		if c.Fixed(s) != fixed {
			continue
		}
		m, more := match{fits: yes(), likely: yes()}, yes
		switch {
		case c.KeyIsValue(s):
			if s.HashKind != attr.N {
				continue
			}
		default:
			m = readKey(c.PK, c.SK, s.RangeName != "", hash, sort)
			if !fixed {
				more = func() expr { return r.attribute(c.Attribute) }
			}
		}
		r.take(m, c.Is, more, counterRole(n))
	}
}

// malformed adds the roles of items that only resemble a lock. Their key has every literal of the template,
// but a variable may be empty.
func (r *roles) malformed() {
	for n, con := range r.constraints() {
		if r.lockTable(con) != r.at {
			continue
		}
		if r.unjudged(n) != "" {
			for _, form := range append([]layout.LockKeys{con.LockKeys}, con.Also...) {
				if fits, ok := r.resembles(form); ok {
					r.unsure(fits)
				}
			}
			continue
		}
		fits, ok := r.resembles(con.LockKeys)
		if !ok {
			continue
		}
		fits = r.fits.column(fits)
		r.unsureIn(fits, r.foreign(con))
		r.take(match{fits: fits, likely: yes()}, con.Is, yes, malformedRole(n))
	}
}

// resembles returns the condition that a key has every literal of a lock's key. It reports false if no such key can
// be malformed.
func (r *roles) resembles(form layout.LockKeys) (fits expr, ok bool) {
	if computed(form.PK) || computed(form.SK) || literals(form.PK)+literals(form.SK) == "" {
		return expr{}, false
	}
	fits = loose(form.PK, hash)
	switch {
	case r.Tables[r.at].Schema.RangeName == "":
		return fits, true
	case form.SK.String() == "{"+layout.HashVariable+"}":
		return and(fits, eq(sort, hash)), true
	}
	return and(fits, loose(form.SK, sort)), true
}
