package check

import (
	"strings"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/layout"
)

// candidate is a lock's key that was left over: its lock and the accounts that claim
// it did not cancel out. There may be very many, and so it is kept in few bytes, and
// made a dynamo.Relation only while it is judged.
type candidate struct {
	mu sync.Mutex
	// key is as keyCodec writes it; empty where it is too long for the sketch and was
	// not met yet.
	key   string
	count int64 // how many more accounts claim it than locks have it
	rule  *rule // nil until its constraint is known
	// value is what the lock keeps. It shares the key's bytes where it can.
	value string
	lock  *lockFacts // nil where the lock has none of them
	// print is the whole lock item's, by which another can be told from it; 0 where it
	// was not read by its key.
	print uint64
	// holders are accounts that were seen to claim it, on the last look, and more how
	// many there was no room for. claim is which of the first one's claims it is.
	holders []holder
	more    int32
	claim   int32

	// Readings of the lock, from before the look on.
	first, last int64 // in nanoseconds since 1970; 0 where there was none
	readings    int32

	exists      bool // the lock was met
	ttlMismatch bool // it is left over among what will expire
	absent      bool // at least once the lock was absent, or another
	judged      bool
	listed      bool // SQL has told the key, with all that it knows of it
	filed       bool // the lock was met on a pass
	malformed   bool // the prefix fits, and the template does not
}

// lockFacts are what few locks have.
type lockFacts struct {
	owner, mark    string
	expires, since attr.Value
	// partition is the partition key of the account that the lock names, where the
	// sketch gave it back, and named are accounts of it that were met.
	partition string
	named     []dynamo.Account
}

// facts are the candidate's, to be filled.
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

// keep takes over a key, and the value where its bytes are not the key's last.
func (c *candidate) keep(key []byte, value string) {
	if c.key == "" {
		c.key = string(key)
	}
	if c.value = value; strings.HasSuffix(c.key, value) {
		c.value = c.key[len(c.key)-len(value):]
	} else {
		c.value = strings.Clone(value)
	}
}

// meet takes in the lock as it was read.
func (c *candidate) meet(of *rule, key []byte, role layout.Role, facts lockFacts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.filed = true
	c.malformed = role.Malformed && !layout.Nonsense(role.Value)
	if c.rule == nil || !c.exists {
		c.take(of, key, role, facts)
	}
}

// take takes in the lock. The texts of its facts are not kept.
func (c *candidate) take(of *rule, key []byte, role layout.Role, facts lockFacts) {
	c.keep(key, role.Value)
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

// scalar is a text or a number in memory of its own.
func scalar(v attr.Value) attr.Value { return attr.Value{Kind: v.Kind, Text: strings.Clone(v.Text)} }

// claimed takes in an account that claims the lock, by which of its claims. A pass
// meets each account once.
func (c *candidate) claimed(r *room, of *rule, written []byte, value string, h holder, claim int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rule == nil {
		c.keep(written, value)
		c.rule = of
	}
	if !r.take(len(c.holders)) {
		c.more++
		return
	}
	if len(c.holders) == 0 {
		c.claim = int32(claim)
	}
	c.holders = append(c.holders, holder{strings.Clone(h.hash), strings.Clone(h.sort), strings.Clone(h.expires)})
}

// owned takes in an account that the lock may name.
func (c *candidate) owned(a dynamo.Account) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.facts(); len(f.named) < mostNamed {
		f.named = append(f.named, a)
	}
}

// mostNamed is how many accounts of one partition a lock may name.
const mostNamed = 10

// relation is the lock with the accounts that were seen to claim it.
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

// namedBy is the account that was met and that the lock names; nil where none was.
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

// watchable reports whether reading the lock can tell anything more.
func (c *candidate) watchable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.key != "" && !c.absent && !c.judged
}

// unclaimed reports whether the lock is there still, and nobody was seen to claim
// it.
func (c *candidate) unclaimed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count < 0 && c.rule != nil && !c.absent && !c.judged && len(c.holders) == 0
}

// done says that there is nothing more to learn of the candidate, and forgets what it
// was.
func (c *candidate) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.judged, c.rule, c.lock, c.holders = true, nil, nil, nil
}

// read takes in what a strongly consistent read found at the lock's key.
func (c *candidate) read(r *run, from *source, item attr.Item, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.judged {
		return
	}
	if c.first == 0 {
		c.first = now.UnixNano()
		if item == nil {
			c.absent = true
			return
		}
		role := r.t.Layout.Classify(r.t.Name, from.name, from.schema, item)
		if role.Constraint == nil {
			c.absent = true // something else has taken its key
			return
		}
		c.malformed = role.Malformed && !layout.Nonsense(role.Value)
		of := r.rules.of[role.Constraint]
		c.take(of, nil, role, lockFacts{
			owner: of.OwnerOf(item), mark: item[dynamo.MarkAttribute].Text, expires: r.expiry.at(from.name, item), since: of.Reserved.Said(item),
		})
		c.print = itemPrint(r.seed, item)
	}
	if item == nil || c.print != itemPrint(r.seed, item) {
		c.absent = true
	}
	c.readings++
	c.last = now.UnixNano()
}

func cloneKey(k attr.Key) attr.Key {
	k.Hash.Value.Text, k.Range.Value.Text = strings.Clone(k.Hash.Value.Text), strings.Clone(k.Range.Value.Text)
	return k
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
			c.facts().partition = owner
		}
	}
	return all
}

// itemPrint is a keyed hash of an item, above 0.
func itemPrint(seed *sketch.Seed, item attr.Item) uint64 {
	return seed.Hash(item.AppendCanonical(nil)) | 1
}
