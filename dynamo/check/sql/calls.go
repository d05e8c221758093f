package sql

import (
	"fmt"

	"tallylock/dynamo/layout"
)

// The most bytes of a key's two parts.
const (
	mostHash = 2048
	mostSort = 1024
)

// pairing puts locks and accounts together.
type pairing struct{ *Check }

// calls makes the table of the locks that accounts call for, one row each.
func (c pairing) calls() statement {
	q := &query{}
	for n, h := range c.holdings() {
		if c.unjudged(n) == "" {
			q.union = append(q.union, c.callsOf(n, h))
		}
	}
	if len(q.union) == 0 {
		q.union = []*query{{columns: noCalls(), from: from{table: itemsTable}, where: no()}}
	}
	if len(q.union) == 1 {
		q = q.union[0]
	}
	return statement{about: "The locks that accounts call for.", table: callsTable, query: q}
}

// noCalls are the columns of a layout of which nothing is judged.
func noCalls() []as {
	return []as{{"con", num(0)}, {"tbl", num(0)}, {"hash", hash}, {"sort", sort}, {"value", hash}, {"account", hash}, {"ahash", hash}, {"aid", hash}, {"aexpires", no()}, {"odd", no()}}
}

func (c pairing) callsOf(n int, h holding) *query {
	raw := col("raw")
	inner := &query{
		columns: []as{{"raw", col("u.raw")}, {"ahash", col("i.hash")}, {"asort", col("i.sort")}, {"aid", col("i.id")}, {"aexpires", col("i.expires")}},
		from:    from{table: itemsTable, as: "i", joins: []joined{{each: col(fmt.Sprintf("i.v%d", n)), as: "u(raw)"}}},
		where:   exists(col(fmt.Sprintf("i.v%d", n))),
	}
	value, spelt := normalised(h.con, raw)
	vars := variables{}
	for m, name := range h.scope {
		column := fmt.Sprintf("s%d", m)
		inner.columns = append(inner.columns, as{column, col(fmt.Sprintf("i.s%d_%d", n, m))})
		vars[name] = col(column)
	}
	valued := &query{all: true, columns: []as{{"v", value}, {"spelt", spelt}}, from: from{inner: inner, as: "a"}, where: of("<>", raw, str(""))}
	vars[layout.ValueVariable] = col("v")
	hashed := &query{all: true, columns: []as{{"hash", render(h.con.PK, vars)}}, from: from{inner: valued, as: "b"}, where: of("<>", col("v"), str(""))}
	at := c.lockTable(h.con)
	keyed := &query{all: true, columns: []as{{"sort", emptyText}}, from: from{inner: hashed, as: "c"}}
	fits := []expr{exists(hash), of("<=", of("length", hash), num(mostHash))}
	if c.Tables[at].Schema.RangeName != "" {
		vars[layout.HashVariable] = hash
		keyed.columns[0].expr = render(h.con.SK, vars)
		fits = append(fits, of("<>", of("coalesce", sort, str("")), str("")), of("<=", of("length", sort), num(mostSort)))
	}
	odd := of("<>", col("spelt"), of("lower", steps[layout.Trim](col("spelt"))))
	return &query{
		columns: []as{
			{"con", num(n)},
			{"tbl", num(at)},
			{"hash", hash},
			{"sort", sort},
			{"value", valueOf(h.con, col("v"))},
			{"account", c.keyJSON(0, col("ahash"), col("asort"))},
			{"ahash", col("ahash")},
			{"aid", col("aid")},
			{"aexpires", col("aexpires")},
			{"odd", odd},
		},
		from:  from{inner: keyed, as: "d"},
		where: and(append(fits, of("<>", hash, str("")))...),
	}
}

// valueOf is the value that a lock keeps: a digest, where its key has one of a text.
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

// keys makes the table of the keys where locks and accounts do not fit together: the full
// outer join of both.
func (c pairing) keys() statement {
	each := &query{ // an account calls for a key once, by however many constraints
		columns: []as{
			{"tbl", col("tbl")},
			{"hash", hash},
			{"sort", sort},
			{"account", col("account")},
			{"con", of("min", col("con"))},
			{"value", of("min", col("value"))},
			{"ahash", of("min", col("ahash"))},
			{"aid", of("min", col("aid"))},
			{"aexpires", of("some", col("aexpires"))},
		},
		from: from{table: callsTable}, group: 4,
	}
	owner := col("l.owner")
	names := surely(or(eq(owner, col("a.aid")), eq(owner, col("a.ahash"))))
	locks := &query{
		columns: []as{{"tbl", col("tbl")}, {"hash", hash}, {"sort", sort}, {"role", role}, {"owner", col("owner")}, {"expires", col("expires")}},
		from:    from{table: itemsTable}, where: or(of("starts_with", role, str("lock:")), of("starts_with", role, str("malformed:"))),
	}
	together := &query{
		columns: []as{
			{"tbl", of("coalesce", col("a.tbl"), col("l.tbl"))},
			{"hash", of("coalesce", col("a.hash"), col("l.hash"))},
			{"sort", of("coalesce", col("a.sort"), col("l.sort"))},
			{"calls", of("many", col("a.account"))},
			{"locks", of("many", col("l.role"))},
			{"con", of("min", col("a.con"))},
			{"value", of("min", col("a.value"))},
			{"lock", of("min", col("l.role"))},
			{"owner", of("min", owner)},
			{"named", of("some", names)},
			{"aexpires", surely(of("some", col("a.aexpires")))},
			{"lexpires", surely(of("some", col("l.expires")))},
			{"accounts", of("all", of("least", col("a.account"), num(mostAccounts)))},
		},
		from: from{table: "a", joins: []joined{{how: "FULL OUTER", table: "l", as: "l", on: and(
			eq(col("a.tbl"), col("l.tbl")), eq(col("a.hash"), col("l.hash")), eq(col("a.sort"), col("l.sort")))}}},
		group: 3,
	}
	return statement{
		about: "Where locks and accounts do not fit together.", table: keysTable,
		with: []named{{"a", each}, {"l", locks}, {"k", together}},
		query: &query{all: true, columns: []as{{"locked", of(">", col("locks"), num(0))}}, from: from{table: "k"}, where: or(
			and(eq(col("locks"), num(0))), eq(col("calls"), num(0)), of(">", col("calls"), num(1)),
			and(of("<>", of("coalesce", col("owner"), str("")), str("")), not(col("named"))),
			of("<>", col("aexpires"), col("lexpires")),
		)},
	}
}

// mostAccounts is how many accounts of one key are listed.
const mostAccounts = 100
