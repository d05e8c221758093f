package check

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/layout"
)

// candidate is the key of a lock that was left over: the lock and the accounts that claim it
// did not cancel out. There may be very many, so it is small, and becomes a dynamo.Relation
// only while it is judged.
type candidate struct {
	mu sync.Mutex
	// key is encoded by keyCodec; empty if it is too long for the sketch and has not been met
	// yet.
	key   string
	count int64 // accounts that claim it, minus locks
	rule  *rule // nil while its constraint is not known
	// value is the lock's. It shares the key's bytes if it can.
	value string
	lock  *lockFacts // nil if the lock has none of them
	// itemHash is of the whole lock item, to notice a change; 0 if it was not read by its
	// key.
	itemHash uint64
	// holders are the accounts that the last reading found to claim it, and moreHolders is
	// how many there was no memory for. claimIndex is the number of the claim among the first
	// holder's.
	holders     []holder
	moreHolders int32
	claimIndex  int32

	// Reads of the lock itself, which begin before all accounts are read again.
	firstRead int64 // in nanoseconds since 1970; 0 if there was none
	readings  int32

	exists      bool // the lock was met
	ttlMismatch bool // the lock or its account expires, and not both
	absent      bool // some read found no lock, or another one
	judged      bool
	fromSQL     bool // a row of the candidates' file is about it
	onPass      bool // a pass has met the lock
	malformed   bool // the key has the prefix, and does not fit the template
}

// lockFacts are attributes that few locks have.
type lockFacts struct {
	owner, mark    string
	expires, since attr.Value
	// ownerPartition is the partition key of the account that the lock names, if the sketch
	// gave it back, and named are the accounts of it that were met.
	ownerPartition string
	named          []dynamo.Account
}

// facts returns the candidate's lockFacts, to be filled.
func (c *candidate) facts() *lockFacts {
	if c.lock == nil {
		c.lock = new(lockFacts)
	}
	return c.lock
}

func (c *candidate) owner() string {
	if c.lock == nil {
		return ""
	}
	return c.lock.owner
}

// setKey keeps a copy of the key, and of the value unless the key ends with it. The key of a lock
// in another form takes the place of that in the first form.
func (c *candidate) setKey(key []byte, value string) {
	if len(key) > 0 && c.key != string(key) {
		c.key = string(key)
	}
	if c.value = value; strings.HasSuffix(c.key, value) {
		c.value = c.key[len(c.key)-len(value):]
	} else {
		c.value = strings.Clone(value)
	}
}

// sawLock takes in the lock as a pass has read it.
func (c *candidate) sawLock(of *rule, key []byte, role layout.Role, facts lockFacts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onPass = true
	c.malformed = role.Malformed && !layout.Nonsense(role.Value)
	if c.rule == nil || !c.exists {
		c.setLock(of, key, role, facts)
	}
}

// setLock takes in the lock. It copies the texts.
func (c *candidate) setLock(of *rule, key []byte, role layout.Role, facts lockFacts) {
	c.setKey(key, role.Value)
	c.rule, c.exists = of, true
	if c.lock != nil {
		c.lock.owner, c.lock.mark, c.lock.expires, c.lock.since = "", "", attr.Value{}, attr.Value{}
	}
	if facts.owner != "" || facts.mark != "" || facts.expires.Exists() || facts.since.Exists() {
		f := c.facts()
		f.owner, f.mark = strings.Clone(facts.owner), strings.Clone(facts.mark)
		f.expires, f.since = scalar(facts.expires), scalar(facts.since)
	}
}

// scalar copies a text or a number.
func scalar(v attr.Value) attr.Value { return attr.Value{Kind: v.Kind, Text: strings.Clone(v.Text)} }

// relation returns the lock, without accounts.
func (c *candidate) relation(codec *keyCodec) *dynamo.Relation {
	from, key := codec.key(c.key)
	rel := &dynamo.Relation{
		Constraint: c.rule.Constraint, Value: c.value, Malformed: c.malformed,
		Lock: dynamo.Lock{Table: from.name, Key: key, Exists: c.exists},
	}
	if c.lock != nil {
		rel.Lock.Owner, rel.Lock.Mark, rel.Lock.Since = c.lock.owner, c.lock.mark, c.lock.since
		if c.lock.expires.Exists() {
			rel.Lock.Item = attr.Item{from.expiry: c.lock.expires}
		}
	}
	return rel
}

