// Package protocol has constraints whose locks an application keeps by the printed transactions. Tests run the
// transactions of each constraint. Start at Cases.
package protocol

import (
	"context"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// Case is a constraint called email, with its tables and with texts for its transactions.
type Case struct {
	Name string
	// Accounts is the name of the table of the accounts. Keys are its keys, each written name:type. Locks and
	// LockKeys are the same for the table of the locks; they are empty if the accounts' table has the locks.
	Accounts string
	Keys     []string
	Locks    string
	LockKeys []string
	Account  config.Account
	// Parts has the parts of the keys besides the account's id.
	Parts map[string]string
	// Values are three values with different locks. Respelt has another spelling of the first value; it is empty
	// if no other spelling has the same lock.
	Values  [3]string
	Respelt string
	// Number is set if the values are numbers.
	Number bool
	// Numbered is set if the ids are numbers.
	Numbered bool
}

// Hostile is a name or a text that each programming language must quote. DynamoDB allows it in names.
const Hostile = "q\"'`$ \\n%s$1\n\u202e\u00e9\U0001F512</script>#"

// Cases returns the constraints.
func Cases() []Case { return append(plainCases(), oddCases()...) }

// emails are the values of most cases.
var emails = [3]string{"ada@lovelace.io", "grace@navy.mil", "mary@jackson.gov"}

// email returns c as the only constraint. It sets the name, and the attribute if c has none.
func email(c config.Constraint) []config.Constraint {
	c.Name = "email"
	if c.Attribute == "" {
		c.Attribute = "email"
	}
	return []config.Constraint{c}
}

func lock(attribute, value string) *config.Discriminator {
	return &config.Discriminator{Attribute: attribute, Value: value}
}

func plainCases() []Case {
	return []Case{
		{
			Name: "plain", Accounts: "people", Keys: []string{"PK:S", "SK:S"},
			Account: config.Account{PK: "ACCT#{id}", SK: "PROFILE", Constraints: email(config.Constraint{
				PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId",
			})},
			Values: emails,
		},
		{
			Name: "own-table", Accounts: "users", Keys: []string{"id:S"}, Locks: "emails", LockKeys: []string{"value:S"},
			Account: config.Account{PK: "{id}", Constraints: email(config.Constraint{
				Table: "emails", PK: "{v}", Owner: "user", Normalise: []string{"trim", "lower", "nfc"}, AlsoIn: new([]string),
			})},
			Values: emails, Respelt: " ADA@Lovelace.io\u00a0",
		},
		{
			Name: "composite", Accounts: "tenants", Keys: []string{"PK:S", "SK:S"},
			Account: config.Account{PK: "TENANT#{tenant}", SK: "USER#{id}", Constraints: email(config.Constraint{
				PK: "TENANT#{tenant}#EMAIL#{v}", SK: "{pk}", Owner: "owner", OwnerForm: "user#{id}",
				Is: lock("type", "lock"), Normalise: []string{"nfkc", "upper"},
			})},
			Parts: map[string]string{"tenant": "acme"}, Values: emails, Respelt: "\uff21DA@lovelace.io",
		},
		{
			Name: "scoped", Accounts: "folks", Keys: []string{"pk:S"},
			Account: config.Account{PK: "MEMBER#{id}", Constraints: email(config.Constraint{
				Attribute: "contact.email", PK: "{org}/{len:v}/{v}", Owner: "meta.owner", OwnerForm: "MEMBER#{id}",
				Normalise: []string{"percent"},
			})},
			Parts: map[string]string{"org": "navy"}, Values: emails,
		},
	}
}

func oddCases() []Case {
	return []Case{
		{
			Name: "numbers", Accounts: "customers", Keys: []string{"id:N"},
			Locks: "phones", LockKeys: []string{"phone:N", "kind:S"},
			Account: config.Account{PK: "{id}", Constraints: email(config.Constraint{
				Attribute: "phone", Table: "phones", PK: "{v}", SK: "unique", Owner: "customer", AlsoIn: new([]string),
			})},
			Values: [3]string{"4915112345678", "12025550199", "442079460123"}, Number: true, Numbered: true,
		},
		{
			Name: "digest", Accounts: "secrets", Keys: []string{"pk:S", "sk:S"},
			Account: config.Account{PK: "USER#{id}", SK: "USER#{id}", Constraints: email(config.Constraint{
				PK: "U#{sha256:mail#{v}}", SK: "{pk}", Owner: "owner", Normalise: []string{"lower", "base64url"},
			})},
			Values: emails, Respelt: "ADA@lovelace.IO",
		},
		{
			Name: "hostile", Accounts: "odd-names_1.2", Keys: []string{"p" + Hostile + ":S", "s" + Hostile + ":S"},
			Account: config.Account{PK: Escaped + "{id}", SK: Escaped, Constraints: email(config.Constraint{
				Attribute: "email" + Hostile, PK: "L" + Escaped + "{v}", SK: Escaped, Owner: "owner" + Hostile,
				Is: lock("kind"+Hostile, "v"+Hostile), Normalise: []string{"trim", "base64"},
			})},
			Values: [3]string{Hostile + "a", Hostile + "b", Hostile + "c"}, Respelt: Hostile + "a ",
		},
	}
}

// Escaped is a hostile part of a template. It has the text "${1}", since braces are written twice.
const Escaped = Hostile + "${{1}}"

// Create makes the tables of the constraint.
func (c Case) Create(ctx context.Context, app *dynamodb.Client) error {
	in := []*dynamodb.CreateTableInput{sdk.Table(c.Accounts, c.Keys...)}
	if c.Locks != "" {
		in = append(in, sdk.Table(c.Locks, c.LockKeys...))
	}
	for _, one := range in {
		if err := sdk.Fill(ctx, app, one); err != nil {
			return err
		}
	}
	return nil
}

// Layout returns the layout of the tables.
func (c Case) Layout() config.Layout {
	return config.Layout{Name: "mine", Tables: []string{c.Accounts}, Accounts: []config.Account{c.Account}}
}

// Old returns an account that signed up before there were locks.
func (c Case) Old(id, value string) (sdk.Item, error) {
	kind := sdk.S
	if c.Number {
		kind = sdk.N
	}
	item := sdk.Item{"name": sdk.S("Old " + id)}
	if first, rest, nested := strings.Cut(c.Account.Constraints[0].Attribute, "."); nested {
		item[first] = &types.AttributeValueMemberM{Value: sdk.Item{rest: kind(value)}}
	} else {
		item[first] = kind(value)
	}
	vars := maps.Clone(c.Parts)
	if vars == nil {
		vars = map[string]string{}
	}
	vars["id"] = id
	for name, text := range c.Parts {
		if !strings.Contains(c.Account.PK+c.Account.SK, "{"+name+"}") {
			item[name] = sdk.S(text)
		}
	}
	for n, text := range []string{c.Account.PK, c.Account.SK}[:len(c.Keys)] {
		t, err := layout.ParseTemplate(text)
		if err != nil {
			return nil, err
		}
		if text, err = t.Render(vars); err != nil {
			return nil, err
		}
		name, number := strings.CutSuffix(c.Keys[n], ":N")
		if item[strings.TrimSuffix(name, ":S")] = sdk.S(text); number {
			item[name] = sdk.N(text)
		}
	}
	return item, nil
}
