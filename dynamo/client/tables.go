package client

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/remedy"
)

// tableList is the allow-list of a client. A nil list allows all tables.
type tableList struct {
	open   []string // may be listed and opened
	person bool     // the list belongs to a person on a server

	mu     sync.Mutex
	beside []string // requests may also name these tables
}

// listOf returns the allow-list; nil if open is nil.
func listOf(open, beside []string, person bool) *tableList {
	if open == nil {
		return nil
	}
	return &tableList{open: slices.Clone(open), beside: slices.Clone(beside), person: person}
}

// opens reports whether the client may open a table.
func (l *tableList) opens(table string) bool { return l == nil || slices.Contains(l.open, table) }

// reaches reports whether a request may name a table. A name and an ARN are different texts: an ARN may name the table
// of another AWS account.
func (l *tableList) reaches(table string) bool {
	if l.opens(table) {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.beside, table)
}

// arns returns the listed ARNs. DynamoDB lists only the names of an account's own tables.
func (l *tableList) arns() (arns []string) {
	if l == nil {
		return nil
	}
	for _, table := range l.open {
		if BareName(table) != table {
			arns = append(arns, table)
		}
	}
	return arns
}

// refuse returns the error for a table outside the list.
func (l *tableList) refuse(table string) error {
	if l.person {
		return &Error{
			Kind: Denied, Op: "using the table " + table, Why: "this table is not among your tables",
			Do: "ask the operator of the server for this table",
		}
	}
	return &Error{
		Kind: Forbidden, Op: "reading " + table, Why: "this connection may not read this table",
		Remedy: remedy.Of(remedy.AllowTable, table),
	}
}

// Opens reports whether the client may list and open a table.
func (c *Client) Opens(table string) bool { return c.tables.opens(table) }

// Reaches reports whether requests of the client may name a table. They may name each table that the client may open,
// and the lock tables of these tables.
func (c *Client) Reaches(table string) bool { return c.tables.reaches(table) }

// ReadBeside lets requests name further tables: the lock tables of Options.Tables. Each call replaces the tables of the
// previous call. It has no effect on a client without Options.Tables. It also has no effect on a share, because the
// list of a person never changes.
func (c *Client) ReadBeside(tables []string) {
	if c.tables == nil || c.tables.person {
		return
	}
	c.tables.mu.Lock()
	defer c.tables.mu.Unlock()
	c.tables.beside = slices.Clone(tables)
}

// NotOpen returns the error for a table that the client may not open.
func (c *Client) NotOpen(table string) error { return c.tables.refuse(table) }

// within refuses a request that names a table outside the list. It refuses a read after the pool of read units is
// empty, and after the session has consumed its read units if Options.Strict is set. In a context of Owed it allows
// such a read.
func (c *Client) within(ctx context.Context, operation string, request any) error {
	tables, reads := tablesOf(request)
	if c.tables != nil && operation != "ListTables" {
		if operation != "TransactWriteItems" && len(tables) == 0 { // denied checks the tables of a transaction
			return &Error{Kind: Forbidden, Op: "sending " + operation, Why: "the request names no table"}
		}
		for _, table := range tables {
			if !c.tables.reaches(table) {
				return c.tables.refuse(table)
			}
		}
	}
	switch {
	case !reads || isOwed(ctx):
	case c.PoolSpent() || c.options.Strict && c.UnitsSpent():
		why, do := c.whySpent()
		return &Error{Kind: Spent, Op: "reading " + tables[0], Why: why, Do: do}
	}
	return nil
}

// tablesOf returns the tables that a request names, and whether the request reads items.
func tablesOf(request any) (tables []string, reads bool) {
	switch in := request.(type) {
	case *dynamodb.DescribeTableInput:
		return []string{aws.ToString(in.TableName)}, false
	case *dynamodb.DescribeTimeToLiveInput:
		return []string{aws.ToString(in.TableName)}, false
	case *dynamodb.GetItemInput:
		return []string{aws.ToString(in.TableName)}, true
	case *dynamodb.QueryInput:
		return []string{aws.ToString(in.TableName)}, true
	case *dynamodb.ScanInput:
		return []string{aws.ToString(in.TableName)}, true
	case *dynamodb.BatchGetItemInput:
		return slices.Collect(maps.Keys(in.RequestItems)), true
	case *dynamodb.TransactGetItemsInput:
		for _, item := range in.TransactItems {
			if item.Get != nil {
				tables = append(tables, aws.ToString(item.Get.TableName))
			}
		}
		return tables, true
	}
	return nil, false
}
