package client

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/attr"
)

// TableNames lists the tables that the endpoint has, sorted.
func (c *Client) TableNames(ctx context.Context) ([]string, error) {
	var names []string
	var cursors Cursors
	in := &dynamodb.ListTablesInput{}
	for {
		page, err := c.sdk.ListTables(ctx, in)
		if err == nil && page.LastEvaluatedTableName != nil {
			err = cursors.Next("the list of tables", attr.Item{"TableName": attr.String(*page.LastEvaluatedTableName)})
		}
		if err != nil {
			return nil, c.Explain("listing the tables", err)
		}
		names = append(names, page.TableNames...)
		if in.ExclusiveStartTableName = page.LastEvaluatedTableName; in.ExclusiveStartTableName == nil {
			slices.Sort(names)
			return names, nil
		}
	}
}
