// Package generator generates a table of accounts and locks while it is read: of any size,
// with known anomalies, behind an http.RoundTripper and without storing it. Start at Table.
//
// The table has the layout uniq: accounts ACCT#0000042.0137 / PROFILE with an email and a
// username, and for each of them two locks, UNIQ#EMAIL#… / LOCK and UNIQ#HANDLE#… / LOCK. An
// account and its locks are on pages far apart.
package generator

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Table is a generated table. It must not be changed once it is read.
type Table struct {
	Name string
	// Pages is how many pages a scan of the table has, up to 10,000,000, and
	// PerPage how many accounts are on one, up to 10,000. Each account comes with
	// its locks, so a page has about three times as many items.
	Pages, PerPage int
	// Filler is the length of an extra attribute of each item.
	Filler int
	// Owners lets locks name their accounts in userId.
	Owners bool
	// Anomalies are the problems. Each is on its own account. There is at most one for two accounts.
	Anomalies []Wrong
	// Faults are errors of the transport.
	Faults Faults
	// ReadUnits is the warm throughput in the table's description.
	ReadUnits int
	// Seed decides which accounts the anomalies are on and which requests fail.
	Seed uint64

	wire
}

// Kind is a kind of anomaly, named after the finding.
type Kind string

// The kinds there are.
const (
	OrphanedLock      Kind = "orphaned-lock"
	MissingLock       Kind = "missing-lock"
	DuplicateValue    Kind = "duplicate-value"
	UnnormalisedValue Kind = "unnormalised-value"
	NearLock          Kind = "near-lock" // an item whose key resembles a lock's, which is no problem
	ExpiringAccount   Kind = "expiring-account"
	StaleLock         Kind = "stale-lock"   // where locks name owners
	ForeignLock       Kind = "foreign-lock" // where locks name owners
)

// Wrong is how many anomalies of a kind there are.
type Wrong struct {
	Kind  Kind
	Count int
}

// Anomaly is one anomaly: what a check should find.
type Anomaly struct {
	Kind       Kind
	Constraint string // email or username
	Value      string // the lock's
	Held       string // the account's, which may be spelt differently
	Lock       Key    // of the wrong or the missing lock
	Accounts   []Key  // the accounts of the finding
}

// Key is a primary key of the table.
type Key struct{ PK, SK string }

// series is a kind of item. Each account has at most one item of each.
type series int

const (
	account series = iota
	emailLock
	handleLock
	duplicate  // an account with the e-mail of another
	movedLock  // the lock of the account's new e-mail
	strayLock  // like a lock, with another sort key
	everySerie // the number of series
)

// attribute is an attribute of an item: a string, except for the TTL.
type attribute struct{ name, value string }

const expires = "ttl"          // the TTL attribute
func (t *Table) accounts() int { return t.Pages * t.PerPage }

// Items returns the number of items in the table.
func (t *Table) Items() int {
	n := 3 * t.accounts()
	for _, w := range t.Anomalies {
		switch w.Kind {
		case OrphanedLock: // the account and its other lock are gone
			n -= 2 * w.Count
		case MissingLock:
			n -= w.Count
		case DuplicateValue, NearLock, StaleLock:
			n += w.Count
		}
	}
	return n
}

// number writes an account's number: its page and its place there.
func (t *Table) number(n int) string { return fmt.Sprintf("%07d.%04d", n/t.PerPage, n%t.PerPage) }

func (t *Table) parse(s string) (int, bool) {
	page, place, _ := strings.Cut(s, ".")
	p, err := strconv.Atoi(page)
	q, err2 := strconv.Atoi(place)
	n := p*t.PerPage + q
	return n, err == nil && err2 == nil && n < t.accounts() && t.number(n) == s
}

// stride is the distance between accounts with anomalies, and first is the first of them.
func (t *Table) stride() (stride, first, count int) {
	for _, w := range t.Anomalies {
		count += w.Count
	}
	if count == 0 {
		return 0, 0, 0
	}
	stride = t.accounts() / count
	return stride, int(t.Seed % uint64(stride)), count
}

// wrong returns the anomaly of an account; empty if it has none.
func (t *Table) wrong(n int) Kind {
	stride, first, count := t.stride()
	if count == 0 || n < first || (n-first)%stride != 0 {
		return ""
	}
	n = (n - first) / stride
	for _, w := range t.Anomalies {
		if n < w.Count {
			return w.Kind
		}
		n -= w.Count
	}
	return ""
}

