// Package generator generates a table of accounts and locks, of any size and with known anomalies. It
// generates items when they are read, and stores nothing. Start at Table, which is an http.RoundTripper.
//
// The table has the layout uniq: accounts ACCT#0000042.0137 / PROFILE with an email and a username, and for
// each of them two locks, UNIQ#EMAIL#… / LOCK and UNIQ#HANDLE#… / LOCK. An account and its locks are on
// pages far apart.
package generator

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Table is a generated table. Its fields must not change after the first request.
type Table struct {
	Name string
	// Pages is the number of pages of a scan of the table, at most 10,000,000. PerPage is the number of
	// accounts on a page, at most 10,000. A page also has two locks for each account.
	Pages, PerPage int
	// Filler is the length of an extra attribute of each item.
	Filler int
	// Owners lets locks name their accounts in userId.
	Owners bool
	// Anomalies are the problems in the table. No account has more than one, and at most half of the
	// accounts have one.
	Anomalies []Wrong
	// Faults are the failures of requests.
	Faults Faults
	// ReadUnits is the warm throughput in the table's description, in read units a second.
	ReadUnits int
	// Seed decides which accounts have anomalies and which requests fail.
	Seed uint64

	wire
}

// Kind is a kind of anomaly. It has the name of the finding that a check reports for it.
type Kind string

// The kinds of anomalies.
const (
	OrphanedLock      Kind = "orphaned-lock"
	MissingLock       Kind = "missing-lock"
	DuplicateValue    Kind = "duplicate-value"
	UnnormalisedValue Kind = "unnormalised-value"
	NearLock          Kind = "near-lock" // no problem: an item whose key resembles the key of a lock
	ExpiringAccount   Kind = "expiring-account"
	StaleLock         Kind = "stale-lock"   // exists only if Owners is set
	ForeignLock       Kind = "foreign-lock" // exists only if Owners is set
)

// Wrong is a number of anomalies of one kind.
type Wrong struct {
	Kind  Kind
	Count int
}

// Anomaly is one anomaly, as a check should report it.
type Anomaly struct {
	Kind       Kind
	Constraint string // email or username
	Value      string // the value in the lock's key
	Held       string // the account's value, which may be spelt differently
	Lock       Key    // the key of the wrong or missing lock
	Accounts   []Key  // the keys of the accounts in the finding
}

// Key is a primary key of the table.
type Key struct{ PK, SK string }

// series is a kind of item. An account has at most one item of each kind.
type series int

const (
	account series = iota
	emailLock
	handleLock
	duplicate  // a second account with the same e-mail
	movedLock  // the lock of the account's new e-mail
	strayLock  // resembles a lock, but has another sort key
	everySerie // the number of series
)

// attribute is an attribute of an item. Its value is a string, except for the TTL, which is a number.
type attribute struct{ name, value string }

const expires = "ttl"          // the TTL attribute
func (t *Table) accounts() int { return t.Pages * t.PerPage }

// Items returns the number of items in the table.
func (t *Table) Items() int {
	n := 3 * t.accounts()
	for _, w := range t.Anomalies {
		switch w.Kind {
		case OrphanedLock: // the account and one of its locks are missing
			n -= 2 * w.Count
		case MissingLock:
			n -= w.Count
		case DuplicateValue, NearLock, StaleLock:
			n += w.Count
		}
	}
	return n
}

// number returns an account's number as text: its page, and its position on the page.
func (t *Table) number(n int) string { return fmt.Sprintf("%07d.%04d", n/t.PerPage, n%t.PerPage) }

func (t *Table) parse(s string) (int, bool) {
	page, place, _ := strings.Cut(s, ".")
	p, err := strconv.Atoi(page)
	q, err2 := strconv.Atoi(place)
	n := p*t.PerPage + q
	return n, err == nil && err2 == nil && n < t.accounts() && t.number(n) == s
}

// stride returns the distance between accounts with anomalies, the first such account, and their number.
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

// wrong returns the kind of an account's anomaly; empty if it has none.
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

// anomalous returns the numbers of the accounts with an anomaly, among the numbers from…to−1.
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

// All returns all anomalies that a check should report.
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

// mail returns an account's e-mail. Every fourth e-mail has a capital letter. Its lock has the capital
// letter, too, since the application does not fold case.
func (t *Table) mail(n int) string {
	if n%t.PerPage%4 == 1 {
		return "User." + t.number(n) + domain
	}
	return "user." + t.number(n) + domain
}

// key returns the key of an item, even if the item does not exist.
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

// item returns the attributes of an item; nil if the item does not exist.
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

// at returns the attributes of the item with this key; nil if there is none.
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
