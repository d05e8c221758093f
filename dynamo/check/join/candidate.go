package join

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Candidate is a lock key that remains after the join: the lock and the claims on it did not cancel out.
// There may be very many candidates, so a Candidate is small. It becomes a verdict.Relation only while
// it is judged.
type Candidate struct {
	Mu sync.Mutex // guards the fields below
	// Key is the lock's key, encoded by Codec. It is empty if the key is too long for the sketch and no
	// reading has found it yet.
	Key   string
	Count int64 // claims minus locks with this key
	Rule  *Rule // the constraint; nil while it is unknown
	// Value is the value in the lock's key. If Key ends with the value, Value and Key share memory.
	Value string
	Lock  *LockFacts // nil if the lock has no such facts
	// ItemHash is a hash of the lock item, to notice a change. It is 0 if the lock was never read by its key.
	ItemHash uint64
	// Holders are the accounts that claim the lock, by the last reading of all accounts. MoreHolders counts further
	// accounts, which did not fit in memory. ClaimIndex is the index of this lock among the claims of the first holder.
	Holders     []Holder
	MoreHolders int32
	ClaimIndex  int32

	// FirstRead is the time when the lock was first read by its key. Readings counts such reads. The first one is
	// before the second reading of all accounts.
	FirstRead int64 // in nanoseconds since 1970; 0 if there was no read
	Readings  int32

	Exists      bool // a reading found the lock
	TTLMismatch bool // either the lock or its account has a TTL, but not both
	Absent      bool // a reading found no lock, or a changed one
	Judged      bool
	FromSQL     bool // the file of candidates has a row about the key
	OnPass      bool // a reading of the whole table found the lock
	malformed   bool // a variable in the lock's key is empty
}

// LockFacts are facts that only few locks have.
type LockFacts struct {
	Owner, Mark    string
	Expires, Since attr.Value
	// OwnerPartition is the partition key of the account that the lock names, if the sketch returned that key. Named
	// are the accounts that were read in that partition: one of them may be the owner.
	OwnerPartition string
	Named          []schema.Account
}

// facts returns the candidate's LockFacts, and creates them if needed.
func (c *Candidate) facts() *LockFacts {
	if c.Lock == nil {
		c.Lock = new(LockFacts)
	}
	return c.Lock
}

// Owner returns the owner that the lock names. It is empty if the lock names no owner.
func (c *Candidate) Owner() string {
	if c.Lock == nil {
		return ""
	}
	return c.Lock.Owner
}

// setKey sets the key and the value, and copies both. A claim gives the key in the constraint's first form. If the lock
// itself was found in another form, the key as found replaces the key of the claim.
func (c *Candidate) setKey(key []byte, value string) {
	if len(key) > 0 && c.Key != string(key) {
		c.Key = string(key)
	}
	if c.Value = value; strings.HasSuffix(c.Key, value) {
		c.Value = c.Key[len(c.Key)-len(value):]
	} else {
		c.Value = strings.Clone(value)
	}
}

// SawLock records the lock, which a reading of the whole table found.
func (c *Candidate) SawLock(of *Rule, key []byte, role layout.Role, facts LockFacts) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.OnPass = true
	c.malformed = role.Malformed && !layout.Nonsense(role.Value)
	if c.Rule == nil || !c.Exists {
		c.setLock(of, key, role, facts)
	}
}

// setLock records the lock. It copies all texts, since a reading reuses their memory.
func (c *Candidate) setLock(of *Rule, key []byte, role layout.Role, facts LockFacts) {
	c.setKey(key, role.Value)
	c.Rule, c.Exists = of, true
	if c.Lock != nil {
		c.Lock.Owner, c.Lock.Mark, c.Lock.Expires, c.Lock.Since = "", "", attr.Value{}, attr.Value{}
	}
	if facts.Owner != "" || facts.Mark != "" || facts.Expires.Exists() || facts.Since.Exists() {
		f := c.facts()
		f.Owner, f.Mark = strings.Clone(facts.Owner), strings.Clone(facts.Mark)
		f.Expires, f.Since = scalar(facts.Expires), scalar(facts.Since)
	}
}

// scalar copies a string or a number.
func scalar(v attr.Value) attr.Value { return attr.Value{Kind: v.Kind, Text: strings.Clone(v.Text)} }

// Relation returns the lock as a relation without accounts.
func (c *Candidate) Relation(codec *Codec) *verdict.Relation {
	from, key := codec.Key(c.Key)
	rel := &verdict.Relation{
		Constraint: c.Rule.Constraint, Value: c.Value, Malformed: c.malformed,
		Lock: schema.Lock{Table: from.Name, Key: key, Exists: c.Exists},
	}
	if c.Lock != nil {
		rel.Lock.Owner, rel.Lock.Mark, rel.Lock.Since = c.Lock.Owner, c.Lock.Mark, c.Lock.Since
		if c.Lock.Expires.Exists() {
			rel.Lock.Item = attr.Item{from.Expiry: c.Lock.Expires}
		}
	}
	return rel
}

// Reserved reports whether the lock's account may still be written.
func (c *Candidate) Reserved(now time.Time) bool {
	return c.Lock != nil && c.Rule.Reserved.Runs(c.Lock.Since, now)
}

// Watchable reports whether a further read of the lock can change the outcome.
func (c *Candidate) Watchable() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Key != "" && !c.Absent && !c.Judged
}

// Unclaimed reports whether the lock exists and no account is known to claim it.
func (c *Candidate) Unclaimed() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Count < 0 && c.Rule != nil && !c.Absent && !c.Judged && len(c.Holders) == 0
}

