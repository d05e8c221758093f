package sql

import (
	"fmt"
	"slices"
	"strconv"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

var (
	role   = col("role")
	noText = of("words", null())
	// emptyText without the cast has a type of length 0, which no table takes.
	emptyText = of("words", str(""))
	noTexts   = of("noneTexts", null())
	noNumber  = of("decimal", null())
)

// items makes the table of all items: each one's role, key and values, and all that a check
// needs of those that SQL does not judge. The exports are read once.
func (c *Check) items() statement {
	q := &query{}
	for n := range c.Tables {
		q.union = append(q.union, c.itemsOf(n))
	}
	if len(q.union) == 1 {
		q = q.union[0]
	}
	return statement{about: "Every item: what it is by the layout, and what it holds.", table: itemsTable, query: q}
}

// facts collects the columns of items; rest collects what is not judged.
type facts struct {
	*Check
	at      int
	columns []as
	rest    []expr
}

func (c *facts) add(name string, e expr) { c.columns = append(c.columns, as{name, e}) }

// leave says that SQL leaves a part of the items for which a condition holds to the check.
func (c *facts) leave(cond expr, word string) {
	c.rest = append(c.rest, when{cond, str(word)}.alone())
}

func (c *Check) itemsOf(at int) *query {
	s := c.Tables[at].Schema
	keys := []as{{"hash", keyText(s.HashName, s.HashKind)}, {"sort", emptyText}}
	if s.RangeName != "" {
		keys[1].expr = keyText(s.RangeName, s.RangeKind)
	}
	keyed := &query{all: true, columns: keys, from: from{lines: at + 1}}
	told := &query{all: true, columns: []as{{"role", c.role(at)}}, from: from{inner: keyed, as: "k"}}
	f := &facts{Check: c, at: at}
	f.add("tbl", num(at))
	f.add("hash", hash)
	f.add("sort", sort)
	f.add("role", role)
	f.add("owner", f.owner(at))
	f.add("expires", f.expires(at))
	f.add("id", f.id(at))
	f.add("number", f.number(at))
	f.leave(eq(role, str(unjudgedRole)), "*")
	f.held()
	f.others()
	f.leave(f.marked(), markWord)
	f.add("rest", of("nullif", of("concat_ws", append([]expr{str(" ")}, f.rest...)...), str("")))
	inner := &query{columns: append(f.columns, as{"line", line}), from: from{inner: told, as: "r"}}
	q := &query{from: from{inner: inner, as: "i"}}
	for _, one := range f.columns {
		q.columns = append(q.columns, as{one.name, col(one.name)})
	}
	q.columns = append(q.columns, as{"item", when{exists(col("rest")), kept(c.Names(at))}.alone()})
	return q
}

// held adds the values that accounts hold, with the scopes of their locks.
func (c *facts) held() {
	for n, h := range c.holdings() {
		mine, word := eq(role, str(accountRole(h.kind))), strconv.Itoa(n)
		values, scope := noTexts, func(string) expr { return noText }
		switch {
		case c.at != 0:
		case c.unjudged(n) != "":
			c.leave(and(mine, attribute(h.con.Attribute)), word)
		default:
			values = when{and(mine, h.judged), h.values}.alone()
			scope = func(name string) expr { return when{mine, h.vars[name]}.alone() }
			c.leave(and(mine, not(h.judged)), word)
		}
		c.add(fmt.Sprintf("v%d", n), values)
		for m, name := range h.scope {
			c.add(fmt.Sprintf("s%d_%d", n, m), scope(name))
		}
	}
}

// others adds the values of constraints without locks, derived keys, and ids.
func (c *facts) others() {
	for n, rule := range unlockedOf(c.Check) {
		values, open := c.unlockedColumn(rule, c.at)
		c.add(fmt.Sprintf("u%d", n), values)
		c.leave(open, unlockedWord(n))
	}
	for n, one := range derivedOf(c.Check) {
		has, should, open := c.derivedColumns(one, c.at)
		c.add(fmt.Sprintf("h%d", n), has)
		c.add(fmt.Sprintf("m%d", n), should)
		c.leave(open, derivedWord(n))
	}
	for n, ids := range seriesOf(c.Check) {
		id, khash, ksort, open := c.idColumns(ids, c.at)
		c.add(fmt.Sprintf("i%d", n), id)
		c.add(fmt.Sprintf("ih%d", n), khash)
		c.add(fmt.Sprintf("is%d", n), ksort)
		// If SQL judges some ids of the counter, another may be equal to one of those.
		c.leave(open, idsWord[c.unjudgedIDs(ids.counter) == ""])
	}
}

// alone is the only case of a choice.
func (w when) alone() expr {
	if w.cond.op == "raw" && w.cond.text == no().text {
		return noText
	}
	return choose(w)
}

// owner is the owner that a lock names.
func (c *facts) owner(at int) expr {
	var cases []when
	for n, con := range c.constraints() {
		if con.Owner != "" && c.lockTable(con) == at {
			cases = append(cases, when{or(eq(role, str(lockRole(n))), eq(role, str(malformedRole(n)))), scalar(con.Owner)})
		}
	}
	if len(cases) == 0 {
		return noText
	}
	return choose(cases...)
}

// markWord says that an item is a lock with the mark of a release, which a check lists.
const markWord = "mark"

// marked tests whether a lock has the mark of a release.
func (c *facts) marked() expr {
	if c.Mark == "" {
		return no()
	}
	return surely(and(locking, attribute(c.Mark)))
}

// expires tests whether an item expires.
func (c *facts) expires(at int) expr {
	if c.Tables[at].Expiry == "" {
		return no()
	}
	return exists(text(c.Tables[at].Expiry, attr.N))
}

// id is an account's id, by which its locks may name it.
func (c *facts) id(at int) expr {
	if at != 0 || len(c.Layout.Accounts) == 0 {
		return noText
	}
	var cases []when
	for n, a := range c.Layout.Accounts {
		m := readKey(a.PK, a.SK, c.Tables[0].Schema.RangeName != "", hash, sort)
		id, ok := m.vars[layout.IDVariable]
		if !ok {
			id = hash
		}
		cases = append(cases, when{eq(role, str(accountRole(n))), id})
	}
	return choose(cases...)
}

// number is a counter's value, whatever that is.
func (c *facts) number(at int) expr {
	if at != 0 || len(c.Layout.Counters) == 0 {
		return noText
	}
	var cases []when
	for n, counter := range c.Layout.Counters {
		cases = append(cases,
			when{eq(role, str(counterRole(n))), of("coalesce", text(counter.Attribute, attr.N), str("none"))})
	}
	return choose(cases...)
}

// holding is what accounts of a kind hold of one constraint.
type holding struct {
	kind           int
	con            *layout.Constraint
	values, judged expr
	scope          []string
	vars           variables
}

// holdings returns those of all constraints, in the layout's order.
func (c *Check) holdings() []holding {
	var all []holding
	sorted := c.Tables[0].Schema.RangeName != ""
	for n, a := range c.Layout.Accounts {
		own := readKey(a.PK, a.SK, sorted, hash, sort)
		for _, con := range a.Constraints {
			h := holding{kind: n, con: con, scope: scopeOf(con), vars: variables{}}
			h.values, h.judged = held(con.Attribute)
			for _, name := range h.scope {
				v, inKey := own.vars[name]
				if !inKey {
					v = of("nullif", scalar(name), str(""))
					h.judged = and(h.judged, ascii(of("coalesce", v, str(""))), not(exists(reads("json", name, string(attr.B)))))
				}
				h.vars[name] = v
			}
			h.judged = and(h.judged, of("coalesce", readable(con.PK, h.vars), yes()),
				of("coalesce", readable(con.SK, h.vars), yes()))
			all = append(all, h)
		}
	}
	return togetherOf(c, all)
}

// togetherOf has the values that an account holds in several attributes for locks with the
// same keys judged all by SQL or not at all: the account claims a key once, however often it
// has it.
func togetherOf(c *Check, all []holding) []holding {
	judged := make([][]expr, len(all))
	for n, h := range all {
		for _, other := range all {
			if h.kind == other.kind && h.con.SamePlace(c.Tables[0].Name, other.con) {
				judged[n] = append(judged[n], other.judged)
			}
		}
	}
	for n := range all {
		all[n].judged = and(judged[n]...)
	}
	return all
}

// scopeOf returns the variables of a lock's key besides its value, each once.
func scopeOf(con *layout.Constraint) []string {
	var names []string
	for _, name := range con.Scope() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Names returns the attributes that a check needs of the items of a table, by its index.
func (c *Check) Names(at int) []string {
	t := c.Tables[at]
	paths := []string{t.Schema.HashName, t.Schema.RangeName, t.Expiry}
	for _, a := range c.Layout.Accounts {
		if at == 0 {
			paths = append(paths, a.Is.Attribute)
			for _, con := range a.Unlocked {
				paths = append(append(paths, con.Attribute), con.Within...)
			}
		}
		for _, con := range a.Constraints {
			if at == 0 {
				paths = append(append(paths, con.Attribute), con.Scope()...)
			}
			if c.lockTable(con) == at {
				paths = append(paths, con.Is.Attribute, con.Owner, con.Reserved.Since, c.Mark)
			}
		}
	}
	for _, one := range derivedOf(c) {
		if at == 0 {
			paths = append(append(paths, one.kind.Is.Attribute, one.Attribute), one.Of()...)
		}
	}
	for _, counter := range c.Layout.Counters {
		if at == 0 {
			paths = append(paths, counter.Is.Attribute, counter.Attribute)
		}
		for _, ids := range counter.IDs {
			if c.table(ids.TableOf(c.Tables[0].Name)) == at {
				paths = append(paths, ids.Is.Attribute, ids.Attribute)
			}
		}
	}
	return attr.Columns(paths...)
}
