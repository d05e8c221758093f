package model

import (
	"math/bits"
	"slices"
)

// The steps of the writers, while a unique rule is adopted on their table. The printed transactions put and delete
// locks. Before Verify, an account may have no lock yet, so the printed transactions accept that the old lock is
// missing. As before the adoption, a sign-up and a change first check whether another account holds the value. Old
// writers do not use locks.
const (
	CheckFirst    Kind = "look for other accounts" // the first step of a sign-up or a change, a separate request
	SignUpPrinted Kind = "sign up (printed)"
	ChangePrinted Kind = "change (printed)"
	LeavePrinted  Kind = "leave (printed)"
	SignUpOld     Kind = "sign up (old)"
	ChangeOld     Kind = "change (old)"
	LeaveOld      Kind = "leave (old)"
)

// The steps of the tool.
const (
	Survey Kind = "survey"
	// Backfill is one transaction of the backfill. A LateCopy repeats it: it was sent again, or a copy arrived late.
	Backfill     Kind = "put locks"
	PutsArrived  Kind = "no copy of a put can arrive any more" // the wait before an undo
	Undo         Kind = "undo"                                 // one transaction of the undo
	BeginVerify  Kind = "verify"
	VerifyItem   Kind = "verify item"
	VerifyResult Kind = "end of verify"
)

var adoptKinds = map[Kind]func(*move, Step) error{
	Survey: (*move).survey, Backfill: (*move).backfill, PutsArrived: (*move).putsArrived, Undo: (*move).undo,
	BeginVerify: (*move).beginVerify, VerifyItem: (*move).verifyItem, VerifyResult: (*move).verifyResult,
}

// Adopt is an adoption of the rule: the survey, the backfill and Verify.
type Adopt struct {
	Surveyed uint8                // the accounts that the survey has read, in bits
	Claims   [maxAccounts]Version // the values that the survey saw
	Sent     uint8                // the accounts whose lock was sent, in bits
	Undone   uint8                // the values whose lock the undo has tried to delete, in bits
	// Verifying is 1 while Verify reads, and 2 after its end.
	Verifying int
	Verified  uint16 // the items that Verify has read, in bits
	Sums      [maxValues]int
	// Touched has the items that were written since Verify began, in bits.
	Touched uint16
}

// The rules of the backfill and of its undo.
const (
	OnlyHeld  Rule = "the backfill puts no lock for a value that two accounts are known to hold"
	UndoIsOwn Rule = "an undo deletes only locks that have the attribute of the backfill"
)

func (a *Adopt) key(b []byte) []byte {
	b = append(b, a.Surveyed, a.Sent, a.Undone, byte(a.Verifying))
	b = append(b, byte(a.Verified), byte(a.Verified>>8), byte(a.Touched), byte(a.Touched>>8))
	for _, v := range a.Claims {
		b = append(b, byte(v))
	}
	for _, n := range a.Sums {
		b = append(b, byte(n+8))
	}
	return b
}

// surveys reports whether the survey may still read.
func (a *Adopt) surveys() bool { return a.Sent == 0 && a.Verifying == 0 }

// noteWrite notes a write while Verify runs.
func (a *Adopt) noteWrite(item int) {
	if a.Verifying == 1 {
		a.Touched |= 1 << item
	}
}

func (m *Model) adoptSteps(s *State) (all []Step) {
	a := s.Adopt
	if a.Verifying == 1 {
		for _, n := range m.items() {
			if a.Verified>>n&1 == 0 {
				all = append(all, Step{Kind: VerifyItem, Number: n})
			}
		}
		return append(append(all, Step{Kind: VerifyResult}), m.copies(s)...)
	}
	for n := range m.Accounts {
		if a.Surveyed>>n&1 == 1 {
			continue
		}
		oldest := s.Items[n].Visible
		if m.Lag {
			oldest = 0
		}
		for v := oldest; v <= s.Items[n].Visible; v++ {
			all = append(all, Step{Kind: Survey, Account: n, Number: v})
		}
	}
	fates := []Answer{Answered}
	if m.Losses {
		fates = []Answer{Answered, LostAfter, LostSent}
	}
	for _, writes := range a.batches(m.Accounts) {
		for _, fate := range fates {
			all = append(all, Step{Kind: Backfill, Number: 1, Writes: writes, Answer: fate})
		}
	}
	all = append(all, m.undoSteps(s, fates)...)
	all = append(all, m.copies(s)...)
	if a.Verifying == 0 && a.Sent != 0 && (!s.undoing() || m.without(TheUndosEnd)) {
		all = append(all, Step{Kind: BeginVerify})
	}
	return all
}

