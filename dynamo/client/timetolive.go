package client

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TimeToLive is the attribute by which a table's items expire; empty where they do
// not. It is retried as long as a page of a scan: asked of many tables, DynamoDB
// throttles it at once.
func (r *Reader) TimeToLive(ctx context.Context, table string) (string, error) {
	out, err := r.client.sdk.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &table},
		func(o *dynamodb.Options) { o.Retryer = scanRetryer(r.Again) })
	if err != nil {
		return "", r.client.Explain(fmt.Sprintf("asking when items of %s expire", table), err)
	}
	if d := out.TimeToLiveDescription; d != nil &&
		(d.TimeToLiveStatus == types.TimeToLiveStatusEnabled || d.TimeToLiveStatus == types.TimeToLiveStatusEnabling) {
		return aws.ToString(d.AttributeName), nil
	}
	return "", nil
}
