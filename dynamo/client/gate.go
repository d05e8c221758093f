package client

import (
	"context"
	"sync"
	"time"

	"github.com/aws/smithy-go/middleware"
)

// Gate holds requests back while it is shut. The zero Gate is open, and so is nil.
// It is safe for concurrent use.
type Gate struct {
	mu   sync.Mutex
	shut time.Time     // since when; zero while it is open
	held time.Duration // in the times before
	open chan struct{} // closed when it opens again
}

// Shut holds back what has not been sent yet, until Open.
func (g *Gate) Shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.shut, g.open = time.Now(), make(chan struct{})
	}
}

// Open lets through what was held back.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open != nil {
		g.held += time.Since(g.shut)
		close(g.open)
		g.shut, g.open = time.Time{}, nil
	}
}

// Since is when it was shut; zero while it is open.
func (g *Gate) Since() time.Time {
	if g == nil {
		return time.Time{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut
}

// Held is how long it has been shut, all times together.
func (g *Gate) Held() time.Duration {
	if g == nil {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		return g.held
	}
	return g.held + time.Since(g.shut)
}

// wait waits until it is open, or ends with the context.
func (g *Gate) wait(ctx context.Context) error {
	for {
		g.mu.Lock()
		open := g.open
		g.mu.Unlock()
		if open == nil {
			return context.Cause(ctx)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-open:
		}
	}
}

type gateKey struct{}

// Hold is a context whose requests pass the gate, each attempt of them by itself.
func (g *Gate) Hold(ctx context.Context) context.Context {
	if g == nil {
		return ctx
	}
	return context.WithValue(ctx, gateKey{}, g)
}

// Pass waits until the context's gate is open, or ends with the context. Most
// contexts have none.
func Pass(ctx context.Context) error {
	if g, ok := ctx.Value(gateKey{}).(*Gate); ok {
		return g.wait(ctx)
	}
	return context.Cause(ctx)
}

// gates holds back each attempt of a request whose context has a gate. It stands
// between the retryer and the signature, whose time is that of the sending: no
// deadline of a request runs while it is held.
func gates(stack *middleware.Stack) error {
	return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc(
		"tallylock gate",
		func(
			ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler,
		) (middleware.FinalizeOutput, middleware.Metadata, error) {
			if err := Pass(ctx); err != nil {
				return middleware.FinalizeOutput{}, middleware.Metadata{}, err
			}
			return next.HandleFinalize(ctx, in)
		}), "Retry", middleware.After)
}
