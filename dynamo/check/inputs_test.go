package check_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// A guess covers these tables in part or completely. It finds the problems, and confirms none of them.
func TestTablesThatAGuessCovers(t *testing.T) {
	f := start(t)
	var users []doc
	for n := range 20 {
		email := fmt.Sprintf("user%d@x.io", n)
		key := str(fmt.Sprintf("USER#u%02d", n))
		users = append(users, doc{"PK": key, "SK": key, "email": str(email), "GSI1PK": str("USER#" + email), "GSI1SK": str("USER#" + email)})
	}
	users[3]["email"] = str("new@x.io")
	users[5]["email"], users[5]["GSI1PK"], users[5]["GSI1SK"] = users[6]["email"], users[6]["GSI1PK"], users[6]["GSI1SK"]
	auth := sdk.Indexed(sdk.Table("auth", "PK:S", "SK:S"), "GSI1PK:S")
	index := &auth.GlobalSecondaryIndexes[0]
	index.KeySchema = append(index.KeySchema, types.KeySchemaElement{AttributeName: aws.String("GSI1SK"), KeyType: types.KeyTypeRange})
	auth.AttributeDefinitions = append(auth.AttributeDefinitions,
		types.AttributeDefinition{AttributeName: aws.String("GSI1SK"), AttributeType: types.ScalarAttributeTypeS})
	if err := sdk.Fill(t.Context(), f.App(), auth, users...); err != nil {
		t.Fatal(err)
	}
	found, sum := f.run(f.guessed("auth"), setting.Options{})
	f.want(found, "duplicate-value user6@x.io?", "drifted-key ?")
	t.Log(unchecked(sum))

	f.create("Counters", "counter_name:S", "", doc{"counter_name": str("strategy_id"), "current_value": num("42")})
	var strategies []doc
	for n := range 64 {
		strategies = append(strategies, doc{"id": str(fmt.Sprint("s", n)), "display_id": str(fmt.Sprintf("STR-%d", n+1))})
	}
	f.create("Strategies", "id:S", "", strategies...)
	found, sum = f.run(f.guessed("Counters"), setting.Options{})
	t.Log(said(found), sum.Outcome(), unchecked(sum))
	for _, one := range found {
		if one.Confirmed {
			t.Errorf("%+v", one)
		}
	}
	if len(found) == 0 && sum.Outcome() != finding.Guess {
		t.Errorf("%+v", sum)
	}
	found, _ = f.run(f.described("Counters", config.Layout{Counters: []config.Counter{{
		Name: "strategy_id", PK: "strategy_id", Attribute: "current_value",
		IDs: []config.IDs{{Table: "Strategies", Attribute: "display_id", Text: "STR-{number}"}},
	}}}), setting.Options{})
	f.want(found, "counter-behind strategy_id")

	var players []doc
	for n := range 20 {
		id := fmt.Sprintf("p%02d", n)
		name := fmt.Sprintf("player%d", n/2*2)
		if n > 1 {
			name = fmt.Sprint("player", n)
		}
		players = append(players, doc{"PK": str("USER#" + id), "SK": str("PROFILE"), "id": str(id), "username": str(name)},
			doc{"PK": str("USERNAME#" + name), "SK": str("USER#" + id)})
	}
	f.create("players", "PK:S", "SK:S", players...)
	table := f.guessed("players")
	t.Log(string(config.Of(table.Layout).TOML()))
	found, sum = f.run(table, setting.Options{})
	f.want(found, "duplicate-value player0?")
	t.Log(unchecked(sum), sum.Checked)
}
