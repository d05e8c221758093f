package model

import "math/bits"

// The steps of a check (docs/truth.md §3a) of the first value.
const (
	PassAccount   Kind = "pass over account"
	PassLock      Kind = "pass over the lock"
	Classify      Kind = "end the pass"
	Snapshot      Kind = "read claimants and lock together" // one TransactGetItems
	ReadOne       Kind = "read one"                         // a strongly consistent read, for a model without the snapshot
	ReadLockFirst Kind = "read the lock before the wait"
	SettleCheck   Kind = "wait in the check"
	EndCheckLook  Kind = "end the look of the check"
	ReadLockAgain Kind = "read the lock at last"
)

var checkKinds = map[Kind]func(*move, Step) error{
	PassAccount: (*move).pass, PassLock: (*move).pass, Classify: (*move).classify, Snapshot: (*move).snapshot,
	ReadOne: (*move).readOne, ReadLockFirst: (*move).readLock, SettleCheck: (*move).settleCheck,
	EndCheckLook: (*move).endCheckLook, ReadLockAgain: (*move).readLockAgain,
}

// CheckPhase is the phase of a check.
type CheckPhase uint8

// The phases.
const (
	CheckPass CheckPhase = iota
	CheckClaims
	CheckLockFirst
	CheckWait
	CheckLook
	CheckLast
	CheckOver
)

// Check is a check of one value, with the results of its reads so far.
type Check struct {
	Phase  CheckPhase
	Passed uint16 // the items of the first pass that were read, in bits
	Claims uint8  // the accounts that the pass saw with the value, in bits
	Locked bool   // the pass saw the lock
	Look   Look
	// PutAgain is set if the lock was put between its first and its last reading (ABA).
	PutAgain bool
	// Touched is set if an account or the lock was written since the start of the check.
	Touched bool
	// Found has the readings of single items, for a model without the snapshot.
	Found Found
}

// anomaly is a problem of a value. A check finds it.
type anomaly string

const (
	sound       anomaly = ""
	orphaned    anomaly = "orphaned"
	missingLock anomaly = "missing"
	duplicate   anomaly = "duplicate"
)

// wrong returns the true anomaly of the first value.
func (s *State) wrong() anomaly {
	holders, locked := len(s.holders(0)), s.LockOf(0) != 0
	switch {
	case holders > 1:
		return duplicate
	case holders == 1 && !locked:
		return missingLock
	case holders == 0 && locked:
		return orphaned
	}
	return sound
}

// Found has the results of single reads.
type Found struct {
	Reads, Holders int
	NoLock         bool
}

func (c *Check) key(b []byte, items []int) []byte {
	b = append(b, byte(c.Phase), byte(c.Passed), byte(c.Passed>>8), c.Claims, bit(c.Locked), bit(c.PutAgain),
		bit(c.Touched), byte(c.Found.Reads), byte(c.Found.Holders), bit(c.Found.NoLock))
	return c.Look.key(b, items)
}

// noteWrite notes a write of an item while the check runs.
func (c *Check) noteWrite(item int, v Version) {
	c.Touched = c.Touched || item <= LockItem(0)
	if item == LockItem(0) && v != 0 {
		c.PutAgain = true
	}
}

func (m *Model) checkSteps(s *State) (all []Step) {
	switch c := s.Check; c.Phase {
	case CheckPass:
		for a := range m.Accounts {
			all = append(all, m.passSteps(s, PassAccount, a, 1<<a)...)
		}
		all = append(all, m.passSteps(s, PassLock, LockItem(0), 1<<LockItem(0))...)
		all = append(all, Step{Kind: Classify})
	case CheckClaims:
		if m.without(TheSnapshot) {
			return []Step{{Kind: ReadOne}}
		}
		return []Step{{Kind: Snapshot}}
	case CheckLockFirst:
		return []Step{{Kind: ReadLockFirst}}
	case CheckWait:
		return []Step{{Kind: SettleCheck}}
	case CheckLook:
		return append(m.lookSteps(s, &s.Check.Look, checkProcess), Step{Kind: EndCheckLook})
	case CheckLast:
		return []Step{{Kind: ReadLockAgain}}
	}
	return all
}

// passSteps returns the possible readings of an item in the first pass. A reading is eventually consistent.
func (m *Model) passSteps(s *State, kind Kind, item int, bit uint16) (all []Step) {
	if s.Check.Passed&bit != 0 {
		return nil
	}
	oldest := s.Items[item].Visible
	if m.Lag {
		oldest = 0
	}
	for n := oldest; n <= s.Items[item].Visible; n++ {
		all = append(all, Step{Kind: kind, Account: item, Number: n})
	}
	return all
}

// pass reads one item in the first pass, and notes the lock, or an account that holds the value.
func (m *move) pass(step Step) error {
	c := &m.Check
	if c.Phase != CheckPass || c.Passed>>step.Account&1 == 1 {
		return errNotNow
	}
	shown := m.Items[step.Account].Versions[step.Number]
	c.Passed |= 1 << step.Account
	switch {
	case step.Kind == PassLock:
		c.Locked = shown != 0
	case shown == Holds(0):
		c.Claims |= 1 << step.Account
	}
	return nil
}

