package check_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/proof"
)

// Without a normaliser, or with digests, texts are bytes: SQL judges all of them, and lists no item as unjudged.
func TestUnicodeBySQL(t *testing.T) {
	t.Parallel()
	texts := []string{"é", "e\u0301", "É", "İ", "\u212a", "ß", "ſ", "日本", "😀", "a\u00a0", "\ufeffa", "👩‍👩‍👧", "ﬁ"}
	for name, steps := range map[string][]string{"plain": nil, "sha256": {"sha256"}, "base64url": {"base64url"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			of := users(func(c *config.Constraint) { c.Normalise, c.Owner = steps, "owner" })
			of.Accounts[0].Constraints = append(of.Accounts[0].Constraints, config.Constraint{Name: "alias", Attribute: "alias", Unique: true})
			of.Name, of.Tables = "unicode", []string{"unicode"}
			l, err := of.Build()
			if err != nil {
				t.Fatal(err)
			}
			kept := l.Constraints()[0].Normalised
			lock := func(value, owner string) doc {
				one := mail(kept(value))
				one["owner"] = str(owner)
				return one
			}
			var items []doc
			for _, text := range texts {
				items = append(items, user(text, text, doc{"alias": str(text)}), lock(text, text))
			}
			items = append(items, user("none", "missing é"), user("one", "ü"), user("two", "ü", doc{"alias": str("日本")}), lock("ü", "one"),
				lock("gone ö", "ghost"), lock("former ä", "é"), lock("ñ", "é"), user("ñ", "ñ"),
				user("set", "", doc{"email": &types.AttributeValueMemberSS{Value: []string{"œ", "æ"}}}), lock("œ", "set"), lock("æ", "set"))
			f.create("unicode", "PK:S", "SK:S", items...)
			table := f.described("unicode", of)
			found, _ := f.run(table, setting.Options{})
			if len(found) != 6 {
				t.Errorf("%q", said(found))
			}
			bySQL(t, table, f.Engine.Transport(), func(c *candidates.File) {
				rows, err := proof.Rows(c.File)
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range rows {
					if row.Unjudged != "" {
						t.Errorf("not judged: %v %v", row.Unjudged, row.Item)
					}
				}
			})
		})
	}
}
