package model

// The steps that put a lock for an account that holds its value (docs/truth.md §3b, the last paragraph).
const (
	ReadClaimant Kind = "read the claimant"
	Put          Kind = "put the lock"
)

var putBackKinds = map[Kind]func(*move, Step) error{ReadClaimant: (*move).readClaimant, Put: (*move).put}

// PutBack puts a lock of the first value.
type PutBack struct {
	Read    bool
	Over    bool
	Account int
}

// ChecksClaimant is the rule of every put of a lock.
const ChecksClaimant Rule = "a lock is put only with a check that its claimant holds the value"

func (p *PutBack) key(b []byte) []byte { return append(b, bit(p.Read), bit(p.Over), byte(p.Account)) }

func (m *Model) putBackSteps(s *State) (all []Step) {
	switch {
	case s.PutBack.Over:
	case s.PutBack.Read:
		all = append(all, Step{Kind: Put})
	default:
		for a := range m.Accounts {
			all = append(all, Step{Kind: ReadClaimant, Account: a})
		}
	}
	return all
}

// readClaimant reads an account that holds the value, and finds no lock.
func (m *move) readClaimant(step Step) error {
	if i := m.Items[step.Account]; i.Versions[i.Visible] != Holds(0) || m.LockOf(0) != 0 {
		return errNotNow
	}
	m.PutBack = PutBack{Read: true, Account: step.Account}
	return nil
}

// put puts the lock if there is none, and if the account still holds the value.
func (m *move) put(Step) error {
	p := &m.PutBack
	p.Over = true
	if m.LockOf(0) != 0 && !m.without(ThePutsAbsent) || m.Account(p.Account) != Holds(0) && !m.without(ThePutsCheck) {
		return nil
	}
	if m.LockOf(0) != 0 {
		m.breaks(OverwritesNothing)
	}
	if len(m.holders(0)) == 0 {
		m.breaks(MakesNoOrphan)
	}
	m.write(lockItem(0), m.newLock(p.Account))
	return nil
}