// classify ends the pass. Each account that holds the value adds 1 to a sum, and the lock subtracts 1. A positive sum
// means a missing lock or a duplicate, and a negative sum means an orphan.
func (m *move) classify(Step) error {
	c := &m.Check
	whole := uint16(1<<m.Accounts - 1 | 1<<LockItem(0))
	if c.Phase != CheckPass || c.Passed != whole && !m.without(TheWholePass) {
		return errNotNow
	}
	sum := bits.OnesCount8(c.Claims)
	if c.Locked {
		sum--
	}
	switch {
	case sum > 0:
		c.Phase = CheckClaims
	case sum < 0:
		c.Phase = CheckLockFirst
		m.begin(&c.Look, checkLook)
		if m.without(TheFirstLockRead) {
			c.Phase = CheckWait
		}
	default:
		m.endCheck(sound)
	}
	return nil
}

// snapshot reads the lock and all accounts that the pass saw with the value, in one transaction.
func (m *move) snapshot(Step) error {
	c := &m.Check
	holders := 0
	for a := range m.Accounts {
		if c.Claims>>a&1 == 1 && m.Account(a) == Holds(0) {
			holders++
		}
	}
	m.judgePair(holders, m.LockOf(0) == 0)
	return nil
}

// readOne reads the next item in place of the snapshot. The check reads each of several claimants (X10), or the only
// claimant, the lock, and the claimant again (X9).
func (m *move) readOne(Step) error {
	c := &m.Check
	var claimants []int
	for a := range m.Accounts {
		if c.Claims>>a&1 == 1 {
			claimants = append(claimants, a)
		}
	}
	f := &c.Found
	strong := func(item int) Version { return m.Items[item].Versions[m.Items[item].Visible] }
	n := f.Reads
	f.Reads++
	switch {
	case len(claimants) > 1: // reads each claimant once
		if strong(claimants[n]) == Holds(0) {
			f.Holders++
		}
		if f.Reads == len(claimants) {
			m.judgePair(f.Holders, false)
		}
	case n == 1:
		f.NoLock = strong(LockItem(0)) == 0
	default:
		if strong(claimants[0]) == Holds(0) {
			f.Holders++
		}
		if n == 2 {
			m.judgePair(f.Holders/2, f.NoLock)
		}
	}
	return nil
}

// judgePair ends a check with a duplicate, a missing lock, or no anomaly.
func (m *move) judgePair(holders int, noLock bool) {
	found, real := sound, len(m.holders(0))
	switch {
	case holders > 1:
		found = duplicate
	case holders == 1 && noLock:
		found = missingLock
	}
	if found == duplicate && real < 2 || found == missingLock && (real == 0 || m.LockOf(0) != 0) {
		m.breaks(PairsAreTrue)
	}
	m.endCheck(found)
}

// endCheck ends the check. If nobody has written the value during the check, the check must have found its true
// anomaly.
func (m *move) endCheck(found anomaly) {
	m.Check.Phase = CheckOver
	if found != m.wrong() && (!m.Check.Touched || m.without(TheStillException)) {
		m.breaks(FindsWhatStays)
	}
}

// readLock reads the lock before the wait. If the lock does not exist, the check ends without an anomaly.
func (m *move) readLock(Step) error {
	c, i := &m.Check, m.Items[LockItem(0)]
	if c.Phase != CheckLockFirst {
		return errNotNow
	}
	if i.Versions[i.Visible] == 0 {
		m.endCheck(sound)
		return nil
	}
	c.Phase, c.PutAgain = CheckWait, false
	m.begin(&c.Look, checkLook)
	return nil
}

func (m *move) settleCheck(Step) error {
	c := &m.Check
	if !m.without(TheWait) {
		if m.inFlight(checkLook) {
			return errNotNow
		}
		m.settle(&c.Look)
		m.land(checkLook)
	}
	c.Phase = CheckLook
	return nil
}

func (m *move) endCheckLook(Step) error {
	c := &m.Check
	if c.Phase != CheckLook || c.Look.Read != 1<<m.Accounts-1 {
		return errNotNow
	}
	if c.Look.Found {
		m.endCheck(sound)
		return nil
	}
	c.Phase = CheckLast
	return nil
}

// readLockAgain reads the lock for the last time, in a transaction. If the lock still exists, it is a confirmed orphan.
func (m *move) readLockAgain(Step) error {
	i := m.Items[LockItem(0)]
	there := i.Now() != 0
	if m.without(TheLastTransaction) {
		there = i.Versions[i.Visible] != 0
	}
	if !there {
		m.endCheck(sound)
		return nil
	}
	excused := m.Check.PutAgain && !m.without(TheABAException) && !m.without(TheFirstLockRead)
	if (len(m.holders(0)) > 0 || m.LockOf(0) == 0) && !excused {
		m.breaks(OrphansAreTrue)
	}
	m.endCheck(orphaned)
	return nil
}
