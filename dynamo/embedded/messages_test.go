package embedded_test

import (
	"net/http"
	"strings"
	"testing"

	"tallylock/dynamo/embedded"
)

// messageTable has the key pk and sk. Its global index is called keys, has the partition key owner, and projects only
// keys.
const messageTable = `{"TableName":"tab","BillingMode":"PAY_PER_REQUEST",
	"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"owner","AttributeType":"S"}],
	"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
	"GlobalSecondaryIndexes":[{"IndexName":"keys","KeySchema":[{"AttributeName":"owner","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}]}`

// The texts are those of DynamoDB. Clients show them to people, and some match them.
func TestMessages(t *testing.T) {
	e := embedded.New()
	if status, body := send(e, "CreateTable", messageTable); status != http.StatusOK {
		t.Fatal(body)
	}
	for operation, cases := range map[string][][2]string{
		"PutItem": {
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"N":"abc"}}`, `The parameter cannot be converted to a numeric value: abc`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"N":""}}`, `The parameter cannot be converted to a numeric value`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"N":"NaN"}}`, `The parameter cannot be converted to a numeric value: NaN`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"N":"1e126"}}`, `Number overflow. Attempting to store a number with magnitude larger than supported range`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"N":"1e-131"}}`, `Number underflow. Attempting to store a number with magnitude smaller than supported range`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"N":"123456789012345678901234567890123456789"}}`, `Attempting to store more than 38 significant digits in a Number`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"SS":[]}}`, `One or more parameter values were invalid: An string set  may not be empty`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"NS":[]}}`, `One or more parameter values were invalid: An number set  may not be empty`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"BS":[]}}`, `One or more parameter values were invalid: Binary sets should not be empty`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"SS":["b","a","b"]}}`, `One or more parameter values were invalid: Input collection [b, a, b] contains duplicates.`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"NS":["1","1.0"]}}`, `Input collection contains duplicates`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"v":{"BS":["Yg==","Yg=="]}}`, `One or more parameter values were invalid: Input collection [Yg==, Yg==]of type BS contains duplicates.`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"owner":{"N":"1"}}`, `One or more parameter values were invalid: Type mismatch for Index Key owner Expected: S Actual: N IndexName: keys`},
			{`"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"owner":{"S":""}}`, `One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: keys, IndexKey: owner`},
			{`"Item":{"pk":{"N":"1"},"sk":{"S":"a"}}`, `One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N`},
			{`"Item":{"pk":{"S":""},"sk":{"S":"a"}}`, `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk`},
		},
		"UpdateItem": {
			{`"UpdateExpression":"SET v = :v","ExpressionAttributeValues":{":v":{"N":"abc"}}`, `ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: abc for key :v`},
			{`"UpdateExpression":"SET v = :v","ExpressionAttributeValues":{":v":{"SS":[]}}`, `ExpressionAttributeValues contains invalid value: One or more parameter values were invalid: An string set  may not be empty for key :v`},
			{`"UpdateExpression":"SET #p.a = :v REMOVE #p","ExpressionAttributeNames":{"#p":"profile"},"ExpressionAttributeValues":{":v":{"N":"1"}}`, `Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [profile, a], path two: [profile]`},
			{`"UpdateExpression":"REMOVE notes[1].a, notes[1].a"`, `Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [notes, [1], a], path two: [notes, [1], a]`},
			{`"UpdateExpression":"REMOVE notes[1], notes.a"`, `Invalid UpdateExpression: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [notes, [1]], path two: [notes, a]`},
			{`"UpdateExpression":"SET #o = :v","ExpressionAttributeNames":{"#o":"owner"},"ExpressionAttributeValues":{":v":{"S":""}}`, `One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.`},
			{`"UpdateExpression":"SET #o = :v","ExpressionAttributeNames":{"#o":"owner"},"ExpressionAttributeValues":{":v":{"NULL":true}}`, `One or more parameter values were invalid: Type mismatch for Index Key owner Expected: S Actual: NULL IndexName: keys`},
		},
		"GetItem": {
			{`"Key":{"pk":{"N":"1"},"sk":{"S":"a"}}`, `The provided key element does not match the schema`},
			{`"Key":{"pk":{"S":"a"},"sk":{"S":"a"}},"ProjectionExpression":"a, a.b"`, `Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]`},
		},
		"Query": {
			{`pk > :p`, `Query key condition not supported`},
			{`begins_with(pk, :p)`, `Query key condition not supported`},
			{`:p < pk`, `Query key condition not supported`},
			{`sk = :p`, `Query condition missed key schema element: pk`},
			{`pk = :p AND colour = :q`, `Query condition missed key schema element: sk`},
			{`pk = :p AND sk > :p AND sk < :q`, `KeyConditionExpressions must only contain one condition per key`},
			{`pk = :p AND pk = :q`, `KeyConditionExpressions must only contain one condition per key`},
			{`pk = :p AND sk = :q AND colour = :q`, `Conditions can be of length 1 or 2 only`},
			{`pk = :n`, `One or more parameter values were invalid: Condition parameter type does not match schema type`},
			{`pk = :p AND sk BETWEEN :n AND :n`, `One or more parameter values were invalid: Condition parameter type does not match schema type`},
			{`pk = :p OR sk = :q`, `Invalid operator used in KeyConditionExpression: OR`},
			{`pk = :p AND NOT sk = :q`, `Invalid operator used in KeyConditionExpression: NOT`},
			{`pk = :p AND sk <> :q`, `Invalid operator used in KeyConditionExpression: <>`},
			{`pk = :p AND sk IN (:q)`, `Invalid operator used in KeyConditionExpression: IN`},
			{`pk = :p AND contains(sk, :q)`, `Invalid operator used in KeyConditionExpression: contains`},
			{`pk = :p AND attribute_exists(sk)`, `Invalid operator used in KeyConditionExpression: attribute_exists`},
			{`pk = :p AND attribute_not_exists(sk)`, `Invalid operator used in KeyConditionExpression: attribute_not_exists`},
			{`pk = :p AND attribute_type(sk, :t)`, `Invalid operator used in KeyConditionExpression: attribute_type`},
			{`pk = :p AND size(sk) = :n`, `KeyConditionExpressions cannot contain nested operations`},
			{`pk = :p AND sk.a = :q`, `KeyConditionExpressions cannot have conditions on nested attributes`},
			{`pk = :p AND sk = colour`, `Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition`},
			{`pk = :p AND :q = :q`, `Invalid condition in KeyConditionExpression: No key attribute specified`},
			{`pk = :p AND :q BETWEEN sk AND :q`, `Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute as its first operand`},
			{`pk = :p AND begins_with(:q, sk)`, `Invalid condition in KeyConditionExpression: begins_with operator must have the key attribute as its first operand`},
		},
		"Scan": {
			{`"TotalSegments":2`, `The Segment parameter is required but was not present in the request when parameter TotalSegments is present`},
			{`"Segment":0`, `The TotalSegments parameter is required but was not present in the request when Segment parameter is present`},
			{`"Segment":2,"TotalSegments":2`, `The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 2 is not less than TotalSegments: 2`},
			{`"Segment":-1,"TotalSegments":2`, `1 validation error detected: Value '-1' at 'segment' failed to satisfy constraint: Member must have value greater than or equal to 0`},
			{`"Segment":0,"TotalSegments":0`, `1 validation error detected: Value '0' at 'totalSegments' failed to satisfy constraint: Member must have value greater than or equal to 1`},
			{`"Segment":0,"TotalSegments":1000001`, `1 validation error detected: Value '1000001' at 'totalSegments' failed to satisfy constraint: Member must have value less than or equal to 1000000`},
			{`"IndexName":"keys","Select":"ALL_ATTRIBUTES"`, `One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index keys because its projection type is not ALL`},
			{`"IndexName":"keys","ProjectionExpression":"pk, b, a"`, `One or more parameter values were invalid: Global secondary index keys does not project [a, b]`},
		},
	} {
		for _, c := range cases {
			request := `{"TableName":"tab",` + c[0] + `}`
			switch operation {
			case "UpdateItem":
				request = `{"TableName":"tab","Key":{"pk":{"S":"a"},"sk":{"S":"a"}},` + c[0] + `}`
			case "Query":
				request = keyCondition(c[0])
			}
			want := `{"__type":"com.amazonaws.dynamodb.v20120810#ValidationException","message":"` + c[1] + `"}`
			if status, got := send(e, operation, request); status != http.StatusBadRequest || got != want {
				t.Errorf("%s %s:\n got %d %s\nwant 400 %s", operation, c[0], status, got, want)
			}
		}
	}
}

