package sql

import (
	"fmt"

	"tallylock/dynamo/layout"
)

// The maximum length of a key's two parts, in bytes.
const (
	mostHash = 2048
	mostSort = 1024
)

// pairing builds the tables that pair locks with accounts.
type pairing struct{ *Check }

// claims makes the table of the locks that accounts claim, one row each; made says whether a
// key can be made of the value.
func (c pairing) claims() statement {
	q := &query{}
	for n, h := range c.holdings() {
		if c.unjudged(n) == "" {
			q.union = append(q.union, c.callsOf(n, h))
		}
	}
	if len(q.union) == 1 {
		q = q.union[0]
	}
	return statement{about: "The locks that accounts call for.", table: callsTable, query: q}
}

func (c pairing) callsOf(n int, h holding) *query {
	raw := col("raw")
	inner := &query{
		columns: []as{
			{"raw", col("u.raw")},
			{"ahash", col("i.hash")},
			{"asort", col("i.sort")},
			{"aid", col("i.id")},
			{"aexpires", col("i.expires")},
		},
		from:  from{table: itemsTable, as: "i", joins: []joined{{each: col(fmt.Sprintf("i.v%d", n)), as: "u(raw)"}}},
		where: exists(col(fmt.Sprintf("i.v%d", n))),
	}
	value, spelt := normalised(h.con, raw)
	vars := variables{}
	for m, name := range h.scope {
		column := fmt.Sprintf("s%d", m)
		inner.columns = append(inner.columns, as{column, col(fmt.Sprintf("i.s%d_%d", n, m))})
		vars[name] = col(column)
	}
	valued := &query{
		all:     true,
		columns: []as{{"v", value}, {"spelt", spelt}},
		from:    from{inner: inner, as: "a"},
		where:   of("<>", raw, str("")),
	}
	vars[layout.ValueVariable] = col("v")
	hashed := &query{all: true, columns: []as{{"hash", render(h.con.PK, vars)}}, from: from{inner: valued, as: "b"}}
	at := c.lockTable(h.con)
	keyed := &query{all: true, columns: []as{{"sort", emptyText}}, from: from{inner: hashed, as: "c"}}
	fits := []expr{of("<>", col("v"), str("")), of("<>", hash, str("")), of("<=", of("bytes", hash), num(mostHash))}
	if c.Tables[at].Schema.RangeName != "" {
		vars[layout.HashVariable] = hash
		keyed.columns[0].expr = render(h.con.SK, vars)
		fits = append(fits, of("<>", sort, str("")), of("<=", of("bytes", sort), num(mostSort)))
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
			{"made", surely(and(fits...))},
		},
		from: from{inner: keyed, as: "d"},
	}
}

// valueOf is the value that a lock keeps: a digest, if its key has a digest of the text.
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
