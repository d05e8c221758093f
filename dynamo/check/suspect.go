package check

import (
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// suspect is a lock's key that was left over: its lock and the accounts that
// call for it did not cancel out.
type suspect struct {
	from  *source
	key   attr.Key // not known where it is too long for the sketch
	count int64    // how many more accounts call for it than locks have it
	// expiry: it is left over among what will expire.
	expiry bool

	mu sync.Mutex
	// rel is what is known of the lock; nil until its constraint is. Of the lock's item
	// it has no more than when it expires: there may be very many.
	rel *dynamo.Relation
	// print is the whole item's, by which another can be told from it; 0 where it was
	// not read by its key.
	print  uint64
	judged bool
	bad    bool // the prefix fits, and the template does not
	// claimants are accounts that were seen to call for it, on the last look. Their
	// items are there where they may expire, and not whole.
	claimants []dynamo.Account
	more      int // that there was no room for
	// owner is the partition key of the account that the lock names, where the sketch
	// gave it back, and owners are accounts that have it.
	owner  string
	owners []dynamo.Account

	// Readings of the lock, from before the look on.
	first, last time.Time
	readings    int
	gone        bool // at least once it was absent, or another
}

// room is what a pass has for accounts that call for suspects' locks: an eighth of
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

func (s *suspect) known() bool { return s.key.Hash.Name != "" }

// meet takes in the lock as a pass has met it. The item may be kept.
func (s *suspect) meet(c *checker, from *source, key attr.Key, role layout.Role, item attr.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known() {
		s.from, s.key = from, cloneKey(key)
	}
	s.bad = role.Malformed && !layout.Nonsense(role.Value)
	if s.rel == nil || !s.rel.Lock.Exists {
		s.take(c, role, item)
	}
}

// take takes in the lock as it was read first.
func (s *suspect) take(c *checker, role layout.Role, item attr.Item) {
	s.rel = &dynamo.Relation{Constraint: role.Constraint, Value: cloneText(role.Value), Lock: dynamo.Lock{Table: s.from.name, Key: s.key}}
	s.rel.Lock = dynamo.LockAt(s.rel, item)
	s.rel.Lock.Owner, s.rel.Lock.Mark = cloneText(s.rel.Lock.Owner), cloneText(s.rel.Lock.Mark)
	s.rel.Lock.Item = nil
	if at := c.expiryOf(s.from.name, item); at.Exists() {
		s.rel.Lock.Item = attr.Item{s.from.expiry: at}
	}
}

// item is a keyed hash of an item, above 0.
func (s *secret) item(item attr.Item) uint64 {
	return maphash.Bytes(s.seed, item.AppendCanonical(nil)) | 1
}

// claimed takes in an account that calls for the lock, and what is to be kept of it.
// A pass meets each account once.
func (s *suspect) claimed(room *room, key attr.Key, kept func(only bool) attr.Item, con *layout.Constraint, value string, lock *source, written []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known() {
		s.from, s.key = lock, lock.keyOf(written)
	}
	if s.rel == nil {
		s.rel = &dynamo.Relation{Constraint: con, Value: cloneText(value), Lock: dynamo.Lock{Table: s.from.name, Key: s.key}}
	}
	if !room.take(len(s.claimants)) {
		s.more++
		return
	}
	s.claimants = append(s.claimants, dynamo.Account{Key: cloneKey(key), Item: kept(len(s.claimants) == 0)})
}

// owned takes in an account that the lock may name.
func (s *suspect) owned(a dynamo.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.owners) < mostOwners {
		s.owners = append(s.owners, a)
	}
}

// mostOwners is how many accounts of one partition a lock may name.
const mostOwners = 10

// named is the account that was met and that the lock names; nil where none was.
func (s *suspect) named(t *dynamo.Table) *dynamo.Account {
	for n := range s.owners {
		if t.Names(s.rel, &s.owners[n]) {
			return &s.owners[n]
		}
	}
	return nil
}

func cloneText(s string) string { return strings.Clone(s) }

func cloneKey(k attr.Key) attr.Key {
	k.Hash.Value.Text, k.Range.Value.Text = strings.Clone(k.Hash.Value.Text), strings.Clone(k.Range.Value.Text)
	return k
}

// suspectsOf makes suspects of what is left over, by fingerprint, leaving out
// what is known already.
func (c *checker) suspectsOf(left []remainder, known map[uint64]bool) map[uint64]*suspect {
	out := map[uint64]*suspect{}
	for _, r := range left {
		if known[r.place] {
			continue
		}
		s := out[r.place]
		if s == nil {
			s = &suspect{}
			out[r.place] = s
		}
		s.count += r.count
		key, owner := splitOwner(r.key)
		if from, key, ok := keyOf(c.sources, key); ok && !s.known() {
			s.from, s.key = from, key
		}
		if r.count < 0 {
			s.owner = owner
		}
	}
	return out
}
