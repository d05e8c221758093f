package embedded_test

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var tableCases = []conformance{
	{"table/describe", func(t *trial) {
		in := withKey(typeS, typeN)
		in.AttributeDefinitions = append(in.AttributeDefinitions, define("owner", typeB))
		in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
			IndexName: aws.String("by-owner"), KeySchema: schema("owner", "sk"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"x"}},
		}}
		name := t.create(in)
		out, err := t.db.DescribeTable(t.ctx, &dynamodb.DescribeTableInput{TableName: name})
		t.ok(err)
		d := out.Table
		t.equal(d.TableName, *name)
		t.equal(d.TableStatus, types.TableStatusActive)
		t.equal(len(*d.TableId), 36, "TableId")
		t.equal(*d.ItemCount, 0)
		t.equal(*d.KeySchema[0].AttributeName+*d.KeySchema[1].AttributeName, "pksk")
		t.equal(len(d.AttributeDefinitions), 3)
		t.equal(d.BillingModeSummary.BillingMode, types.BillingModePayPerRequest)
		if d.CreationDateTime == nil || d.CreationDateTime.Year() < 2020 || d.CreationDateTime.After(time.Now().Add(time.Hour)) {
			t.errorf("created %v", d.CreationDateTime)
		}
		if len(d.GlobalSecondaryIndexes) != 1 {
			t.fatalf("%d indexes", len(d.GlobalSecondaryIndexes))
		}
		x := d.GlobalSecondaryIndexes[0]
		t.equal(x.IndexName, "by-owner")
		t.equal(x.IndexStatus, types.IndexStatusActive)
		t.equal(x.Projection.ProjectionType, types.ProjectionTypeInclude)
		t.equal(x.Projection.NonKeyAttributes, "[x]")
	}},
	{"table/arn names it too", func(t *trial) {
		name := t.table(typeS)
		out, err := t.db.DescribeTable(t.ctx, &dynamodb.DescribeTableInput{TableName: name})
		t.ok(err)
		t.put(name, doc{"pk": s("a")})
		got, err := t.db.GetItem(t.ctx, &dynamodb.GetItemInput{TableName: out.Table.TableArn, Key: doc{"pk": s("a")}, ConsistentRead: aws.Bool(true)})
		t.ok(err)
		t.equal(got.Item, doc{"pk": s("a")})
	}},
	{"table/ids differ", func(t *trial) {
		seen := map[string]bool{}
		for range 2 {
			out, err := t.db.DescribeTable(t.ctx, &dynamodb.DescribeTableInput{TableName: t.table(typeS)})
			t.ok(err)
			seen[*out.Table.TableId] = true
		}
		t.equal(len(seen), 2)
	}},
	{"table/provisioned", func(t *trial) {
		in := withKey(typeS)
		in.BillingMode = types.BillingModeProvisioned
		in.ProvisionedThroughput = &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(3), WriteCapacityUnits: aws.Int64(4)}
		out, err := t.db.DescribeTable(t.ctx, &dynamodb.DescribeTableInput{TableName: t.create(in)})
		t.ok(err)
		t.equal(*out.Table.ProvisionedThroughput.ReadCapacityUnits, 3)
		t.equal(*out.Table.ProvisionedThroughput.WriteCapacityUnits, 4)
	}},
	{"table/exists already", func(t *trial) {
		in := withKey(typeS)
		t.create(in)
		_, err := t.db.CreateTable(t.ctx, in)
		t.refused(err, "ResourceInUseException")
	}},
	{"table/missing", func(t *trial) {
		name := aws.String("tallylock-test-there-is-none")
		_, err := t.db.DescribeTable(t.ctx, &dynamodb.DescribeTableInput{TableName: name})
		t.refused(err, "ResourceNotFoundException", "describe")
		_, err = t.db.DeleteTable(t.ctx, &dynamodb.DeleteTableInput{TableName: name})
		t.refused(err, "ResourceNotFoundException", "delete")
		_, err = t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name})
		t.refused(err, "ResourceNotFoundException", "scan")
		_, err = t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("a")}})
		t.refused(err, "ResourceNotFoundException", "put")
		_, err = t.db.TransactWriteItems(t.ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: name, Item: doc{"pk": s("a")}}},
		}})
		t.refused(err, "ResourceNotFoundException", "transaction")
	}},
	{"table/delete", func(t *trial) {
		name := t.table(typeS)
		_, err := t.db.DeleteTable(t.ctx, &dynamodb.DeleteTableInput{TableName: name})
		t.ok(err)
		t.ok(dynamodb.NewTableNotExistsWaiter(t.db).Wait(t.ctx, &dynamodb.DescribeTableInput{TableName: name}, time.Minute))
		_, err = t.db.GetItem(t.ctx, &dynamodb.GetItemInput{TableName: name, Key: doc{"pk": s("a")}})
		t.refused(err, "ResourceNotFoundException")
	}},
	{"table/bad definitions", func(t *trial) {
		for about, change := range map[string]func(in *dynamodb.CreateTableInput){
			"short name":    func(in *dynamodb.CreateTableInput) { in.TableName = aws.String("ab") },
			"odd name":      func(in *dynamodb.CreateTableInput) { in.TableName = aws.String("a b c") },
			"undefined key": func(in *dynamodb.CreateTableInput) { in.KeySchema = schema("nope") },
			"unused definition": func(in *dynamodb.CreateTableInput) {
				in.AttributeDefinitions = append(in.AttributeDefinitions, define("x", typeS))
			},
			"no throughput":       func(in *dynamodb.CreateTableInput) { in.BillingMode = types.BillingModeProvisioned },
			"bad billing mode":    func(in *dynamodb.CreateTableInput) { in.BillingMode = "FREE" },
			"bad attribute type":  func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions[0].AttributeType = "BOOL" },
			"range key first":     func(in *dynamodb.CreateTableInput) { in.KeySchema[0].KeyType = types.KeyTypeRange },
			"twice the same name": func(in *dynamodb.CreateTableInput) { in.KeySchema = schema("pk", "pk") },
			"short index name": func(in *dynamodb.CreateTableInput) {
				in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{IndexName: aws.String("ab"), KeySchema: schema("pk"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}}}
			},
			"undefined key of an index": func(in *dynamodb.CreateTableInput) {
				in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{IndexName: aws.String("undefined"), KeySchema: schema("nope"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}}}
			},
			"index twice": func(in *dynamodb.CreateTableInput) {
				x := types.GlobalSecondaryIndex{IndexName: aws.String("twice"), KeySchema: schema("pk"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}}
				in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{x, x}
			},
		} {
			in := withKey(typeS)
			in.TableName, in.BillingMode = aws.String("tallylock-test-bad"), types.BillingModePayPerRequest
			change(in)
			_, err := t.db.CreateTable(t.ctx, in)
			t.refused(err, invalid, about)
		}
	}},
	{"table/list pages", func(t *trial) {
		want := map[string]bool{*t.table(typeS): true, *t.table(typeS): true, *t.table(typeS): true}
		found, pages := 0, 0
		list := dynamodb.NewListTablesPaginator(t.db, &dynamodb.ListTablesInput{Limit: aws.Int32(2)})
		for last := ""; list.HasMorePages(); pages++ {
			out, err := list.NextPage(t.ctx)
			t.ok(err)
			if len(out.TableNames) > 2 {
				t.errorf("a page of %d", len(out.TableNames))
			}
			for _, name := range out.TableNames {
				if name <= last {
					t.errorf("%q after %q", name, last)
				}
				if last = name; want[name] {
					found++
				}
			}
		}
		t.equal(found, 3)
		if pages < 2 {
			t.errorf("%d pages", pages)
		}
	}},
	{"table/time to live", func(t *trial) {
		name := t.table(typeS)
		status := func() string {
			out, err := t.db.DescribeTimeToLive(t.ctx, &dynamodb.DescribeTimeToLiveInput{TableName: name})
			t.ok(err)
			return string(out.TimeToLiveDescription.TimeToLiveStatus) + " " + aws.ToString(out.TimeToLiveDescription.AttributeName)
		}
		t.equal(status(), "DISABLED ")
		set := func(on bool) error {
			_, err := t.db.UpdateTimeToLive(t.ctx, &dynamodb.UpdateTimeToLiveInput{
				TableName:               name,
				TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("gone"), Enabled: &on},
			})
			return err
		}
		t.ok(set(true))
		t.equal(status(), "ENABLED gone")
		t.ok(set(false))
		t.equal(status(), "DISABLED ")
	}},
	{"table/time to live does not change to what it is", func(t *trial) {
		name := t.table(typeS)
		set := func(on bool) error {
			_, err := t.db.UpdateTimeToLive(t.ctx, &dynamodb.UpdateTimeToLiveInput{
				TableName:               name,
				TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("gone"), Enabled: &on},
			})
			return err
		}
		t.refused(set(false), invalid, "off while off")
		t.ok(set(true))
		t.refused(set(true), invalid, "on while on")
	}},
	{"table/counts and size", func(t *trial) {
		name := t.table(typeS)
		t.put(name, doc{"pk": s("a"), "n": n("-12.5")}, doc{"pk": s("bb")})
		out, err := t.db.DescribeTable(t.ctx, &dynamodb.DescribeTableInput{TableName: name})
		t.ok(err)
		t.equal(*out.Table.ItemCount, 2)
		t.equal(*out.Table.TableSizeBytes, 2+1+1+4+2+2) // -12.5: two bytes of digits, exponent, sign
	}},
}
