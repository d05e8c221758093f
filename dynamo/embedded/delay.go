package embedded

import (
	"encoding/binary"
	"sync/atomic"
	"time"
)

// Delays say how far behind reads may be. What was written becomes visible by
// the engine's clock alone: nothing runs in between.
type Delays struct {
	// Seed decides, for each request and item, which moment is shown.
	Seed uint64
	// Lag is how long ago the state may be that an eventually consistent read
	// shows of an item, each item and each read for itself, back and forth.
	// Every read of a global index is one.
	Lag time.Duration
	// Spread is how long after a transaction its items may become visible, each
	// for itself, to reads that are strongly consistent and no transaction. What
	// they have seen they go on seeing. Lag comes on top.
	Spread time.Duration
}

// WithDelays lets reads show the past, as DynamoDB's may. Conditions, writes and
// TransactGetItems see the present all the same.
func WithDelays(d Delays) Option {
	return func(e *Engine) { e.delays = &delays{Delays: d} }
}

type delays struct {
	Delays
	count atomic.Uint64 // of the draws so far
}

// draw gives a duration of up to most for an item: often nothing, sometimes all
// of it, for trouble lives at the ends.
func (d *delays) draw(number uint64, item string, most time.Duration) time.Duration {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], d.Seed)
	binary.BigEndian.PutUint64(b[8:], number)
	h := hash(string(b[:]) + item)
	switch h % 4 {
	case 0, 1:
		return 0
	case 2:
		return most
	}
	return time.Duration((h >> 2) % uint64(most+1))
}

// glance is one request's view of the tables. The zero glance sees the present.
type glance struct {
	delays *delays
	number uint64
	now    time.Time
	lag    time.Duration
}

func (e *Engine) glance(consistent bool) glance {
	if e.delays == nil {
		return glance{}
	}
	g := glance{delays: e.delays, number: e.delays.count.Add(1), now: e.now()}
	if !consistent {
		g.lag = e.delays.Lag
	}
	return g
}

// moment is what time it is for an item.
func (g glance) moment(item string) time.Time {
	return g.now.Add(-g.delays.draw(g.number, item, g.lag))
}

// past is what a store held, for as long as it may be seen.
type past struct {
	items  map[string]*history // by their key in the store
	expiry []expiry            // in the order of time
}

type history struct {
	item     string    // its key in the table
	versions []version // the oldest first; the present one is in the tree
}

// version is what an item was until its successor became visible; an entry
// without a key is no item.
type version struct {
	entry entry
	until time.Time
}

type expiry struct {
	at  time.Time
	key string
}

// at gives what an item was at a moment: the newest version that was visible
// then.
func (h *history) at(moment time.Time, present entry) entry {
	shown := present
	for i := len(h.versions) - 1; i >= 0 && h.versions[i].until.After(moment); i-- {
		shown = h.versions[i].entry
	}
	return shown
}

// keep remembers what changes are about to replace, and forgets what nobody can
// see any more. Items of a transaction become visible each at its own time.
func (d *delays) keep(outcomes []outcome, transacted bool, now time.Time) {
	number := d.count.Add(1)
	for _, o := range outcomes {
		if o.before == o.after {
			continue
		}
		item := max(o.before.key, o.after.key) // they are equal, or one is empty
		until := now
		if transacted {
			until = now.Add(d.draw(number, item, d.Spread))
		}
		o.table.past = o.table.past.keep(d, item, o.before, item, until, now)
		for _, ic := range o.indexes {
			if ic.before.key != "" {
				ic.index.past = ic.index.past.keep(d, ic.before.key, ic.before, item, until, now)
			}
			if ic.after.key != "" && ic.after.key != ic.before.key {
				ic.index.past = ic.index.past.keep(d, ic.after.key, entry{}, item, until, now)
			}
		}
	}
}

func (p *past) keep(d *delays, key string, was entry, item string, until, now time.Time) *past {
	if p == nil {
		p = &past{items: map[string]*history{}}
	}
	for len(p.expiry) > 0 && !now.Before(p.expiry[0].at) {
		p.forget(p.expiry[0].key, now.Add(-d.Lag))
		p.expiry = p.expiry[1:]
	}
	h := p.items[key]
	if h == nil {
		h = &history{item: item}
		p.items[key] = h
	}
	h.versions = append(h.versions, version{was, until})
	p.expiry = append(p.expiry, expiry{now.Add(d.Spread + d.Lag), key})
	return p
}

// forget drops the versions that had a visible successor before all moments
// that can still be seen.
func (p *past) forget(key string, oldest time.Time) {
	h := p.items[key]
	if h == nil {
		return
	}
	n := len(h.versions)
	for n > 0 && h.versions[n-1].until.After(oldest) {
		n--
	}
	if h.versions = h.versions[n:]; len(h.versions) == 0 {
		delete(p.items, key)
	}
}

// snapshot gives the store as a request sees it, whatever is written later.
func (s store) snapshot(g glance) store {
	out := store{tree: s.tree.Copy(), bytes: s.bytes}
	if g.delays == nil || s.past == nil {
		return out
	}
	for key, h := range s.past.items {
		present, _ := s.tree.Get(entry{key: key})
		out.replace(present, h.at(g.moment(h.item), present))
	}
	return out
}

// get gives the entry of one key as a request sees it, without a key if there
// is none.
func (s store) get(key string, g glance) entry {
	found, _ := s.tree.Get(entry{key: key})
	if g.delays == nil || s.past == nil {
		return found
	}
	if h := s.past.items[key]; h != nil {
		return h.at(g.moment(h.item), found)
	}
	return found
}
