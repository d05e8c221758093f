package model

// The steps of a release of a lock that names its owner (docs/truth.md §3c). The release is one transaction.
const (
	ReadOwned   Kind = "read the lock with an owner"
	ReadOwner   Kind = "read the owner"
	DeleteOwned Kind = "delete if the owner is as seen"
)

var ownerKinds = map[Kind]func(*move, Step) error{
	ReadOwned: (*move).readOwned, ReadOwner: (*move).readOwner, DeleteOwned: (*move).deleteOwned,
}

// OwnerRelease is a release of the first value's lock, which names its owner.
type OwnerRelease struct {
	Read    bool
	Over    bool
	Seen    Version // the lock
	Account Version // the owner's account
}

func (o *OwnerRelease) key(b []byte) []byte {
	return append(o.Seen.key(b), bit(o.Read), bit(o.Over), byte(o.Account))
}

func (m *Model) ownerSteps(s *State) (all []Step) {
	switch {
	case s.Owner.Over:
	case s.Owner.Read:
		all = append(all, Step{Kind: DeleteOwned})
	case s.Owner.Seen == 0:
		all = append(all, Step{Kind: ReadOwned})
	default:
		l, _ := s.Owner.Seen.Lock()
		all = append(all, Step{Kind: ReadOwner, Account: l.Owner - 1})
	}
	return all
}

// readOwned reads the lock. It has to name an owner.
func (m *move) readOwned(Step) error {
	i := m.Items[LockItem(0)]
	seen := i.Versions[i.Visible]
	if l, _ := seen.Lock(); l.Owner == 0 {
		return errNotNow
	}
	m.Owner.Seen = seen
	return nil
}

// readOwner reads the account that the lock names. The account must not hold the value.
func (m *move) readOwner(step Step) error {
	i := m.Items[step.Account]
	seen := i.Versions[i.Visible]
	if seen == Holds(0) {
		return errNotNow
	}
	m.Owner.Read, m.Owner.Account = true, seen
	return nil
}

// deleteOwned deletes the lock, if the lock and its owner have not changed since they were read.
func (m *move) deleteOwned(Step) error {
	o := &m.Owner
	o.Over = true
	l, _ := o.Seen.Lock()
	if m.LockOf(0) != o.Seen || m.Account(l.Owner-1) != o.Account && !m.without(TheOwnersCheck) {
		return nil
	}
	if len(m.holders(0)) > 0 {
		m.breaks(FreesNoLiveValue)
	}
	m.write(LockItem(0), 0)
	return nil
}
