package model

// The steps of the application. Each step is one transaction. Some operations have two steps.
const (
	SignUp Kind = "sign up" // puts the account and its lock, if both are absent
	Leave  Kind = "leave"   // deletes an account and its lock
	Change Kind = "change"  // gives an account another value, with the new lock, and deletes the old lock
	Import Kind = "import"  // puts an account and its lock, and overwrites existing ones
	Expire Kind = "expire"  // deletes an account and leaves its lock, as TTL does
	Tidy   Kind = "tidy"    // deletes a lock by hand

	// Operations in two steps. A sign-up puts the lock first and the account later. A deletion deletes the account first
	// and the lock later.
	PutLock       Kind = "put the lock of"
	PutAccount    Kind = "put the account"
	DeleteAccount Kind = "delete the account"
	DeleteLock    Kind = "delete the lock of"

	// A sign-up that first reserves its value. At its end, an UpdateItem adds an attribute to the lock.
	Reserve Kind = "reserve"
	Confirm Kind = "confirm"

	// Writers that break the gain rule (X12).
	ReKey      Kind = "re-key"      // moves a value to another account, and leaves the lock
	ImportBare Kind = "import bare" // puts an account without a lock
	Copy       Kind = "copy"        // is like Change, but the new lock has the attributes of the old one

	// LeaveStrict is Leave by an application that refuses locks with unknown attributes.
	LeaveStrict Kind = "leave, strict"

	// Transaction is a transaction of a real application, in a trace.
	Transaction Kind = "transaction"
)

var applicationKinds = map[Kind]func(*move, Step) error{
	SignUp: (*move).signUp, Leave: (*move).leave, LeaveStrict: (*move).leaveStrict, Change: (*move).change,
	Import: (*move).importAccount, Expire: (*move).expire, Tidy: (*move).tidy, PutLock: (*move).putLock,
	PutAccount:    (*move).putAccount,
	DeleteAccount: (*move).deleteAccount, DeleteLock: (*move).deleteLock, Reserve: (*move).reserve,
	Confirm: (*move).confirm, ReKey: (*move).reKey, ImportBare: (*move).importBare, Copy: (*move).copyLock,
	Transaction: (*move).transaction, CheckFirst: (*move).checkFirst, SignUpPrinted: (*move).signUpPrinted,
	ChangePrinted: (*move).changePrinted, LeavePrinted: (*move).leavePrinted, SignUpOld: (*move).signUpOld,
	ChangeOld: (*move).changeOld, LeaveOld: (*move).expire,
}

// applicationSteps returns the steps that the application may take.
func (m *Model) applicationSteps(s *State) (all []Step) {
	for _, kind := range m.Application {
		if s.Left == 0 && !finishes[kind] {
			continue
		}
		switch kind {
		case Leave, LeaveStrict, Expire, PutAccount, DeleteAccount, DeleteLock, LeavePrinted, LeaveOld:
			for a := range m.Accounts {
				all = append(all, Step{Kind: kind, Account: a})
			}
		case Tidy, Reserve:
			for v := range m.Values {
				all = append(all, Step{Kind: kind, Value: v})
			}
		case ReKey:
			for a := range m.Accounts {
				for b := range m.Accounts {
					all = append(all, Step{Kind: kind, Account: a, Number: b})
				}
			}
		default:
			for a := range m.Accounts {
				for v := range m.Values {
					all = append(all, Step{Kind: kind, Account: a, Value: v})
				}
			}
		}
	}
	return all
}

// finishes has the second steps of operations. They do not count as further transactions.
var finishes = map[Kind]bool{
	PutAccount: true, DeleteLock: true, SignUpPrinted: true, SignUpOld: true, ChangePrinted: true, ChangeOld: true,
}

// spend uses up one of the transactions that the application may still make.
func (m *move) spend() { m.Left-- }

// newLock returns a lock that the application puts for an account.
func (m *move) newLock(account int) Version {
	if m.Owners {
		return Lock{Owner: account + 1}.Version()
	}
	return Lock{}.Version()
}

func (m *move) signUp(step Step) error {
	if m.Account(step.Account) != 0 || m.LockOf(step.Value) != 0 {
		return errNotNow
	}
	m.spend()
	m.write(step.Account, Holds(step.Value))
	m.write(LockItem(step.Value), m.newLock(step.Account))
	return nil
}

func (m *move) leave(step Step) error {
	has := m.Account(step.Account)
	if has == 0 {
		return errNotNow
	}
	m.spend()
	m.write(step.Account, 0)
	m.write(LockItem(int(has)-1), 0)
	return nil
}

func (m *move) leaveStrict(step Step) error {
	if has := m.Account(step.Account); has != 0 && m.LockOf(int(has)-1) != m.newLock(step.Account) {
		return errNotNow
	}
	return m.leave(step)
}

