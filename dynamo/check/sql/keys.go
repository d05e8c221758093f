package sql

import (
	"slices"
)

// The operations "bucket" and "print" divide the 64 bits of a key's hash. The bucket is the lowest 24 bits:
// with more buckets, the sums would not fit into an engine's memory; with fewer, too many keys would share a
// bucket. The print is the highest 36 bits: sums of them stay within 64 bits even if 100 million accounts
// claim one key. Both are never negative.

// suspects creates the table of the suspicious buckets. In such a bucket, locks and accounts do not match.
// Each claim adds the print of its key to the sums of the key's bucket. Each lock subtracts the print of its
// key. If all match, the sums are 0. An engine can compute the sums for a table of any size. Later it joins
// only the keys in suspicious buckets.
func (c pairing) suspects() statement {
	// A lock names an account either by id or by the whole partition key. byID adds up the prints for the
	// first way, and byKey for the second. If one of the two sums is 0, the bucket matches. If the locks of a
	// bucket use both ways, neither sum is 0, and the bucket is suspicious.
	owned, key := c.owned(), col("k")
	owner := func(name string) expr {
		if len(owned) == len(c.judged()) {
			return col(name)
		}
		return choose(when{inside(col("con"), owned), col(name)}, when{yes(), str("")})
	}
	claim := []as{{"bucket", of("bucket", key)}, {"byKey", of("print", key)}}
	lock := []as{{"bucket", of("bucket", key)}, {"byKey", minus(of("print", key))}}
	if len(owned) > 0 {
		said := of("print", join(key, of("coalesce", col("owner"), str(""))))
		claim[1].expr = of("print", join(key, owner("ahash")))
		claim = append(claim, as{"byID", of("print", join(key, owner("aid")))})
		lock[1].expr = minus(said)
		lock = append(lock, as{"byID", minus(said)})
	}
	if c.expires() {
		only := func(cond, e expr) expr { return choose(when{cond, e}, when{yes(), num(0)}) }
		claim = append(claim, as{"expiring", only(col("aexpires"), of("print", key))})
		lock = append(lock, as{"expiring", only(col("expires"), minus(of("print", key)))})
	}
	keyed := func(table string, where expr) from {
		q := &query{all: true, columns: []as{{"k", keyOf("")}}, from: from{table: table}, where: where}
		return from{inner: q, as: "x"}
	}
	all := &query{union: []*query{
		{columns: claim, from: keyed(callsTable, col("made"))},
		{columns: lock, from: keyed(itemsTable, locking)},
	}}
	nothing := func(name string) expr { return eq(of("sum", col(name)), num(0)) }
	matching := []expr{nothing("byKey")}
	if len(owned) > 0 {
		matching = []expr{or(nothing("byKey"), nothing("byID"))}
	}
	if c.expires() {
		matching = append(matching, nothing("expiring"))
	}
	return statement{
		about: "Buckets in which locks and accounts do not match: matching pairs cancel out.",
		table: suspectsTable,
		query: &query{
			columns: []as{{"bucket", col("bucket")}},
			from:    from{inner: all, as: "e"}, group: 1, having: not(and(matching...)),
		},
	}
}

// owned lists the judged constraints whose locks name their owners.
func (c *Check) owned() (all []int) {
	for _, n := range c.judged() {
		if c.constraints()[n].Owner != "" {
			all = append(all, n)
		}
	}
	return all
}

// expires reports whether items of a table may expire.
func (c pairing) expires() bool {
	return slices.ContainsFunc(c.Tables, func(t Table) bool { return t.Expiry != "" })
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

// keys creates the table of the keys whose locks and accounts do not match. It joins locks and accounts by
// key (FULL OUTER), but only in suspicious buckets.
func (c pairing) keys() statement {
	suspicious := func(as string) []joined {
		bucket := of("bucket", keyOf(as+"."))
		return []joined{{how: "INNER", table: suspectsTable, as: "b", on: eq(bucket, col("b.bucket"))}}
	}
	each := &query{ // an account counts once for a key, even if several constraints make it claim the key
		columns: []as{
			{"tbl", col("c.tbl")},
			{"hash", col("c.hash")},
			{"sort", col("c.sort")},
			{"account", c.keyJSON(0, col("c.ahash"), col("c.asort"))},
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

// several drops rows whose key occurs only once, so that the caller has fewer rows to group by key. It
// compares hashes of the keys, so it may keep some of these rows. said is the SQL expression of the key.
func several(rows *query, said expr) *query {
	counts := &query{
		columns: []as{{"hash64", of("hash64", said)}}, from: from{inner: rows, as: "c"}, group: 1,
		having: of(">", of("many", col("*")), num(1)),
	}
	return &query{
		all: true,
		from: from{
			inner: rows,
			as:    "s",
			joins: []joined{{how: "INNER", query: counts, as: "t", on: eq(of("hash64", said), col("t.hash64"))}},
		},
	}
}

// pairing builds the tables that compare locks with accounts.
type pairing struct{ *Check }
