package client

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
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
