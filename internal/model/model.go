package model

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Model is a world to explore. It says how large the world is, how old the items in reads may be, how the application
// writes, and which protocols the tool runs.
type Model struct {
	Accounts, Values int
	// Spread makes the items of a transaction visible at different times, even to strong reads. Lag makes eventually
	// consistent reads show old versions.
	Spread, Lag bool
	// If Losses is set, requests of the tool and their answers may be lost. Copies of lost requests may arrive later.
	Losses bool
	// Start has the first states: the value of each account, and the values that have a lock.
	Start []Start
	// Application lists the steps that the application may take. It makes up to Transactions transactions.
	Application  []Kind
	Transactions int
	// Owners makes locks name their account.
	Owners bool
	// Tool has the protocols that the tool runs.
	Tool []Protocol
	// Attempts is the number of marks that a release may write.
	Attempts int
	// Eventual makes the searches of all accounts (see Look) eventually consistent.
	Eventual bool
	// TwoSteps is set if the application's operations take two steps. Then a release waits a second time.
	TwoSteps bool
	Without  []Weakness
	// Properties has the properties to check; nil means all.
	Properties []Property
}

// Start is a first state.
type Start struct {
	Holds map[int]int  // the value of each account
	Locks map[int]Lock // the lock of each value
}

// Protocol is one of the tool's protocols.
type Protocol string

// The protocols.
const (
	ByMark  Protocol = "release by mark"            // docs/truth.md §3b
	ByOwner Protocol = "release with an owner"      // docs/truth.md §3c
	Checks  Protocol = "check"                      // docs/truth.md §3a
	Puts    Protocol = "put a missing lock"         // docs/truth.md §3d
	Adopts  Protocol = "adopt a rule on a table"    // the survey, the backfill, Verify and undo of adopt
	Crashes Protocol = "the tool stops at any step" // a release stops and never continues
)

// Weakness names a part of a protocol that a model leaves out. If a trace of docs/truth.md §9 shows why the part is
// needed, the comment at the constant names it.
type Weakness string

// The weaknesses.
const (
	TheWait             Weakness = "the wait before the look"                  // X1, X2
	TheSecondWait       Weakness = "the wait after the look"                   // X13
	TheMark             Weakness = "the mark"                                  // X4, X6, X7
	TheSameToken        Weakness = "the same token for a deletion sent again"  // X7
	TheFirstSending     Weakness = "the rule that a mark is answered at once"  // X8
	TheMarksCondition   Weakness = "the condition that the marked lock exists" // X8
	TheMarksSeen        Weakness = "the condition that the marked lock is as seen"
	TheLackingAttribute Weakness = "the condition that an attribute still lacks"
	TheFirstLockRead    Weakness = "the reading of the lock before the look"       // X3
	TheABAException     Weakness = "the exception for locks that were put again"   // X4
	TheLastTransaction  Weakness = "the transaction that reads the lock at last"   // X5
	TheSnapshot         Weakness = "the transaction that reads claimants and lock" // X9, X10
	TheOwnersCheck      Weakness = "the condition on the owner's account"          // X11
	ThePutsCheck        Weakness = "the condition on the claimant"                 // X6
	ThePutsAbsent       Weakness = "the condition that no lock exists"
	TheUndosTag         Weakness = "the condition on the attribute of the backfill"
	TheUndosEnd         Weakness = "the rule that an undo reaches its end before Verify"
	TheStillException   Weakness = "the exception for values that were written during the check" // §6
	TheWholePass        Weakness = "an item of the pass"
	TheWholeLook        Weakness = "an account of the look"
	TheGainRule         Weakness = "the rule that a gain puts the lock" // X12
)

