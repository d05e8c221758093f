package scan

import (
	"context"
	"sync"
	"time"

	"tallylock/dynamo/client"
)

// pace spreads requests so that together they consume no more than Rate read
// units a second. What a page costs is known only when it has come: what the
// last ones did is taken beforehand, and settled afterwards.
type pace struct {
	rate float64 // units a second; not above 0: as fast as they come

	mu   sync.Mutex
	page float64   // what a page is expected to cost
	free time.Time // when all that was taken is paid for
}

func newPace(rate, page float64) *pace { return &pace{rate: rate, page: page} }

// take waits for its turn to send a request, and answers the units that were
// taken for it.
func (p *pace) take(ctx context.Context) (float64, error) {
	if p.rate <= 0 {
		return 0, client.Pass(ctx)
	}
	for {
		if err := client.Pass(ctx); err != nil { // or all workers had paid when it opens
			return 0, err
		}
		p.mu.Lock()
		now := time.Now()
		wait := p.free.Sub(now)
		if wait <= 0 {
			p.free = now.Add(p.duration(p.page)) // what was not used is not saved up
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

// settle puts right what was taken for a page, now that its cost is known.
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
