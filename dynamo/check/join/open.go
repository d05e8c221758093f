package join

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Open is a lock key with its sum, and with everything that is known about the items that use the key. A check of
// increments reads only items that have changed, so there may be more locks and accounts. The sum tells how many.
type Open struct {
	mu sync.Mutex // guards the fields below
	// Rule is the constraint of the lock; if no lock was read, the constraint of a claim. It is nil if no item was read.
	Rule *Rule
	// Key is the lock's key in the constraint's first form, encoded by Codec. Value is the value in it.
	Key, Value string
	// Sums has the number of claims minus the number of locks, by the partition key of the account. The partition key
	// is empty if the join does not compare owners, or if a lock names no owner.
	Sums map[string]int64
	// Locks has the locks that were read, by their own encoded key.
	Locks map[string]*OpenLock
	// Holders has the accounts that are known to claim the key, by both parts of their key.
	Holders map[[2]string]Holder
	// Former has the owners that earlier locks with this key named.
	Former []string
	// Owners has accounts of the partition that a lock names, as far as they were read. If Whole is set, Owners has all
	// accounts of the partition OwnersOf that exist.
	Owners   map[[2]string]OpenOwner
	OwnersOf string
	Whole    bool
	// Unsettled is set if the check could not judge the key.
	Unsettled bool
}

// OpenLock is a lock item that was read. If Exists is not set, the item is absent, or is no lock.
type OpenLock struct {
	LockFacts
	Rule      *Rule
	Value     string
	Malformed bool
	Exists    bool
	// Partition is the partition key of the account that the lock names.
	Partition string
}

// AbsentLock is an item that is absent, or that is no lock. All such items share it, so nothing may change it.
var AbsentLock = &OpenLock{}

// OpenOwner is an account that a lock may name. If Exists is not set, Item is only the key of a deleted account.
type OpenOwner struct {
	Item   attr.Item
	Exists bool
}

// mostFormer limits Open.Former.
const mostFormer = 8

// set sets an entry of a map, and makes the map for its first entry. Most open keys need only two of their four maps,
// and there may be very many open keys.
func set[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// SetLock records a lock by its own encoded key.
func (k *Open) SetLock(own string, lock *OpenLock) { set(&k.Locks, own, lock) }

// SetHolder records an account that claims the key.
func (k *Open) SetHolder(h Holder) { set(&k.Holders, [2]string{h.Hash, h.Sort}, h) }

// SetOwner records an account that a lock may name, by both parts of its key.
func (k *Open) SetOwner(at [2]string, o OpenOwner) { set(&k.Owners, at, o) }

// Add adds to the sum of an owner.
func (k *Open) Add(owner string, n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(owner, n)
}

// add adds to the sum of an owner. It removes a sum that is zero.
func (k *Open) add(owner string, n int64) {
	if sum := k.Sums[owner] + n; sum != 0 {
		set(&k.Sums, strings.Clone(owner), sum)
	} else {
		delete(k.Sums, owner)
	}
}

// Count returns the number of claims minus the number of locks.
func (k *Open) Count() (n int64) {
	for _, sum := range k.Sums {
		n += sum
	}
	return n
}

// SawLock records the image of a lock: the new image if sign is 1, and the old one if sign is −1. key is the lock's
// key in the constraint's first form, and own is its own key. partition is the partition key of the account that the
// lock names, if the join compares owners.
func (k *Open) SawLock(
	sign int32, of *Rule, key, own []byte, role layout.Role, facts LockFacts, partition string,
) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(partition, -int64(sign))
	k.Key = string(key)
	if k.Rule == nil {
		k.Rule, k.Value = of, strings.Clone(role.Value)
	}
	if sign < 0 {
		k.SetLock(string(own), AbsentLock)
		if facts.Owner != "" && !slices.Contains(k.Former, facts.Owner) {
			k.Former = append(k.Former, strings.Clone(facts.Owner))
			k.Former = k.Former[max(len(k.Former)-mostFormer, 0):]
		}
		return
	}
	k.Rule, k.Value = of, strings.Clone(role.Value)
	k.SetLock(string(own), &OpenLock{
		LockFacts: LockFacts{
			Owner: strings.Clone(facts.Owner), Mark: strings.Clone(facts.Mark), Since: scalar(facts.Since),
		},
		Rule: of, Value: k.Value, Malformed: role.Malformed && !layout.Nonsense(role.Value), Exists: true,
		Partition: strings.Clone(partition),
	})
}

