package guess_test

import (
	"fmt"
	"reflect"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout/config"
)

// An index suggests a rule without locks only if its key is an e-mail that hardly repeats.
func TestUnlockedIsSuggestedByAnIndexOfEmails(t *testing.T) {
	const people = 20
	table := func(attribute string, value func(n int) string) guess.Sample {
		own := guess.Sample{Name: "people", Schema: attr.Schema{HashName: "pk", HashKind: attr.S}, Indexes: map[string]string{attribute: "by-" + attribute}}
		for n := range people {
			own.Items = append(own.Items, attr.Item{"pk": attr.String(fmt.Sprintf("USER#%03d", n)), attribute: attr.String(value(n))},
				attr.Item{"pk": attr.String(fmt.Sprintf("ORDER#%03d", n)), attribute: attr.String(value(n / 4))})
		}
		return own
	}
	mail := func(n int) string { return fmt.Sprintf("user%d@x.io", n) }
	want := []config.Account{{PK: "USER#{id}", Constraints: []config.Constraint{{Name: "login", Attribute: "login", Unique: true, Index: "by-login"}}}}
	for range 5 {
		if got := guess.Unlocked(table("login", mail)); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v", got)
		}
	}
	if _, err := (config.Layout{Name: "people", Accounts: want}).Build(); err != nil {
		t.Error(err)
	}
	for what, value := range map[string]func(int) string{
		"texts":       func(n int) string { return fmt.Sprint("u", n) },
		"keys":        func(n int) string { return "USER#" + mail(n) },
		"repetitions": func(n int) string { return mail(n / 2) },
	} {
		if got := guess.Unlocked(table("login", value)); len(got) > 0 {
			t.Errorf("%s: %+v", what, got)
		}
	}
	made := table("GSI1PK", func(n int) string { return "USER#" + mail(n) })
	for n, item := range made.Items {
		if n%2 == 0 {
			item["email"] = attr.String(mail(n / 2))
		}
	}
	want = []config.Account{{
		PK: "USER#{id}", Constraints: []config.Constraint{{Name: "email", Attribute: "email", Unique: true}},
		Derived: []config.Derived{{Attribute: "GSI1PK", Template: "USER#{email}"}},
	}}
	if got := guess.Unlocked(made); !reflect.DeepEqual(got, want) {
		t.Errorf("a key that is made of e-mails: %+v", got)
	}
	none := table("login", mail)
	none.Indexes = nil
	if got := guess.Unlocked(none); len(got) > 0 {
		t.Errorf("without an index: %+v", got)
	}
}
