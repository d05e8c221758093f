package fault

import (
	"encoding/json"
	"time"

	"tallylock/dynamo/attr"
)

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
