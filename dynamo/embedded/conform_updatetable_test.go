package embedded_test

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func (t *trial) describe(name *string) *types.TableDescription {
	out, err := t.db.DescribeTable(t.ctx, &dynamodb.DescribeTableInput{TableName: name})
	t.ok(err)
	return out.Table
}

// alter changes a table, and waits until the table and its indexes are active.
func (t *trial) alter(in *dynamodb.UpdateTableInput) *types.TableDescription {
	out, err := t.db.UpdateTable(t.ctx, in)
	t.ok(err)
	waiter := dynamodb.NewTableExistsWaiter(t.db)
	for deadline := time.Now().Add(time.Minute); ; {
		t.ok(waiter.Wait(t.ctx, &dynamodb.DescribeTableInput{TableName: in.TableName}, time.Minute))
		settled := true
		for _, x := range t.describe(in.TableName).GlobalSecondaryIndexes {
			settled = settled && x.IndexStatus == types.IndexStatusActive
		}
		if settled {
			return out.TableDescription
		}
		if time.Now().After(deadline) {
			t.fatalf("the indexes did not become active")
		}
	}
}

// addIndex describes a new index, by-owner, on the attribute owner.
func addIndex(name *string, kind types.ScalarAttributeType) *dynamodb.UpdateTableInput {
	return &dynamodb.UpdateTableInput{
		TableName: name, AttributeDefinitions: []types.AttributeDefinition{define("owner", kind)},
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: aws.String("by-owner"), KeySchema: schema("owner"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}}},
	}
}

func dropIndex(table *string, index string) *dynamodb.UpdateTableInput {
	return &dynamodb.UpdateTableInput{TableName: table, GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{
		{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: &index}},
	}}
}

func units(read, write int64) *types.ProvisionedThroughput {
	return &types.ProvisionedThroughput{ReadCapacityUnits: &read, WriteCapacityUnits: &write}
}

