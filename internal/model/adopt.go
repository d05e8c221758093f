package model

// The writers of a table that gets a unique rule while it is in use. The printed transactions put and delete locks.
// Before Verify, an account may have no lock yet, so they accept that the old lock is absent. A sign-up and a change
// first look whether another account holds the value, as the application always did. Old writers know no locks.
const (
	CheckFirst    Kind = "look for other accounts" // the first step of a sign-up or a change, in a request of its own
	SignUpPrinted Kind = "sign up (printed)"
	ChangePrinted Kind = "change (printed)"
	LeavePrinted  Kind = "leave (printed)"
	SignUpOld     Kind = "sign up (old)"
	ChangeOld     Kind = "change (old)"
	LeaveOld      Kind = "leave (old)"
)

// The steps of the tool.
const (
	Survey       Kind = "survey"
	Backfill     Kind = "put a lock"
	PutAgain     Kind = "put a lock again" // a copy of the request, or a second sending
	Undo         Kind = "undo"
	BeginVerify  Kind = "verify"
	VerifyItem   Kind = "verify item"
	VerifyResult Kind = "end of verify"
)

var adoptKinds = map[Kind]func(*move, Step) error{
	Survey: (*move).survey, Backfill: (*move).backfill, PutAgain: (*move).backfill, Undo: (*move).undo,
	BeginVerify: (*move).beginVerify, VerifyItem: (*move).verifyItem, VerifyResult: (*move).verifyResult,
}

// Adopt is an adoption of the rule: the survey, the backfill and Verify.
type Adopt struct {
	Surveyed uint8                // the accounts that the survey has read, in bits
	Claims   [maxAccounts]Version // the values that the survey saw
	Sent     uint8                // the accounts whose lock was sent, in bits
	Undone   uint8                // the values whose lock was undone, in bits
	// Verifying is 1 while Verify reads, and 2 when it is over.
	Verifying int
	Verified  uint8 // the items that Verify has read, in bits
	Sums      [maxValues]int
	// Touched has the items that were written since Verify began, in bits.
	Touched uint8
}

// The rules of the backfill and of its undo.
const (
	OnlyHeld  Rule = "the backfill puts no lock for a value that two accounts are known to hold"
	UndoIsOwn Rule = "an undo deletes only locks that have the attribute of the backfill"
)

func (a *Adopt) key(b []byte) []byte {
	b = append(b, a.Surveyed, a.Sent, a.Undone, byte(a.Verifying), a.Verified, a.Touched)
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
		for n := range maxItems {
			if a.Verified>>n&1 == 0 {
				all = append(all, Step{Kind: VerifyItem, Number: n})
			}
		}
		return append(all, Step{Kind: VerifyResult})
	}
	for n := range m.Accounts {
		if a.Surveyed>>n&1 == 0 {
			oldest := s.Items[n].Visible
			if m.Lag {
				oldest = 0
			}
			for v := oldest; v <= s.Items[n].Visible; v++ {
				all = append(all, Step{Kind: Survey, Account: n, Number: v})
			}
			continue
		}
		if a.Sent>>n&1 == 0 {
			all = append(all, Step{Kind: Backfill, Account: n})
		} else if m.Losses {
			all = append(all, Step{Kind: PutAgain, Account: n})
		}
	}
	for v := range m.Values {
		all = append(all, Step{Kind: Undo, Value: v})
	}
	if a.Verifying == 0 && a.Sent != 0 {
		all = append(all, Step{Kind: BeginVerify})
	}
	return all
}

// checkFirst is the application's own look for another account with a value.
func (m *move) checkFirst(step Step) error {
	f := &m.Flights[step.Account]
	if f.Kind != NoFlight || len(m.holders(step.Value)) > 0 {
		return errNotNow
	}
	m.spend()
	*f = Flight{Kind: CheckedFirst, Value: step.Value}
	return nil
}

// checked ends the application's own look. It returns false if the account has not looked for the value.
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

// backfill puts the lock of an account, if there is none and the account still holds the value.
func (m *move) backfill(step Step) error {
	a := &m.Adopt
	claim := a.Claims[step.Account]
	if claim == 0 || a.Surveyed != 1<<m.Accounts-1 {
		return errNotNow
	}
	for other := range m.Accounts {
		if other != step.Account && a.Claims[other] == claim {
			return OnlyHeld
		}
	}
	a.Sent |= 1 << step.Account
	value := int(claim) - 1
	if m.LockOf(value) != 0 && !m.without(ThePutsAbsent) || m.Account(step.Account) != claim && !m.without(ThePutsCheck) {
		return nil
	}
	if m.LockOf(value) != 0 {
		m.breaks(OverwritesNothing)
	}
	if len(m.holders(value)) == 0 {
		m.breaks(MakesNoOrphan)
	}
	m.write(LockItem(value), Lock{Owner: step.Account + 1, Adopted: true}.Version())
	return nil
}

// undo deletes a lock of the backfill if the lock is unchanged.
func (m *move) undo(step Step) error {
	a := &m.Adopt
	l, there := m.LockOf(step.Value).Lock()
	switch {
	case !there || a.Undone>>step.Value&1 == 1:
		return errNotNow
	case !l.Adopted && !m.without(TheUndosTag):
		return UndoIsOwn
	case !l.Adopted:
		m.breaks(UndoDeletesOnlyItsOwn)
	}
	a.Undone |= 1 << step.Value
	m.write(LockItem(step.Value), 0)
	return nil
}

// beginVerify begins the check after the backfill.
func (m *move) beginVerify(Step) error {
	m.Adopt.Verifying = 1
	for n := range m.Items { // the tool waits before it reads
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
	if a.Verified != 1<<maxItems-1 {
		return errNotNow
	}
	a.Verifying = 2
	for value := range m.Values {
		if a.Sums[value] > 0 {
			return nil // missing or duplicate: Verify names the phase to repeat
		}
	}
	for value := range m.Values {
		touched := a.Touched>>LockItem(value)&1 == 1
		for _, account := range m.holders(value) {
			touched = touched || a.Touched>>account&1 == 1
		}
		if n := len(m.holders(value)); !touched && (n > 1 || n == 1 && m.LockOf(value) == 0) {
			m.breaks(FindsWhatStays)
		}
	}
	return nil
}
