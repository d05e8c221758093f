package client

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

// Pace spreads requests, so that together they use no more than Rate units a
// second. What one has used is waited for before the next.
// The zero Pace has no bounds. It is safe for concurrent use.
type Pace struct {
	// Rate is how many units a second may be used; not above 0: as many as it takes.
	Rate float64
	// Each is what a request is expected to use, which Take counts in advance and Settle learns.
	Each float64

	mu   sync.Mutex
	free time.Time // when all that was used is paid for
}

// Wait waits until what was used so far is paid for.
func (p *Pace) Wait(ctx context.Context) error {
	_, err := p.Take(ctx)
	return err
}

// Take waits until what was used so far is paid for and the context's gate is open, and returns
// the units that it counts for the next request: of several that wait, only one goes on.
func (p *Pace) Take(ctx context.Context) (taken float64, err error) {
	for {
		// The gate comes first, or all that wait would go on at once when it opens.
		if err := Pass(ctx); err != nil {
			return 0, err
		}
		taken, wait := p.take()
		if wait <= 0 {
			return taken, nil
		}
		if err := Pause(ctx, wait); err != nil {
			return 0, err
		}
	}
}

// take counts a request where nothing is left to pay for; else it returns how long that takes.
func (p *Pace) take() (taken float64, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if wait = p.free.Sub(now); p.Rate > 0 && wait > 0 {
		return 0, wait
	}
	p.free = now // unused units are not saved up
	p.use(p.Each)
	return p.Each, 0
}

// Use counts units as used.
func (p *Pace) Use(units float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.use(units)
}

// Settle corrects what was taken for a request, now that it is known what it used.
func (p *Pace) Settle(taken, units float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.use(units - taken)
	p.Each += (units - p.Each) / 4
}

func (p *Pace) use(units float64) {
	if p.Rate > 0 {
		p.free = p.free.Add(time.Duration(units / p.Rate * float64(time.Second)))
	}
}

type paceKey struct{}

// Keep is a context whose reads keep the pace together, and are not given up when
// they are throttled: work of many thousand reads slows down, and does not die.
func (p *Pace) Keep(ctx context.Context) context.Context {
	return context.WithValue(ctx, paceKey{}, p)
}

// PaceOf is the context's pace. Most contexts have none.
func PaceOf(ctx context.Context) *Pace {
	p, _ := ctx.Value(paceKey{}).(*Pace)
	return p
}

// ask sends a read when it is its turn. op says what is tried.
func ask[I, O any](
	ctx context.Context, r *Reader, op string, in *I,
	send func(context.Context, *I, ...func(*dynamodb.Options)) (*O, error),
) (*O, error) {
	how, err := r.turn(ctx)
	if err != nil {
		return nil, r.client.Explain(op, err)
	}
	out, err := send(ctx, in, how)
	return out, r.client.Explain(op, err)
}

// turn waits until a read may be sent, and answers how it is sent.
func (r *Reader) turn(ctx context.Context) (func(*dynamodb.Options), error) {
	p := PaceOf(ctx)
	if p == nil {
		return func(*dynamodb.Options) {}, nil
	}
	return func(o *dynamodb.Options) { o.Retryer = scanRetryer(r.Again) }, p.Wait(ctx)
}

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