func (m *move) change(step Step) error {
	has := m.Account(step.Account)
	if has == 0 || has == Holds(step.Value) || m.LockOf(step.Value) != 0 {
		return errNotNow
	}
	m.spend()
	m.write(step.Account, Holds(step.Value))
	m.write(LockItem(step.Value), m.newLock(step.Account))
	m.write(LockItem(int(has)-1), 0)
	return nil
}

func (m *move) importAccount(step Step) error {
	m.spend()
	m.write(step.Account, Holds(step.Value))
	m.write(LockItem(step.Value), m.newLock(step.Account))
	return nil
}

func (m *move) expire(step Step) error {
	if m.Account(step.Account) == 0 {
		return errNotNow
	}
	m.spend()
	m.write(step.Account, 0)
	return nil
}

func (m *move) tidy(step Step) error {
	if m.LockOf(step.Value) == 0 {
		return errNotNow
	}
	m.spend()
	m.write(LockItem(step.Value), 0)
	return nil
}

func (m *move) putLock(step Step) error {
	if m.Account(step.Account) != 0 || m.LockOf(step.Value) != 0 || m.Flights[step.Account].Kind != NoFlight {
		return errNotNow
	}
	m.spend()
	m.Flights[step.Account] = Flight{Kind: SigningUp, Value: step.Value}
	m.write(LockItem(step.Value), m.newLock(step.Account))
	return nil
}

func (m *move) putAccount(step Step) error {
	f := m.Flights[step.Account]
	if f.Kind != SigningUp {
		return errNotNow
	}
	m.finish(step.Account, step.Account, Holds(f.Value))
	return nil
}

func (m *move) deleteAccount(step Step) error {
	has := m.Account(step.Account)
	if has == 0 || m.Flights[step.Account].Kind != NoFlight {
		return errNotNow
	}
	m.spend()
	m.Flights[step.Account] = Flight{Kind: Leaving, Value: int(has) - 1}
	m.write(step.Account, 0)
	return nil
}

func (m *move) deleteLock(step Step) error {
	f := m.Flights[step.Account]
	if f.Kind != Leaving {
		return errNotNow
	}
	m.finish(step.Account, LockItem(f.Value), 0)
	return nil
}

// finish writes the last item of an operation. If a wait lasts until the operation is finished, it also lasts until
// this item is visible.
func (m *move) finish(account, item int, v Version) {
	before := m.Flights[account].Before
	m.Flights[account] = Flight{}
	m.write(item, v)
	last := len(m.Items[item].Versions) - 1
	for n := range m.Releases {
		if r := &m.Releases[n]; before>>n&1 == 1 && !r.Look.Settled {
			r.Look.Since[item] = last
		}
	}
	if before>>checkLook&1 == 1 && !m.Check.Look.Settled {
		m.Check.Look.Since[item] = last
	}
}

func (m *move) reserve(step Step) error {
	if m.LockOf(step.Value) != 0 {
		return errNotNow
	}
	m.spend()
	m.write(LockItem(step.Value), Lock{}.Version())
	return nil
}

func (m *move) confirm(step Step) error {
	l, there := m.LockOf(step.Value).Lock()
	if !there || l.Confirmed || m.Account(step.Account) != 0 {
		return errNotNow
	}
	m.spend()
	l.Confirmed = true
	m.write(step.Account, Holds(step.Value))
	m.write(LockItem(step.Value), l.Version())
	return nil
}

func (m *move) reKey(step Step) error {
	has := m.Account(step.Account)
	if has == 0 || m.Account(step.Number) != 0 {
		return errNotNow
	}
	m.spend()
	m.write(step.Account, 0)
	m.write(step.Number, has)
	return nil
}

func (m *move) importBare(step Step) error {
	if m.Account(step.Account) != 0 {
		return errNotNow
	}
	m.spend()
	m.write(step.Account, Holds(step.Value))
	return nil
}

func (m *move) copyLock(step Step) error {
	has := m.Account(step.Account)
	if has == 0 || has == Holds(step.Value) || m.LockOf(step.Value) != 0 || m.LockOf(int(has)-1) == 0 {
		return errNotNow
	}
	m.spend()
	m.write(step.Account, Holds(step.Value))
	m.write(LockItem(step.Value), m.LockOf(int(has)-1))
	m.write(LockItem(int(has)-1), 0)
	return nil
}

// GainRule is the rule G of docs/truth.md §1.
const GainRule Rule = "every gain of a value puts its lock in the same transaction"

// transaction makes a transaction of a real application. It may write any items, but it keeps the gain rule.
func (m *move) transaction(step Step) error {
	for _, w := range step.Writes {
		if w.Item >= maxAccounts || w.Version == 0 || m.Account(w.Item) == w.Version {
			continue
		}
		puts := false
		for _, other := range step.Writes {
			l, there := other.Version.Lock()
			puts = puts || other.Item == LockItem(int(w.Version)-1) && there && l.Mark == 0
		}
		if !puts && !m.without(TheGainRule) {
			return GainRule
		}
	}
	for _, w := range step.Writes {
		m.write(w.Item, w.Version)
	}
	return nil
}
