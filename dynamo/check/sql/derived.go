package sql

import (
	"fmt"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// derived is a derived key of one kind of items.
type derived struct {
	kind *layout.Account
	role string // the items' role in the column role
	*layout.Derived
}

// derivedOf lists the derived keys of all kinds of items, in the layout's order.
func derivedOf(c *Check) []derived {
	var all []derived
	for n, a := range c.Layout.Accounts {
		for _, d := range a.Derived {
			all = append(all, derived{a, accountRole(n), d})
		}
	}
	for n, a := range c.Layout.Keyed {
		for _, d := range a.Derived {
			all = append(all, derived{a, keyedRole(n), d})
		}
	}
	return all
}

// derivedWord returns the word in the column rest if SQL cannot judge derived key n of the item.
func derivedWord(n int) string { return fmt.Sprintf("d%d", n) }

// derivedColumns returns two columns: the derived key that the item has, and the key that it should have.
// Both are NULL if SQL cannot compare them. open is true if the check must judge the key instead.
func (c *facts) derivedColumns(d derived, at int) (has, should, open expr) {
	if at != 0 {
		return noText, noText, no()
	}
	mine := eq(role, str(d.role))
	key, judged := text(d.Attribute, attr.S), yes()
	vars, full := variables{}, []expr{}
	con := &layout.Constraint{Normalise: d.Normalise}
	if unequal(con) != "" {
		return noText, noText, and(mine, attribute(d.Attribute))
	}
	for _, name := range d.Of() {
		v := scalar(name)
		judged = and(judged, ascii(of("coalesce", v, str(""))), not(exists(reads("json", name, string(attr.B)))))
		value, _ := normalised(con, v)
		vars[name] = of("nullif", value, str(""))
		full = append(full, exists(vars[name]))
	}
	read := read(d.Template, key, nil)
	judged = and(judged, exists(key), ascii(of("coalesce", key, str(""))), or(not(read.fits), read.likely))
	compared := surely(and(append([]expr{mine, judged, read.fits}, full...)...))
	return when{
			compared,
			key,
		}.alone(), when{
			compared,
			render(d.Template, vars),
		}.alone(), and(mine, attribute(d.Attribute), not(surely(judged)))
}

// drifted returns two queries. One lists the items whose derived key n is wrong. The other counts the
// compared keys and the wrong keys.
func (c answer) drifted(n int, d derived) []*query {
	has, should := col(fmt.Sprintf("h%d", n)), col(fmt.Sprintf("m%d", n))
	which := field{"derived", of("words", num(n))}
	rows := &query{columns: answers(c.row(
		field{"finding", str(jsonText("drifted-key"))}, which, field{"attribute", str(jsonText(d.Attribute))},
		field{"seen", join(str(`{"S":`), quoted(has), str("}"))}, field{"expected", quoted(should)},
		field{"accounts", join(str("["), c.keyJSON(0, hash, sort), str("]"))}, field{"confirmed", str("false")},
	)), from: from{table: itemsTable}, where: surely(of("<>", has, should))}
	counts := &query{
		columns: []as{{"compared", of("many", has)}, {"drifted", sumOf(of("<>", has, should))}},
		from:    from{table: itemsTable},
	}
	counted := &query{columns: answers(c.row(
		field{"counted", str(jsonText("derived"))}, which, field{"compared", of("words", col("n.compared"))},
		field{"drifted", of("words", col("n.drifted"))},
	)), from: from{inner: counts, as: "n"}}
	return []*query{rows, counted}
}

// unlocked is a constraint without locks. kind is the index of the kind of accounts that has the
// constraint.
type unlocked struct {
	kind int
	*layout.Constraint
}

// JudgesValues reports whether SQL can compare the values of a constraint without locks. If SQL cannot, the
// check compares all its values.
func JudgesValues(con *layout.Constraint) bool {
	return con.Lockless() && len(con.Within) == 0 && unequal(con) == ""
}

// unlockedOf lists the constraints without locks of all kinds of accounts, in the layout's order.
func unlockedOf(c *Check) []unlocked {
	var all []unlocked
	for n, a := range c.Layout.Accounts {
		for _, con := range a.Unlocked {
			all = append(all, unlocked{n, con})
		}
	}
	return all
}

// unlockedWord returns the word in the column rest if SQL cannot judge the values that the item has for
// unlocked constraint n.
func unlockedWord(n int) string { return fmt.Sprintf("u%d", n) }

// unlockedColumn returns the values that an item has for a constraint without locks. open is true if the
// check must judge the values, since SQL cannot.
func (c *facts) unlockedColumn(rule unlocked, at int) (list, open expr) {
	if at != 0 {
		return noTexts, no()
	}
	mine := eq(role, str(accountRole(rule.kind)))
	values, judged := held(rule.Attribute)
	if !JudgesValues(rule.Constraint) {
		return noTexts, and(mine, attribute(rule.Attribute))
	}
	return when{and(mine, judged), values}.alone(), and(mine, not(judged))
}

// heldTwice returns the duplicates of a constraint without locks: each value that two or more accounts
// hold.
func (c answer) heldTwice(n int, rule unlocked) *query {
	list := col(fmt.Sprintf("i.u%d", n))
	raw := &query{
		columns: []as{{"raw", col("u.raw")}, {"hash", col("i.hash")}, {"sort", col("i.sort")}},
		from:    from{table: itemsTable, as: "i", joins: []joined{{each: list, as: "u(raw)"}}}, where: exists(list),
	}
	value, _ := normalised(rule.Constraint, col("raw"))
	valued := &query{
		all:     true,
		columns: []as{{"value", value}},
		from:    from{inner: raw, as: "r"},
		where:   of("<>", col("raw"), str("")),
	}
	each := &query{ // an account counts once, even if it has the value several times
		columns: []as{{"value", col("value")}, {"account", c.keyJSON(0, hash, sort)}},
		from:    from{inner: several(valued, col("value")), as: "w"}, where: of("<>", col("value"), str("")), group: 2,
	}
	twice := &query{
		columns: []as{
			{"value", col("value")},
			{"n", of("many", col("*"))},
			{"accounts", of("all", of("least", col("account"), num(maxAccounts)))},
		},
		from: from{inner: each, as: "e"}, where: of("<>", col("value"), str("")), group: 1,
		having: of(">", of("many", col("*")), num(1)),
	}
	return &query{columns: answers(c.row(
		field{"finding", str(jsonText(duplicate))},
		field{"constraint", str(jsonText(rule.Name))},
		field{"value", quoted(col("t.value"))},
		field{"accounts", join(str("["), col("t.accounts"), str("]"))},
		field{
			"more_accounts",
			when{of(">", col("t.n"), num(maxAccounts)), of("words", of("-", col("t.n"), num(maxAccounts)))}.alone(),
		},
		field{"unlocked", str("true")},
		field{"confirmed", str("false")},
	)), from: from{inner: twice, as: "t"}}
}
