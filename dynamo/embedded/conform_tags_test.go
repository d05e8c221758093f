package embedded_test

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func tagged(pairs ...string) []types.Tag {
	var out []types.Tag
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		out = append(out, types.Tag{Key: &key, Value: &value})
	}
	return out
}

// tags returns the tags of a table, in one line.
func (t *trial) tags(arn *string) string {
	out, err := t.db.ListTagsOfResource(t.ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: arn})
	t.ok(err)
	var pairs []string
	for _, tag := range out.Tags {
		pairs = append(pairs, *tag.Key+"="+*tag.Value)
	}
	return strings.Join(pairs, " ")
}

var tagCases = []conformance{
	{"tag/set, change and remove", func(t *trial) {
		in := withKey(typeS)
		in.Tags = tagged("made=here")
		arn := t.describe(t.create(in)).TableArn
		t.equal(t.tags(arn), "made=here")
		_, err := t.db.TagResource(t.ctx, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: tagged("made=there", "team=a")})
		t.ok(err)
		t.equal(t.tags(arn), "made=there team=a")
		_, err = t.db.UntagResource(t.ctx, &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{"made", "absent"}})
		t.ok(err)
		t.equal(t.tags(arn), "team=a")
	}},
	{"tag/bad requests", func(t *trial) {
		arn := t.describe(t.table(typeS)).TableArn
		var many []string
		for i := range 51 {
			many = append(many, fmt.Sprintf("k%d=v", i))
		}
		for about, tags := range map[string][]types.Tag{
			"none": {}, "too many": tagged(many...), "twice the same": tagged("a=b", "a=c"), "of AWS": tagged("aws:a=b"),
		} {
			_, err := t.db.TagResource(t.ctx, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: tags})
			t.refused(err, invalid, about)
		}
		_, err := t.db.UntagResource(t.ctx, &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{}})
		t.refused(err, invalid, "no keys")
		t.equal(t.tags(arn), "")
		_, err = t.db.ListTagsOfResource(t.ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: aws.String(*arn + "x")})
		t.refused(err, "ResourceNotFoundException", "no such table")
		_, err = t.db.ListTagsOfResource(t.ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: aws.String("table")})
		t.refused(err, invalid, "no ARN")
		_, err = t.db.ListTagsOfResource(t.ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: aws.String(*arn + "/index/x")})
		t.refused(err, invalid, "an index")
	}},
}

var accountCases = []conformance{
	{"account/limits", func(t *trial) {
		out, err := t.db.DescribeLimits(t.ctx, &dynamodb.DescribeLimitsInput{})
		t.ok(err)
		if *out.TableMaxReadCapacityUnits < 1 || *out.AccountMaxWriteCapacityUnits < *out.TableMaxWriteCapacityUnits {
			t.errorf("%s", show(out))
		}
	}},
	{"account/endpoints", func(t *trial) {
		out, err := t.db.DescribeEndpoints(t.ctx, &dynamodb.DescribeEndpointsInput{})
		t.ok(err)
		if len(out.Endpoints) != 1 || *out.Endpoints[0].Address == "" || out.Endpoints[0].CachePeriodInMinutes < 1 {
			t.errorf("%s", show(out.Endpoints))
		}
	}},
	{"account/continuous backups", func(t *trial) {
		out, err := t.db.DescribeContinuousBackups(t.ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: t.table(typeS)})
		t.ok(err)
		d := out.ContinuousBackupsDescription
		t.equal(d.ContinuousBackupsStatus, types.ContinuousBackupsStatusEnabled)
		t.equal(d.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus, types.PointInTimeRecoveryStatusDisabled)
		_, err = t.db.DescribeContinuousBackups(t.ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String("tallylock-test-absent")})
		t.refused(err, "TableNotFoundException")
	}},
}

var collectionCases = []conformance{
	{"collection/metrics of a table with a local index", func(t *trial) {
		name := t.indexed()
		put, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: thing("a", "1", "x", "1"), ReturnItemCollectionMetrics: types.ReturnItemCollectionMetricsSize})
		t.ok(err)
		if put.ItemCollectionMetrics == nil {
			t.fatalf("no metrics")
		}
		t.equal(put.ItemCollectionMetrics.ItemCollectionKey, doc{"pk": s("a")})
		t.equal(fmt.Sprint(put.ItemCollectionMetrics.SizeEstimateRangeGB), "[0 1]")
		batch, err := t.db.BatchWriteItem(t.ctx, &dynamodb.BatchWriteItemInput{
			ReturnItemCollectionMetrics: types.ReturnItemCollectionMetricsSize,
			RequestItems: map[string][]types.WriteRequest{*name: {
				{PutRequest: &types.PutRequest{Item: thing("b", "1", "x", "1")}},
				{DeleteRequest: &types.DeleteRequest{Key: doc{"pk": s("a"), "sk": s("1")}}},
			}},
		})
		t.ok(err)
		t.equal(len(batch.ItemCollectionMetrics[*name]), 2)
		transaction, err := t.db.TransactWriteItems(t.ctx, &dynamodb.TransactWriteItemsInput{
			ReturnItemCollectionMetrics: types.ReturnItemCollectionMetricsSize,
			TransactItems:               []types.TransactWriteItem{txKey("Update", name, doc{"pk": s("b"), "sk": s("1")})},
		})
		t.ok(err)
		t.equal(len(transaction.ItemCollectionMetrics[*name]), 1)
	}},
	{"collection/no metrics of other tables, or unasked", func(t *trial) {
		put, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: t.table(typeS), Item: doc{"pk": s("a")}, ReturnItemCollectionMetrics: types.ReturnItemCollectionMetricsSize})
		t.ok(err)
		t.equal(put.ItemCollectionMetrics == nil, true, "no local index:")
		put, err = t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: t.indexed(), Item: thing("a", "1", "x", "1")})
		t.ok(err)
		t.equal(put.ItemCollectionMetrics == nil, true, "unasked:")
	}},
}
