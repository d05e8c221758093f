package layout_test

import (
	"fmt"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// A layout says which items of a table are accounts and which are locks, and which lock
// an account's value needs.
func Example() {
	users, err := config.Layout{
		Name: "users",
		Accounts: []config.Account{{
			PK: "USER#{id}", SK: "PROFILE",
			Constraints: []config.Constraint{{
				Name: "email", Attribute: "email", PK: "EMAIL#{v}", SK: "LOCK", Owner: "owner", Normalise: []string{"trim", "lower"},
			}},
		}},
	}.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	schema := attr.Schema{HashName: "PK", HashKind: attr.S, RangeName: "SK", RangeKind: attr.S}
	account := attr.Item{"PK": attr.String("USER#7"), "SK": attr.String("PROFILE"), "email": attr.String("Ada@Lovelace.io ")}
	lock := attr.Item{"PK": attr.String("EMAIL#ada@lovelace.io"), "SK": attr.String("LOCK"), "owner": attr.String("7")}

	// What is an item?
	role := users.Classify("users", "users", schema, account)
	fmt.Printf("an account: %s\n", role.ID)
	role = users.Classify("users", "users", schema, lock)
	fmt.Printf("a lock: %s %q, of account %s\n", role.Constraint.Name, role.Value, role.Constraint.OwnerOf(lock))

	// Which locks does an account need?
	for _, claim := range users.Accounts[0].AppendClaims(nil, "users", func(string) attr.Schema { return schema }, account) {
		fmt.Printf("its %s needs %s\n", claim.Constraint.Name, claim.Key)
	}
	// Output:
	// an account: 7
	// a lock: email "ada@lovelace.io", of account 7
	// its email needs EMAIL#ada@lovelace.io / LOCK
}

// A template makes keys of values, and reads them back.
func ExampleParseTemplate() {
	for _, text := range []string{"UNIQ#EMAIL#{v}", "TENANT#{tenant}#EMAIL#{v}", "{a}{b}"} {
		t, err := layout.ParseTemplate(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(t.Prefix(), t.Variables())
	}
	// Output:
	// UNIQ#EMAIL# [v]
	// TENANT# [tenant v]
	// bad key template "{a}{b}": two variables touch: put a character between them
}
