package sql

import (
	"strconv"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// answer builds the rows of the result.
type answer struct{ *Check }

// candidates creates the table with all rows of the result, except the rows of counterTables.
func (c answer) candidates() statement {
	q := &query{}
	add := func(all ...*query) { q.union = append(q.union, all...) }
	if len(c.judged()) > 0 {
		add(c.pairs())
	}
	add(c.unjudgedItems())
	for at := range c.Tables {
		add(c.totals(at))
	}
	if len(c.judged()) > 0 {
		add(c.countedLocks(), c.countedCalls(), c.impossible())
	}
	if len(derivedOf(c.Check)) > 0 {
		add(c.drifted(), c.compared())
	}
	if len(unlockedOf(c.Check)) > 0 {
		add(c.heldTwice())
	}
	return statement{about: "The candidates, the unjudged items, and counts.", table: candidatesTable, query: q}
}

// answers makes row the only column of the result. row is one line of JSON.
func answers(row expr) []as { return []as{{"candidate", row}} }

// The kinds of candidates. One key may be of several kinds, and gets a row for each: a duplicate must not
// hide that the lock is also missing or foreign.
const (
	orphaned  = "orphaned-lock"
	malformed = "malformed-lock"
	missing   = "missing-lock"
	duplicate = "duplicate-value"
	foreign   = "foreign-lock"
	expiring  = "expiring-account"
)

// pairs returns the rows for the keys whose lock and accounts do not match: for each key, one row of each kind.
func (c answer) pairs() *query {
	kind, calls, locked := col("f.kind"), col("k.calls"), col("k.locked")
	strange := of("starts_with", of("coalesce", col("k.lock"), str("")), str("malformed:"))
	owned := of("<>", of("coalesce", col("k.owner"), str("")), str(""))
	// A key without a lock has a claim, and a key with an owner has a lock.
	holds := choose(
		when{eq(kind, str(orphaned)), and(eq(calls, num(0)), not(strange))},
		when{eq(kind, str(malformed)), and(eq(calls, num(0)), strange)},
		when{eq(kind, str(missing)), not(locked)},
		when{eq(kind, str(duplicate)), of(">", calls, num(1))},
		when{eq(kind, str(foreign)), and(of(">", calls, num(0)), owned, not(col("k.named")))},
		when{eq(kind, str(expiring)), and(eq(calls, num(1)), locked, of("<>", col("k.aexpires"), col("k.lexpires")))},
	)
	kinds := of("list", str(orphaned), str(malformed), str(missing), str(duplicate), str(foreign), str(expiring))
	q, ownerAccount := &query{from: from{table: keysTable, as: "k", joins: []joined{{each: kinds, as: "f(kind)"}}}}, noText
	if len(c.owned()) > 0 {
		q.from.joins = append(q.from.joins, joined{how: "LEFT", query: c.owners(), as: "o", on: and(
			eq(col("k.tbl"), col("o.tbl")), eq(col("k.hash"), col("o.hash")), eq(col("k.sort"), col("o.sort")))})
		ownerAccount = col("o.account")
	}
	// If a key has several kinds, all its rows but the first have the field "again".
	first := choose(
		when{and(eq(calls, num(0)), strange), str(malformed)},
		when{eq(calls, num(0)), str(orphaned)},
		when{of(">", calls, num(1)), str(duplicate)},
		when{not(locked), str(missing)},
		when{and(owned, not(col("k.named"))), str(foreign)},
		when{yes(), str(expiring)},
	)
	key := c.perTable(col("k.tbl"), func(at int) expr { return c.keyJSON(at, col("k.hash"), col("k.sort")) })
	fields := []field{
		{"finding", quoted(kind)},
		{"constraint", c.constraintName()},
		{"value", quoted(c.value())},
		{"lock", key},
	}
	if len(c.Tables) > 1 {
		fields = append(fields, field{"lock_table", c.perTable(col("k.tbl"), func(at int) expr {
			if at == 0 {
				return noText
			}
			return str(jsonText(c.Tables[at].Name))
		})})
	}
	fields = append(
		fields,
		field{"owner", quoted(col("k.owner"))},
		field{"owner_account", ownerAccount},
		field{"accounts", join(str("["), of("coalesce", col("k.accounts"), str("")), str("]"))},
		field{"more_accounts", when{of(">", calls, num(maxAccounts)), of("words", of("-", calls, num(maxAccounts)))}.alone()},
		field{"lock_exists", truth(locked)},
		field{"lock_expires", when{col("k.lexpires"), str("true")}.alone()},
		field{"account_expires", when{col("k.aexpires"), str("true")}.alone()},
		field{"again", when{of("<>", kind, first), str("true")}.alone()},
		field{"confirmed", str("false")},
		field{
			"detail",
			str(jsonText("SQL found this candidate in an export. Only a check of the candidates can confirm it.")),
		},
	)
	q.columns, q.where = answers(c.row(fields...)), surely(holds)
	return q
}

// owners finds the account that each unclaimed lock names, by its id or by its partition key. A lock of an
// existing account is stale, and not orphaned.
func (c answer) owners() *query {
	q := &query{}
	for _, name := range []string{"id", "hash"} {
		on := and(eq(col("i."+name), col("k.owner")), eq(col("k.calls"), num(0)), accounts("i."))
		q.union = append(q.union, &query{
			columns: []as{
				{"tbl", col("k.tbl")},
				{"hash", col("k.hash")},
				{"sort", col("k.sort")},
				{"account", c.keyJSON(0, col("i.hash"), col("i.sort"))},
			},
			from: from{table: keysTable, as: "k", joins: []joined{{how: "INNER", table: itemsTable, as: "i", on: on}}},
		})
	}
	return &query{
		columns: []as{{"tbl", col("tbl")}, {"hash", hash}, {"sort", sort}, {"account", of("min", col("account"))}},
		from:    from{inner: q, as: "o"}, group: 3,
	}
}

// value returns the value that the accounts hold. If no account holds one, it returns the value in the
// lock's key.
func (c answer) value() expr {
	cases := []when{{exists(col("k.value")), col("k.value")}}
	for n, con := range c.constraints() {
		if c.unjudged(n) != "" {
			continue
		}
		sorted := c.Tables[c.lockTable(con)].Schema.RangeName != ""
		if v, ok := readKey(con.PK, con.SK, sorted, col("k.hash"), col("k.sort")).vars[layout.ValueVariable]; ok {
			cases = append(cases, when{eq(col("k.lock"), str(lockRole(n))), v})
		}
	}
	return choose(cases...)
}

// constraintName returns the name of the lock's constraint. If there is no lock, it returns the name of the
// constraint for which the account claims the key.
func (c answer) constraintName() expr {
	var cases []when
	for n, con := range c.constraints() {
		cases = append(cases,
			when{or(eq(col("k.lock"), str(lockRole(n))), eq(col("k.lock"), str(malformedRole(n)))), str(jsonText(con.Name))})
	}
	for n, con := range c.constraints() {
		cases = append(cases, when{eq(col("k.con"), num(n)), str(jsonText(con.Name))})
	}
	return choose(cases...)
}

// unjudgedItems returns the items that the check must judge, since SQL cannot judge all of their facts.
func (c answer) unjudgedItems() *query {
	return &query{
		columns: answers(c.row(
			field{"unjudged", quoted(col("i.rest"))},
			field{"of", c.perTable(col("i.tbl"), func(at int) expr { return str(jsonText(c.Tables[at].Name)) })},
			field{"item", col("i.item")},
		)),
		from: from{table: itemsTable, as: "i"}, where: exists(col("i.rest")),
	}
}

// sumOf counts the rows that meet the condition.
func sumOf(cond expr) expr { return of("many", choose(when{cond, num(1)})) }

// totals counts the items of a table, the accounts, and the items without the table's key. A check compares
// the count of items with the export's manifests, to see whether the engine has read the whole export.
func (c answer) totals(at int) *query {
	inner := &query{
		columns: []as{
			{"count", of("many", col("*"))},
			{"strange", sumOf(eq(role, str(strangeRole)))},
			{"accounted", sumOf(accounts(""))},
			{"expiring", sumOf(and(accounts(""), col("expires")))},
		},
		from: from{table: itemsTable}, where: eq(col("tbl"), num(at)),
	}
	t := c.Tables[at]
	fields := []field{{"counted", str(jsonText("items"))}, {"of", str(jsonText(t.Name))}, {"of_id", str(jsonText(t.ID))}}
	for _, one := range inner.columns {
		fields = append(fields, field{one.name, of("words", col("n."+one.name))})
	}
	if m := t.Manifest; m != nil {
		fields = append(fields, field{"exported", str(strconv.FormatInt(m.Items, 10))},
			field{"exported_at", str(jsonText(m.At.UTC().Format(time.RFC3339)))})
	}
	return &query{columns: answers(c.row(fields...)), from: from{inner: inner, as: "n"}}
}

// countedLocks counts the locks of each constraint, and countedCalls counts its claims. The check needs the
// counts to judge the layout's fit.
func (c answer) countedLocks() *query {
	number := of("number", of("before", role, of("+", of("strpos", role, str(":")), num(1))))
	return c.counts(&query{
		columns: []as{
			{"con", number},
			{"locks", of("many", col("*"))},
			{"owned", sumOf(of("<>", of("coalesce", col("owner"), str("")), str("")))},
		},
		from: from{table: itemsTable}, where: locking, group: 1,
	})
}

func (c answer) countedCalls() *query {
	return c.counts(&query{
		columns: []as{{"con", col("con")}, {"calls", of("many", col("*"))}, {"odd", sumOf(col("odd"))}},
		from:    from{table: callsTable}, where: col("made"), group: 1,
	})
}

// counts returns a row for each constraint in a query that counts by constraint.
func (c answer) counts(all *query) *query {
	fields := []field{{"counted", str(jsonText("constraint"))}, c.named("n.con")}
	for _, count := range all.columns[1:] {
		fields = append(fields, field{count.name, of("words", col("n."+count.name))})
	}
	return &query{columns: answers(c.row(fields...)), from: from{inner: all, as: "n"}}
}

// named is the field with the name of a constraint. column has the constraint's number.
func (c answer) named(column string) field {
	return field{"constraint", chooser{col(column), c.judged()}.choose(func(n int) expr {
		return str(jsonText(c.constraints()[n].Name))
	})}
}

// impossible counts, for each constraint, the values for which no lock key can be made. The row has one of these values
// as an example.
func (c answer) impossible() *query {
	each := &query{ // a value counts once for an account, whatever its spellings
		columns: []as{
			{"con", col("con")},
			{"ahash", col("ahash")},
			{"asort", col("asort")},
			{"value", of("coalesce", col("value"), str(""))},
		},
		from: from{table: callsTable}, where: not(col("made")), group: 4,
	}
	account := &query{
		columns: []as{{"con", col("con")}, {"account", c.keyJSON(0, col("ahash"), col("asort"))}, {"value", col("value")}},
		from:    from{inner: each, as: "e"},
	}
	all := &query{
		columns: []as{
			{"con", col("con")},
			{"count", of("many", col("*"))},
			{"account", of("min", col("account"))},
			{"value", of("min_by", col("value"), col("account"))},
		},
		from: from{inner: account, as: "a"}, group: 1,
	}
	return &query{columns: answers(c.row(
		field{"counted", str(jsonText("impossible"))}, c.named("n.con"),
		field{"count", of("words", col("n.count"))}, field{"value", quoted(col("n.value"))},
		field{"accounts", join(str("["), col("n.account"), str("]"))},
	)), from: from{inner: all, as: "n"}}
}

// field is a member of a row's JSON object. value is JSON. If value is NULL, the row omits the field.
type field struct {
	name  string
	value expr
}

// jsonText writes a text as JSON, with as few escapes as possible.
func jsonText(s string) string {
	text, _ := attr.JSON(s) // every text can be encoded
	return string(text)
}

// quoted makes SQL write a text as JSON.
func quoted(e expr) expr { return of("quote", e) }

// truth makes SQL write a condition as true or false.
func truth(e expr) expr { return choose(when{e, str("true")}, when{yes(), str("false")}) }

// row returns one row of the result: a JSON object with these fields, the table and the layout.
func (c *Check) row(fields ...field) expr {
	t := c.Tables[0]
	said := []expr{
		str(`"table":` + jsonText(t.Name)),
		str(`"table_id":` + jsonText(t.ID)),
		str(`"layout":` + jsonText(c.Hash)),
	}
	all := []expr{}
	for _, f := range fields {
		all = append(all, join(str(jsonText(f.name)+":"), f.value))
	}
	return join(str("{"), of("concat_ws", append([]expr{str(",")}, append(all, said...)...)...), str("}"))
}

// keyJSON makes SQL write a key as DynamoDB JSON. at is the index of the key's table.
func (c *Check) keyJSON(at int, hash, sort expr) expr {
	s := c.Tables[at].Schema
	parts := []expr{str("{"), keyPart(s.HashName, s.HashKind), quoted(hash), str("}")}
	if s.RangeName != "" {
		parts = append(parts, str(","), keyPart(s.RangeName, s.RangeKind), quoted(sort), str("}"))
	}
	return join(append(parts, str("}"))...)
}

func keyPart(name string, kind attr.Kind) expr {
	return str(jsonText(name) + ":{" + jsonText(string(kind)) + ":")
}

// perTable makes SQL choose the expression for a row's table. tbl is the column with the number of the
// table. of returns the expression for a table.
func (c *Check) perTable(tbl expr, of func(at int) expr) expr {
	if len(c.Tables) == 1 {
		return of(0)
	}
	var cases []when
	for n := range c.Tables {
		cases = append(cases, when{eq(tbl, num(n)), of(n)})
	}
	return choose(cases...)
}
