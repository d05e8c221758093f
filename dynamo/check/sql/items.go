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
	// emptyText is a cast, since a column made of the literal '' would have a type of length 0, which no
	// table can have.
	emptyText = of("words", str(""))
	noTexts   = of("noneTexts", null())
	noNumber  = of("decimal", null())
)

// items creates the table of all items: the role, key and values of each item. If SQL cannot judge an item,
// its row also has the attributes that the check needs. Only this statement reads the exports.
func (c *Check) items() statement {
	q := &query{}
	for n := range c.Tables {
		q.union = append(q.union, c.itemsOf(n))
	}
	if len(q.union) == 1 {
		q = q.union[0]
	}
	return statement{about: "Every item: its kind by the layout, and its values.", table: itemsTable, query: q}
}

// facts collects the columns of the table of items. rest has one expression for each thing that SQL may be
// unable to judge. The expression gives the word for this thing, or NULL.
type facts struct {
	*stages
	columns []as
	rest    []expr
}

func (c *facts) add(name string, e expr) { c.columns = append(c.columns, as{name, e}) }

// leave adds a word to the column "rest", for the items that meet the condition. The word names the part of the
// item that the check must still judge.
func (c *facts) leave(cond expr, word string) {
	c.rest = append(c.rest, when{cond, str(word)}.alone())
}

func (c *Check) itemsOf(at int) *query {
	s := newStages(c, at)
	parts := s.role()
	f := &facts{stages: s}
	f.add("tbl", num(at))
	f.add("hash", hash)
	f.add("sort", sort)
	f.add("role", role)
	f.add("owner", f.owner())
	f.add("expires", f.expires())
	f.add("id", f.id())
	f.add("number", f.number())
	f.leave(eq(role, str(unjudgedRole)), "*")
	f.claimed()
	f.others()
	f.leave(f.marked(), markWord)
	f.add("rest", of("nullif", of("concat_ws", append([]expr{str(" ")}, f.rest...)...), str("")))
	told := &query{all: true, columns: append(parts, s.judgements.columns...), from: from{inner: s.keysQuery(), as: "k"}}
	told = &query{all: true, columns: []as{{"role", s.firstOf(parts)}}, from: from{inner: told, as: "p"}}
	inner := &query{columns: append(f.columns, as{"line", line}), from: from{inner: told, as: "r"}}
	q := &query{from: from{inner: inner, as: "i"}}
	for _, one := range f.columns {
		q.columns = append(q.columns, as{one.name, col(one.name)})
	}
	q.columns = append(q.columns, as{"item", when{exists(col("rest")), kept(c.Names(at))}.alone()})
	return q
}