// anomalous returns the accounts from…to−1 that have an anomaly.
func (t *Table) anomalous(from, to int) iter.Seq[int] {
	return func(yield func(int) bool) {
		stride, first, count := t.stride()
		if count == 0 {
			return
		}
		for i := max(0, (from-first+stride-1)/stride); i < count; i++ {
			n := first + i*stride
			if n >= to || !yield(n) {
				return
			}
		}
	}
}

// All returns the anomalies.
func (t *Table) All() iter.Seq[Anomaly] {
	return func(yield func(Anomaly) bool) {
		for n := range t.anomalous(0, t.accounts()) {
			no := t.number(n)
			a := Anomaly{
				Kind:       t.wrong(n),
				Constraint: "email",
				Value:      t.mail(n),
				Held:       t.mail(n),
				Lock:       t.key(emailLock, n),
				Accounts:   []Key{t.key(account, n)},
			}
			switch a.Kind {
			case UnnormalisedValue:
				a.Held = strings.ToUpper(a.Held)
			case OrphanedLock:
				a.Constraint, a.Value, a.Lock, a.Accounts = "username", "handle."+no, t.key(handleLock, n), nil
			case DuplicateValue:
				a.Accounts = append(a.Accounts, t.key(duplicate, n))
			case NearLock:
				continue
			}
			if !yield(a) {
				return
			}
		}
	}
}

const domain = "@example.com"

// mail returns an account's e-mail. Every fourth has a capital letter, and so has its lock, since
// the application does not fold case.
func (t *Table) mail(n int) string {
	if n%t.PerPage%4 == 1 {
		return "User." + t.number(n) + domain
	}
	return "user." + t.number(n) + domain
}

// key returns the key of an item, whether it exists or not.
func (t *Table) key(s series, n int) Key {
	no := t.number(n)
	switch s {
	case account:
		return Key{"ACCT#" + no, "PROFILE"}
	case duplicate:
		return Key{"ACCT#twin." + no, "PROFILE"}
	case emailLock:
		return Key{"UNIQ#EMAIL#" + t.mail(n), "LOCK"}
	case handleLock:
		return Key{"UNIQ#HANDLE#handle." + no, "LOCK"}
	case movedLock:
		return Key{"UNIQ#EMAIL#moved." + no + domain, "LOCK"}
	default:
		return Key{"UNIQ#EMAIL#user." + no + domain, "STRAY"}
	}
}

// item returns an item, nil if it does not exist.
func (t *Table) item(s series, n int) []attribute {
	no, kind, key := t.number(n), t.wrong(n), t.key(s, n)
	item := []attribute{{"PK", key.PK}, {"SK", key.SK}}
	owner := t.key(account, n)
	switch s {
	case account:
		if kind == OrphanedLock {
			return nil
		}
		email := t.mail(n)
		switch kind {
		case UnnormalisedValue:
			email = strings.ToUpper(email)
		case StaleLock:
			email = "moved." + no + domain
		case ExpiringAccount:
			item = append(item, attribute{expires, "1999999999"})
		}
		return t.filled(append(item, attribute{"email", email}, attribute{"username", "handle." + no}))
	case duplicate:
		if kind != DuplicateValue {
			return nil
		}
		return t.filled(append(item, attribute{"email", t.mail(n)}))
	case emailLock:
		if kind == MissingLock || kind == OrphanedLock {
			return nil
		}
		if kind == ForeignLock {
			owner = t.key(account, n+1)
			if n > 0 {
				owner = t.key(account, n-1)
			}
		}
	case movedLock:
		if kind != StaleLock {
			return nil
		}
	case strayLock:
		if kind != NearLock {
			return nil
		}
	}
	if t.Owners {
		item = append(item, attribute{"userId", strings.TrimPrefix(owner.PK, "ACCT#")})
	}
	return t.filled(item)
}

func (t *Table) filled(item []attribute) []attribute {
	if t.Filler == 0 {
		return item
	}
	return append(item, attribute{"about", strings.Repeat("a", t.Filler)})
}

// at finds an item by its key.
func (t *Table) at(k Key) []attribute {
	for s := range everySerie {
		blank := t.key(s, 0)
		before, after, _ := strings.Cut(blank.PK, t.number(0))
		no, ok := strings.CutPrefix(strings.Replace(k.PK, "#User.", "#user.", 1), before)
		if !ok || k.SK != blank.SK {
			continue
		}
		if no, ok = strings.CutSuffix(no, after); !ok {
			continue
		}
		if n, ok := t.parse(no); ok && t.key(s, n) == k {
			return t.item(s, n)
		}
	}
	return nil
}