// keyCondition returns a Query with the values that its condition uses.
func keyCondition(text string) string {
	var values []string
	for name, v := range map[string]string{":p": `{"S":"a"}`, ":q": `{"S":"b"}`, ":n": `{"N":"1"}`, ":t": `{"S":"S"}`} {
		if strings.Contains(text, name) {
			values = append(values, `"`+name+`":`+v)
		}
	}
	return `{"TableName":"tab","KeyConditionExpression":"` + text + `","ExpressionAttributeValues":{` + strings.Join(values, ",") + `}}`
}

// In a key condition, the literal may also be on the left side of a comparison.
func TestKeyConditionWithTheValueFirst(t *testing.T) {
	e := embedded.New()
	send(e, "CreateTable", messageTable)
	for _, sk := range []string{"a", "b", "c"} {
		send(e, "PutItem", `{"TableName":"tab","Item":{"pk":{"S":"a"},"sk":{"S":"`+sk+`"}}}`)
	}
	for condition, want := range map[string]string{
		":p = pk AND :q < sk":  `"Count":1`,
		":p = pk AND :q <= sk": `"Count":2`,
		":q > sk AND :p = pk":  `"Count":1`,
		":q >= sk AND pk = :p": `"Count":2`,
		"pk = :p AND :q = sk":  `"Count":1`,
	} {
		if _, got := send(e, "Query", keyCondition(condition)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", condition, got)
		}
	}
}
