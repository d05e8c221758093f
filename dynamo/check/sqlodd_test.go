package check_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
)

// A name with dots may be both the name of an attribute and a path into a map. The attribute wins, whatever the types
// are.
func TestDottedNamesBySQL(t *testing.T) {
	t.Parallel()
	f := start(t)
	nested := func(v types.AttributeValue) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: doc{"email": v}}
	}
	f.create("dotted", "PK:S", "SK:S",
		user("1", "", doc{"profile.email": num("5"), "profile": nested(str("x"))}), mail("5"),
		user("2", "", doc{"profile.email": nested(str("y")), "profile": nested(str("z"))}), mail("z"),
		user("3", "", doc{"profile": nested(str("w"))}), mail("w"),
		user("4", "", doc{"profile.email": str("v"), "profile": nested(&types.AttributeValueMemberSS{Value: []string{"u"}})}), mail("u"))
	found, _ := f.run(f.described("dotted", users(func(c *config.Constraint) { c.Attribute = "profile.email" })), setting.Options{})
	f.want(found, "orphaned-lock z?", "missing-lock v", "orphaned-lock u?")
}

// Two attributes of an account have their locks in one place, and SQL judges only one of the attributes. The account
// still claims the lock once.
func TestOnePlaceBySQL(t *testing.T) {
	t.Parallel()
	f := start(t)
	config := users(func(c *config.Constraint) { c.Normalise = []string{"nfkc", "lower"} })
	other := config.Accounts[0].Constraints[0]
	other.Name, other.Attribute = "alias", "alias"
	config.Accounts[0].Constraints = append(config.Accounts[0].Constraints, other)
	f.create("twofold", "PK:S", "SK:S",
		user("1", "k", doc{"alias": str("\u212a")}), mail("k"), user("2", "a", doc{"alias": str("k")}), mail("a"), user("3", "b"), mail("gone"))
	f.run(f.described("twofold", config), setting.Options{})
}

// SQL judges one item with an id, and leaves another item with the same id to the check. The check still finds both.
// Numbers of 38 digits are no problem.
func TestIDsBySQL(t *testing.T) {
	t.Parallel()
	const most = "99999999999999999999999999999999999999"
	f := start(t)
	f.create("lots", "PK:S", "",
		doc{"PK": str("COUNTER#a"), "at": num("9")},
		doc{"PK": str("COUNTER#b"), "at": num("99")},
		doc{"PK": str("A#a#5")}, doc{"PK": str("B#a#a#5")}, doc{"PK": str("A#b#7")}, doc{"PK": str("A#b#17")}, doc{"PK": str("B#b#b#27")})
	f.run(f.described("lots", config.Layout{Counters: []config.Counter{{
		Name: "lot", PK: "COUNTER#{of}", Attribute: "at", IDs: []config.IDs{{PK: "A#{of}#{number}"}, {PK: "B#{of}#{of}#{number}"}},
	}}}), setting.Options{})
	f.create("huge", "PK:S", "",
		doc{"PK": str("COUNTER"), "at": num(most)},
		doc{"PK": str("1"), "no": num(most)}, doc{"PK": str("2"), "no": num(most)}, doc{"PK": str("3"), "no": str("1" + most)}, doc{"PK": str("4"), "no": num("3")}, doc{"PK": str("5"), "no": num("1.5")})
	f.run(f.described("huge", config.Layout{Counters: []config.Counter{{
		Name: "no", PK: "COUNTER", Attribute: "at", Step: "2", Offset: "-1", IDs: []config.IDs{{Attribute: "no"}},
	}}}), setting.Options{})
}

// If a key has more variables than an engine can extract from a text, SQL leaves the item to the check.
func TestManyVariablesBySQL(t *testing.T) {
	t.Parallel()
	f := start(t)
	config := users()
	config.Accounts[0].PK = "U#{a}#{b}#{c}#{d}#{e}#{f}#{g}#{h}#{i}#{id}"
	item := doc{"PK": str("U#1#2#3#4#5#6#7#8#9#10"), "SK": str("PROFILE"), "email": str("x")}
	f.create("wide", "PK:S", "SK:S", item, mail("x"), mail("gone"))
	found, _ := f.run(f.described("wide", config), setting.Options{})
	f.want(found, "orphaned-lock gone")
}
