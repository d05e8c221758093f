package fault

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/embedded"
)

// Delays say how far behind reads may be. What was written becomes visible by
// the clock alone: nothing runs in between.
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
	// Now is the clock, nil for time.Now. Several goroutines may call it at once.
	Now func() time.Time
}

// WithDelays lets reads show the past, as DynamoDB's may. Conditions, writes and
// TransactGetItems see the present all the same. It has to be the first
// middleware of an engine: it reads the engine itself.
func WithDelays(d Delays) embedded.Option {
	if d.Now == nil {
		d.Now = time.Now
	}
	return embedded.WithMiddleware(func(e *embedded.Engine, next http.RoundTripper) http.RoundTripper {
		if d.Lag == 0 && d.Spread == 0 {
			return next
		}
		return &delays{Delays: d, engine: e, next: next, tables: map[string]*past{}}
	})
}

// delays remembers what writes replaced, and answers reads from a copy of the
// engine in which some of it is put back.
type delays struct {
	Delays
	engine *embedded.Engine
	next   http.RoundTripper
	count  atomic.Uint64 // of the draws so far

	mu     sync.RWMutex // a write holds it throughout, reads share it
	tables map[string]*past
}

func (d *delays) RoundTrip(r *http.Request) (*http.Response, error) {
	body, again, err := read(r)
	if err != nil {
		return nil, err
	}
	var q request
	if json.Unmarshal(body, &q) != nil {
		return d.next.RoundTrip(again)
	}
	switch op := operation(r); op {
	case "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems":
		return d.write(again, q.written(), op == "TransactWriteItems")
	case "GetItem", "BatchGetItem", "Query", "Scan":
		return d.read(again, q.reads())
	case "DeleteTable":
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.tables, tableName(q.TableName))
	}
	return d.next.RoundTrip(again)
}

// draw gives a duration of up to most for an item: often nothing, sometimes all
// of it, for trouble lives at the ends.
func (d *delays) draw(number uint64, item string, most time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, number))
	_, _ = h.Write([]byte(item))
	random := rand.NewPCG(d.Seed, h.Sum64())
	switch random.Uint64() % 4 {
	case 0, 1:
		return 0
	case 2:
		return most
	}
	return time.Duration(random.Uint64() % uint64(most+1))
}

// write carries a request out, and remembers what it replaces. Items of a
// transaction become visible each at its own time.
func (d *delays) write(r *http.Request, items []written, transacted bool) (*http.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []*history
	var before []string
	for _, w := range items {
		h, err := d.history(w)
		if err != nil {
			return nil, err
		}
		if h != nil { // without a key the engine refuses the request
			all, before = append(all, h), append(before, h.present)
		}
	}
	answer, err := d.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	now, number := d.Now(), d.count.Add(1)
	for i, h := range all {
		if h.present, err = d.item(h); err != nil {
			return nil, err
		}
		until := now
		if transacted {
			until = now.Add(d.draw(number, h.key, d.Spread))
		}
		if h.present != before[i] {
			d.tables[h.table].keep(h, version{before[i], until}, now, d.Delays)
		}
	}
	return answer, nil
}

// history gives what is known of an item, its present state included; nil if the
// request names no item.
func (d *delays) history(w written) (*history, error) {
	p := d.tables[w.table]
	if p == nil {
		schema, err := describe(d.next, w.table)
		if err != nil {
			return nil, nil // the engine says so itself
		}
		p = &past{schema: schema, items: map[string]*history{}}
		d.tables[w.table] = p
	}
	key := p.keyOf(w.item)
	if key == "" {
		return nil, nil
	}
	h := p.items[key]
	if h == nil {
		h = &history{table: w.table, key: key}
	}
	var err error
	h.present, err = d.item(h)
	return h, err
}

