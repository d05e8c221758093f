package check

import (
	"cmp"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
)

// holder is an account that claims a lock.
type holder struct {
	hash, sort string // its key
	expires    string // its TTL; empty if it does not expire
	of         *rule  // that of the constraint by which it claims the lock
}

// holder returns the account that is visited.
func (v *visitor) holder() holder {
	key := v.itemKey()
	return holder{key.Hash.Value.Text, key.Range.Value.Text, v.from.expiresAt(v.row.Row).Text, nil}
}

// addHolder takes in an account that claims the lock, and the number of the claim. A pass
// meets each account once.
func (c *candidate) addHolder(r *room, of *rule, written []byte, value string, h holder, claim int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rule == nil {
		c.setKey(written, value)
		c.rule = of
	}
	if !r.take(len(c.holders)) {
		c.moreHolders++
		return
	}
	if len(c.holders) == 0 {
		c.claimIndex = int32(claim)
	}
	h.hash, h.sort, h.expires = strings.Clone(h.hash), strings.Clone(h.sort), strings.Clone(h.expires)
	h.of = cmp.Or(h.of, of)
	c.holders = append(c.holders, h)
}

// accounts returns the accounts that were found to claim it.
func (c *candidate) accounts(from *source) []dynamo.Account {
	var all []dynamo.Account
	for _, h := range c.holders {
		a := dynamo.Account{Key: from.schema.KeyFrom(h.hash, h.sort)}
		if h.expires != "" {
			a.Item = attr.Item{from.expiry: attr.Number(h.expires)}
		}
		all = append(all, a)
	}
	return all
}

// addNamed takes in an account that the lock may name.
func (c *candidate) addNamed(a dynamo.Account) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.facts(); len(f.named) < maxNamed {
		f.named = append(f.named, a)
	}
}

// maxNamed is how many accounts of one partition are kept for a lock that may name them.
const maxNamed = 10

// namedBy returns the account that the lock names, nil if it was not met.
func (c *candidate) namedBy(t *dynamo.Table, rel *dynamo.Relation) *dynamo.Account {
	if c.lock != nil {
		for n := range c.lock.named {
			if t.Match.Names(rel, &c.lock.named[n]) {
				return &c.lock.named[n]
			}
		}
	}
	return nil
}
