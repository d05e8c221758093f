// Package embedded is a small DynamoDB that lives in the process: tables,
// items, expressions, indexes and transactions behind the wire protocol that
// every DynamoDB client speaks. Nothing is kept when the process ends.
package embedded

import (
	"sync"
	"time"
)

// Engine holds tables and answers DynamoDB requests. It is an http.Handler
// and may be used by many goroutines at once.
type Engine struct {
	now func() time.Time

	// mu makes every write atomic, a transaction included. A read that
	// takes longer than an item works on a copy of the tree instead.
	mu     sync.RWMutex
	tables map[string]*table
	tokens tokens

	faults *faults // nil: nothing goes wrong
	delays *delays // nil: every read shows the present

	replicas map[string]replicas // by table, for when it is made
}

// Option changes how New sets an Engine up.
type Option func(*Engine)

// WithClock makes the engine read the time from now, which decides when a
// ClientRequestToken is forgotten, how long a delayed write stays hidden, and
// what tables give as their creation. now
// may be called by several goroutines at once.
func WithClock(now func() time.Time) Option {
	return func(e *Engine) { e.now = now }
}

// WithReplicas makes a table of that name, when it is made, one with replicas in the
// Regions. It is described as such, and nothing is replicated. strong: the table is
// one of multi-Region strong consistency, which has no transactions.
func WithReplicas(table string, strong bool, regions ...string) Option {
	return func(e *Engine) {
		if e.replicas == nil {
			e.replicas = map[string]replicas{}
		}
		e.replicas[table] = replicas{regions, strong}
	}
}

// replicas are where a table has others, and whether they are strongly consistent.
type replicas struct {
	regions []string
	strong  bool
}

// New gives an engine without tables.
func New(options ...Option) *Engine {
	e := &Engine{now: time.Now, tables: map[string]*table{}}
	for _, o := range options {
		o(e)
	}
	return e
}

// table finds a table by its name or its ARN. The caller holds the lock.
func (e *Engine) table(name string) (*table, error) {
	t := e.tables[bareName(name)]
	if t == nil {
		return nil, noSuchTable(name)
	}
	return t, nil
}