// item reads an item as it is now: its JSON, "" for none.
func (d *delays) item(h *history) (string, error) {
	answer, err := ask(d.next, "GetItem", fmt.Sprintf(`{"TableName":%q,"Key":%s,"ConsistentRead":true}`, h.table, h.key))
	if err != nil {
		return "", err
	}
	var got struct{ Item json.RawMessage }
	err = json.Unmarshal(answer, &got)
	return string(got.Item), err
}

// read answers a read. Each item is shown as it was at a moment of its own.
func (d *delays) read(r *http.Request, of []readFrom) (*http.Response, error) {
	d.mu.RLock()
	late := d.late(of)
	if len(late) == 0 {
		defer d.mu.RUnlock()
		return d.next.RoundTrip(r)
	}
	view := d.engine.Clone().Transport()
	d.mu.RUnlock()
	for h, shown := range late {
		operation, body := "PutItem", fmt.Sprintf(`{"TableName":%q,"Item":%s}`, h.table, shown)
		if shown == "" {
			operation, body = "DeleteItem", fmt.Sprintf(`{"TableName":%q,"Key":%s}`, h.table, h.key)
		}
		if _, err := ask(view, operation, body); err != nil {
			return nil, err
		}
	}
	return view.RoundTrip(r)
}

// late draws what a read shows of each item that was written lately, where it is
// not the present.
func (d *delays) late(of []readFrom) map[*history]string {
	now, number := d.Now(), d.count.Add(1)
	out := map[*history]string{}
	for _, from := range of {
		p := d.tables[from.table]
		if p == nil {
			continue
		}
		lag := d.Lag
		if from.consistent {
			lag = 0
		}
		for _, h := range p.among(from.keys) {
			if shown := h.at(now.Add(-d.draw(number, h.key, lag))); shown != h.present {
				out[h] = shown
			}
		}
	}
	return out
}

// past is what a table held, for as long as it may be seen.
type past struct {
	schema attr.Schema
	items  map[string]*history // by key
	expiry []expiry            // in the order of time
}

// history is what was written to one item lately. Items are their JSON, "" for
// no item.
type history struct {
	table    string
	key      string    // its JSON, which no other key has
	versions []version // the oldest first
	present  string
}

// version is what an item was until its successor became visible.
type version struct {
	item  string
	until time.Time
}

type expiry struct {
	at  time.Time
	key string
}

// keyOf gives the key of an item as JSON, "" if it lacks it.
func (p *past) keyOf(item rawItem) string {
	found := attr.Item{}
	for _, name := range []string{p.schema.HashName, p.schema.RangeName} {
		var v attr.Value
		if raw, ok := item[name]; !ok || json.Unmarshal(raw, &v) != nil {
			continue
		}
		if v.Kind == attr.N {
			v.Text = attr.CanonicalNumber(v.Text)
		}
		found[name] = v
	}
	key, ok := p.schema.KeyOf(found)
	text, err := json.Marshal(key)
	if !ok || err != nil {
		return ""
	}
	return string(text)
}

// among gives the items of these keys that were written lately; of all where
// there are no keys.
func (p *past) among(keys []rawItem) map[string]*history {
	if keys == nil {
		return p.items
	}
	out := map[string]*history{}
	for _, item := range keys {
		if h := p.items[p.keyOf(item)]; h != nil {
			out[h.key] = h
		}
	}
	return out
}

// at gives what an item was at a moment: the newest version that was visible
// then.
func (h *history) at(moment time.Time) string {
	shown := h.present
	for i := len(h.versions) - 1; i >= 0 && h.versions[i].until.After(moment); i-- {
		shown = h.versions[i].item
	}
	return shown
}

// keep remembers a version that was replaced, and forgets those that no read can
// show any more.
func (p *past) keep(h *history, was version, now time.Time, d Delays) {
	for len(p.expiry) > 0 && !now.Before(p.expiry[0].at) {
		p.forget(p.expiry[0].key, now.Add(-d.Lag))
		p.expiry = p.expiry[1:]
	}
	h.versions = append(h.versions, was)
	p.items[h.key] = h
	p.expiry = append(p.expiry, expiry{now.Add(d.Spread + d.Lag), h.key})
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
