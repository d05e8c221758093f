package embedded_test

import (
	"net/http"
	"strings"
	"testing"

	"tallylock/dynamo/embedded"
)

const priced = `"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}`

// pricedTable is a table with provisioned throughput, a global index and a local one.
const pricedTable = `{"TableName":"tab",` + priced + `,
	"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"owner","AttributeType":"S"}],
	"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
	"GlobalSecondaryIndexes":[{"IndexName":"global","KeySchema":[{"AttributeName":"owner","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},` + priced + `}],
	"LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"owner","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}]}`

// newIndex is an index to create, on the attribute x.
const newIndex = `{"IndexName":"new","KeySchema":[{"AttributeName":"x","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}`

// The texts are those of DynamoDB. A refused request changes nothing.
func TestUpdateTableMessages(t *testing.T) {
	e := embedded.New()
	if status, body := send(e, "CreateTable", pricedTable); status != http.StatusOK {
		t.Fatal(body)
	}
	_, before := send(e, "DescribeTable", `{"TableName":"tab"}`)
	const wrong = "One or more parameter values were invalid: "
	updates := func(all string) string { return `"GlobalSecondaryIndexUpdates":[` + all + `]` }
	for request, want := range map[string]string{
		`"AttributeDefinitions":[]`: "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required",
		`"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":0}`: "1 validation error detected: Value '0' at 'provisionedThroughput.writeCapacityUnits' failed to satisfy constraint: Member must have value greater than or equal to 1",
		priced:                        "The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: 1. Requested ReadCapacityUnits: 1. Current WriteCapacityUnits provisioned for the table: 1. Requested WriteCapacityUnits: 1. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
		`"BillingMode":"PROVISIONED"`: wrong + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
		`"BillingMode":"PAY_PER_REQUEST",` + priced:                            wrong + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
		`"TableClass":"CHEAP"`:                                                 "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].",
		`"TableClass":"STANDARD","DeletionProtectionEnabled":true`:             wrong + "TableClass modification must be the only operation in the request",
		`"SSESpecification":{"Enabled":true},"DeletionProtectionEnabled":true`: wrong + "Server-Side Encryption modification must be the only operation in the request",
		`"DeletionProtectionEnabled":false,` + priced:                          wrong + "DeletionProtection modification must be the only operation in the request",
		updates(`{}`): wrong + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null",
		updates(`{"Delete":{"IndexName":"global"},"Update":{"IndexName":"global",` + priced + `}}`):                                                          wrong + "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
		updates(`{"Delete":{"IndexName":"global"}},{"Delete":{"IndexName":"global"}}`):                                                                       wrong + "Only one global secondary index update per index is allowed simultaneously. Index: global",
		updates(`{"Delete":{"IndexName":"global"}},{"Create":` + newIndex + `}`):                                                                             "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
		updates(`{"Delete":{"IndexName":"global"}}`) + `,"ProvisionedThroughput":{"ReadCapacityUnits":2,"WriteCapacityUnits":2}`:                             wrong + "You cannot create or delete index while updating table IOPS",
		updates(`{"Delete":{"IndexName":"ghost"}}`):                                                                                                          "Requested resource not found: Index ghost for table tab",
		updates(`{"Delete":{"IndexName":"local"}}`):                                                                                                          "Cannot delete an index that is not a GlobalSecondaryIndex: local",
		updates(`{"Update":{"IndexName":"local",` + priced + `}}`):                                                                                           "Cannot update an index that is not a GlobalSecondaryIndex: local",
		updates(`{"Update":{"IndexName":"global"}}`):                                                                                                         wrong + "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: global",
		updates(`{"Create":` + strings.Replace(newIndex, "new", "local", 1) + `}`):                                                                           "Attempting to create an index which already exists",
		updates(`{"Create":` + newIndex + `}`):                                                                                                               wrong + "AttributeDefinitions is not specified for index: new",
		updates(`{"Create":`+newIndex+`}`) + `,"AttributeDefinitions":[{"AttributeName":"y","AttributeType":"S"}]`:                                           wrong + "Some index key attributes are not defined in AttributeDefinitions. Keys: [x], AttributeDefinitions: [y]",
		updates(`{"Create":`+newIndex+`}`) + `,"AttributeDefinitions":[{"AttributeName":"x","AttributeType":"S"}]`:                                           wrong + "ProvisionedThroughput must be specified for index: new",
		updates(`{"Create":`+strings.Replace(newIndex, `"x"`, `"owner"`, 1)+`}`) + `,"AttributeDefinitions":[{"AttributeName":"owner","AttributeType":"N"}]`: wrong + "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{owner:S:HASH}] New schema: Schema:[SchemaElement: key{owner:N:HASH}]",
	} {
		status, got := send(e, "UpdateTable", `{"TableName":"tab",`+request+`}`)
		if _, message, _ := strings.Cut(got, `"message":`); status != http.StatusBadRequest || message != `"`+want+`"}` {
			t.Errorf("%s:\n got %d %s\nwant %s", request, status, got, want)
		}
	}
	if _, after := send(e, "DescribeTable", `{"TableName":"tab"}`); after != before {
		t.Errorf("a refused request changed the table:\n%s\n%s", before, after)
	}
}

// UpdateTable does not change the table in a clone of the engine.
func TestUpdateTableLeavesClonesAlone(t *testing.T) {
	e := withTable(t)
	send(e, "TagResource", `{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","Tags":[{"Key":"a","Value":"b"}]}`)
	send(e, "PutItem", `{"TableName":"tab","Item":{"pk":{"S":"a"},"x":{"S":"y"}}}`)
	clone := e.Clone()
	status, body := send(e, "UpdateTable", `{"TableName":"tab","GlobalSecondaryIndexUpdates":[{"Create":`+newIndex+`}],"AttributeDefinitions":[{"AttributeName":"x","AttributeType":"S"}]}`)
	if status != http.StatusOK || !strings.Contains(body, `"IndexStatus":"CREATING","Backfilling":false`) {
		t.Fatal(body)
	}
	send(e, "UntagResource", `{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab","TagKeys":["a"]}`)
	if _, body := send(e, "Scan", `{"TableName":"tab","IndexName":"new"}`); !strings.Contains(body, `"Count":1`) {
		t.Errorf("the index: %s", body)
	}
	if _, body := send(clone, "DescribeTable", `{"TableName":"tab"}`); strings.Contains(body, "IndexName") {
		t.Errorf("the clone: %s", body)
	}
	if _, body := send(clone, "ListTagsOfResource", `{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tab"}`); body != `{"Tags":[{"Key":"a","Value":"b"}]}` {
		t.Errorf("the clone's tags: %s", body)
	}
}
