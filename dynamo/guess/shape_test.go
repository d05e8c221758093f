package guess_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
)

// Many words in lower case may be sort keys: each account has an item with each of them.
func TestManySortKeysInLowerCaseAreWords(t *testing.T) {
	var items []attr.Item
	for n := range 20 {
		email, id := fmt.Sprintf("p%d@id.org", n), fmt.Sprintf("user#%04d", n*7)
		for _, sk := range []string{"profile", "settings", "prefs", "billing", "avatar", "address", "limits", "flags"} {
			item := attr.Item{"pk": attr.String(id), "sk": attr.String(sk), sk: attr.String(sk)}
			if sk == "profile" {
				item["email"] = attr.String(email)
			}
			items = append(items, item)
		}
		items = append(items, attr.Item{"pk": attr.String("email#" + email), "sk": attr.String("lock"), "owner": attr.String(id)})
	}
	found := guess.Accounts(guess.Sample{
		Name: "people", Schema: attr.Schema{HashName: "pk", HashKind: attr.S, RangeName: "sk", RangeKind: attr.S}, Items: items, Whole: true,
	})
	if len(found) != 1 || found[0].PK != "user#{id}" || found[0].SK != "profile" {
		t.Errorf("%+v", found)
	}
}