// Forget marks the candidate as judged, and frees its memory.
func (c *Candidate) Forget() {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Judged, c.Rule, c.Lock, c.Holders = true, nil, nil, nil
}

// SawRead records one strongly consistent read of the lock's key. item is the item under that key; nil if there is
// none. If the read found the lock in another form, key is its encoded key; otherwise key is empty. lockOf classifies
// the item; its rule is nil if the item is not a lock.
func (c *Candidate) SawRead(
	seed *sketch.Seed, item attr.Item, key []byte, now time.Time, lockOf func() (*Rule, layout.Role, LockFacts),
) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.Judged {
		return
	}
	if c.FirstRead == 0 {
		c.FirstRead = now.UnixNano()
		if item == nil {
			c.Absent = true
			return
		}
		of, role, facts := lockOf()
		if of == nil {
			c.Absent = true // another item has the lock's key
			return
		}
		c.malformed = role.Malformed && !layout.Nonsense(role.Value)
		c.setLock(of, key, role, facts)
		c.ItemHash = HashItem(seed, item)
	}
	if item == nil || c.ItemHash != HashItem(seed, item) {
		c.Absent = true
	}
	c.Readings++
}

// CandidatesOf returns the keys that remain in the sketch as candidates, by fingerprint.
func CandidatesOf(left []sketch.Remainder) map[uint64]*Candidate {
	all := make(map[uint64]*Candidate, len(left))
	for _, one := range left {
		c := all[one.Place]
		if c == nil {
			c = &Candidate{}
			all[one.Place] = c
		}
		c.Count += one.Count
		key, owner := splitOwner(one.Key)
		if c.Key == "" && len(key) > 0 {
			c.Key = string(key)
		}
		if one.Count < 0 && owner != "" {
			c.facts().OwnerPartition = owner
		}
	}
	return all
}

// HashItem returns a keyed hash of an item. It is never 0, since 0 means that there is no hash.
func HashItem(seed *sketch.Seed, item attr.Item) uint64 {
	return seed.Hash(item.AppendCanonical(nil)) | 1
}

// Holder is an account that claims a lock.
type Holder struct {
	Hash, Sort string // the account's key
	Expires    string // the account's TTL; empty if it has none
	Of         *Rule  // the constraint of the claim
}

// AddHolder adds an account that claims the lock. Call it once for each account in a reading. of is the constraint of
// the claim, and written is the encoded key of the lock. claim is the index of this lock among the account's claims.
func (c *Candidate) AddHolder(r *Room, of *Rule, written []byte, value string, h Holder, claim int) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.Rule == nil {
		c.setKey(written, value)
		c.Rule = of
	}
	if !r.Take(len(c.Holders)) {
		c.MoreHolders++
		return
	}
	if len(c.Holders) == 0 {
		c.ClaimIndex = int32(claim)
	}
	h.Hash, h.Sort, h.Expires = strings.Clone(h.Hash), strings.Clone(h.Sort), strings.Clone(h.Expires)
	h.Of = cmp.Or(h.Of, of)
	c.Holders = append(c.Holders, h)
}

// Accounts returns the accounts that are known to claim the lock.
func (c *Candidate) Accounts(from *Source) []schema.Account {
	var all []schema.Account
	for _, h := range c.Holders {
		a := schema.Account{Key: from.Schema.KeyFrom(h.Hash, h.Sort)}
		if h.Expires != "" {
			a.Item = attr.Item{from.Expiry: attr.Number(h.Expires)}
		}
		all = append(all, a)
	}
	return all
}

// AddNamed keeps an account that may be the lock's owner, but at most MaxNamed of them.
func (c *Candidate) AddNamed(a schema.Account) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if f := c.facts(); len(f.Named) < MaxNamed {
		f.Named = append(f.Named, a)
	}
}

// MaxNamed is the greatest number of accounts of the owner's partition that are kept for one lock.
const MaxNamed = 10

// NamedBy returns the account that the lock names. It returns nil if no reading has found the account.
func (c *Candidate) NamedBy(t *dynamo.Table, rel *verdict.Relation) *schema.Account {
	if c.Lock != nil {
		for n := range c.Lock.Named {
			if t.Names(rel.Constraint, rel.Lock, &c.Lock.Named[n]) {
				return &c.Lock.Named[n]
			}
		}
	}
	return nil
}

// Claims counts the accounts that claim the lock, by the constraint of the claim.
func (c *Candidate) Claims() map[*layout.Constraint]int {
	if c.Rule == nil || len(c.Holders) == 0 {
		return nil
	}
	all := map[*layout.Constraint]int{}
	for _, h := range c.Holders {
		all[h.Of.Constraint]++
	}
	all[c.Holders[0].Of.Constraint] += int(c.MoreHolders)
	return all
}

// InOrder reports whether the lock has no problem. Exactly one account claims such a lock, and the lock names no owner.
// Either the lock and the account both have a TTL, or neither has one.
func (c *Candidate) InOrder() bool {
	if !c.Exists || len(c.Holders) != 1 || c.malformed {
		return false
	}
	return c.Owner() == "" && (c.Lock != nil && c.Lock.Expires.Exists()) == (c.Holders[0].Expires != "")
}

// Changed reports whether the last reading contradicts an earlier one. There are two cases. The lock now exists without
// claims, but had claims before or was absent once. Or some claims did not fit in memory, and fewer than two claims are
// left: then the holder is unknown.
func (c *Candidate) Changed(now *verdict.Relation) bool {
	switch {
	case c.MoreHolders > 0:
		return len(now.Claimants) < 2
	case !now.Lock.Exists || len(now.Claimants) > 0:
		return false
	}
	return c.Count >= 0 || len(c.Holders) > 0 || c.Absent
}
