package change_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/layout/config"
)

// An item holds a phone number if a JSON text in the item contains the number, as a string, a number or
// a name. An item also holds a phone number that is a name in a map.
func TestEveryWayToHoldANumber(t *testing.T) {
	t.Parallel()
	const phone = "305551813"
	for name, data := range map[string]types.AttributeValue{
		"a text in JSON":   str(`{"phone": "305551813"}`),
		"a number in JSON": str(`{"phone": 305551813}`),
		"a name in JSON":   str(`{"305551813": {"verified": true}}`),
		"lines of JSON":    str("{\"phone\": \"1\"}\n{\"phone\": 305551813}\n"),
		"a name of a map":  &types.AttributeValueMemberM{Value: item{phone: str("verified")}},
		"nothing":          str(`{"phone": 3055518130}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			f.create("odd")
			for n := range 40 {
				v := fmt.Sprintf("4055518%02d", n)
				f.put("odd", row(fmt.Sprint("USER#", n), "PROFILE", "phone", v))
				f.put("odd", row("UNIQ#PHONE#"+v, "LOCK"))
			}
			f.put("odd", row("UNIQ#PHONE#"+phone, "LOCK"))
			f.put("odd", more(row("OLD#1", "DOC"), item{"data": data}))
			table := f.open("odd", userRule("phone", "UNIQ#PHONE#{v}"))
			free := name == "nothing"
			for _, one := range f.checkedAnyhow(table) {
				if one.Confirmed != free {
					t.Errorf("%s %s, confirmed %v: %s", one.Kind, one.Value, one.Confirmed, one.Detail)
				}
			}
			outcome := journal.Refused
			if p, err := f.plan(table, "phone", phone); err == nil {
				outcome = f.changer.Apply(t.Context(), p, nil).Outcome
			}
			if (outcome == journal.Applied) != free || (f.get("odd", row("UNIQ#PHONE#"+phone, "LOCK")) == nil) != free {
				t.Errorf("the release was %s", outcome)
			}
		})
	}
}

// userRule is a layout of accounts in USER#{id}/PROFILE with one rule.
func userRule(attribute, pk string) func(*dynamo.Options) {
	c := config.Constraint{Attribute: attribute, PK: pk, SK: "LOCK"}
	a := config.Account{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{c}}
	return func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{a}}}
	}
}
