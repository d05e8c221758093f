package client

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Share is the part of a connection that one of several people may use.
type Share struct {
	// Tables are the tables that the person may list and open. If Tables is nil, the person may use all tables.
	Tables []string
	// Beside are further tables that requests may name: the lock tables of Tables. The person cannot open them.
	Beside []string
	// Write allows changes, if the whole connection allows them, too.
	Write bool
	// Pool limits the read units of all people together. Nil: no limit.
	Pool *Pool
}

// Share returns a client for one of several people. It has the credentials, the network connections and the guards of
// c, and a budget of its own.
func (c *Client) Share(s Share) *Client {
	o := c.options
	o.Write = o.Write && s.Write
	own := &Client{
		Target: c.Target,
		Budget: Budget{question: o.AutoReadUnits, step: o.SessionReadUnits, limit: o.SessionReadUnits, pool: s.Pool},
		config: c.config, identity: c.identity, others: c.others, origin: c.origin,
	}
	own.options, own.limits = o, newLimits(o, &own.Budget)
	if s.Tables != nil {
		own.tables = &tableList{open: slices.Clone(s.Tables), beside: slices.Clone(s.Beside)}
	}
	own.dial()
	return own
}

// tableList is an allow-list of tables. Nil allows all tables.
type tableList struct{ open, beside []string }

// opens reports whether a person may open a table.
func (l *tableList) opens(table string) bool { return l == nil || slices.Contains(l.open, table) }

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

// reaches reports whether a request may name a table. A name and an ARN are different texts: an ARN may name the table
// of another AWS account.
func (l *tableList) reaches(table string) bool {
	return l.opens(table) || slices.Contains(l.beside, table)
}

// Opens reports whether the person of this client may list and open a table.
func (c *Client) Opens(table string) bool { return c.tables.opens(table) }

// Reaches reports whether requests of this client may name a table: one of the person's tables, or one of their lock
// tables.
func (c *Client) Reaches(table string) bool { return c.tables.reaches(table) }

// NotOpen returns the error for a table that the person of this client may not use.
func NotOpen(table string) error {
	return &Error{
		Kind: Denied,
		Op:   "using the table " + table,
		Why:  "this table is not among your tables",
		Do:   "ask the operator of the server for this table",
	}
}

// within refuses a request that names a table outside the list, or that reads after the pool of read units is empty.
func (c *Client) within(operation string, request any) error {
	tables, reads := tablesOf(request)
	if c.tables != nil && operation != "ListTables" {
		if operation != "TransactWriteItems" && len(tables) == 0 { // denied checks the tables of a transaction
			return &Error{Kind: Denied, Op: "sending " + operation, Why: "the request names no table"}
		}
		for _, table := range tables {
			if !c.tables.reaches(table) {
				return NotOpen(table)
			}
		}
	}
	if reads && c.pool.Left() <= 0 {
		why, do := c.WhyUnread()
		return &Error{Kind: Failed, Op: "reading", Why: why, Do: do}
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

// Pool limits the read units that several clients consume together in each hour. It is safe for concurrent use. A
// Pool has no limit until Limit sets one; a nil Pool never has one.
type Pool struct {
	units float64

	mu    sync.Mutex
	used  float64
	since time.Time // the beginning of the hour
}

// Limit sets the read units of each hour; 0 means no limit. Units that were consumed in this hour still count.
func (p *Pool) Limit(units float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.units = units
}

// Left returns the read units that are left in this hour; +Inf without a limit.
func (p *Pool) Left() float64 {
	if p == nil {
		return math.Inf(1)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn()
	if p.units <= 0 {
		return math.Inf(1)
	}
	return p.units - p.used
}

// spend counts consumed read units.
func (p *Pool) spend(units float64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn()
	p.used += units
}

// turn begins a new hour if the last one is over.
func (p *Pool) turn() {
	if now := time.Now(); now.Sub(p.since) >= time.Hour {
		p.since, p.used = now, 0
	}
}

// why returns the reason why the pool allows no read, and the remedy.
func (p *Pool) why() (why, do string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("the sessions of this server have used their %.0f read units of this hour", p.units),
		"try again at " + p.since.Add(time.Hour).Format("15:04")
}
