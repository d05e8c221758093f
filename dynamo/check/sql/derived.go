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
func (c *facts) derivedColumns(d derived) (has, should, open expr) {
	if c.at != 0 {
		return noText, noText, no()
	}
	defer c.within(c.ofRole(d.role))()
	mine := eq(role, str(d.role))
	key, judged := c.text(d.Attribute, attr.S), yes()
	vars, full := variables{}, []expr{}
	con := &layout.Constraint{Normalise: d.Normalise}
	if unequal(con) != "" {
		return noText, noText, and(mine, c.attribute(d.Attribute))
	}
	only := func(text expr) expr {
		if JudgesUnicode(con) {
			return yes()
		}
		return ascii(of("coalesce", text, str("")))
	}
	for _, name := range d.Of() {
		v := c.scalar(name)
		judged = and(judged, only(v), not(c.hasKind(name, "B")))
		value, _ := normalised(con, v)
		vars[name] = of("nullif", value, str(""))
		full = append(full, exists(vars[name]))
	}
	read := read(d.Template, key, nil)
	judged = and(judged, exists(key), only(key), or(not(read.fits), read.likely))
	compared := surely(and(append([]expr{mine, judged, read.fits}, full...)...))
	return when{
			compared,
			key,
		}.alone(), when{
			compared,
			render(d.Template, vars),
		}.alone(), and(mine, c.attribute(d.Attribute), not(surely(judged)))
}

// derivedKeys returns a query with a row for each item and each derived key that SQL compares: the number of
// the derived key, the key that the item has, and the key that it should have.
func (c answer) derivedKeys() *query {
	numbers := upTo(len(derivedOf(c.Check)))
	column := func(prefix string) func(int) expr {
		return func(n int) expr { return col(fmt.Sprint("i.", prefix, n)) }
	}
	each := chooser{col("d.n"), numbers}
	return &query{columns: []as{
		{"n", col("d.n")},
		{"hash", col("i.hash")},
		{"sort", col("i.sort")},
		{"has", each.choose(column("h"))},
		{"should", each.choose(column("m"))},
	}, from: from{table: itemsTable, as: "i", joins: []joined{{each: each.list(), as: "d(n)"}}}}
}

// drifted returns the items whose derived key is wrong.
func (c answer) drifted() *query {
	attribute := chooser{col("n"), upTo(len(derivedOf(c.Check)))}.choose(func(n int) expr {
		return str(jsonText(derivedOf(c.Check)[n].Attribute))
	})
	return &query{columns: answers(c.row(
		field{"finding", str(jsonText("drifted-key"))},
		field{"derived", of("words", col("n"))},
		field{"attribute", attribute},
		field{"seen", join(str(`{"S":`), quoted(col("has")), str("}"))}, field{"expected", quoted(col("should"))},
		field{"accounts", join(str("["), c.keyJSON(0, hash, sort), str("]"))}, field{"confirmed", str("false")},
	)), from: from{inner: c.derivedKeys(), as: "k"}, where: surely(of("<>", col("has"), col("should")))}
}

// compared counts the compared derived keys and the wrong ones.
func (c answer) compared() *query {
	counts := &query{
		columns: []as{
			{"n", col("n")},
			{"compared", of("many", col("has"))},
			{"drifted", sumOf(of("<>", col("has"), col("should")))},
		},
		from: from{inner: c.derivedKeys(), as: "k"}, group: 1,
	}
	return &query{columns: answers(c.row(
		field{"counted", str(jsonText("derived"))}, field{"derived", of("words", col("n.n"))},
		field{"compared", of("words", col("n.compared"))}, field{"drifted", of("words", col("n.drifted"))},
	)), from: from{inner: counts, as: "n"}}
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
func (c *facts) unlockedColumn(rule unlocked) (list, open expr) {
	if c.at != 0 {
		return noTexts, no()
	}
	defer c.within(c.ofRole(accountRole(rule.kind)))()
	mine := eq(role, str(accountRole(rule.kind)))
	if !JudgesValues(rule.Constraint) {
		return noTexts, and(mine, c.attribute(rule.Attribute))
	}
	values, judged := c.held(rule.Attribute, JudgesUnicode(rule.Constraint))
	return when{and(mine, judged), values}.alone(), and(mine, not(judged))
}

// heldTwice returns the duplicates of the constraints without locks: each value that two or more accounts
// hold.
func (c answer) heldTwice() *query {
	rules := unlockedOf(c.Check)
	rule := chooser{col("rule"), upTo(len(rules))}
	raw := &query{
		columns: []as{{"rule", col("n.rule")}, {"raw", col("u.raw")}, {"hash", col("i.hash")}, {"sort", col("i.sort")}},
		from:    eachOf(chooser{col("n.rule"), rule.all}, func(n int) expr { return col(fmt.Sprintf("i.u%d", n)) }),
		where:   accounts("i."),
	}
	valued := &query{
		all: true,
		columns: []as{{"value", rule.choose(func(n int) expr {
			if !JudgesValues(rules[n].Constraint) {
				return noText
			}
			value, _ := normalised(rules[n].Constraint, col("raw"))
			return value
		})}},
		from: from{inner: raw, as: "r"},
	}
	each := &query{ // an account counts once, even if it has the value several times
		columns: []as{{"rule", col("rule")}, {"value", col("value")}, {"account", c.keyJSON(0, hash, sort)}},
		from:    from{inner: several(valued, join(of("words", col("rule")), str(":"), col("value"))), as: "w"},
		where:   of("<>", col("value"), str("")), group: 3,
	}
	twice := &query{
		columns: []as{
			{"rule", col("rule")},
			{"value", col("value")},
			{"n", of("many", col("*"))},
			{"accounts", of("all", of("least", col("account"), num(maxAccounts)))},
		},
		from: from{inner: each, as: "e"}, group: 2, having: of(">", of("many", col("*")), num(1)),
	}
	name := chooser{col("t.rule"), rule.all}.choose(func(n int) expr { return str(jsonText(rules[n].Name)) })
	return &query{columns: answers(c.row(
		field{"finding", str(jsonText(duplicate))},
		field{"constraint", name},
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
