package client

import (
	"context"
	"sync"
	"time"
)

// Budget counts the read units that a connection has consumed. It limits the reads that the connection
// sends without asking a person. It is safe for concurrent use.
type Budget struct {
	question, step float64 // Options.AutoReadUnits and Options.SessionReadUnits
	pool           *Pool   // the read units of all sessions of a server; nil: no limit

	mu    sync.Mutex
	units float64 // consumed so far
	limit float64 // the session's limit in read units; 0: no limit
}

// AutoReadUnits returns the greatest number of read units that one question may consume without asking a
// person. This is Options.AutoReadUnits, or the rest of the session's limit if the rest is smaller.
func (b *Budget) AutoReadUnits() float64 {
	return min(b.question, max(b.UnitsLeft(), leastUnits))
}

// ReadsUnasked reports whether the budget allows the smallest read without asking a person.
func (b *Budget) ReadsUnasked() bool { return b.AutoReadUnits() >= leastRead }

// leastRead is the price of the smallest read, in read units.
const leastRead = 0.5

// SessionLimit returns the session's limit in read units; 0: no limit.
func (b *Budget) SessionLimit() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit
}

// UnitsLeft returns the rest of the session's limit in read units, or the rest of the pool if that is smaller; +Inf
// if there is no limit.
func (b *Budget) UnitsLeft() float64 {
	left := b.pool.Left()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limit == 0 {
		return left
	}
	return min(left, b.limit-b.units)
}

// UnitsSpent reports whether the session can read no more: it has consumed its limit, or the pool is empty.
func (b *Budget) UnitsSpent() bool { return b.UnitsLeft() < leastRead }

// PoolSpent reports whether the sessions of a server have consumed their units of this hour.
func (b *Budget) PoolSpent() bool { return b.pool.Left() < leastRead }

// Pool returns the rest of the read units that the sessions of a server have in this hour, and the end of the hour.
// The rest is +Inf if there is no limit.
func (b *Budget) Pool() (left float64, until time.Time) { return b.pool.Left(), b.pool.until() }

// ReadMore raises the session's limit by Options.SessionReadUnits.
func (b *Budget) ReadMore() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit = max(b.limit, b.units) + b.step
}

// SessionStep returns the number of read units that ReadMore adds to the session's limit.
func (b *Budget) SessionStep() float64 { return b.step }

// WhyUnread returns the reason why the budget allows no read, and the remedy.
func (b *Budget) WhyUnread() (why, do string) {
	if b.PoolSpent() || b.UnitsSpent() && b.question >= leastRead {
		return b.whySpent()
	}
	if why, do = "auto_read_units is 0", "set auto_read_units to 120 or more"; b.pool != nil {
		do = "ask the operator of the server to " + do
	}
	return why, do
}

// whySpent returns the reason and the remedy if the read units of the session or of the pool are consumed.
func (b *Budget) whySpent() (why, do string) {
	if b.PoolSpent() {
		return b.pool.why()
	}
	if why, do = "this session has used its session_read_units", "start a new session"; b.pool == nil {
		do = "set session_read_units higher, or " + do // people over SSH cannot change the config
	}
	return why, do
}

// Units returns the read units that the connection has consumed, as the endpoint reported them.
func (b *Budget) Units() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.units
}

func (b *Budget) spend(units float64) {
	b.pool.spend(units)
	b.mu.Lock()
	b.units += units
	b.mu.Unlock()
}

// Owed returns a context whose reads finish a change, or find its outcome. No limit refuses these reads: a change that
// has begun must end, and its outcome must not stay unknown. Their units count like all others.
func Owed(ctx context.Context) context.Context { return context.WithValue(ctx, owed{}, true) }

// owed is the key of the mark that Owed sets.
type owed struct{}

// isOwed reports whether Owed has marked a context.
func isOwed(ctx context.Context) bool { return ctx.Value(owed{}) != nil }
