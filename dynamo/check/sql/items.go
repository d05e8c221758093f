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
	*Check
	at      int
	columns []as
	rest    []expr
}

func (c *facts) add(name string, e expr) { c.columns = append(c.columns, as{name, e}) }

// leave adds a word to the column "rest", for the items that meet the condition. The word tells the check
// what it must still judge about the item.
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

// held adds columns for the values of accounts, and for the other variables of their lock keys.
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

// others adds columns for constraints without locks, for derived keys, and for ids.
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

// markWord is the word in the column rest of a lock that has a release mark. The check lists such locks.
const markWord = "mark"

func (c *facts) marked() expr {
	if c.Mark == "" {
		return no()
	}
	return surely(and(locking, attribute(c.Mark)))
}

// expires is true if an item has a TTL.
func (c *facts) expires(at int) expr {
	if c.Tables[at].Expiry == "" {
		return no()
	}
	return exists(text(c.Tables[at].Expiry, attr.N))
}

// id returns the id of an account. A lock may name the account by this id.
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

// number returns the text of a counter's number. It is "none" if the counter has no number.
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

// togetherOf handles constraints with the same lock keys. SQL judges either all values that an account has
// for these constraints, or none. The reason: an account with the value in several attributes still claims
// the key only once.
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

// line is the column with one line of the export: {"Item":{…}}.
var line = col("line")

// places lists the places in a line where an attribute may be. A path with dots has several: the dots may
// belong to the attribute's name, or separate the names of nested maps. The whole path as a name comes
// first.
func places(path string) [][]string {
	all := [][]string{{path}}
	for n := range len(path) {
		if path[n] == '.' {
			for _, rest := range places(path[n+1:]) {
				all = append(all, append([]string{path[:n], string(attr.M)}, rest...))
			}
		}
	}
	return all
}

// reads applies an SQL operation to an attribute, at the first of its places that exists.
func reads(operation, path string, below ...string) expr {
	all := places(path)
	if len(all) == 1 {
		return of(operation, line, at(all[0], below...))
	}
	var cases []when
	for _, steps := range all {
		cases = append(cases, when{exists(of("json", line, at(steps))), of(operation, line, at(steps, below...))})
	}
	return choose(cases...)
}

// at builds the place in a line from the steps to an attribute and the steps below it.
func at(steps []string, below ...string) expr {
	e := expr{op: "at", args: []expr{str("Item")}}
	for _, s := range slices.Concat(steps, below) {
		e.args = append(e.args, str(s))
	}
	return e
}

// attribute is true if the attribute exists. text returns the attribute's value if the attribute has this
// type, otherwise NULL.
func attribute(path string) expr { return exists(reads("json", path)) }

func text(path string, kind attr.Kind) expr { return reads("scalar", path, string(kind)) }

// scalar returns the value of a string or a number. It is NULL for any other type.
func scalar(path string) expr { return of("coalesce", text(path, attr.S), text(path, attr.N)) }

func ascii(e expr) expr { return of("ascii", e) }

// The patterns match whole numbers in canonical form. Any other number may have several spellings.
const (
	wholeNumber  = `\A(0|-?[1-9][0-9]{0,37})\z`
	wholeNumbers = `\A(0|-?[1-9][0-9]{0,37})(,(0|-?[1-9][0-9]{0,37}))*\z`
)

// held returns the values that an account has in an attribute. judged is true if SQL can judge every one of
// these values.
func held(path string) (values, judged expr) {
	s, n := text(path, attr.S), text(path, attr.N)
	ss, ns, members := reads("texts", path, "SS"), reads("texts", path, "NS"), reads("members", path, "L")
	values = choose(
		when{exists(s), of("list", s)},
		when{exists(n), of("list", n)},
		when{exists(reads("json", path, "SS")), ss},
		when{exists(reads("json", path, "NS")), ns},
		when{exists(reads("json", path, "L")), members},
	)
	judged = surely(choose(
		when{not(attribute(path)), yes()},
		when{exists(s), ascii(s)},
		when{exists(n), of("matches", n, str(wholeNumber))},
		when{exists(reads("json", path, "SS")), ascii(of("all", ss))},
		when{exists(reads("json", path, "NS")), of("matches", of("all", ns), str(wholeNumbers))},
		when{exists(reads("json", path, "L")), and(of("whole", members), ascii(of("all", members)))},
		// A map, a BOOL or a NULL holds no protected value, so nothing is left to judge.
		when{
			or(exists(reads("json", path, "M")), exists(reads("json", path, "BOOL")), exists(reads("json", path, "NULL"))),
			yes(),
		},
	))
	return values, judged
}

// is compares an item with the attribute that tells kinds of items apart. holds is true if the item is of
// the kind. unsure is true if SQL cannot tell.
func is(d layout.Discriminator) (holds, unsure expr) {
	if d.Attribute == "" {
		return yes(), no()
	}
	if d.Value == "" {
		return not(attribute(d.Attribute)), attribute(d.Attribute)
	}
	said := of("coalesce", scalar(d.Attribute), text(d.Attribute, attr.BOOL))
	return surely(eq(said, str(d.Value))), and(attribute(d.Attribute), isNull(said))
}

func keyText(name string, kind attr.Kind) expr { return text(name, kind) }

// kept makes SQL write these attributes of an item as DynamoDB JSON. The check reads them.
func kept(names []string) expr {
	var all []expr
	for _, name := range names {
		w := of("written", line, expr{op: "at", args: []expr{str("Item"), str(name)}})
		all = append(all, join(str(jsonText(name)+":"), w))
	}
	return join(str("{"), of("concat_ws", append([]expr{str(",")}, all...)...), str("}"))
}

// whiteSpace matches the ASCII white space that Trim removes.
const whiteSpace = `\A[\x09-\x0D\x20]+|[\x09-\x0D\x20]+\z`

// steps has the normalisers as SQL. They do the same as the layout's normalisers, but only for ASCII, since
// engines differ in other texts. If a normaliser is missing here, SQL cannot do it.
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
