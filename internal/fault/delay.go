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

// Delays limits how old the items in the answers to reads may be. Only the clock decides when a read sees a
// write: no goroutine runs in the background.
type Delays struct {
	// Seed decides the age of each item in each request.
	Seed uint64
	// Lag is the greatest age of an item in an eventually consistent read. Each item of each read has its
	// own age, so a later read may return an older item. All reads of a global index are eventually
	// consistent.
	Lag time.Duration
	// Spread is the greatest time from a transaction until strongly consistent reads return its items. Each
	// item becomes visible at its own time, and then stays visible. TransactGetItems sees all items at
	// once. In an eventually consistent read, Lag is added to Spread.
	Spread time.Duration
	// Now is the clock; nil means time.Now. Several goroutines may call it at once.
	Now func() time.Time
}

// WithDelays makes reads return old items, as DynamoDB may do. Conditions, writes and TransactGetItems see
// the current items. WithDelays must be the first middleware of an engine, because it also reads the engine
// directly.
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

// delays remembers the items that writes have replaced. To answer a read, it copies the engine, and puts
// some old items back into the copy.
type delays struct {
	Delays
	engine *embedded.Engine
	next   http.RoundTripper
	count  atomic.Uint64 // the number of writes and reads so far

	mu     sync.RWMutex // locked by writes, read-locked by reads
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

// draw returns a random duration for an item, from zero up to most. Zero and most are the most frequent results,
// because they find the most bugs. number is the number of the request.
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

// write passes a request on, and remembers the items that the request replaces. The items of a transaction
// become visible at different times.
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
		if h != nil { // h is nil without a valid key: the engine refuses the request
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

// history returns the known versions of an item, including the current one. It returns nil if the table
// does not exist or the key is invalid.
func (d *delays) history(w written) (*history, error) {
	p := d.tables[w.table]
	if p == nil {
		schema, err := describe(d.next, w.table)
		if err != nil {
			return nil, nil // no such table: the engine refuses the request
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

// item returns the current item as JSON; "" if there is none.
func (d *delays) item(h *history) (string, error) {
	answer, err := ask(d.next, "GetItem", fmt.Sprintf(`{"TableName":%q,"Key":%s,"ConsistentRead":true}`, h.table, h.key))
	if err != nil {
		return "", err
	}
	var got struct{ Item json.RawMessage }
	err = json.Unmarshal(answer, &got)
	return string(got.Item), err
}

// read answers a read. The items in the answer may have different ages.
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

// late chooses an old version of some items at random, for one read. The result maps the history of each
// such item to this version.
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

// past has the old items of a table that reads may still return.
type past struct {
	schema attr.Schema
	items  map[string]*history // the histories by key
	expiry []expiry            // the earliest first
}

// history has the recent versions of one item as JSON. "" means that there was no item.
type history struct {
	table    string
	key      string    // the item's key as JSON, in canonical form
	versions []version // the oldest first
	present  string
}

// version is an old version of an item. until is the time when the next version became visible.
type version struct {
	item  string
	until time.Time
}

type expiry struct {
	at  time.Time
	key string
}

// keyOf returns the key of an item as JSON; "" if the item has no valid key.
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

// among returns the histories of the items with these keys, if they have recent writes. If keys is nil, it
// returns the histories of all items with recent writes.
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

// at returns the newest version that was visible at a given time.
func (h *history) at(moment time.Time) string {
	shown := h.present
	for i := len(h.versions) - 1; i >= 0 && h.versions[i].until.After(moment); i-- {
		shown = h.versions[i].item
	}
	return shown
}

// keep remembers a version that was replaced. It also forgets versions that are too old for any read.
func (p *past) keep(h *history, was version, now time.Time, d Delays) {
	for len(p.expiry) > 0 && !now.Before(p.expiry[0].at) {
		p.forget(p.expiry[0].key, now.Add(-d.Lag))
		p.expiry = p.expiry[1:]
	}
	h.versions = append(h.versions, was)
	p.items[h.key] = h
	p.expiry = append(p.expiry, expiry{now.Add(d.Spread + d.Lag), h.key})
}

// forget drops the old versions of an item that were already replaced at the time oldest. No read can return these
// versions any more.
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