// undoSteps returns the transactions of the undo. The undo first waits until no copy of a put can arrive, because a
// late copy would put the deleted lock again.
func (m *Model) undoSteps(s *State, fates []Answer) (all []Step) {
	if slices.ContainsFunc(s.Late, isFill) {
		return []Step{{Kind: PutsArrived}}
	}
	a := s.Adopt
	for n := range m.Accounts {
		if v := int(a.Claims[n]) - 1; a.Sent>>n&1 == 1 && a.Undone>>v&1 == 0 {
			for _, fate := range fates {
				all = append(all, Step{Kind: Undo, Number: 1, Writes: []Write{adopted(n, v, 1)}, Answer: fate})
			}
		}
	}
	return all
}

// copies returns the steps in which late copies arrive.
func (m *Model) copies(s *State) (all []Step) {
	if m.Losses && !m.runs(ByMark) {
		for n := range s.Late {
			all = append(all, Step{Kind: LateCopy, Number: n})
		}
	}
	return all
}

// undoing reports whether an undo has begun and has not reached its end: a lock of its backfill still exists.
func (s *State) undoing() bool {
	for value := range maxValues {
		if l, _ := s.LockOf(value).Lock(); l.Adopted != 0 && s.Adopt.Undone != 0 {
			return true
		}
	}
	return false
}

func isFill(r Request) bool { return r.Kind == Backfill }

// putsArrived ends the wait of the undo: from now on, no copy of a put can arrive.
func (m *move) putsArrived(Step) error {
	m.Late = slices.DeleteFunc(m.Late, isFill)
	return nil
}

// batches returns the transactions that the backfill may send next. Each is a list of claims: the claim of one account,
// or the claims of all remaining accounts.
func (a *Adopt) batches(accounts int) (all [][]Write) {
	if a.Surveyed != 1<<accounts-1 {
		return nil
	}
	var rest []Write
	for n := range accounts {
		if a.Sent>>n&1 == 0 && a.Claims[n] != 0 {
			rest = append(rest, Write{Item: n, Version: a.Claims[n]})
		}
	}
	for n := range rest {
		all = append(all, rest[n:n+1])
	}
	if len(rest) > 1 {
		all = append(all, rest)
	}
	return all
}

// adopted returns the lock that a run of the backfill puts for an account.
func adopted(account, value, run int) Write {
	return Write{Item: LockItem(value), Version: Lock{Owner: account + 1, Adopted: run}.Version()}
}

// checkFirst is the application's own search for another account with the value.
func (m *move) checkFirst(step Step) error {
	f := &m.Flights[step.Account]
	if f.Kind != NoFlight || len(m.holders(step.Value)) > 0 {
		return errNotNow
	}
	m.spend()
	*f = Flight{Kind: CheckedFirst, Value: step.Value}
	return nil
}

// checked ends the application's own search. It returns false if the account has not searched for the value.
func (m *move) checked(step Step) bool {
	f := &m.Flights[step.Account]
	was := *f
	*f = Flight{}
	return was.Kind == CheckedFirst && was.Value == step.Value
}

func (m *move) signUpPrinted(step Step) error {
	if !m.checked(step) || m.Account(step.Account) != 0 || m.LockOf(step.Value) != 0 {
		return errNotNow
	}
	m.write(step.Account, Holds(step.Value))
	m.write(LockItem(step.Value), m.newLock(step.Account))
	return nil
}

func (m *move) changePrinted(step Step) error {
	has := m.Account(step.Account)
	if !m.checked(step) || has == 0 || has == Holds(step.Value) || m.LockOf(step.Value) != 0 || !m.ownLock(step.Account) {
		return errNotNow
	}
	m.write(step.Account, Holds(step.Value))
	m.write(LockItem(step.Value), m.newLock(step.Account))
	m.dropLock(int(has) - 1)
	return nil
}

func (m *move) leavePrinted(step Step) error {
	has := m.Account(step.Account)
	if has == 0 || !m.ownLock(step.Account) {
		return errNotNow
	}
	m.spend()
	m.write(step.Account, 0)
	m.dropLock(int(has) - 1)
	return nil
}

// ownLock reports whether the lock of an account's value is absent or names the account.
func (m *move) ownLock(account int) bool {
	l, there := m.LockOf(int(m.Account(account)) - 1).Lock()
	return !there || l.Owner == account+1
}

func (m *move) dropLock(value int) {
	if m.LockOf(value) != 0 {
		m.write(LockItem(value), 0)
	}
}

func (m *move) signUpOld(step Step) error {
	if !m.checked(step) || m.Account(step.Account) != 0 {
		return errNotNow
	}
	m.write(step.Account, Holds(step.Value))
	return nil
}

func (m *move) changeOld(step Step) error {
	has := m.Account(step.Account)
	if !m.checked(step) || has == 0 || has == Holds(step.Value) {
		return errNotNow
	}
	m.write(step.Account, Holds(step.Value))
	return nil
}

// survey reads one account, eventually consistent.
func (m *move) survey(step Step) error {
	a := &m.Adopt
	a.Surveyed |= 1 << step.Account
	a.Claims[step.Account] = m.Items[step.Account].Versions[step.Number]
	return nil
}

