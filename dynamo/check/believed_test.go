package check_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// softDeleted makes a table with soft-deleted accounts, and returns its layout. Each account keeps its address in
// email. A live account also keeps it in uniqueEmail, and only uniqueEmail has a lock. 20 live accounts have locks, and
// one has none. Three accounts were deleted with their locks, and five left their locks behind.
func (f *fixture) softDeleted(table string, answers ...func(*config.Constraint)) config.Layout {
	account := func(n int, more ...doc) doc {
		return with(doc{
			"pk": str(fmt.Sprintf("user#%02d", n)), "sk": str("user#"), "_type": str("User"), "email": str(fmt.Sprintf("u%02d@x.io", n)),
		}, more...)
	}
	live := func(n int) doc { return account(n, doc{"uniqueEmail": str(fmt.Sprintf("u%02d@x.io", n))}) }
	lock := func(n int) doc {
		return doc{"pk": str(fmt.Sprintf("_unique#User#uniqueEmail#u%02d@x.io", n)), "sk": str("_unique#")}
	}
	var items []doc
	for n := range 20 {
		items = append(items, live(n), lock(n))
	}
	items = append(items, live(20))
	for n := 21; n < 24; n++ {
		items = append(items, account(n, doc{"deletedAt": str("2024-05-01")}))
	}
	for n := 24; n < 29; n++ {
		items = append(items, account(n, doc{"deletedAt": str("2024-05-01")}), lock(n))
	}
	f.create(table, "pk:S", "sk:S", items...)
	c := config.Constraint{Attribute: "uniqueEmail", PK: "_unique#User#uniqueEmail#{v}", SK: "_unique#"}
	for _, answer := range answers {
		answer(&c)
	}
	return config.Layout{Accounts: []config.Account{{PK: "user#{id}", SK: "user#", Constraints: []config.Constraint{c}}}}
}

// A check believes a described layout, although another attribute would fit more locks. Soft-deleted accounts may still
// hold the locks that they left. Only a person can tell.
func TestADescribedAttributeIsBelieved(t *testing.T) {
	t.Parallel()
	f := start(t)
	found, sum := f.run(f.described("soft", f.softDeleted("soft")), setting.Options{})
	want := []string{"missing-lock u20@x.io"}
	for n := 24; n < 29; n++ {
		want = append(want, fmt.Sprintf("orphaned-lock u%02d@x.io?", n))
	}
	f.want(found, want...)
	if !sum.Complete {
		t.Errorf("%+v", sum)
	}
	copies := func(c *config.Constraint) {
		c.NoHolders = []layout.Place{{Table: "copies", Items: "user#*/user#", Attribute: "email"}}
	}
	want = want[:1]
	for n := 24; n < 29; n++ {
		want = append(want, fmt.Sprintf("orphaned-lock u%02d@x.io", n))
	}
	found, _ = f.run(f.described("copies", f.softDeleted("copies", copies)), setting.Options{})
	f.want(found, want...)
}

// Other items whose keys look like locks of the value do not make a described layout wrong.
func TestADescribedKeyIsBelieved(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 20 {
		id := fmt.Sprintf("0792000%05d", n)
		items = append(items,
			doc{"PK": str(fmt.Sprintf("PATIENT#p%02d", n)), "SK": str("PROFILE"), "citizenId": str(id)},
			doc{"PK": str("RECORD#" + id), "SK": str("METADATA"), "citizenId": str(id)})
		if n < 18 {
			items = append(items, doc{"PK": str("UNIQUE#CCCD#" + id), "SK": str("LOCK")})
		}
	}
	f.create("patients", "PK:S", "SK:S", items...)
	rule := config.Constraint{Attribute: "citizenId", PK: "UNIQUE#CCCD#{v}", SK: "LOCK"}
	table := f.described("patients", config.Layout{Accounts: []config.Account{{PK: "PATIENT#{id}", SK: "PROFILE", Constraints: []config.Constraint{rule}}}})
	found, sum := f.run(table, setting.Options{})
	f.want(found, "missing-lock 079200000018", "missing-lock 079200000019")
	if !sum.Complete || !sum.Confirmed {
		t.Errorf("%+v", sum)
	}
}
