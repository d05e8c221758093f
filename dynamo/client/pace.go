package client

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Pace spreads requests, so that together they use no more than Rate units a
// second. What one has used is waited for before the next: what it will is not known.
// The zero Pace has no bounds. It is safe for concurrent use.
type Pace struct {
	// Rate is how many units a second may be used; not above 0: as many as it takes.
	Rate float64

	mu   sync.Mutex
	free time.Time // when all that was used is paid for
}

// Wait waits until what was used so far is paid for.
func (p *Pace) Wait(ctx context.Context) error {
	p.mu.Lock()
	wait := time.Until(p.free)
	p.mu.Unlock()
	if p.Rate <= 0 || wait <= 0 {
		return nil
	}
	return Pause(ctx, wait)
}

// Use counts units as used.
func (p *Pace) Use(units float64) {
	if p.Rate <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); p.free.Before(now) {
		p.free = now
	}
	p.free = p.free.Add(time.Duration(units / p.Rate * float64(time.Second)))
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

// turn waits until a read may be sent, and answers how it is sent.
func (r *Reader) turn(ctx context.Context) (func(*dynamodb.Options), error) {
	p := PaceOf(ctx)
	if p == nil {
		return func(*dynamodb.Options) {}, nil
	}
	return func(o *dynamodb.Options) { o.Retryer = scanRetryer(r.Again) }, p.Wait(ctx)
}
