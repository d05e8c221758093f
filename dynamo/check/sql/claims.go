package sql

import (
	"fmt"
	"strings"

	"tallylock/dynamo/layout"
)

// The greatest lengths of a partition key and of a sort key, in bytes.
const (
	mostHash = 2048
	mostSort = 1024
)

// claiming builds the table of claims.
type claiming struct {
	*Check
	con chooser
	all map[int]holding // by the number of the constraint
}

// claims creates the table of all claims, one row for each. The column made is true if a lock key can be
// made of the claim's value. The query reads the items once for all constraints.
func (c *Check) claims() statement {
	b := &claiming{Check: c, con: chooser{col("con"), c.judged()}, all: map[int]holding{}}
	for n, h := range c.holdings(newStages(c, 0)) {
		b.all[n] = h
	}
	con := b.con
	hashed := &query{
		all:     true,
		columns: []as{{"hash", con.choose(func(n int) expr { return render(b.all[n].con.PK, b.vars(n)) })}},
		from:    from{inner: b.valued(), as: "b"},
	}
	keyed := &query{
		all: true,
		columns: []as{{"sort", con.choose(func(n int) expr {
			if !b.sorted(n) {
				return emptyText
			}
			return render(b.all[n].con.SK, b.vars(n))
		})}},
		from: from{inner: hashed, as: "c"},
	}
	return statement{about: "The locks that accounts need.", table: callsTable, query: &query{
		columns: []as{
			{"con", con.of},
			{"tbl", con.choose(func(n int) expr { return num(c.lockTable(b.all[n].con)) })},
			{"hash", hash},
			{"sort", sort},
			{"value", con.choose(func(n int) expr { return valueOf(b.all[n].con, col("v")) })},
			{"ahash", col("ahash")},
			{"asort", col("asort")},
			{"aid", col("aid")},
			{"aexpires", col("aexpires")},
			{"odd", of("<>", col("spelt"), of("lower", steps[layout.Trim](col("spelt"))))},
			{"made", b.made()},
		},
		from: from{inner: keyed, as: "d"},
	}}
}

// valued returns a query with a row for each value of an account, and the value as the lock's key has it.
func (b *claiming) valued() *query {
	inner := &query{
		columns: []as{
			{"con", col("n.con")},
			{"raw", col("u.raw")},
			{"ahash", col("i.hash")},
			{"asort", col("i.sort")},
			{"aid", col("i.id")},
			{"aexpires", col("i.expires")},
		},
		from:  eachOf(chooser{col("n.con"), b.con.all}, func(n int) expr { return col(fmt.Sprintf("i.v%d", n)) }),
		where: accounts("i."),
	}
	for _, n := range b.con.all {
		for m := range b.all[n].scope {
			column := fmt.Sprintf("s%d_%d", n, m)
			inner.columns = append(inner.columns, as{column, col("i." + column)})
		}
	}
	step := func(second bool) expr {
		return b.con.choose(func(n int) expr {
			value, spelt := normalised(b.all[n].con, col("raw"))
			if second {
				return spelt
			}
			return value
		})
	}
	return &query{
		all: true, columns: []as{{"v", step(false)}, {"spelt", step(true)}},
		from: from{inner: inner, as: "a"}, where: of("<>", col("raw"), str("")),
	}
}

// vars returns the variables of the key of a lock of constraint n.
func (b *claiming) vars(n int) variables {
	vars := variables{layout.ValueVariable: col("v"), layout.HashVariable: hash}
	for m, name := range b.all[n].scope {
		vars[name] = col(fmt.Sprintf("s%d_%d", n, m))
	}
	return vars
}

// sorted reports whether the locks of constraint n have sort keys.
func (b *claiming) sorted(n int) bool {
	return b.Tables[b.lockTable(b.all[n].con)].Schema.RangeName != ""
}

// made is true if a table can have an item with this key.
func (b *claiming) made() expr {
	return b.con.choose(func(n int) expr {
		fits := []expr{of("<>", col("v"), str("")), of("<=", of("bytes", hash), num(mostHash))}
		if b.sorted(n) {
			fits = append(fits, of("<>", sort, str("")), of("<=", of("bytes", sort), num(mostSort)))
		}
		return surely(and(fits...))
	})
}

// valueOf returns the value as the lock's key has it: the digest of v if the key's template has a digest,
// otherwise v.
func valueOf(con *layout.Constraint, v expr) expr {
	for _, t := range []layout.Template{con.PK, con.SK} {
		for _, p := range t.Pieces() {
			if p.Digest != nil {
				return of("sha256", render(*p.Digest, variables{layout.ValueVariable: v}))
			}
		}
	}
	return v
}

// accounts is true if an item is an account.
func accounts(prefix string) expr {
	return of("starts_with", of("coalesce", col(prefix+"role"), str("")), str("account:"))
}

// chooser makes SQL choose an expression by a number, such as the number of a constraint.
type chooser struct {
	of  expr
	all []int
}

// choose returns an expression that depends on the number in the row: each(n) for the number n. Equal expressions
// share a case.
func (c chooser) choose(each func(n int) expr) expr {
	var different []expr
	numbers := map[string][]int{}
	for _, n := range c.all {
		e := each(n)
		key := fmt.Sprint(e)
		if numbers[key] == nil {
			different = append(different, e)
		}
		numbers[key] = append(numbers[key], n)
	}
	if len(different) == 1 {
		return different[0]
	}
	var cases []when
	for _, e := range different {
		cases = append(cases, when{inside(c.of, numbers[fmt.Sprint(e)]), e})
	}
	return choose(cases...)
}

// list is a list of all numbers.
func (c chooser) list() expr {
	e := of("list")
	for _, n := range c.all {
		e.args = append(e.args, num(n))
	}
	return e
}

// upTo returns the numbers below n.
func upTo(n int) []int {
	all := make([]int, n)
	for m := range all {
		all[m] = m
	}
	return all
}

// inside is true if the list named all has the number.
func inside(number expr, all []int) expr {
	args := []expr{number}
	for _, n := range all {
		args = append(args, num(n))
	}
	switch len(all) {
	case 0:
		return no()
	case 1:
		return eq(number, args[1])
	}
	return of("in", args...)
}

// eachOf reads the items, with a row for each number and each text of the item's list for that number. The
// column of the number is n.con or the like, and the text is u.raw.
func eachOf(number chooser, list func(n int) expr) from {
	name := strings.TrimPrefix(number.of.text, "n.")
	return from{table: itemsTable, as: "i", joins: []joined{
		{each: number.list(), as: "n(" + name + ")"},
		{each: number.choose(list), as: "u(raw)"},
	}}
}
