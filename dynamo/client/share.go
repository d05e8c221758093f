package client

import (
	"math"
	"sync"
	"time"

	"tallylock/dynamo/phrase"
)

// Share is the part of a connection that one of several people may use.
type Share struct {
	// Tables are the tables that the person may list and open. If Tables is nil, the person may use all tables.
	Tables []string
	// Beside are further tables that requests may name: the lock tables of Tables. The person cannot open them.
	Beside []string
	// Write allows changes, if the whole connection allows them, too.
	Write bool
	// Pool limits the read units of all people together. If it is set, the client also refuses the reads after the person
	// has consumed Options.SessionReadUnits. Nil: no limit.
	Pool *Pool
}

// Share returns a client for one of several people. It has the credentials, the network connections and the guards of
// c, and a budget of its own.
func (c *Client) Share(s Share) *Client {
	o := c.options
	o.Write = o.Write && s.Write
	o.Strict = o.Strict || s.Pool != nil // a person in a session of a server cannot allow more reads
	own := &Client{
		Target: c.Target,
		Budget: Budget{question: o.AutoReadUnits, step: o.SessionReadUnits, limit: o.SessionReadUnits, pool: s.Pool},
		config: c.config, identity: c.identity, others: c.others, origin: c.origin,
	}
	own.options, own.tables = o, listOf(s.Tables, s.Beside, true)
	own.dial()
	return own
}

// Pool limits the read units that several clients consume together in each hour. It is safe for concurrent use. A
// Pool has no limit until Limit sets one; a nil Pool never has one.
type Pool struct {
	units float64

	mu    sync.Mutex
	used  float64
	since time.Time // the beginning of the hour
}

// Limit sets the read units of each hour; 0 means no limit. Units that were consumed in this hour still count.
func (p *Pool) Limit(units float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.units = units
}

// Left returns the read units that are left in this hour; +Inf without a limit.
func (p *Pool) Left() float64 {
	if p == nil {
		return math.Inf(1)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn()
	if p.units <= 0 {
		return math.Inf(1)
	}
	return p.units - p.used
}

// spend counts consumed read units.
func (p *Pool) spend(units float64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn()
	p.used += units
}

// turn begins a new hour if the last one is over.
func (p *Pool) turn() {
	if now := time.Now(); now.Sub(p.since) >= time.Hour {
		p.since, p.used = now, 0
	}
}

// until returns the end of the hour.
func (p *Pool) until() time.Time {
	if p == nil {
		return time.Time{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn()
	return p.since.Add(time.Hour)
}

// why returns the reason why the pool allows no read, and the remedy.
func (p *Pool) why() (why, do string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return "the sessions of this server have used their " + phrase.Count(int(p.units), "read unit") + " for this hour",
		"try again at " + p.since.Add(time.Hour).Format("15:04")
}
