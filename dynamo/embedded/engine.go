// Package embedded is a small DynamoDB in the process, for the demo, for tests, and for exports that are
// opened without an endpoint. It has tables, items, expressions, indexes and transactions behind the wire
// protocol of DynamoDB. It imports attr. Only its tests import the SDK. Start with the list of operations
// in wire.go. Then read write.go, page.go and transact.go: each has one kind of operation. Package
// internal/fault makes the engine fail.
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

	// mu makes every write and every transaction atomic. A Query or a Scan holds it only while it copies
	// the tree. Then it reads the copy without mu.
	mu     sync.RWMutex
	tables map[string]*table
	tokens tokens

	transport http.RoundTripper // answers the requests of clients: the engine, or its middleware
}

// Option configures the Engine that New returns.
type Option func(*Engine)

// WithClock sets the engine's clock. Creation times of tables and dates of answers come from this clock. It also
// decides when the engine forgets a ClientRequestToken. Several goroutines may call the function now at the same time.
func WithClock(now func() time.Time) Option {
	return func(e *Engine) { e.now = now }
}

// WithMiddleware puts a transport in front of the engine: the result of the function around. This transport
// gets all requests of clients. It passes them to next, or answers them itself. If there are several such
// options, the transport of the last one gets a request first.
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

// Clone returns a copy of the engine. A write to the copy does not change the original, and vice versa. The copy has
// the same clock, but no middleware.
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

// grace is the time that Serve waits for running requests after its context has ended.
const grace = time.Second

// Serve answers HTTP requests on a loopback address until ctx ends. It refuses every other address, because
// the engine checks no credentials. Port 0 picks a free port. Serve calls ready with the URL once it
// accepts connections.
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
		BaseContext:       func(net.Listener) context.Context { return ctx }, // middleware stops waiting when ctx ends
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
		<-served // always http.ErrServerClosed
	}
	running.Wait()
	return err
}

// shutDown waits for running requests, but no longer than grace. Then it aborts them.
func shutDown(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		return server.Close() // Shutdown also waits for new connections without a request
	}
	return nil
}

// loopback returns the address to listen on. It refuses an address that other machines could reach.
func loopback(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("%q is not an address with a port", addr)
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1" // a hosts file may give localhost another address
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", fmt.Errorf("others could reach %s", addr)
	}
	return net.JoinHostPort(host, port), nil
}

// serveLocal refuses requests for other host names. A web page could point its own name at this machine
// (DNS rebinding), and must not reach the tables.
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
