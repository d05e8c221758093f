package scan

import (
	"context"
	"sync"
	"time"

	"tallylock/dynamo/client"
)

// pace spreads requests so that together they consume no more than rate read units a second.
// The cost of a page is known only once it has come: the cost of the last pages is taken in
// advance, and corrected afterwards.
type pace struct {
	rate float64 // read units a second; unlimited unless above 0

	mu   sync.Mutex
	page float64   // what a page is expected to cost
	free time.Time // when everything taken so far is paid for
}

func newPace(rate, page float64) *pace { return &pace{rate: rate, page: page} }

// take waits for its turn to send a request, and returns the read units that were taken for
// it.
func (p *pace) take(ctx context.Context) (float64, error) {
	if p.rate <= 0 {
		return 0, client.Pass(ctx)
	}
	for {
		if err := client.Pass(ctx); err != nil { // before paying, or all workers would send at once when it opens
			return 0, err
		}
		p.mu.Lock()
		now := time.Now()
		wait := p.free.Sub(now)
		if wait <= 0 {
			p.free = now.Add(p.duration(p.page)) // unused units are not saved up
			taken := p.page
			p.mu.Unlock()
			return taken, nil
		}
		p.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return 0, context.Cause(ctx)
		case <-timer.C:
		}
	}
}

// settle corrects what was taken for a page, now that its cost is known.
func (p *pace) settle(taken, units float64) {
	if p.rate <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = p.free.Add(p.duration(units - taken))
	p.page += (units - p.page) / 4
}

func (p *pace) duration(units float64) time.Duration {
	return time.Duration(units / p.rate * float64(time.Second))
}