// reserved reports whether the lock's account may still come.
func (c *candidate) reserved(now time.Time) bool {
	return c.lock != nil && c.rule.Reserved.Runs(c.lock.since, now)
}

// watchable reports whether another read of the lock can tell anything.
func (c *candidate) watchable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.key != "" && !c.absent && !c.judged
}

// unclaimed reports whether the lock still exists and no account was found to claim it.
func (c *candidate) unclaimed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count < 0 && c.rule != nil && !c.absent && !c.judged && len(c.holders) == 0
}

// forget marks the candidate as judged, and frees what it knows.
func (c *candidate) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.judged, c.rule, c.lock, c.holders = true, nil, nil, nil
}

// sawRead takes in what a strongly consistent read found at the lock's key; key is that of another
// form, if the lock was found there. lockOf says what the item is; its rule is nil if it is no lock.
func (c *candidate) sawRead(
	seed *sketch.Seed, item attr.Item, key []byte, now time.Time, lockOf func() (*rule, layout.Role, lockFacts),
) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.judged {
		return
	}
	if c.firstRead == 0 {
		c.firstRead = now.UnixNano()
		if item == nil {
			c.absent = true
			return
		}
		of, role, facts := lockOf()
		if of == nil {
			c.absent = true // the item with its key is no lock
			return
		}
		c.malformed = role.Malformed && !layout.Nonsense(role.Value)
		c.setLock(of, key, role, facts)
		c.itemHash = hashItem(seed, item)
	}
	if item == nil || c.itemHash != hashItem(seed, item) {
		c.absent = true
	}
	c.readings++
}

// candidatesOf makes candidates of what is left over, by the fingerprint of the key.
func candidatesOf(left []sketch.Remainder) map[uint64]*candidate {
	all := make(map[uint64]*candidate, len(left))
	for _, one := range left {
		c := all[one.Place]
		if c == nil {
			c = &candidate{}
			all[one.Place] = c
		}
		c.count += one.Count
		key, owner := splitOwner(one.Key)
		if c.key == "" && len(key) > 0 {
			c.key = string(key)
		}
		if one.Count < 0 && owner != "" {
			c.facts().ownerPartition = owner
		}
	}
	return all
}

// hashItem returns a keyed hash of an item, which is never 0.
func hashItem(seed *sketch.Seed, item attr.Item) uint64 {
	return seed.Hash(item.AppendCanonical(nil)) | 1
}

// holder is an account that claims a lock.
type holder struct {
	hash, sort string // its key
	expires    string // its TTL; empty if it does not expire
	of         *rule  // that of the constraint by which it claims the lock
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
			if t.Names(rel.Constraint, rel.Lock, &c.lock.named[n]) {
				return &c.lock.named[n]
			}
		}
	}
	return nil
}

// claims counts the accounts that claim the lock, by the constraint by which they do.
func (c *candidate) claims() map[*layout.Constraint]int {
	if c.rule == nil || len(c.holders) == 0 {
		return nil
	}
	all := map[*layout.Constraint]int{}
	for _, h := range c.holders {
		all[h.of.Constraint]++
	}
	all[c.holders[0].of.Constraint] += int(c.moreHolders)
	return all
}

// inOrder reports whether the lock has one account, names nobody, and expires with it.
func (c *candidate) inOrder() bool {
	if !c.exists || len(c.holders) != 1 || c.malformed {
		return false
	}
	return c.owner() == "" && (c.lock != nil && c.lock.expires.Exists()) == (c.holders[0].expires != "")
}

// changed reports whether what was read last does not fit earlier readings: an orphan had no account
// in any of them, and its lock was never absent. If some accounts that claimed a lock are not known,
// and the known ones are gone, nobody knows who holds it.
func (c *candidate) changed(now *dynamo.Relation) bool {
	switch {
	case c.moreHolders > 0:
		return len(now.Claimants) < 2
	case !now.Lock.Exists || len(now.Claimants) > 0:
		return false
	}
	return c.count >= 0 || len(c.holders) > 0 || c.absent
}
