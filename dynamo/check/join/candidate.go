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

// Candidate is the key of a lock that was left over: the lock and the accounts that claim it
// did not cancel out. There may be very many candidates, so a Candidate is small. It becomes a
// verdict.Relation only while it is judged.
type Candidate struct {
	Mu sync.Mutex // guards the fields below
	// Key is encoded by Codec. It is empty if the key is too long for the sketch and no
	// reading has met it yet.
	Key   string
	Count int64 // the number of accounts that claim the lock, minus the number of locks
	Rule  *Rule // nil while the constraint is unknown
	// Value is the lock's value. It shares the bytes of Key if Key ends with it.
	Value string
	Lock  *LockFacts // nil if the lock has no such facts
	// ItemHash is a hash of the whole lock item, to notice a change. It is 0 if the lock was
	// not read by its key.
	ItemHash uint64
	// Holders are the accounts that claim the lock, as the last reading found them.
	// MoreHolders counts the accounts that memory had no room for. ClaimIndex is the index of
	// the lock among the claims of the first holder.
	Holders     []Holder
	MoreHolders int32
	ClaimIndex  int32

	// Reads of the lock itself. They begin before all accounts are read again.
	FirstRead int64 // the time of the first one, in nanoseconds since 1970; 0 if there was none
	Readings  int32

	Exists      bool // a reading has met the lock
	TTLMismatch bool // only one of the lock and its account expires
	Absent      bool // a read found no lock, or a changed one
	Judged      bool
	FromSQL     bool // a row of the candidates' file is about it
	OnPass      bool // a pass has met the lock
	malformed   bool // the key has the prefix of the template, but does not fit it
}

// LockFacts holds facts that few locks have.
type LockFacts struct {
	Owner, Mark    string
	Expires, Since attr.Value
	// OwnerPartition is the partition key of the account that the lock names, if the sketch
	// returned it. Named are the accounts that a pass met in that partition.
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

// Owner returns the owner that the lock names, or "" if the lock names none.
func (c *Candidate) Owner() string {
	if c.Lock == nil {
		return ""
	}
	return c.Lock.Owner
}

// setKey keeps a copy of the key, and a copy of the value unless the key ends with it. If the lock is in
// another form, its key replaces the key in the first form.
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

// SawLock takes in the lock that a pass has read.
func (c *Candidate) SawLock(of *Rule, key []byte, role layout.Role, facts LockFacts) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.OnPass = true
	c.malformed = role.Malformed && !layout.Nonsense(role.Value)
	if c.Rule == nil || !c.Exists {
		c.setLock(of, key, role, facts)
	}
}

// setLock takes in the lock. It copies the texts.
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

// scalar copies a text or a number.
func scalar(v attr.Value) attr.Value { return attr.Value{Kind: v.Kind, Text: strings.Clone(v.Text)} }

// Relation returns the lock, without accounts.
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

// Reserved reports whether the lock's account may still come.
func (c *Candidate) Reserved(now time.Time) bool {
	return c.Lock != nil && c.Rule.Reserved.Runs(c.Lock.Since, now)
}

// Watchable reports whether another read of the lock can tell anything.
func (c *Candidate) Watchable() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Key != "" && !c.Absent && !c.Judged
}

// Unclaimed reports whether the lock still exists and no known account claims it.
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

// SawRead takes in the item that a strongly consistent read found at the lock's key; nil means none. If
// the read found the lock in another form, key is the key of that form. lockOf classifies the item: its
// rule is nil if the item is no lock.
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
			c.Absent = true // the item with its key is no lock
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

// CandidatesOf makes candidates of the remaining keys, by the fingerprint of the key.
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

// HashItem returns a keyed hash of an item, which is never 0.
func HashItem(seed *sketch.Seed, item attr.Item) uint64 {
	return seed.Hash(item.AppendCanonical(nil)) | 1
}

// Holder is an account that claims a lock.
type Holder struct {
	Hash, Sort string // its key
	Expires    string // its TTL; empty if it does not expire
	Of         *Rule  // the rule by which it claims the lock
}

// AddHolder takes in an account that claims the lock. claim is the index of the lock among the
// account's claims. A pass meets each account once.
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

// Accounts returns the known accounts that claim the lock.
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

// AddNamed takes in an account that the lock may name.
func (c *Candidate) AddNamed(a schema.Account) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if f := c.facts(); len(f.Named) < MaxNamed {
		f.Named = append(f.Named, a)
	}
}

// MaxNamed is how many accounts of one partition are kept for a lock that may name them.
const MaxNamed = 10

// NamedBy returns the account that the lock names, or nil if no pass has met it.
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

// Claims counts the accounts that claim the lock, by constraint.
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

// InOrder reports whether the lock is in order: exactly one account claims it, it names no owner, and
// either both lock and account have a TTL or neither has one.
func (c *Candidate) InOrder() bool {
	if !c.Exists || len(c.Holders) != 1 || c.malformed {
		return false
	}
	return c.Owner() == "" && (c.Lock != nil && c.Lock.Expires.Exists()) == (c.Holders[0].Expires != "")
}

// Changed reports whether the last reading contradicts earlier ones. An orphan had no account in any of
// them, and its lock was never absent. If memory had no room for some accounts that claimed a lock, and
// fewer than two known accounts still claim it, its holder is unknown.
func (c *Candidate) Changed(now *verdict.Relation) bool {
	switch {
	case c.MoreHolders > 0:
		return len(now.Claimants) < 2
	case !now.Lock.Exists || len(now.Claimants) > 0:
		return false
	}
	return c.Count >= 0 || len(c.Holders) > 0 || c.Absent
}