// The properties.
const (
	// FreesNoLiveValue is proof 1 of docs/truth.md §8: no deletion by the tool commits while an account holds the value.
	FreesNoLiveValue Property = "the tool deletes no lock of a value that an account holds"
	// MakesNoLock is X8: a mark does not create a lock.
	MakesNoLock Property = "marking makes no lock"
	// MakesNoOrphan is X6: a lock is put back only for an account that holds its value.
	MakesNoOrphan Property = "the tool puts no lock that nobody holds"
	// OverwritesNothing says that a put of the tool replaces no lock.
	OverwritesNothing Property = "the tool overwrites no lock"
	// OneHolder is the purpose of locks. It holds as long as all writers keep the gain rule.
	OneHolder Property = "no two accounts hold one value"
	// HoldersHaveLocks says that each value of an account has its lock. It holds in worlds without accidents, such as an
	// expired account.
	HoldersHaveLocks Property = "each held value has its lock"
	// NoMarkIsSeen is proof 2: the application cannot distinguish a marked lock from an unmarked one.
	NoMarkIsSeen Property = "the application's steps do the same with and without a mark"
	// OrphansAreTrue is proof 3: a confirmed orphan is an orphan, unless its lock was put again during the check.
	OrphansAreTrue Property = "a confirmed orphan has no holder"
	// PairsAreTrue is proof 6: reported missing locks and duplicates are real.
	PairsAreTrue Property = "a missing lock is missing, and a duplicate has two holders"
	// FindsWhatStays is proof 5: if nobody writes a value during a check, the check reports exactly its problem.
	FindsWhatStays Property = "a check finds what does not change, and calls it by its name"
	// HoldsAtEnd says that no value has a problem at the end of a check that proves the rule. It holds if all writers use
	// the printed transactions.
	HoldsAtEnd Property = "at the end of a check that proves the rule, each held value has one holder and its lock"
	// UndoDeletesOnlyItsOwn says that the undo of a backfill deletes a lock only if the application has not written it.
	UndoDeletesOnlyItsOwn Property = "an undo deletes only locks of its backfill"
)

// without reports whether the model leaves out a part of its protocols.
func (m *Model) without(w Weakness) bool { return slices.Contains(m.Without, w) }

func (m *Model) runs(p Protocol) bool { return slices.Contains(m.Tool, p) }

// Begin returns the first states.
func (m *Model) Begin() (all []State) {
	for _, start := range m.Start {
		s := State{Left: m.Transactions}
		for a := range maxAccounts {
			version := Version(0)
			if value, holds := start.Holds[a]; holds {
				version = Holds(value)
			}
			s.Items[a].Versions = []Version{version}
		}
		for value := range maxValues {
			version := Version(0)
			if lock, there := start.Locks[value]; there {
				version = lock.Version()
			}
			s.Items[LockItem(value)].Versions = []Version{version}
		}
		if m.runs(ByMark) {
			s.Releases = make([]Release, 1)
		}
		all = append(all, s)
	}
	return all
}

// Key returns a text. Only equal states have the same text.
func (m *Model) Key(s State) string { return s.key(m) }

// Steps returns the steps that may be possible in a state. Do refuses the impossible ones.
func (m *Model) Steps(s State) (all []Step) {
	if m.Spread {
		for n := range s.Items {
			if s.Items[n].Visible < len(s.Items[n].Versions)-1 {
				all = append(all, Step{Kind: Reveal, Number: n})
			}
		}
	}
	all = append(all, m.applicationSteps(&s)...)
	if m.runs(ByMark) {
		all = append(all, m.releaseSteps(&s)...)
	}
	if m.runs(Checks) {
		all = append(all, m.checkSteps(&s)...)
	}
	if m.runs(ByOwner) {
		all = append(all, m.ownerSteps(&s)...)
	}
	if m.runs(Puts) {
		all = append(all, m.putBackSteps(&s)...)
	}
	if m.runs(Adopts) {
		all = append(all, m.adoptSteps(&s)...)
	}
	return all
}

// Reveal makes the next version of an item visible.
const Reveal Kind = "visible"

// errNotNow is the error of a step that is impossible in a state, for another reason than a rule of a protocol.
var errNotNow = errors.New("not possible in this state")

// Rule is the name of a rule that forbids a step.
type Rule string

func (r Rule) Error() string { return string(r) }

// move is a step while Do takes it: the state, and the first broken property.
type move struct {
	*Model
	State
	broken Property
}

