package client

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

// Pace delays requests so that together they use no more than Rate units a second. The zero Pace delays
// nothing. It is safe for concurrent use.
type Pace struct {
	// Rate is the greatest number of units a second. 0 or less: no limit.
	Rate float64
	// Each is the expected number of units of a request. Take counts it in advance, and Settle corrects it.
	Each float64

	mu   sync.Mutex
	free time.Time // when the next request may go
}

// Wait waits until the next request may go.
func (p *Pace) Wait(ctx context.Context) error {
	_, err := p.Take(ctx)
	return err
}

// Take waits until the context's gate is open and the next request may go. It counts p.Each units for this request in
// advance, so that waiting requests go one at a time. It returns these units, and the caller passes them to Settle.
func (p *Pace) Take(ctx context.Context) (taken float64, err error) {
	for {
		// Pass the gate first. Otherwise all waiting requests would go at once when the gate opens.
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

// take counts a request if it may go. Otherwise it returns the time to wait.
func (p *Pace) take() (taken float64, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if wait = p.free.Sub(now); p.Rate > 0 && wait > 0 {
		return 0, wait
	}
	p.free = now // there is no credit for time without requests
	p.use(p.Each)
	return p.Each, 0
}

// Use counts units that a request has used.
func (p *Pace) Use(units float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.use(units)
}

// Settle replaces the units that Take counted by the units that the request used.
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

// Keep returns a context whose reads share the pace. If DynamoDB throttles such a read, the read is retried for longer.
// So a job of many thousand reads slows down instead of failing.
func (p *Pace) Keep(ctx context.Context) context.Context {
	return context.WithValue(ctx, paceKey{}, p)
}

// PaceOf returns the context's pace; nil if the context has none.
func PaceOf(ctx context.Context) *Pace {
	p, _ := ctx.Value(paceKey{}).(*Pace)
	return p
}

// ask waits for the reader's turn and sends a read. op is the name of the read in an error message.
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

type patientKey struct{}

// WaitIfThrottled returns a context for opening a table for a long job. If DynamoDB throttles a read, the
// read is retried as often as a page of a scan. After any other error, the read fails as soon as without
// this context.
func WaitIfThrottled(ctx context.Context) context.Context {
	return context.WithValue(ctx, patientKey{}, true)
}

// turn waits until a read may be sent, and returns the options for this read.
func (r *Reader) turn(ctx context.Context) (func(*dynamodb.Options), error) {
	p := PaceOf(ctx)
	if p == nil {
		if ctx.Value(patientKey{}) == nil {
			return func(*dynamodb.Options) {}, nil
		}
		return func(o *dynamodb.Options) { o.Retryer = patient(r.Again) }, nil
	}
	return func(o *dynamodb.Options) { o.Retryer = scanRetryer(r.Again) }, p.Wait(ctx)
}

// Gate holds requests back while it is shut. The zero Gate and a nil Gate are open. It is safe for
// concurrent use.
type Gate struct {
	mu   sync.Mutex
	shut time.Time     // when the gate was shut; zero while it is open
	held time.Duration // the total of the earlier times during which the gate was shut
	open chan struct{} // closed when the gate opens
}

// Shut holds requests back until Open.
func (g *Gate) Shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.shut, g.open = time.Now(), make(chan struct{})
	}
}

// Open lets the waiting requests go.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open != nil {
		g.held += time.Since(g.shut)
		close(g.open)
		g.shut, g.open = time.Time{}, nil
	}
}

// Since returns the time when the gate was shut; zero while the gate is open.
func (g *Gate) Since() time.Time {
	if g == nil {
		return time.Time{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut
}

// Held returns the total time in which the gate has been shut.
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

// wait waits until the gate is open or the context ends.
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

// Hold returns a context whose requests wait at the gate, before each attempt.
func (g *Gate) Hold(ctx context.Context) context.Context {
	if g == nil {
		return ctx
	}
	return context.WithValue(ctx, gateKey{}, g)
}

// Pass waits until the context's gate is open or the context ends. Most contexts have no gate.
func Pass(ctx context.Context) error {
	if g, ok := ctx.Value(gateKey{}).(*Gate); ok {
		return g.wait(ctx)
	}
	return context.Cause(ctx)
}

// throttledFor is the greatest age of a throttling answer that explains a wait. If the endpoint is silent for longer,
// the wait has another reason.
const throttledFor = 15 * time.Second

// Throttled reports whether DynamoDB has just throttled a request, and has granted none since.
func (c *Client) Throttled() bool {
	at := c.slowed.Load()
	return at != 0 && time.Since(time.Unix(0, at)) < throttledFor
}

// gates holds back each attempt of a request if the context's gate is shut. It runs after the retryer and
// before the signature. So a request is signed after its wait, and the timeout does not run during the
// wait.
func (c *Client) gates(stack *middleware.Stack) error {
	return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc(
		"tallylock gate",
		func(
			ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler,
		) (middleware.FinalizeOutput, middleware.Metadata, error) {
			if err := Pass(ctx); err != nil {
				return middleware.FinalizeOutput{}, middleware.Metadata{}, err
			}
			out, meta, err := next.HandleFinalize(ctx, in)
			if slow, _ := throttling(err); slow {
				c.slowed.Store(time.Now().UnixNano())
			} else if err == nil {
				c.slowed.Store(0)
			}
			return out, meta, err
		}), "Retry", middleware.After)
}