var updateTableCases = []conformance{
	{"update table/a new index has the items of the table", func(t *trial) {
		name := t.table(typeS, typeS)
		t.put(name, doc{"pk": s("a"), "sk": s("1"), "owner": s("x")}, doc{"pk": s("b"), "sk": s("1"), "owner": s("x")},
			doc{"pk": s("c"), "sk": s("1")}, doc{"pk": s("d"), "sk": s("1"), "owner": n("1")})
		d := t.alter(addIndex(name, typeS))
		t.equal(d.TableStatus, types.TableStatusUpdating)
		t.equal(len(d.GlobalSecondaryIndexes), 1)
		t.equal(d.GlobalSecondaryIndexes[0].IndexStatus, types.IndexStatusCreating)
		t.equal(len(strings.Fields(t.owned(name, "by-owner", "x"))), 2, "items that were there:")
		t.equal(len(t.describe(name).AttributeDefinitions), 3)

		t.put(name, doc{"pk": s("c"), "sk": s("1"), "owner": s("x")}, doc{"pk": s("d"), "sk": s("1")})
		t.equal(len(strings.Fields(t.owned(name, "by-owner", "x"))), 3, "and one more:")
		_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("e"), "sk": s("1"), "owner": n("1")}})
		t.refused(err, invalid, "a key of another type")
		_, err = t.db.UpdateTable(t.ctx, addIndex(name, typeS))
		t.refused(err, invalid, "an index of the same name")
	}},
	{"update table/a removed index is gone", func(t *trial) {
		name := t.indexed()
		d := t.alter(dropIndex(name, "all"))
		for _, x := range d.GlobalSecondaryIndexes {
			t.equal(x.IndexStatus == types.IndexStatusDeleting, *x.IndexName == "all", *x.IndexName)
		}
		t.equal(len(t.describe(name).GlobalSecondaryIndexes), 2)
		_, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, IndexName: aws.String("all")})
		t.refused(err, invalid, "scan")
		t.alter(dropIndex(name, "keys"))
		t.alter(dropIndex(name, "some"))
		t.equal(len(t.describe(name).AttributeDefinitions), 3, "pk, sk and rank, but no owner:")
		t.put(name, doc{"pk": s("p"), "sk": s("1"), "owner": n("1")})
		_, err = t.db.UpdateTable(t.ctx, dropIndex(name, "local"))
		t.refused(err, invalid, "a local index")
		_, err = t.db.UpdateTable(t.ctx, dropIndex(name, "ghost"))
		t.refused(err, "ResourceNotFoundException", "no such index")
	}},
	{"update table/throughput and billing mode", func(t *trial) {
		in := withKey(typeS)
		in.AttributeDefinitions = append(in.AttributeDefinitions, define("owner", typeS))
		in.BillingMode, in.ProvisionedThroughput = types.BillingModeProvisioned, units(1, 1)
		in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
			IndexName: aws.String("by-owner"), KeySchema: schema("owner"), ProvisionedThroughput: units(1, 1),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}}
		name := t.create(in)
		t.alter(&dynamodb.UpdateTableInput{TableName: name, ProvisionedThroughput: units(3, 1)})
		t.equal(*t.describe(name).ProvisionedThroughput.ReadCapacityUnits, 3)
		_, err := t.db.UpdateTable(t.ctx, &dynamodb.UpdateTableInput{TableName: name, ProvisionedThroughput: units(3, 1)})
		t.refused(err, invalid, "the same throughput")

		priced := []types.GlobalSecondaryIndexUpdate{{Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: aws.String("by-owner"), ProvisionedThroughput: units(2, 2)}}}
		t.alter(&dynamodb.UpdateTableInput{TableName: name, GlobalSecondaryIndexUpdates: priced})
		t.equal(*t.describe(name).GlobalSecondaryIndexes[0].ProvisionedThroughput.WriteCapacityUnits, 2)
		_, err = t.db.UpdateTable(t.ctx, &dynamodb.UpdateTableInput{TableName: name, GlobalSecondaryIndexUpdates: priced})
		t.refused(err, invalid, "the same throughput of the index")

		t.alter(&dynamodb.UpdateTableInput{TableName: name, BillingMode: types.BillingModePayPerRequest})
		t.equal(t.describe(name).BillingModeSummary.BillingMode, types.BillingModePayPerRequest)
		_, err = t.db.UpdateTable(t.ctx, &dynamodb.UpdateTableInput{TableName: name, ProvisionedThroughput: units(5, 5)})
		t.refused(err, invalid, "throughput of a table on demand")
		_, err = t.db.UpdateTable(t.ctx, &dynamodb.UpdateTableInput{TableName: name, BillingMode: types.BillingModeProvisioned, ProvisionedThroughput: units(5, 5)})
		t.refused(err, invalid, "no throughput of the index")
		t.equal(t.describe(name).BillingModeSummary.BillingMode, types.BillingModePayPerRequest, "still")
	}},
	{"update table/deletion protection", func(t *trial) {
		name := t.table(typeS)
		t.alter(&dynamodb.UpdateTableInput{TableName: name, DeletionProtectionEnabled: aws.Bool(true)})
		t.equal(*t.describe(name).DeletionProtectionEnabled, true)
		_, err := t.db.DeleteTable(t.ctx, &dynamodb.DeleteTableInput{TableName: name})
		t.refused(err, invalid)
		t.alter(&dynamodb.UpdateTableInput{TableName: name, DeletionProtectionEnabled: aws.Bool(false)})
		_, err = t.db.DeleteTable(t.ctx, &dynamodb.DeleteTableInput{TableName: name})
		t.ok(err)
	}},
	{"update table/table class", func(t *trial) {
		name := t.table(typeS)
		t.alter(&dynamodb.UpdateTableInput{TableName: name, TableClass: types.TableClassStandardInfrequentAccess})
		t.equal(t.describe(name).TableClassSummary.TableClass, types.TableClassStandardInfrequentAccess)
	}},
	{"update table/bad requests", func(t *trial) {
		name := t.table(typeS)
		for about, change := range map[string]func(in *dynamodb.UpdateTableInput){
			"nothing":             func(in *dynamodb.UpdateTableInput) { in.GlobalSecondaryIndexUpdates = nil },
			"no definition":       func(in *dynamodb.UpdateTableInput) { in.AttributeDefinitions = nil },
			"another definition":  func(in *dynamodb.UpdateTableInput) { in.AttributeDefinitions[0].AttributeName = aws.String("x") },
			"protection together": func(in *dynamodb.UpdateTableInput) { in.DeletionProtectionEnabled = aws.Bool(true) },
			"no throughput":       func(in *dynamodb.UpdateTableInput) { in.BillingMode = types.BillingModeProvisioned },
			"bad billing mode":    func(in *dynamodb.UpdateTableInput) { in.BillingMode = "FREE" },
			"bad table class": func(in *dynamodb.UpdateTableInput) {
				in.GlobalSecondaryIndexUpdates, in.TableClass = nil, "CHEAP"
			},
			"no action": func(in *dynamodb.UpdateTableInput) { in.GlobalSecondaryIndexUpdates[0].Create = nil },
			"two actions": func(in *dynamodb.UpdateTableInput) {
				in.GlobalSecondaryIndexUpdates[0].Delete = &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("by-owner")}
			},
			"the table's key with another type": func(in *dynamodb.UpdateTableInput) {
				in.AttributeDefinitions, in.GlobalSecondaryIndexUpdates[0].Create.KeySchema = []types.AttributeDefinition{define("pk", typeN)}, schema("pk")
			},
		} {
			in := addIndex(name, typeS)
			change(in)
			_, err := t.db.UpdateTable(t.ctx, in)
			t.refused(err, invalid, about)
		}
		two := addIndex(name, typeS)
		another := *two.GlobalSecondaryIndexUpdates[0].Create
		another.IndexName = aws.String("another")
		two.GlobalSecondaryIndexUpdates = append(two.GlobalSecondaryIndexUpdates, types.GlobalSecondaryIndexUpdate{Create: &another})
		_, err := t.db.UpdateTable(t.ctx, two)
		t.refused(err, "LimitExceededException", "two new indexes")
		t.equal(len(t.describe(name).GlobalSecondaryIndexes), 0)
	}},
}
