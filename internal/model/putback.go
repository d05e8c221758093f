package model

// The steps that put a lock for an account that holds its value (docs/truth.md §3b, the last paragraph).
const (
	ReadClaimant Kind = "read the claimant"
	Put          Kind = "put the lock"
)

var putBackKinds = map[Kind]func(*move, Step) error{ReadClaimant: (*move).readClaimant, Put: (*move).put}

// PutBack puts the lock of a value. In an exploration, this is the first value.
type PutBack struct {
	Read    bool
	Over    bool
	Account int
	Value   int
	Adopted bool // the lock gets the attribute of a backfill
	Put     bool // the lock was put
}

// ChecksClaimant is the rule of every put of a lock.
const ChecksClaimant Rule = "a lock is put only with a check that its claimant holds the value"

func (p *PutBack) key(b []byte) []byte {
	return append(b, bit(p.Read), bit(p.Over), byte(p.Account), byte(p.Value), bit(p.Put))
}

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
	if i := m.Items[step.Account]; i.Versions[i.Visible] != Holds(step.Value) || m.LockOf(step.Value) != 0 {
		return errNotNow
	}
	m.PutBack = PutBack{Read: true, Account: step.Account, Value: step.Value}
	return nil
}

// put puts the lock if there is none, and if the account still holds the value.
func (m *move) put(Step) error {
	p := &m.PutBack
	if !p.Read {
		return ChecksClaimant
	}
	p.Over = true
	locked, holds := m.LockOf(p.Value) != 0, m.Account(p.Account) == Holds(p.Value)
	if locked && !m.without(ThePutsAbsent) || !holds && !m.without(ThePutsCheck) {
		return nil
	}
	if locked {
		m.breaks(OverwritesNothing)
	}
	if len(m.holders(p.Value)) == 0 {
		m.breaks(MakesNoOrphan)
	}
	p.Put = true
	v := m.newLock(p.Account)
	if p.Adopted {
		v = Lock{Owner: p.Account + 1, Adopted: true}.Version()
	}
	m.write(LockItem(p.Value), v)
	return nil
}
