// Package backfill has the data of a backfill: the locks that accounts lack, the transactions that put these locks, and
// the file that records each transaction before it is sent. Package change sends the transactions.
//
// Start reading at Rule, Account and Batch, and at Keys, which is the file.
package backfill

import (
	"crypto/rand"
	"encoding/hex"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// Rule is the constraint whose locks a backfill puts.
type Rule interface {
	// Wants returns the account in an item, with the locks that the account needs. It returns nil if the item is no
	// account, or if the account needs no lock. The locks have no mark yet. Wants is safe for concurrent use.
	Wants(item attr.Item) *Account
	// Names reports whether an existing item is the lock of the entry's account.
	Names(e Entry, item attr.Item) bool
	// Owner returns the text by which an existing item names its account. ok is false if the item is no lock of the
	// constraint.
	Owner(table string, item attr.Item) (owner string, ok bool)
}

// Account is an account, with the locks that it may lack.
type Account struct {
	Key attr.Key
	ID  string
	// Check requires that the account still holds the values of the locks.
	Check client.Write
	// Units is the price of the check, in write units.
	Units float64
	Locks []Lock
	// Invalid lists the values that cannot have a lock.
	Invalid []Invalid
}

// Lock is a lock that an account may lack.
type Lock struct {
	Constraint string
	Value      string // the value as the account has it
	// Put puts the lock if it is absent.
	Put client.Write
	// Units is the price of Put, in write units.
	Units float64
}

// ID identifies the lock. It is meant as a key of maps.
func (l *Lock) ID() string { return l.Put.Table + "\x00" + l.Put.Key.ID() }

// Invalid is a value that cannot have a lock, with the reason.
type Invalid struct {
	Constraint, Value string
	// Code and Why are the reason: a code of the rule, and more words. Why may be empty.
	Code, Why string
}

// Entry is one lock of a batch, with its account.
type Entry struct {
	*Account
	Lock *Lock
}

// Batch has the locks of one transaction.
type Batch []Entry

// MaxLocks is the number of locks in a transaction. Few locks keep the transaction short: while it runs, another write
// of the same items fails.
const MaxLocks = 10

// NewMark returns a new mark: 128 random bits, so no mark is written twice. All locks of a backfill have the same mark.
// Each attempt of a release has its own.
func NewMark() string {
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // never fails
	return hex.EncodeToString(bits[:])
}

// Takes reports whether a batch has room for another entry. A transaction may write an item only once.
func (b Batch) Takes(e Entry) bool {
	return len(b) < MaxLocks &&
		!slices.ContainsFunc(b, func(other Entry) bool { return other.Lock.ID() == e.Lock.ID() })
}

// Writes returns the actions of the transaction: the put of each entry, and then one check for each account.
func (b Batch) Writes() []client.Write {
	var writes, checks []client.Write
	for _, e := range b {
		writes = append(writes, e.Lock.Put)
		if !slices.ContainsFunc(checks, func(w client.Write) bool { return w.Key.Equal(e.Key) }) {
			checks = append(checks, e.Check)
		}
	}
	return append(writes, checks...)
}

// Units returns the price of the transaction, in write units.
func (b Batch) Units() (units float64) {
	var counted []attr.Key
	for _, e := range b {
		units += e.Lock.Units
		if !slices.ContainsFunc(counted, e.Key.Equal) {
			counted = append(counted, e.Key)
			units += e.Account.Units
		}
	}
	return units
}

// Failed divides a batch by its failed actions. The callback failed reports whether action n of Writes failed. taken
// has the entries whose lock exists, changed has the entries whose account changed, and rest has all others.
func (b Batch) Failed(failed func(n int) bool) (taken, changed, rest Batch) {
	stale := map[string]bool{} // by the account's key
	for n, w := range b.Writes() {
		if n >= len(b) && failed(n) {
			stale[w.Key.ID()] = true
		}
	}
	for n, e := range b {
		switch {
		case stale[e.Key.ID()]:
			changed = append(changed, e)
		case failed(n):
			taken = append(taken, e)
		default:
			rest = append(rest, e)
		}
	}
	return taken, changed, rest
}

// Halves divides a batch into two.
func (b Batch) Halves() []Batch {
	if len(b) < 2 {
		return []Batch{b}
	}
	return []Batch{b[:len(b)/2], b[len(b)/2:]}
}
