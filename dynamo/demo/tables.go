package demo

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func tables() []table {
	return []table{accounts(), members(), orderID(), tickets(), donations(), nextID(), posts()}
}

// person is the data of an account: its id and its values.
type person struct{ id, email, username string }

var people = []person{
	{"a1f9c3", "ada@lovelace.io", "ada"},
	{"b77e02", "grace@navy.mil", "hopper"},
	{"c0de41", "katherine@nasa.test", "kjohnson"},
	{"d41c07", "mel@lgp30.test", "mel_k"},
	{"e2a90b", "edsger@tue.test", "ewd"},
	{"f19d55", "radia@perlman.test", "radia"},
	{"07be3a", "margaret.hamilton@draper.test", "mhamilton"},
	{"19cc80", "dennis@bell.test", "dmr"},
	{"22f0d9", "barbara@liskov.test", "liskov"},
	{"2b6e14", "annie.easley@nasa.test", "aeasley"},
	{"3a09e7", "donald@knuth.test", "dek"},
	{"41d8f2", "frances@ibm.test", "fallen"},
	{"4c5b60", "tony@hoare.test", "hoare"},
	{"50e1c8", "lynn@conway.test", "lconway"},
	{"5d32b4", "john@backus.test", "backus"},
	{"63af90", "hedy@lamarr.test", "hedy"},
	{"6b20d7", "ken@bell.test", "ken"},
	{"77c0de", "alan.kay@parc.test", "Alan"},
	{"e0c4a9", "a.lan@example.net", "аlan"}, // the username begins with a Cyrillic а
	{"81be5f", "joan+clarke@bletchley.test", "joan"},
	{"8c9d11", "niklaus@ethz.test", "wirth"},
	{"93b7a4", "sophie@arm.test", "sophie"},
	{"9fe2c6", "jean@eniac.test", "jbartik"},
	{"a80d3b", "peter@landin.test", "landin"},
	{"b1c2d3", "evelyn@genuity.test", "evelyn"},
	{"bd9e72", "adele@parc.test", "adele"},
	{"c4f158", "guido@cwi.test", "guido"},
	{"cbd7a0", "李明@例子.测试", "李明"},
	{"d2f3e4", "shafi@goldwasser.test", "shafi"},
	{"dd41b9", "vint@arpa.test", "vint"},
}

// with returns a copy of the item base, with the attributes in more added.
func with(base item, more item) item {
	out := maps.Clone(base)
	maps.Copy(out, more)
	return out
}

func account(p person) item {
	return item{"PK": s("ACCT#" + p.id), "SK": s("PROFILE"), "email": s(p.email), "username": s(p.username)}
}

func lock(kind, v string) item {
	return item{"PK": s("UNIQ#" + kind + "#" + v), "SK": s("LOCK")}
}

// accounts returns a table that keeps accounts together with their locks, which are UNIQ# items. It has the
// problems that tutorials warn about.
func accounts() table {
	t := table{name: Table, hash: "PK:S", sort: "SK:S"}
	for _, p := range people {
		t.items = append(t.items, account(p), lock("EMAIL", p.email))
		if p.username != "hopper" { // a missing lock: a backfill forgot this account
			t.items = append(t.items, lock("HANDLE", p.username))
		}
	}
	rich := with(account(person{"01a1f2de-c181-7c3f-9d2b-6f1e0a77b1c4", "claude@shannon.test", "shannon"}), item{
		"balance":   n("12345678901234567890123456789012345678"),
		"createdAt": n("1795076047233"),
		"expiresAt": n("1797724800"),
		"roles":     &types.AttributeValueMemberSS{Value: []string{"admin", "author"}},
		"limits": &types.AttributeValueMemberM{Value: item{
			"perDay": n("250"), "beta": &types.AttributeValueMemberBOOL{Value: true},
		}},
		"avatar": &types.AttributeValueMemberB{Value: []byte("\x89PNG\r\n\x1a\n small picture")},
	})
	t.items = append(t.items, rich, lock("EMAIL", "claude@shannon.test"), lock("HANDLE", "shannon"))

	// Orphaned locks: the accounts with these handles are gone.
	t.items = append(t.items, lock("HANDLE", "alan"), lock("HANDLE", "turing"))
	// A stale lock: mel changed her address, and nobody deleted the old lock.
	t.items = append(t.items, lock("EMAIL", "mel@oldmail.test"))
	// Two accounts with one e-mail: an import ignored the locks.
	t.items = append(t.items, account(person{"ee07d4", "margaret.hamilton@draper.test", "margaret"}),
		lock("HANDLE", "margaret"))
	// A lock of "undefined", which JavaScript writes for a missing value.
	t.items = append(t.items, lock("EMAIL", "undefined"))
	// Usernames with control characters, which attack a terminal that prints them unescaped.
	for _, p := range []person{
		{"3377ad", "eve@example.net", "\x1b]0;owned\x07\x1b[2Jroot"},
		{"35d0e1", "mallory@example.net", "gro.elpmaxe\u202e"},
	} {
		t.items = append(t.items, account(p), lock("EMAIL", p.email), lock("HANDLE", p.username))
	}
	return t
}