// claimed adds columns for the values of accounts, and for the other variables of their lock keys.
func (c *facts) claimed() {
	for n, h := range c.holdings(c.stages) {
		mine, word := eq(role, str(accountRole(h.kind))), strconv.Itoa(n)
		values, scope := noTexts, func(string) expr { return noText }
		switch {
		case c.at != 0:
		case c.unjudged(n) != "":
			done := c.within(c.ofRole(accountRole(h.kind)))
			c.leave(and(mine, c.attribute(h.con.Attribute)), word)
			done()
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

// others adds columns for constraints without locks, for derived keys, and for ids.
func (c *facts) others() {
	for n, rule := range unlockedOf(c.Check) {
		values, open := c.unlockedColumn(rule)
		c.add(fmt.Sprintf("u%d", n), values)
		c.leave(open, unlockedWord(n))
	}
	for n, one := range derivedOf(c.Check) {
		has, should, open := c.derivedColumns(one)
		c.add(fmt.Sprintf("h%d", n), has)
		c.add(fmt.Sprintf("m%d", n), should)
		c.leave(open, derivedWord(n))
	}
	for n, ids := range seriesOf(c.Check) {
		id, khash, ksort, open := c.idColumns(ids)
		c.add(fmt.Sprintf("i%d", n), id)
		c.add(fmt.Sprintf("ih%d", n), khash)
		c.add(fmt.Sprintf("is%d", n), ksort)
		// If SQL judges other ids of the counter, one of them may equal this id.
		c.leave(open, idsWord[c.unjudgedIDs(ids.counter) == ""])
	}
}

// alone is choose with one case. If the condition is the literal FALSE, the result is NULL with the type of
// a text.
func (w when) alone() expr {
	if w.cond.op == "raw" && w.cond.text == no().text {
		return noText
	}
	return choose(w)
}

// owner returns the owner that a lock names.
func (c *facts) owner() expr {
	var cases []when
	for n, con := range c.constraints() {
		if con.Owner != "" && c.lockTable(con) == c.at {
			done := c.within(c.ofRole(lockRole(n), malformedRole(n)))
			cases = append(cases,
				when{or(eq(role, str(lockRole(n))), eq(role, str(malformedRole(n)))), c.scalar(con.Owner)})
			done()
		}
	}
	if len(cases) == 0 {
		return noText
	}
	return choose(cases...)
}

// markWord is the word in the column rest of a lock that has a release mark. The check lists such locks.
const markWord = "mark"

func (c *facts) marked() expr {
	if c.Mark == "" {
		return no()
	}
	defer c.within(c.locksGuard())()
	return surely(and(locking, c.attribute(c.Mark)))
}

// locksGuard is the guard of all locks.
func (c *facts) locksGuard() expr {
	var roles []string
	for n := range c.constraints() {
		roles = append(roles, lockRole(n), malformedRole(n))
	}
	return c.ofRole(roles...)
}

// expires is true if a lock or an account has a TTL.
func (c *facts) expires() expr {
	if c.Tables[c.at].Expiry == "" {
		return no()
	}
	guards := []expr{c.locksGuard()}
	for n := range c.Layout.Accounts {
		guards = append(guards, c.ofRole(accountRole(n)))
	}
	defer c.within(or(guards...))()
	return exists(c.text(c.Tables[c.at].Expiry, attr.N))
}

// id returns the id of an account. A lock may name the account by this id.
func (c *facts) id() expr {
	if c.at != 0 || len(c.Layout.Accounts) == 0 {
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

// number returns the text of a counter's number. It is "none" if the counter has no number.
func (c *facts) number() expr {
	if c.at != 0 || len(c.Layout.Counters) == 0 {
		return noText
	}
	var cases []when
	for n, counter := range c.Layout.Counters {
		done := c.within(c.ofRole(counterRole(n)))
		cases = append(cases,
			when{eq(role, str(counterRole(n))), of("coalesce", c.text(counter.Attribute, attr.N), str("none"))})
		done()
	}
	return choose(cases...)
}

// holding describes the values that accounts of one kind hold for one constraint. judged is true if SQL can
// judge all these values of an account.
type holding struct {
	kind           int
	con            *layout.Constraint
	values, judged expr
	scope          []string
	vars           variables
}

// holdings lists the holdings of all constraints, in the layout's order.
func (c *Check) holdings(s *stages) []holding {
	var all []holding
	sorted := c.Tables[0].Schema.RangeName != ""
	for n, a := range c.Layout.Accounts {
		own := readKey(a.PK, a.SK, sorted, hash, sort)
		done := s.within(s.ofRole(accountRole(n)))
		for _, con := range a.Constraints {
			h := holding{kind: n, con: con, scope: scopeOf(con), vars: variables{}}
			exact := c.exact(con)
			h.values, h.judged = s.held(con.Attribute, exact)
			for _, name := range h.scope {
				v, inKey := own.vars[name]
				if !inKey {
					v = of("nullif", s.scalar(name), str(""))
					h.judged = and(h.judged, not(s.hasKind(name, "B")))
				}
				if !exact {
					h.judged = and(h.judged, ascii(of("coalesce", v, str(""))))
				}
				h.vars[name] = v
			}
			h.judged = and(h.judged, of("coalesce", readable(con.PK, h.vars), yes()),
				of("coalesce", readable(con.SK, h.vars), yes()))
			all = append(all, h)
		}
		done()
	}
	return togetherOf(c, all)
}

// togetherOf handles constraints with the same lock keys. SQL judges either all values that an account has
// for these constraints, or none. The reason: an account with the value in several attributes still claims
// the key only once.
func togetherOf(c *Check, all []holding) []holding {
	judged := make([][]expr, len(all))
	for n, h := range all {
		for _, other := range all {
			if h.kind == other.kind && h.con.SharesKeys(c.Tables[0].Name, other.con) {
				judged[n] = append(judged[n], other.judged)
			}
		}
	}
	for n := range all {
		all[n].judged = and(judged[n]...)
	}
	return all
}

// scopeOf lists the variables of a lock's key besides the value. Each occurs once.
func scopeOf(con *layout.Constraint) []string {
	var names []string
	for _, name := range con.Scope() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Names lists the attributes that the check needs of a table's items. at is the index of the table.
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

func ascii(e expr) expr { return of("ascii", e) }

// The patterns match whole numbers in canonical form. Any other number may have several spellings.
const (
	wholeNumber  = `\A(0|-?[1-9][0-9]{0,37})\z`
	wholeNumbers = `\A(0|-?[1-9][0-9]{0,37})(,(0|-?[1-9][0-9]{0,37}))*\z`
)

// kept makes SQL write these attributes of an item as DynamoDB JSON. The check reads them.
func kept(names []string) expr {
	var all []expr
	for _, name := range names {
		w := of("written", line, at("Item", name))
		all = append(all, join(str(jsonText(name)+":"), w))
	}
	return join(str("{"), of("concat_ws", append([]expr{str(",")}, all...)...), str("}"))
}

// whiteSpace matches the ASCII white space that Trim removes.
const whiteSpace = `\A[\x09-\x0D\x20]+|[\x09-\x0D\x20]+\z`

// steps has the normalisers as SQL. They do the same as the layout's normalisers: those in exactSteps for all
// texts, the others only for ASCII, since engines differ in other texts. If a normaliser is missing here, SQL
// cannot do it.
var steps = map[layout.Normaliser]func(expr) expr{
	layout.Trim:   func(v expr) expr { return of("replaced", v, str(whiteSpace), str("")) },
	layout.Lower:  func(v expr) expr { return of("lower", v) },
	layout.Upper:  func(v expr) expr { return of("upper", v) },
	layout.NFC:    func(v expr) expr { return v },
	layout.NFKC:   func(v expr) expr { return v },
	layout.SHA256: func(v expr) expr { return of("sha256", v) },
	layout.Base64: func(v expr) expr { return of("base64", v) },
	layout.Base64URL: func(v expr) expr {
		return of("translate", of("base64", v), str("+/="), str("-_"))
	},
	layout.Percent: func(v expr) expr { return of("percent", v) },
}

// exactSteps are the normalisers that work on the bytes of a text.
var exactSteps = []layout.Normaliser{layout.SHA256, layout.Base64, layout.Base64URL}

// JudgesUnicode reports whether SQL judges values of the constraint that have characters outside ASCII.
func JudgesUnicode(con *layout.Constraint) bool {
	return !slices.ContainsFunc(con.Normalise, func(n layout.Normaliser) bool { return !slices.Contains(exactSteps, n) })
}

// exact is JudgesUnicode for a constraint with locks. If several constraints have the same lock keys, SQL judges texts
// outside ASCII for all of them, or for none.
func (c *Check) exact(con *layout.Constraint) bool {
	return !slices.ContainsFunc(c.constraints(), func(other *layout.Constraint) bool {
		return con.SharesKeys(c.Tables[0].Name, other) && !JudgesUnicode(other)
	})
}

// normalised returns a value as the lock's key has it. spelt is the value before the first encoding step.
func normalised(c *layout.Constraint, v expr) (value, spelt expr) {
	spelt = v
	encoded := false
	for _, step := range c.Normalise {
		v = steps[step](v)
		switch step {
		case layout.Trim, layout.Lower, layout.Upper, layout.NFC, layout.NFKC:
		default:
			encoded = true
		}
		if !encoded {
			spelt = v
		}
	}
	return v, spelt
}

// unequal returns the constraint's first normaliser that is missing in steps. It returns "" if steps has
// all of them.
func unequal(c *layout.Constraint) layout.Normaliser {
	for _, step := range c.Normalise {
		if steps[step] == nil {
			return step
		}
	}
	return ""
}
