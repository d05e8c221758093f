package guess_test

import (
	"fmt"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
)

// The program knows no words of these keys. The values in the lock keys, and the owners in the locks, show the layout.
func ExampleAccounts() {
	text := func(kv ...string) attr.Item {
		item := attr.Item{}
		for n := 0; n < len(kv); n += 2 {
			item[kv[n]] = attr.String(kv[n+1])
		}
		return item
	}
	kinds := guess.Accounts(guess.Sample{
		Name:   "people",
		Schema: attr.Schema{HashName: "pk", HashKind: attr.S, RangeName: "sk", RangeKind: attr.S},
		Items: []attr.Item{
			text("pk", "MEMBER#17", "sk", "CARD", "mail", "Ada@lovelace.io"),
			text("pk", "TAKEN#ada@lovelace.io", "sk", "T", "by", "17"),
			text("pk", "MEMBER#18", "sk", "CARD", "mail", "alan@turing.org"),
			text("pk", "TAKEN#alan@turing.org", "sk", "T", "by", "18"),
		},
		Whole: true,
	})
	for _, k := range kinds {
		fmt.Println(k.PK, k.SK)
		for _, c := range k.Constraints {
			fmt.Println(c.Attribute, c.PK, c.SK, c.Normalise, c.Owner)
		}
	}
	// Output:
	// MEMBER#{id} CARD
	// mail TAKEN#{v} T [lower] by
}

// An attribute such as emailLower may repeat another attribute, in the spelling of the locks. The constraint gets the
// other attribute, because people search for its spelling.
func ExampleAccounts_spelling() {
	var items []attr.Item
	for _, name := range []string{"Ada", "Alan", "Grace"} {
		lower := strings.ToLower(name)
		items = append(items,
			attr.Item{"pk": attr.String("USER#" + lower[:3]), "email": attr.String(name + "@x.io"), "emailLower": attr.String(lower + "@x.io")},
			attr.Item{"pk": attr.String("EMAIL#" + lower + "@x.io")})
	}
	kinds := guess.Accounts(guess.Sample{Name: "users", Schema: attr.Schema{HashName: "pk", HashKind: attr.S}, Items: items, Whole: true})
	if len(kinds) == 0 {
		fmt.Println("nothing")
		return
	}
	c := kinds[0].Constraints[0]
	fmt.Println(c.Attribute, c.Normalise)
	// Output: email [lower]
}
