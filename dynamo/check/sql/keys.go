package sql

import (
	"fmt"
	"strconv"

	"tallylock/dynamo/layout"
)

// buckets is the number of buckets for keys. With more buckets, the sums would not fit into an engine's
// memory. With fewer, too many keys would share a bucket.
const buckets = 1 << 24

// suspects creates the table of the suspicious buckets. In such a bucket, locks and accounts do not match.
// Each claim adds the hash of its key to the sums of the key's bucket. Each lock subtracts the hash of its
// key. If all match, the sums are 0. An engine can compute the sums for a table of any size. Later it joins
// only the keys in suspicious buckets.
func (c pairing) suspects() statement {
	print := func(more ...expr) expr { return of("print", join(append([]expr{keyOf("")}, more...)...)) }
	less := func(e expr) expr { return of("-", decimal("0"), e) }
	only := func(cond, e expr) expr { return choose(when{cond, e}, when{yes(), decimal("0")}) }
	// A lock names an account either by id or by the whole partition key. byKey and byID add up the hashes
	// for one way each. One sum of 0 is enough. If the locks of a bucket use both ways, neither sum is 0,
	// and the bucket is suspicious.
	called := func(name string) expr { return choose(when{c.owns(), col(name)}, when{yes(), str("")}) }
	owner := of("coalesce", col("owner"), str(""))
	all := &query{union: []*query{
		{
			columns: []as{
				{"bucket", bucketOf("")},
				{"byKey", print(called("ahash"))},
				{"byID", print(called("aid"))},
				{"expiring", only(col("aexpires"), print())},
			},
			from: from{table: callsTable}, where: col("made"),
		},
		{
			columns: []as{
				{"bucket", bucketOf("")},
				{"byKey", less(print(owner))},
				{"byID", less(print(owner))},
				{"expiring", only(col("expires"), less(print()))},
			},
			from: from{table: itemsTable}, where: locking,
		},
	}}
	nothing := func(name string) expr { return eq(of("sum", col(name)), num(0)) }
	return statement{
		about: "Buckets of keys in which locks and accounts do not match: matching ones cancel out.",
		table: suspectsTable,
		query: &query{
			columns: []as{{"bucket", col("bucket")}},
			from:    from{inner: all, as: "e"}, group: 1,
			having: not(and(or(nothing("byKey"), nothing("byID")), nothing("expiring"))),
		},
	}
}

// owns is true if the locks of the claim's constraint name their owners.
func (c pairing) owns() expr {
	var some []expr
	for n, con := range c.constraints() {
		if con.Owner != "" {
			some = append(some, eq(col("con"), num(n)))
		}
	}
	return or(some...)
}

// locking is true if an item has a lock's key.
var locking = or(of("starts_with", role, str("lock:")), of("starts_with", role, str("malformed:")))

// keyOf joins the table and the parts of a key into one text. Different keys have different texts, even if
// the caller appends more text.
func keyOf(as string) expr {
	text := []expr{of("words", col(as+"tbl"))}
	for _, part := range []expr{col(as + "hash"), col(as + "sort")} {
		text = append(text, str(":"), of("words", of("length", part)), str(":"), part)
	}
	return join(text...)
}

// bucketOf returns the number of a key's bucket. It uses abs, since Athena's hashes can be negative:
// negative remainders would double the number of buckets.
func bucketOf(as string) expr {
	return of("%", of("abs", of("print", keyOf(as))), decimal(strconv.Itoa(buckets)))
}

// keys creates the table of the keys whose locks and accounts do not match. It joins locks and accounts by
// key (FULL OUTER), but only in suspicious buckets.
func (c pairing) keys() statement {
	suspicious := func(as string) []joined {
		return []joined{{how: "INNER", table: suspectsTable, as: "b", on: eq(bucketOf(as+"."), col("b.bucket"))}}
	}
	each := &query{ // an account counts once for a key, even if several constraints make it claim the key
		columns: []as{
			{"tbl", col("c.tbl")},
			{"hash", col("c.hash")},
			{"sort", col("c.sort")},
			{"account", col("c.account")},
			{"con", of("min", col("c.con"))},
			{"value", of("min", col("c.value"))},
			{"ahash", of("min", col("c.ahash"))},
			{"aid", of("min", col("c.aid"))},
			{"aexpires", of("some", col("c.aexpires"))},
		},
		from: from{table: callsTable, as: "c", joins: suspicious("c")}, where: col("c.made"), group: 4,
	}
	owner := col("l.owner")
	names := surely(or(eq(owner, col("a.aid")), eq(owner, col("a.ahash"))))
	locks := &query{
		columns: []as{
			{"tbl", col("tbl")},
			{"hash", hash},
			{"sort", sort},
			{"role", role},
			{"owner", col("owner")},
			{"expires", col("expires")},
		},
		from: from{table: itemsTable, as: "i", joins: suspicious("i")}, where: locking,
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
			{"accounts", of("all", of("least", col("a.account"), num(maxAccounts)))},
		},
		from: from{inner: each, as: "a", joins: []joined{{how: "FULL OUTER", query: locks, as: "l", on: and(
			eq(col("a.tbl"), col("l.tbl")), eq(col("a.hash"), col("l.hash")), eq(col("a.sort"), col("l.sort")))}}},
		group: 3,
	}
	return statement{
		about: "Locks and accounts that do not match, in these buckets.", table: keysTable,
		query: &query{all: true, columns: []as{{"locked", of(">", col("locks"), num(0))}}, from: from{inner: together, as: "k"}, where: or(
			eq(col("locks"), num(0)), eq(col("calls"), num(0)), of(">", col("calls"), num(1)),
			and(of("<>", of("coalesce", col("owner"), str("")), str("")), not(col("named"))),
			of("<>", col("aexpires"), col("lexpires")),
		)},
	}
}

// maxAccounts is the greatest number of accounts that the result lists for one key.
const maxAccounts = 100

// several returns only the rows whose key is also the key of a further row. said is the SQL expression of
// the key. The caller groups the rows by key, and fewer rows keep this grouping small.
func several(rows *query, said expr) *query {
	counts := &query{
		columns: []as{{"print", of("print", said)}}, from: from{inner: rows, as: "c"}, group: 1,
		having: of(">", of("many", col("*")), num(1)),
	}
	return &query{
		all: true,
		from: from{
			inner: rows,
			as:    "s",
			joins: []joined{{how: "INNER", query: counts, as: "t", on: eq(of("print", said), col("t.print"))}},
		},
	}
}

// The greatest lengths of a partition key and of a sort key, in bytes.
const (
	mostHash = 2048
	mostSort = 1024
)

// pairing builds the tables that compare locks with accounts.
type pairing struct{ *Check }

// claims creates the table of all claims, one row for each. The column made is true if a lock key can be
// made of the claim's value.
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
	return statement{about: "The locks that accounts need.", table: callsTable, query: q}
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