// members returns a table whose locks name their owner.
func members() table {
	t := table{name: "members", hash: "PK:S", sort: "SK:S"}
	owned := func(kind, v, owner string) item {
		return with(lock(kind, v), item{"memberId": s("MEM#" + owner)})
	}
	for _, p := range people[:14] {
		member := with(account(p), item{"PK": s("MEM#" + p.id)})
		owner := p.id
		if p.username == "mhamilton" {
			owner = "3377ad" // a restore confused the owners: a foreign lock
		}
		t.items = append(t.items, member, owned("EMAIL", p.email, p.id), owned("HANDLE", p.username, owner))
	}
	t.items = append(t.items,
		with(account(person{"3377ad", "eve@example.net", "eve"}), item{"PK": s("MEM#3377ad")}),
		owned("EMAIL", "eve@example.net", "3377ad"), owned("HANDLE", "eve", "3377ad"),
		owned("HANDLE", "mel", "d41c07"),  // stale: she is mel_k now
		owned("HANDLE", "alan", "0a1a40"), // orphaned: there is no such member
	)
	return t
}

// orderID returns a table with one item. Its counter holds the number of the last order.
func orderID() table {
	return table{name: "order_id", hash: "id:N", items: []item{{"id": n("0"), "order_number": n("5000")}}}
}

// tickets returns a table of counters. Each partition is one counter.
func tickets() table {
	ticket := func(partition string, v types.AttributeValue) item {
		return item{"partition": s(partition), "hand_crafted_int": v}
	}
	return table{name: "Tickets", hash: "partition:S", items: []item{
		ticket("us-east-1", n("80388161")),
		ticket("eu-west-1", n("4611")),
		ticket("events", n("9007199254741993")), // JavaScript rounds numbers above 2^53
		ticket("badges", s("A-1007")),           // no number: somebody stored a label
	}}
}

// donations returns a table of donations. One item among them is the counter of their ids. It stores the
// next id.
func donations() table {
	t := table{name: "donation-data", hash: "context:S", sort: "id:S"}
	t.items = append(t.items, item{"context": s("atomicCounter"), "id": s("id"), "counterValue": n("118020")})
	for i := range 8 {
		t.items = append(t.items,
			item{"context": s("donation"), "id": s(strconv.Itoa(118012 + i)), "amount": n(strconv.Itoa(5 * (i + 1)))})
	}
	return t
}

// nextID returns a table with one item, a counter. The number of the counter is the key of the item.
func nextID() table {
	return table{name: "NextIdTable", hash: "Counter:N", items: []item{{"Counter": n("1048576")}}}
}

// posts returns a table of posts. The item with the key -1 is the counter of their ids, as in
// dynamodb-mapper.
func posts() table {
	t := table{name: "posts", hash: "id:N"}
	t.items = append(t.items, item{"id": n("-1"), "__max_hash_key__": n("42")})
	for i := 1; i <= 42; i++ {
		t.items = append(t.items, item{"id": n(strconv.Itoa(i)), "title": s(fmt.Sprintf("Post number %d", i))})
	}
	return t
}
