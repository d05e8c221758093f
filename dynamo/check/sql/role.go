package sql

import (
	"fmt"

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
	*Check
	at    int // the index of the table
	cases []when
}

var hash, sort = col("hash"), col("sort")

// take adds a role. An item has the role if three conditions are true: m fits the item's key, kind fits the
// item's attributes, and more is true. If SQL cannot tell whether m or kind fits, the item is unjudged.
func (r *roles) take(m match, kind layout.Discriminator, more expr, role string) {
	holds, unsure := is(kind)
	r.unsure(and(m.fits, or(surely(unsure), not(surely(m.likely)))))
	r.cases = append(r.cases, when{and(m.fits, holds, more), str(role)})
}

func (r *roles) unsure(cond expr) {
	if cond.op != "raw" {
		r.cases = append(r.cases, when{cond, str(unjudgedRole)})
	}
}

// role returns the column role for the items of a table. at is the index of the table.
func (c *Check) role(at int) expr {
	s := c.Tables[at].Schema
	r := &roles{Check: c, at: at, cases: []when{{isNull(hash), str(strangeRole)}}}
	if s.RangeName != "" {
		r.cases = append(r.cases, when{isNull(sort), str(strangeRole)})
	}
	r.key(hash, s.HashKind)
	if s.RangeName != "" {
		r.key(sort, s.RangeKind)
	}
	r.locks()
	if at == 0 {
		r.counters(true)
		for n, a := range c.Layout.Accounts {
			r.take(readKey(a.PK, a.SK, s.RangeName != "", hash, sort), a.Is, yes(), accountRole(n))
		}
		r.counters(false)
	}
	r.malformed()
	if at == 0 {
		for n, a := range c.Layout.Keyed { // items that are neither locks nor accounts, but have derived keys
			r.take(readKey(a.PK, a.SK, s.RangeName != "", hash, sort), a.Is, yes(), keyedRole(n))
		}
	}
	return choose(r.cases...)
}

// key makes an item unjudged if SQL cannot compare its key reliably: the key is not ASCII, or it may have
// several spellings.
func (r *roles) key(part expr, kind attr.Kind) {
	switch kind {
	case attr.S:
		r.unsure(not(ascii(part)))
	case attr.N:
		r.unsure(not(of("matches", part, str(wholeNumber))))
	default:
		r.unsure(exists(part))
	}
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
			if r.unjudged(n) != "" {
				r.unsure(m.fits)
				continue
			}
			more := yes()
			if naming && con.Owner != "" {
				owner := scalar(con.Owner)
				r.unsure(and(m.fits, attribute(con.Owner), surely(not(ascii(of("coalesce", owner, str("")))))))
				r.unsure(and(m.fits, exists(reads("json", con.Owner, string(attr.B)))))
				more = surely(of("<>", owner, str("")))
			}
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
		m, more := match{fits: yes(), likely: yes()}, yes()
		switch {
		case c.KeyIsValue(s):
			if s.HashKind != attr.N {
				continue
			}
		default:
			m = readKey(c.PK, c.SK, s.RangeName != "", hash, sort)
			if !fixed {
				more = attribute(c.Attribute)
			}
		}
		if m.fits.op == "raw" {
			m.fits = exists(hash)
		}
		r.take(m, c.Is, more, counterRole(n))
	}
}

// malformed adds the roles of items that only resemble a lock. Their key has every literal of the template,
// but a variable may be empty.
func (r *roles) malformed() {
	for n, con := range r.constraints() {
		if r.lockTable(con) != r.at || computed(con.PK) || computed(con.SK) {
			continue
		}
		if literals(con.PK)+literals(con.SK) == "" {
			continue
		}
		fits := of("matches", hash, str(loose(con.PK)))
		if r.Tables[r.at].Schema.RangeName != "" {
			if con.SK.String() == "{"+layout.HashVariable+"}" {
				fits = and(fits, eq(sort, hash))
			} else {
				fits = and(fits, of("matches", sort, str(loose(con.SK))))
			}
		}
		if r.unjudged(n) != "" {
			r.unsure(fits)
			continue
		}
		r.take(match{fits: fits, likely: yes()}, con.Is, yes(), malformedRole(n))
	}
}
