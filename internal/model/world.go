package model

import (
	"fmt"
	"slices"
)

// The largest world of a trace has eight accounts and seven values. Its items are the accounts, followed by the locks
// of all values. The worlds to explore are smaller: see Model.
const (
	maxAccounts = 8
	maxValues   = 7
	maxItems    = maxAccounts + maxValues
)

var (
	accountNames = [maxAccounts]string{"A", "B", "C", "D", "E", "F", "G", "H"}
	valueNames   = [maxValues]string{"v", "w", "x", "y", "z", "t", "u"}
)

// Version is the content of an item. An account is 0 if it does not exist, or 1 more than its value. A lock is 0 if
// it does not exist, or a Lock in bits.
type Version uint32

// Holds returns the version of an account that holds a value.
func Holds(value int) Version { return Version(value + 1) }

// Lock is the content of a lock.
type Lock struct {
	Mark      int  // the mark of a release; 0 if there is none
	Owner     int  // 1 more than the account that the lock names; 0 if the lock names none
	Adopted   int  // the run of the backfill that has put the lock; 0 if there is none
	Confirmed bool // the lock has an attribute that a sign-up adds when it ends
}

// Version returns the version of the lock.
func (l Lock) Version() Version {
	v := Version(1 | l.Mark<<1 | l.Owner<<9 | l.Adopted<<13)
	if l.Confirmed {
		v |= 1 << 17
	}
	return v
}

// Lock returns the lock that a version has; false if there is none.
func (v Version) Lock() (Lock, bool) {
	return Lock{int(v >> 1 & 0xff), int(v >> 9 & 0xf), int(v >> 13 & 0xf), v>>17&1 == 1}, v != 0
}

// mark returns the same version of a lock with another mark.
func (v Version) mark(mark int) Version {
	l, _ := v.Lock()
	l.Mark = mark
	return l.Version()
}

// Item has the versions of an item that reads can still show, the oldest first. A strong read shows the visible one.
// A transaction sees the last one.
type Item struct {
	Versions []Version
	Visible  int
}

// Now returns the version that a transaction sees.
func (i Item) Now() Version { return i.Versions[len(i.Versions)-1] }

// State is a state of the world: the items, the application's unfinished work, and the processes of the tool.
type State struct {
	Items    [maxItems]Item
	Flights  [maxAccounts]Flight
	Left     int // the number of transactions that the application may still make
	Marks    int // the number of marks that were written; the next mark has the next number
	Releases []Release
	Late     []Request // copies that may still arrive
	Check    Check
	Owner    OwnerRelease
	PutBack  PutBack
	Adopt    Adopt
}

// Flight is an unfinished operation of the application: only its first step is done.
type Flight struct {
	Kind  FlightKind
	Value int
	// Before has a bit for each look whose wait lasts until the operation is finished.
	Before uint8
}

// FlightKind is the kind of an unfinished operation.
type FlightKind uint8

// The unfinished operations.
const (
	NoFlight     FlightKind = iota
	SigningUp               // the lock was put, but not yet the account
	Leaving                 // the account was deleted, but not yet the lock
	CheckedFirst            // a sign-up or a change has searched for other accounts with its value, and found none
)

// The bit of the check's look in Flight.Before. Release number n has the bit n. checkProcess is the process of the
// check's look.
const (
	checkLook    = 7
	checkProcess = -1
)

// Look is a search among all accounts for a holder of one value.
type Look struct {
	// Since has the index of each item's newest version at the beginning of the wait. After the wait, no read shows an
	// older version.
	Since   [maxItems]int
	Settled bool
	Read    uint8 // the accounts that were read, in bits
	Found   bool  // an account held the value
}

// LockItem returns the number of the item that is the lock of a value. An account's item has the account's number.
func LockItem(value int) int { return maxAccounts + value }

// Account returns the version of an account that a transaction sees.
func (s *State) Account(account int) Version { return s.Items[account].Now() }

// LockOf returns the version of a lock that a transaction sees.
func (s *State) LockOf(value int) Version { return s.Items[LockItem(value)].Now() }

// holders returns the accounts that hold a value.
func (s *State) holders(value int) (all []int) {
	for a := range maxAccounts {
		if s.Account(a) == Holds(value) {
			all = append(all, a)
		}
	}
	return all
}

// clone returns a copy of the state. The copy shares slices, which are never changed in place.
func (s *State) clone() State {
	c := *s
	c.Releases, c.Late = slices.Clone(s.Releases), slices.Clone(s.Late)
	return c
}

