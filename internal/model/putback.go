package model

// The steps that put a missing lock, or restore a deleted one (docs/truth.md §3d).
const (
	ReadClaimant Kind = "read the claimant"
	Put          Kind = "put the lock"
	Restore      Kind = "put the freed lock back" // the undo of a release whose value no account holds
)

var putBackKinds = map[Kind]func(*move, Step) error{
	ReadClaimant: (*move).readClaimant, Put: (*move).put, Restore: (*move).restore,
}

// PutBack is a put of a value's lock. In an exploration, it is the first value.
type PutBack struct {
	Read    bool
	Over    bool
	Account int
	Value   int
	Put     bool // the lock was put
}

// ChecksClaimant is the rule for a put of a lock that an account claims.
const ChecksClaimant Rule = "a lock is put only with a check that its claimant holds the value"

// RestoresFreed is the rule for a put of a lock that no account claims.
const RestoresFreed Rule = "a lock is put for no claimant only if a release has deleted it"

func (p *PutBack) key(b []byte) []byte {
	return append(b, bit(p.Read), bit(p.Over), byte(p.Account), byte(p.Value), bit(p.Put))
}

func (m *Model) putBackSteps(s *State) (all []Step) {
	for n := range s.Releases {
		if s.Releases[n].Freed {
			all = append(all, Step{Kind: Restore, Process: n})
		}
	}
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

// readClaimant reads an account that holds the value. The value must have no lock.
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
	m.write(LockItem(p.Value), m.newLock(p.Account))
	return nil
}

// restore puts a lock back that a release has deleted, without its mark, if there is no lock.
func (m *move) restore(step Step) error {
	r := &m.Releases[step.Process]
	if !r.Freed {
		return RestoresFreed
	}
	r.Freed = false
	if m.LockOf(r.Value) != 0 {
		if !m.without(ThePutsAbsent) {
			return nil
		}
		m.breaks(OverwritesNothing)
	}
	m.write(LockItem(r.Value), r.Seen.mark(0))
	return nil
}
