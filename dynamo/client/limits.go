package client

import (
	"maps"
	"slices"
	"sync"

	"github.com/aws/smithy-go/middleware"

	"tallylock/dynamo/remedy"
)

// limits refuses requests that exceed Options.Tables, and reads after the session has consumed its read units, if
// Options.Strict is set.
type limits struct {
	budget *Budget
	strict bool

	mu     sync.Mutex
	tables map[string]bool // nil allows all tables
}

func newLimits(o Options, b *Budget) *limits {
	l := &limits{budget: b, strict: o.Strict}
	if o.Tables != nil {
		l.tables = map[string]bool{}
		l.allow(o.Tables)
	}
	return l
}

func (l *limits) allow(tables []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range tables {
		l.tables[name] = true
	}
}

// names lists the allowed tables, sorted. limited is false if all tables are allowed.
func (l *limits) names() (names []string, limited bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.tables)), l.tables != nil
}

// AllowLocks allows requests to the tables that keep the locks of an allowed table. It does nothing if
// Options.Tables does not limit the connection.
func (c *Client) AllowLocks(tables []string) {
	if _, limited := c.limits.names(); limited {
		c.limits.allow(tables)
	}
}

// middleware adds the limits to the SDK's middleware stack.
func (l *limits) middleware(stack *middleware.Stack) error {
	return refusing(func(operation string, request any) error { return l.refuse(operation, request) })(stack)
}

func (l *limits) refuse(operation string, request any) error {
	tables, reading := tablesOf(request)
	if _, limited := l.names(); limited {
		for _, name := range tables {
			if !l.allows(name) {
				return forbidden(name)
			}
		}
		if len(tables) == 0 {
			return &Error{Kind: Forbidden, Op: "sending " + operation, Why: "this connection may only read some tables"}
		}
	}
	if l.strict && reading && l.budget.SessionSpent() {
		return &Error{
			Kind: Spent, Op: "reading " + tables[0],
			Why: "this session has used its session_read_units",
			Do:  "set session_read_units higher, or start a new session",
		}
	}
	return nil
}

func (l *limits) allows(table string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tables[table]
}

func forbidden(table string) error {
	return &Error{
		Kind: Forbidden, Op: "reading " + table, Why: "this connection may not read this table",
		Remedy: remedy.Of(remedy.AllowTable, table),
	}
}
