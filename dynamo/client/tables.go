package client

import (
	"context"
	"regexp"
	"slices"
	"strings"

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

// called has the characters of which DynamoDB lets the names of tables consist, shortestName and
// longestName how many (Developer Guide, "Naming rules"). The pattern does not count them: it
// would take most of a millisecond to compile whenever the program starts.
var called = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

const shortestName, longestName = 3, 255

// NameRules are the same for people.
const NameRules = `3 to 255 letters a to z or A to Z, digits, "_", "." and "-", or the table's ARN`

// MayBeCalled reports whether a table can have a name. An ARN is left to the endpoint.
func MayBeCalled(table string) bool {
	fits := len(table) >= shortestName && len(table) <= longestName && called.MatchString(table)
	return fits || strings.HasPrefix(table, "arn:")
}