// breaks notes that the step breaks a property.
func (m *move) breaks(p Property) {
	if m.broken == "" && (m.Properties == nil || slices.Contains(m.Properties, p)) {
		m.broken = p
	}
}

// Do returns the state after a step, and the property that the step breaks, if any. The error names the rule that
// forbids the step.
func (m *Model) Do(s State, step Step) (State, Property, error) {
	next := &move{Model: m, State: s.clone()}
	do := steps[step.Kind]
	if do == nil {
		return s, "", fmt.Errorf("unknown step %q", step.Kind)
	}
	if err := do(next, step); err != nil {
		if applicationKinds[step.Kind] != nil && s.marked() && next.onlyRefusedByMark(&s, step) {
			next.breaks(NoMarkIsSeen)
			return s, next.broken, nil
		}
		return s, "", err
	}
	next.always(&s, step)
	next.forget(m.Lag)
	return next.State, next.broken, nil
}

// steps has the function of each kind of step.
var steps map[Kind]func(*move, Step) error

func init() {
	steps = map[Kind]func(*move, Step) error{Reveal: (*move).reveal}
	for _, of := range []map[Kind]func(*move, Step) error{
		applicationKinds, releaseKinds, checkKinds, ownerKinds, putBackKinds, adoptKinds,
	} {
		maps.Copy(steps, of)
	}
}

func (m *move) reveal(step Step) error {
	i := &m.Items[step.Number]
	if i.Visible == len(i.Versions)-1 {
		return errNotNow
	}
	i.Visible++
	return nil
}

// write commits one item. Without spread, the item is visible at once.
func (m *move) write(item int, v Version) {
	i := &m.Items[item]
	i.Versions = append(slices.Clip(i.Versions), v)
	if !m.Spread {
		i.Visible = len(i.Versions) - 1
	}
	m.Check.noteWrite(item, v)
	m.Adopt.noteWrite(item)
}

// always checks the properties that hold in every state.
func (m *move) always(before *State, step Step) {
	for value := range m.Values {
		holders := m.holders(value)
		if len(holders) > 1 && len(before.holders(value)) < len(holders) {
			m.breaks(OneHolder)
		}
		if len(holders) > 0 && m.LockOf(value) == 0 && (len(before.holders(value)) == 0 || before.LockOf(value) != 0) {
			m.breaks(HoldersHaveLocks)
		}
	}
	if applicationKinds[step.Kind] != nil && before.marked() {
		m.sameWithoutMarks(before, step)
	}
}

// marked reports whether a lock has a mark.
func (s *State) marked() bool {
	for value := range maxValues {
		if l, _ := s.LockOf(value).Lock(); l.Mark != 0 {
			return true
		}
	}
	return false
}

// withoutMarks returns the state with all marks removed from its locks.
func (s *State) withoutMarks() State {
	bare := s.clone()
	for value := range maxValues {
		i := &bare.Items[LockItem(value)]
		i.Versions = slices.Clone(i.Versions)
		for n, v := range i.Versions {
			if v != 0 {
				i.Versions[n] = v.mark(0)
			}
		}
	}
	return bare
}

// onlyRefusedByMark reports whether a refused step of the application would be possible if no lock had a mark.
func (m *move) onlyRefusedByMark(before *State, step Step) bool {
	return steps[step.Kind](&move{Model: m.Model, State: before.withoutMarks()}, step) == nil
}

// sameWithoutMarks takes a step of the application again, on locks without marks, and compares the results.
func (m *move) sameWithoutMarks(before *State, step Step) {
	bare := &move{Model: m.Model, State: before.withoutMarks()}
	if err := steps[step.Kind](bare, step); err != nil {
		m.breaks(NoMarkIsSeen)
		return
	}
	with := m.withoutMarks()
	for n := range with.Items {
		if !slices.Equal(with.Items[n].Versions, bare.Items[n].Versions) {
			m.breaks(NoMarkIsSeen)
		}
	}
}

// Kinds returns all kinds of steps.
func Kinds() []Kind { return slices.Sorted(maps.Keys(steps)) }
