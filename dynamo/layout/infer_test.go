package layout

import (
	"fmt"
	"testing"

	"tallylock/dynamo/attr"
)

func strings2(kv ...string) attr.Item {
	item := attr.Item{}
	for n := 0; n < len(kv); n += 2 {
		item[kv[n]] = attr.String(kv[n+1])
	}
	return item
}

// describe writes a layout in one line.
func describe(l *Layout) string {
	out := l.Name
	for _, a := range l.Accounts {
		out += fmt.Sprintf(" account(%s/%s)", a.PK, a.SK)
		for _, c := range a.Constraints {
			out += fmt.Sprintf(" %s=%s(%s/%s)", c.Name, c.Attribute, c.PK, c.SK)
			if c.Owner != "" {
				out += " owner=" + c.Owner
			}
			if len(c.Normalise) > 0 {
				out += fmt.Sprint(" ", c.Normalise)
			}
			if c.Index != "" {
				out += " index=" + c.Index
			}
		}
	}
	for _, c := range l.Counters {
		out += fmt.Sprintf(" counter(%s/%s %s %s)", c.PK, c.SK, c.Attribute, c.Semantics)
	}
	return out
}

// The seeds' systems, and others that were seen, are told from their keys and a
// few items.
func TestInfer(t *testing.T) {
	presets, err := Presets()
	if err != nil {
		t.Fatal(err)
	}
	one := func(name string, kind attr.Kind) attr.Schema { return attr.Schema{HashName: name, HashKind: kind} }
	two := func(hash, rng string) attr.Schema {
		return attr.Schema{HashName: hash, HashKind: attr.S, RangeName: rng, RangeKind: attr.S}
	}
	num := func(item attr.Item, name, n string) attr.Item { item[name] = attr.Number(n); return item }
	for _, tc := range []struct {
		name   string
		sample Sample
		want   string
	}{
		{"seed 003, accounts only", Sample{Schema: text, Items: []attr.Item{
			strings2("PK", "ACCT#a1f9c3", "SK", "PROFILE", "email", "ada@lovelace.io", "username", "ada"),
		}}, "uniq account(ACCT#{id}/PROFILE) email=email(UNIQ#EMAIL#{v}/LOCK) username=username(UNIQ#HANDLE#{v}/LOCK)"},
		{"seed 003, locks only", Sample{Schema: text, Items: []attr.Item{
			strings2("PK", "UNIQ#HANDLE#alan", "SK", "LOCK"),
		}}, "uniq account(ACCT#{id}/PROFILE) email=email(UNIQ#EMAIL#{v}/LOCK) username=username(UNIQ#HANDLE#{v}/LOCK)"},
		{"seed 003, with an index", Sample{Schema: text, Indexes: map[string]string{"email": "byEmail"}, Items: []attr.Item{
			strings2("PK", "UNIQ#EMAIL#a@b.c", "SK", "LOCK"),
		}}, "uniq account(ACCT#{id}/PROFILE) email=email(UNIQ#EMAIL#{v}/LOCK) index=byEmail username=username(UNIQ#HANDLE#{v}/LOCK)"},
		{"owners, other prefixes, another constraint", Sample{Schema: two("pk", "sk"), Items: []attr.Item{
			strings2("pk", "USER#1", "sk", "USER#1", "email", "Ada@x.io", "username", "Ada", "phone", "555"),
			strings2("pk", "UNIQ#EMAIL#ada@x.io", "sk", "UNIQ#EMAIL#ada@x.io", "userId", "1"),
			strings2("pk", "UNIQ#PHONE#555", "sk", "UNIQ#PHONE#555", "userId", "1"),
			strings2("pk", "ORDER#9", "sk", "META", "email", "Ada@x.io"),
		}}, "uniq account(USER#{id}/{pk}) email=email(UNIQ#EMAIL#{v}/{pk}) owner=userId [lower] username=username(UNIQ#HANDLE#{v}/{pk}) phone=phone(UNIQ#PHONE#{v}/{pk}) owner=userId"},
		{"onetable", Sample{Schema: two("pk", "sk"), Items: []attr.Item{
			strings2("pk", "account:1", "sk", "user:2", "email", "a@b.c"),
			strings2("pk", "_unique#User#email#a@b.c", "sk", "_unique#", "_type", "_Unique"),
		}}, "onetable account({id}/user:2) email=email(_unique#User#email#{v}/_unique#)"},
		{"onetable, several accounts", Sample{Schema: two("pk", "sk"), Items: []attr.Item{
			strings2("pk", "account:1", "sk", "user:2", "email", "a@b.c"),
			strings2("pk", "account:1", "sk", "user:3", "email", "d@b.c"),
			strings2("pk", "_unique#User#email#a@b.c", "sk", "_unique#", "_type", "_Unique"),
		}}, "onetable account({id}/{sk}) email=email(_unique#User#email#{v}/_unique#)"},
		{"orders that repeat the e-mail", Sample{Schema: text, Items: []attr.Item{
			strings2("PK", "USER#1", "SK", "PROFILE", "email", "a@b.c"), strings2("PK", "USER#2", "SK", "PROFILE", "email", "d@b.c"),
			strings2("PK", "ORDER#1", "SK", "META", "email", "a@b.c"), strings2("PK", "ORDER#2", "SK", "META", "email", "a@b.c"),
			strings2("PK", "ORDER#3", "SK", "META", "email", "d@b.c"), strings2("PK", "UNIQ#EMAIL#a@b.c", "SK", "LOCK"),
		}}, "uniq account(USER#{id}/PROFILE) email=email(UNIQ#EMAIL#{v}/LOCK) username=username(UNIQ#HANDLE#{v}/LOCK)"},
		{"order_id, the key is text", Sample{Schema: one("id", attr.S), Items: []attr.Item{
			num(strings2("id", "0"), "order_number", "5000"),
		}}, "order-id counter(0/ order_number last)"},
		{"order_id", Sample{Schema: one("id", attr.N), Items: []attr.Item{
			num(attr.Item{"id": attr.Number("0")}, "order_number", "5000"),
		}}, "order-id counter(0/ order_number last)"},
		{"Tickets", Sample{Schema: one("partition", attr.S), Items: []attr.Item{
			num(strings2("partition", "us-east-1"), "hand_crafted_int", "7"),
		}}, "tickets counter({partition}/ hand_crafted_int last)"},
		{"Tickets among other items", Sample{Schema: one("partition", attr.S), Items: []attr.Item{
			num(strings2("partition", "us-east-1"), "hand_crafted_int", "7"), strings2("partition", "a"), strings2("partition", "b"),
		}}, "tickets counter({partition}/ hand_crafted_int last)"},
		{"seed 002's first shape", Sample{Schema: one("primaryKey", attr.S), Items: []attr.Item{
			num(strings2("primaryKey", "atomicCounter"), "counterValue", "0"),
		}}, "donation-data counter(atomicCounter/ counterValue next)"},
		{"donation-data", Sample{Schema: two("context", "id"), Items: []attr.Item{
			strings2("context", "donation", "id", "1"),
			num(strings2("context", "atomicCounter", "id", "id"), "counterValue", "0"),
		}}, "donation-data counter(atomicCounter/id counterValue next)"},
		{"NextIdTable, the key is the number", Sample{Schema: one("Counter", attr.N), Items: []attr.Item{
			{"Counter": attr.Number("39")},
		}}, "next-id-key counter({number}/ Counter last)"},
		{"NextIdTable, an attribute", Sample{Schema: one("name", attr.S), Items: []attr.Item{
			num(strings2("name", "orders"), "Counter", "39"),
		}}, "next-id counter({name}/ Counter last)"},
		{"dynamodb-mapper", Sample{Schema: one("id", attr.N), Items: []attr.Item{
			num(attr.Item{"id": attr.Number("-1")}, "__max_hash_key__", "42"), {"id": attr.Number("1"), "title": attr.String("x")},
		}}, "dynamodb-mapper counter(-1/ __max_hash_key__ last)"},
		{"nothing known", Sample{Schema: two("PK", "SK"), Items: []attr.Item{
			strings2("PK", "SESSION#1", "SK", "x", "token", "y"),
		}}, ""},
		{"a lease is no lock and no counter", Sample{Schema: one("LockID", attr.S), Items: []attr.Item{
			strings2("LockID", "bucket/terraform.tfstate", "Info", "{}"),
		}}, ""},
		{"empty", Sample{Schema: text}, ""},
		{"binary keys", Sample{Schema: one("k", attr.B), Items: []attr.Item{{"k": attr.Binary("\x00\xff")}}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := describe(Infer(presets, tc.sample, "")); got != tc.want {
				t.Errorf("it is taken for\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// A preset that is named is taken although the table shows nothing of it yet.
func TestInferANamedPreset(t *testing.T) {
	presets, err := Presets()
	if err != nil {
		t.Fatal(err)
	}
	got := describe(Infer(presets, Sample{Schema: text}, "uniq"))
	if want := "uniq account(ACCT#{id}/PROFILE) email=email(UNIQ#EMAIL#{v}/LOCK) username=username(UNIQ#HANDLE#{v}/LOCK)"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
