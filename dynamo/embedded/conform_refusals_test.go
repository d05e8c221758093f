package embedded_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func txKey(verb string, name *string, key doc) types.TransactWriteItem {
	switch verb {
	case "Put":
		return types.TransactWriteItem{Put: &types.Put{TableName: name, Item: key}}
	case "Update":
		return types.TransactWriteItem{Update: &types.Update{TableName: name, Key: key, UpdateExpression: aws.String("REMOVE v")}}
	case "Delete":
		return types.TransactWriteItem{Delete: &types.Delete{TableName: name, Key: key}}
	}
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: name, Key: key, ConditionExpression: aws.String("attribute_not_exists(pk)")}}
}

func (t *trial) transactGet(name *string, keys ...doc) error {
	in := &dynamodb.TransactGetItemsInput{}
	for _, key := range keys {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: name, Key: key}})
	}
	_, err := t.db.TransactGetItems(t.ctx, in)
	return err
}

// byTable sends one request of each operation that names a table.
func (t *trial) byTable(name *string) map[string]error {
	key := doc{"pk": s("a")}
	all := map[string]error{}
	_, all["DescribeTable"] = t.db.DescribeTable(t.ctx, &dynamodb.DescribeTableInput{TableName: name})
	_, all["DeleteTable"] = t.db.DeleteTable(t.ctx, &dynamodb.DeleteTableInput{TableName: name})
	_, all["DescribeTimeToLive"] = t.db.DescribeTimeToLive(t.ctx, &dynamodb.DescribeTimeToLiveInput{TableName: name})
	_, all["UpdateTimeToLive"] = t.db.UpdateTimeToLive(t.ctx, &dynamodb.UpdateTimeToLiveInput{TableName: name, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(true)}})
	_, all["GetItem"] = t.db.GetItem(t.ctx, &dynamodb.GetItemInput{TableName: name, Key: key})
	_, all["PutItem"] = t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: key})
	_, all["UpdateItem"] = t.db.UpdateItem(t.ctx, &dynamodb.UpdateItemInput{TableName: name, Key: key})
	_, all["DeleteItem"] = t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: key})
	_, all["Query"] = t.db.Query(t.ctx, &dynamodb.QueryInput{TableName: name, KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: doc{":p": s("a")}})
	_, all["Scan"] = t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name})
	_, all["BatchGetItem"] = t.db.BatchGetItem(t.ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{*name: {Keys: []doc{key}}}})
	_, all["BatchWriteItem"] = t.db.BatchWriteItem(t.ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*name: {{PutRequest: &types.PutRequest{Item: key}}}}})
	all["TransactGetItems"] = t.transactGet(name, key)
	all["TransactWriteItems"] = t.transact("", txKey("Put", name, key))
	return all
}

var refusalCases = []conformance{
	{"table/every operation checks its name", func(t *trial) {
		for _, name := range []string{"ab", strings.Repeat("x", 256), "with space", "with/slash", "größer"} {
			for operation, err := range t.byTable(&name) {
				t.refused(err, invalid, operation, " ", name)
			}
		}
		for operation, err := range t.byTable(aws.String("tallylock-test-absent")) {
			t.refused(err, "ResourceNotFoundException", operation)
		}
		_, err := t.db.ListTables(t.ctx, &dynamodb.ListTablesInput{ExclusiveStartTableName: aws.String("with space")})
		t.refused(err, invalid, "ListTables")
	}},
	{"transaction/a key that does not match cancels it", func(t *trial) {
		name := t.table(typeS, typeS)
		good := doc{"pk": s("new"), "sk": s("new")}
		for about, key := range map[string]doc{"missing": {"pk": s("a")}, "of another type": {"pk": s("a"), "sk": n("1")}, "no scalar": {"pk": l(), "sk": s("a")}} {
			for _, verb := range []string{"Put", "Update", "Delete", "ConditionCheck"} {
				err := t.transact("", txKey("Put", name, good), txKey(verb, name, key))
				t.equal(reasons(err), "None ValidationError", verb, " ", about)
			}
			t.equal(reasons(t.transactGet(name, good, key, doc{"pk": s("b"), "sk": s("b")})), "None ValidationError None", "Get ", about)
		}
		t.equal(reasons(t.transact("", txKey("Delete", name, doc{"pk": s("a"), "sk": s("a"), "x": s("a")}))), "ValidationError", "one attribute too many")
		t.equal(reasons(t.transactGet(name, doc{})), "ValidationError", "none at all")
		t.equal(t.get(name, good), doc(nil), "written:")
	}},
	{"transaction/an empty key refuses it as a whole", func(t *trial) {
		name := t.table(typeS)
		for _, verb := range []string{"Put", "Update", "Delete", "ConditionCheck"} {
			t.refused(t.transact("", txKey("Put", name, doc{"pk": s("new")}), txKey(verb, name, doc{"pk": s("")})), invalid, verb)
		}
	}},
	{"transaction/ReturnValues is ignored", func(t *trial) {
		name := t.table(typeS)
		for _, c := range []struct {
			action string
			left   doc
		}{
			{`"Put":{"Item":{"pk":{"S":"a"}}`, doc{"pk": s("a")}},
			{`"Update":{"Key":{"pk":{"S":"a"}},"UpdateExpression":"SET v = pk"`, doc{"pk": s("a"), "v": s("a")}},
			{`"Delete":{"Key":{"pk":{"S":"a"}}`, nil},
		} {
			answer, body := t.post("TransactWriteItems", fmt.Sprintf(`{"TransactItems":[{%s,"TableName":"%s","ReturnValues":"ALL_OLD"}}]}`, c.action, *name))
			if answer.StatusCode != http.StatusOK || strings.Contains(body, "Attributes") {
				t.errorf("%s: %d %s", c.action, answer.StatusCode, body)
			}
			t.equal(t.get(name, doc{"pk": s("a")}), c.left, c.action)
		}
	}},
}