// SawClaim records that the new or the old image of an account claims the key. partition is the partition key of the
// account, if the join compares owners.
func (k *Open) SawClaim(sign int32, room *Room, of *Rule, key []byte, value string, h Holder, partition string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(partition, int64(sign))
	if k.Key == "" {
		k.Key = string(key)
	}
	if k.Rule == nil {
		k.Rule, k.Value = of, strings.Clone(value)
	}
	at := [2]string{h.Hash, h.Sort}
	if sign < 0 {
		delete(k.Holders, at)
		return
	}
	if _, known := k.Holders[at]; known || room.Take(len(k.Holders)) {
		h.Hash, h.Sort, h.Expires, h.Of = strings.Clone(h.Hash), strings.Clone(h.Sort), "", of
		k.SetHolder(h)
	}
}

// SawOwner records the new or the old image of an account that a lock may name. item makes a copy of the image.
func (k *Open) SawOwner(sign int32, key attr.Key, item func() attr.Item) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := [2]string{strings.Clone(KeyText(key.Hash.Value)), strings.Clone(KeyText(key.Range.Value))}
	if _, known := k.Owners[at]; !known && len(k.Owners) == MaxNamed {
		k.Whole = false
		return
	}
	if sign > 0 {
		k.SetOwner(at, OpenOwner{Item: item(), Exists: true})
	} else {
		k.SetOwner(at, OpenOwner{Item: key.Clone().Item()})
	}
}

// Lock returns the lock that exists, with its own encoded key. It returns nil if no existing lock was read. If locks of
// several forms exist, it returns the first by key.
func (k *Open) Lock() (own string, lock *OpenLock) {
	for key, l := range k.Locks {
		if l.Exists && (lock == nil || key < own) {
			own, lock = key, l
		}
	}
	return own, lock
}

// Bounds returns the least and the greatest possible number of locks with this key. forms is the number of forms that
// the key has. A lock that was not read may exist or not. But there are at least as many claims as known holders. For
// each number of claims, the sums give the number of locks.
func (k *Open) Bounds(forms int) (least, most int64) {
	locks := k.existing()
	for _, n := range locks {
		most += n
	}
	most += int64(max(forms-len(k.Locks), 0))
	for owner, sum := range k.Sums {
		locks[owner] = max(locks[owner], -sum) // an account has zero claims at least
	}
	for _, n := range locks {
		least += n
	}
	least = max(least, int64(len(k.Holders))-k.Count())
	return least, max(most, least)
}

// existing counts the existing locks that were read, by the partition key of the account that they name. The partition
// key is empty if the join does not compare owners.
func (k *Open) existing() map[string]int64 {
	locks := map[string]int64{}
	for _, l := range k.Locks {
		if l.Exists {
			locks[l.Partition]++
		}
	}
	return locks
}

// NamesHolder is for a key that only one account claims, if the join compares owners. It reports whether a lock may
// name this account, and whether a lock may name another account. locks is the number of locks. holder is the partition
// key of the account, and empty if the account is unknown.
func (k *Open) NamesHolder(locks int64, holder string) (its, others bool) {
	read := k.existing()
	for owner := range k.Sums {
		read[owner] += 0
	}
	// fits reports whether the account may be in a partition. Then all other sums count only locks.
	fits := func(partition string, named int64) bool {
		for owner, n := range read {
			if owner != partition && n > -k.Sums[owner] {
				return false
			}
		}
		return named >= read[partition]
	}
	add := func(partition string) {
		if named := 1 - k.Sums[partition]; fits(partition, named) {
			its, others = its || named > 0, others || named < locks
		}
	}
	if holder != "" {
		add(holder)
		return its, others
	}
	unread := locks
	for owner, n := range read {
		if unread -= n; owner != "" {
			add(owner)
		}
	}
	if unread > 0 && fits("", 1) && read[""] <= -k.Sums[""] { // an unread lock may name any other account
		its, others = true, others || locks > 1
	}
	return its, others
}

// NamesPartition returns the partition key of the account that the lock names, if the join compares owners. If the lock
// was not read, its owner is the first one whose sum is negative. It returns "" if the owner is unknown, or if there is
// none.
func (k *Open) NamesPartition() string {
	if _, lock := k.Lock(); lock != nil {
		return lock.Partition
	}
	for _, owner := range slices.Sorted(maps.Keys(k.Sums)) {
		if k.Sums[owner] < 0 {
			return owner
		}
	}
	return ""
}
