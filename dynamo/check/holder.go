package check

import (
	"sync/atomic"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
)

// holder is an account that claims a lock.
type holder struct {
	hash, sort string // its key
	expires    string // when it expires; empty where it does not
}

// room is what a pass has for accounts that claim candidates' locks: an eighth of
// the memory. Two of each lock are kept whatever there is, and one lock has half of
// the room at most.
type room struct {
	each int
	left atomic.Int64
}

// accountBytes is about what is kept of an account, and what a finding takes to name
// it.
const accountBytes = 512

func newRoom(memory int64) *room {
	all := memory / 8 / accountBytes
	r := &room{each: int(all / 2)}
	r.left.Store(all)
	return r
}

// take reports whether there is room for an account more of a lock that has so many.
func (r *room) take(have int) bool {
	return have < 2 || have < r.each && r.left.Add(-1) >= 0
}

// holder is the account that is visited.
func (v *visitor) holder() holder {
	key := v.now()
	return holder{key.Hash.Value.Text, key.Range.Value.Text, v.from.expiresAt(v.row.Row).Text}
}

// accounts are those that were seen to claim it.
func (c *candidate) accounts(from *source) []dynamo.Account {
	var all []dynamo.Account
	for _, h := range c.holders {
		a := dynamo.Account{Key: keyWith(from.schema, h.hash, h.sort)}
		if h.expires != "" {
			a.Item = attr.Item{from.expiry: attr.Number(h.expires)}
		}
		all = append(all, a)
	}
	return all
}

// keyWith is the key of these texts.
func keyWith(s attr.Schema, hash, sort string) attr.Key {
	key := attr.Key{Hash: attr.Attribute{Name: s.HashName, Value: attr.Value{Kind: s.HashKind, Text: hash}}}
	if s.RangeName != "" {
		key.Range = attr.Attribute{Name: s.RangeName, Value: attr.Value{Kind: s.RangeKind, Text: sort}}
	}
	return key
}
