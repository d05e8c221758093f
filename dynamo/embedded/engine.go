// Package embedded is a small DynamoDB in the process, for the demo, for tests, and for exports
// that are opened without an endpoint. It has tables, items, expressions, indexes and
// transactions behind DynamoDB's wire protocol. It imports attr, and the SDK in tests only. Start
// with the list of operations in wire.go. Then write.go, page.go and transact.go have one
// operation of each kind. Package internal/fault makes the engine fail.
package embedded

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
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

	transport http.RoundTripper // answers clients: the engine, or its middleware
}

// Option configures the Engine that New returns.
type Option func(*Engine)

// WithClock sets the clock. It decides when the engine forgets a ClientRequestToken, and the
// creation time of a table. Several goroutines may call now at once.
func WithClock(now func() time.Time) Option {
	return func(e *Engine) { e.now = now }
}

// WithMiddleware puts a transport in front of the engine. around returns that transport. It gets all requests
// of clients, and passes them to next or answers them itself. The middleware of the last option gets
// a request first.
func WithMiddleware(around func(e *Engine, next http.RoundTripper) http.RoundTripper) Option {
	return func(e *Engine) { e.transport = around(e, e.transport) }
}

// New returns an engine without tables.
func New(options ...Option) *Engine {
	e := &Engine{now: time.Now, tables: map[string]*table{}}
	e.transport = transport{e}
	for _, o := range options {
		o(e)
	}
	return e
}

// Clone returns a copy of the engine. A write to one of the two does not change the other.
func (e *Engine) Clone() *Engine {
	c := New(WithClock(e.now))
	e.mu.RLock()
	defer e.mu.RUnlock()
	for name, t := range e.tables {
		c.tables[name] = t.clone()
	}
	return c
}

// table returns the table with a name or an ARN. The caller holds the lock.
func (e *Engine) table(name string) (*table, error) {
	t := e.tables[bareName(name)]
	if t == nil {
		return nil, noSuchTable(name)
	}
	return t, nil
}

// grace is how long Serve waits for running requests when it ends.
const grace = time.Second

// Serve answers over HTTP on a loopback address until ctx ends; port 0 picks a
// free one. It calls ready with the URL once it accepts connections. Any other
// address is refused before anything listens: there are no credentials here.
func (e *Engine) Serve(ctx context.Context, addr string, ready func(url string)) error {
	addr, err := loopback(addr)
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", addr, err)
	}
	var running sync.WaitGroup
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			running.Add(1)
			defer running.Done()
			e.serveLocal(w, r)
		}),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx }, // so that middleware stops waiting at the end
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if ready != nil {
		ready("http://" + listener.Addr().String())
	}
	select {
	case err = <-served:
	case <-ctx.Done():
		err = shutDown(ctx, server)
		<-served // http.ErrServerClosed
	}
	running.Wait()
	return err
}

// shutDown waits for running requests, and aborts them after grace.
func shutDown(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		return server.Close() // a connection without any request counts as busy
	}
	return nil
}

// loopback returns the address to listen on. It refuses an address that other machines could
// reach.
func loopback(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("%q is not an address with a port", addr)
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1" // a hosts file may say otherwise
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", fmt.Errorf("others could reach %s", addr)
	}
	return net.JoinHostPort(host, port), nil
}

// serveLocal refuses requests for other hosts: a web page whose name was
// rebound to this machine must not reach the tables.
func (e *Engine) serveLocal(w http.ResponseWriter, r *http.Request) {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if _, err := loopback(net.JoinHostPort(strings.Trim(host, "[]"), "0")); err != nil {
		http.Error(w, "This server answers to loopback names only", http.StatusForbidden)
		return
	}
	e.ServeHTTP(w, r)
}