// backfill sends one transaction that puts locks. Writes has the claims: the accounts with their values. Number is the
// run.
func (m *move) backfill(step Step) error {
	a := &m.Adopt
	for _, w := range step.Writes {
		for other := range m.Accounts {
			if other != w.Item && a.Claims[other] == w.Version {
				return OnlyHeld
			}
		}
		a.Sent |= 1 << w.Item
	}
	m.request(m.RequestOf(step), step.Answer)
	return nil
}

// undo sends one transaction that deletes locks of a run. Writes has the locks as the run has put them.
func (m *move) undo(step Step) error {
	for _, w := range step.Writes {
		if l, _ := w.Version.Lock(); l.Adopted != step.Number || l.Adopted == 0 {
			return UndoIsOwn
		}
		m.Adopt.Undone |= 1 << (w.Item - LockItem(0))
	}
	m.request(m.RequestOf(step), step.Answer)
	return nil
}

// RequestOf returns the request that a step of a backfill or of its undo sends.
func (m *Model) RequestOf(step Step) Request {
	r := Request{Kind: step.Kind, Mark: step.Number}
	for _, w := range step.Writes {
		if step.Kind == Backfill {
			r.Of[int(w.Version)-1] = uint8(w.Item + 1)
			continue
		}
		l, _ := w.Version.Lock()
		r.Of[w.Item-LockItem(0)] = uint8(l.Owner)
	}
	return r
}

// request sends a request of a backfill or of its undo.
func (m *move) request(r Request, fate Answer) {
	if done := fate != LostSent && m.execute(r); fate != Answered || !done {
		m.keepCopy(r)
	}
}

// fill puts all locks of a transaction if none of them exists and each account holds its value. Otherwise it puts none.
func (m *move) fill(r Request) bool {
	for value, by := range r.Of {
		locked, holds := m.LockOf(value) != 0, by > 0 && m.Account(int(by)-1) == Holds(value)
		if by > 0 && (locked && !m.without(ThePutsAbsent) || !holds && !m.without(ThePutsCheck)) {
			return false
		}
	}
	for value, by := range r.Of {
		if by == 0 {
			continue
		}
		if m.LockOf(value) != 0 {
			m.breaks(OverwritesNothing)
		}
		if len(m.holders(value)) == 0 {
			m.breaks(MakesNoOrphan)
		}
		w := adopted(int(by)-1, value, r.Mark)
		m.write(w.Item, w.Version)
	}
	return true
}

// unfill deletes all locks of a transaction if each of them is unchanged. Otherwise it deletes none.
func (m *move) unfill(r Request) bool {
	for value, by := range r.Of {
		asPut := by > 0 && m.LockOf(value) == adopted(int(by)-1, value, r.Mark).Version
		if by > 0 && !asPut && (!m.without(TheUndosTag) || m.LockOf(value) == 0) {
			return false
		}
	}
	for value, by := range r.Of {
		if by == 0 {
			continue
		}
		if l, _ := m.LockOf(value).Lock(); l.Adopted != r.Mark {
			m.breaks(UndoDeletesOnlyItsOwn)
		}
		m.write(LockItem(value), 0)
	}
	return true
}

// beginVerify begins the check after the backfill.
func (m *move) beginVerify(Step) error {
	m.Adopt.Verifying = 1
	for n := range m.Items { // the tool has waited before it reads, so all items are visible
		m.Items[n].Visible = len(m.Items[n].Versions) - 1
	}
	return nil
}

// verifyItem reads one item: an account adds 1 to the sum of its value, and a lock subtracts 1.
func (m *move) verifyItem(step Step) error {
	a := &m.Adopt
	a.Verified |= 1 << step.Number
	i := m.Items[step.Number]
	switch shown := i.Versions[i.Visible]; {
	case shown == 0:
	case step.Number < maxAccounts:
		a.Sums[shown-1]++
	default:
		a.Sums[step.Number-maxAccounts]--
	}
	return nil
}

// verifyResult ends Verify. It says that the rule holds if no sum is above 0. A value that is wrong all the time must
// not pass.
func (m *move) verifyResult(Step) error {
	a := &m.Adopt
	if len(m.items()) != bits.OnesCount16(a.Verified) {
		return errNotNow
	}
	a.Verifying = 2
	for value := range m.Values {
		if a.Sums[value] > 0 {
			return nil // a lock is missing, or a value is a duplicate: Verify names the phase to repeat
		}
	}
	for value := range m.Values {
		touched := a.Touched>>LockItem(value)&1 == 1
		for _, account := range m.holders(value) {
			touched = touched || a.Touched>>account&1 == 1
		}
		n := len(m.holders(value))
		if wrong := n > 1 || n == 1 && m.LockOf(value) == 0; wrong && !touched {
			m.breaks(FindsWhatStays)
		} else if wrong {
			m.breaks(HoldsAtEnd)
		}
	}
	return nil
}
