// Package embedded is a small DynamoDB that lives in the process, for the demo,
// for exports that are opened alone and for tests: tables, items, expressions, indexes and transactions behind the
// wire protocol that every client speaks. It imports nothing of this program, and
// the SDK in tests only. Start with wire.go, the list of operations; write.go,
// page.go and transact.go follow one of each kind. Package fault makes it fail.
package embedded

import (
	"net/http"
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

	transport http.RoundTripper // what answers clients: the engine itself, or what stands before it
}

// Option changes how New sets an Engine up.
type Option func(*Engine)

// WithClock makes the engine read the time from now, which decides when a
// ClientRequestToken is forgotten, and what tables give as their creation.
// Several goroutines may call now at once.
func WithClock(now func() time.Time) Option {
	return func(e *Engine) { e.now = now }
}

// WithMiddleware puts what around gives before the engine: all requests of
// clients go to it, and it hands them on to next or answers them itself. Of
// several the last comes first.
func WithMiddleware(around func(e *Engine, next http.RoundTripper) http.RoundTripper) Option {
	return func(e *Engine) { e.transport = around(e, e.transport) }
}

// New gives an engine without tables.
func New(options ...Option) *Engine {
	e := &Engine{now: time.Now, tables: map[string]*table{}}
	e.transport = transport{e}
	for _, o := range options {
		o(e)
	}
	return e
}

// Clone gives an engine with the same tables as they are now. What is written to
// one of the two is not in the other.
func (e *Engine) Clone() *Engine {
	c := New(WithClock(e.now))
	e.mu.RLock()
	defer e.mu.RUnlock()
	for name, t := range e.tables {
		c.tables[name] = t.clone()
	}
	return c
}

// table finds a table by its name or its ARN. The caller holds the lock.
func (e *Engine) table(name string) (*table, error) {
	t := e.tables[bareName(name)]
	if t == nil {
		return nil, noSuchTable(name)
	}
	return t, nil
}
