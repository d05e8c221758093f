package guess_test

import (
	"fmt"
	"slices"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout/config"
)

// An index key counts as derived if nearly all accounts build it from the same attribute, and no other attribute fits
// equally well.
func TestDerivedKeysAreSeenInTheSample(t *testing.T) {
	derived := func(more func(n int, item attr.Item)) []string {
		own := guess.Sample{Name: "people", Schema: attr.Schema{HashName: "pk", HashKind: attr.S}, Indexes: map[string]string{"GSI1PK": "GSI1"}}
		for n := range 20 {
			item := attr.Item{"pk": attr.String(fmt.Sprintf("USER#%03d", n)), "email": attr.String(fmt.Sprintf("user%d@x.io", n)), "GSI1PK": attr.String(fmt.Sprintf("MAIL#user%d@x.io", n))}
			more(n, item)
			own.Items = append(own.Items, item)
		}
		l, err := config.Layout{Name: "people", Accounts: []config.Account{{PK: "USER#{id}"}}}.Build()
		if err != nil {
			t.Fatal(err)
		}
		guess.Derive(own, l)
		var all []string
		for _, d := range l.Accounts[0].Derived {
			all = append(all, d.Attribute+" "+d.Template.String())
		}
		return all
	}
	for _, tc := range []struct {
		name string
		want []string
		more func(n int, item attr.Item)
	}{
		{"all agree", []string{"GSI1PK MAIL#{email}"}, func(int, attr.Item) {}},
		{"two do not", []string{"GSI1PK MAIL#{email}"}, func(n int, item attr.Item) {
			if n < 2 {
				item["GSI1PK"] = attr.String(fmt.Sprintf("MAIL#old%d@x.io", n))
			}
		}},
		{"three do not", nil, func(n int, item attr.Item) {
			if n < 3 {
				item["GSI1PK"] = attr.String(fmt.Sprintf("MAIL#old%d@x.io", n))
			}
		}},
		{"few have it", nil, func(n int, item attr.Item) {
			if n > 3 {
				delete(item, "GSI1PK")
			}
		}},
		{"two attributes agree", nil, func(_ int, item attr.Item) { item["login"] = item["email"] }},
		{"one agrees less", []string{"GSI1PK MAIL#{email}"}, func(n int, item attr.Item) {
			if item["login"] = item["email"]; n == 0 {
				item["login"] = attr.String("other")
			}
		}},
		{"a word that hardly varies", nil, func(n int, item attr.Item) {
			item["email"], item["status"], item["GSI1PK"] = attr.String(fmt.Sprint("x", n)), attr.String("active"), attr.String("STATUS#active")
		}},
	} {
		if got := derived(tc.more); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
