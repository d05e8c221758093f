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

// grace is how long requests under way may take when Serve ends.
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
		BaseContext:       func(net.Listener) context.Context { return ctx }, // no answer is kept back from a client after it
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

// shutDown lets requests under way end, and after a while cuts them off.
func shutDown(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		return server.Close() // a connection that never said anything counts as busy
	}
	return nil
}

// loopback gives the address to listen on, or an error for one that others
// could reach.
func loopback(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("%q is not an address with a port", addr)
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1" // whatever a hosts file makes of the name
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