// looks returns the looks that are not finished.
func (s *State) looks() (all []*Look) {
	for n := range s.Releases {
		if r := &s.Releases[n]; r.Phase > Planned && r.Phase < Deleting {
			all = append(all, &r.Look)
		}
	}
	if s.Check.Phase > 0 && s.Check.Phase < CheckOver {
		all = append(all, &s.Check.Look)
	}
	return all
}

// forget drops the versions that no read can show any more. In a world with lag, an eventually consistent read can show
// every version that was still current when the wait of its look began.
func (s *State) forget(lag bool) {
	looks := s.looks()
	for n := range s.Items {
		floor := s.Items[n].Visible
		for _, l := range looks {
			switch {
			case !lag:
			case !l.Settled:
				floor = 0
			default:
				floor = min(floor, l.Since[n])
			}
		}
		if lag && s.Adopt.surveys() {
			floor = 0
		}
		if floor == 0 {
			continue
		}
		s.Items[n].Versions = s.Items[n].Versions[floor:]
		s.Items[n].Visible -= floor
		for _, l := range looks {
			l.Since[n] = max(0, l.Since[n]-floor)
		}
	}
}

// begin starts the wait of a look.
func (s *State) begin(l *Look, bit int) {
	*l = Look{}
	for n := range s.Items {
		l.Since[n] = len(s.Items[n].Versions) - 1
	}
	s.awaitFlights(bit)
}

// awaitFlights makes a wait last until the operations that have begun are finished.
func (s *State) awaitFlights(bit int) {
	for a := range s.Flights {
		if s.Flights[a].Kind == SigningUp || s.Flights[a].Kind == Leaving {
			s.Flights[a].Before |= 1 << bit
		}
	}
}

// inFlight reports whether the wait of a look has to last longer.
func (s *State) inFlight(bit int) bool {
	return slices.ContainsFunc(s.Flights[:], func(f Flight) bool { return f.Before>>bit&1 == 1 })
}

// settle ends the wait of a look: all items that were written before the wait are visible.
func (s *State) settle(l *Look) {
	l.Settled = true
	for n := range s.Items {
		s.Items[n].Visible = max(s.Items[n].Visible, l.Since[n])
	}
}

// floor returns the index of the oldest version of an item that an eventually consistent read of the look can show.
func (l *Look) floor(item int) int {
	if l.Settled {
		return l.Since[item]
	}
	return 0
}

// see records the version of an account that a look has read.
func (l *Look) see(account, value int, shown Version) {
	l.Read |= 1 << account
	l.Found = l.Found || shown == Holds(value)
}

// key writes a state as bytes. It has only the items that the model uses.
func (s *State) key(m *Model) string {
	b, items := make([]byte, 0, 128), m.items()
	for _, n := range items {
		i := s.Items[n]
		b = append(b, byte(len(i.Versions)), byte(i.Visible))
		for _, v := range i.Versions {
			b = v.key(b)
		}
	}
	for _, f := range s.Flights[:m.Accounts] {
		b = append(b, byte(f.Kind), byte(f.Value), f.Before)
	}
	b = append(b, byte(s.Left), byte(s.Marks), byte(len(s.Releases)))
	for n := range s.Releases {
		b = s.Releases[n].key(b, items)
	}
	for _, r := range s.Late {
		b = r.key(b)
	}
	b = append(b, 0xff)
	b = s.Check.key(b, items)
	b = s.Owner.key(b)
	b = s.PutBack.key(b)
	return string(s.Adopt.key(b))
}

// items returns the numbers of the items that the model uses.
func (m *Model) items() (all []int) {
	for a := range m.Accounts {
		all = append(all, a)
	}
	for v := range m.Values {
		all = append(all, LockItem(v))
	}
	return all
}

func (v Version) key(b []byte) []byte { return append(b, byte(v), byte(v>>8), byte(v>>16)) }

func (l *Look) key(b []byte, items []int) []byte {
	for _, n := range items {
		b = append(b, byte(l.Since[n]))
	}
	return append(b, bit(l.Settled), l.Read, bit(l.Found))
}

func bit(set bool) byte {
	if set {
		return 1
	}
	return 0
}

// Write is one item that a transaction of the application writes.
type Write struct {
	Item    int
	Version Version
}

func (w Write) String() string {
	switch {
	case w.Item < maxAccounts && w.Version == 0:
		return "delete " + accountNames[w.Item]
	case w.Item < maxAccounts:
		return fmt.Sprintf("%s holds %s", accountNames[w.Item], valueNames[w.Version-1])
	case w.Version == 0:
		return "delete the lock of " + valueNames[w.Item-maxAccounts]
	}
	return "put the lock of " + valueNames[w.Item-maxAccounts]
}
