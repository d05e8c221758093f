package model_test

import (
	"fmt"
	"testing"

	. "tallylock/internal/model"
	"tallylock/internal/testrun"
)

// orphan is a first state in which no account holds the value of lock 0. In held, account 0 holds it.
func orphan() Start { return Start{Locks: map[int]Lock{0: {}}} }

func held() Start {
	return Start{Holds: map[int]int{0: 0}, Locks: map[int]Lock{0: {}}}
}

// heldByB is like held, but account 1 holds the value.
func heldByB() Start {
	return Start{Holds: map[int]int{1: 0}, Locks: map[int]Lock{0: {}}}
}

// well has the steps of writers that keep the gain rule. accidents adds expired accounts, deletions of locks by hand,
// and imports: the rule allows them.
var (
	well      = []Kind{SignUp, Leave, Change}
	accidents = append([]Kind{Expire, Tidy, Import}, well...)
	twoSteps  = []Kind{PutLock, PutAccount, DeleteAccount, DeleteLock}
)

// sound has the properties that hold even with accidents.
var sound = []Property{FreesNoLiveValue, MakesNoLock, NoMarkIsSeen, MakesNoOrphan, OverwritesNothing, OrphansAreTrue, PairsAreTrue, FindsWhatStays, UndoDeletesOnlyItsOwn}

// release is the world of a release by mark.
func release(transactions int, change ...func(*Model)) *Model {
	m := &Model{
		Accounts: 2, Values: 2, Spread: true, Start: []Start{{}, orphan(), held(), heldByB()},
		Application: well, Transactions: transactions, Tool: []Protocol{ByMark}, Attempts: 1,
	}
	for _, c := range change {
		c(m)
	}
	return m
}

// check is the world of a check.
func check(transactions int, change ...func(*Model)) *Model {
	m := release(transactions, change...)
	m.Tool = []Protocol{Checks}
	return m
}

func explore(t *testing.T, m *Model) Result {
	t.Helper()
	r := Explore(m, 20_000_000)
	t.Logf("%d states, %d steps; %s", r.States, r.Steps, r.Violation)
	if !r.Complete && r.Violation == nil {
		t.Errorf("the world is too large: %d states", r.States)
	}
	return r
}

func accidental(m *Model) { m.Application, m.Properties = accidents, sound }
func losing(m *Model)     { m.Losses, m.Attempts = true, 2 }
func crashing(m *Model)   { m.Tool = append(m.Tool, Crashes) }
func atomic(m *Model)     { m.Spread = false }
func three(m *Model)      { m.Accounts = 3 }
func late(m *Model)       { m.Lag, m.Eventual = true, true }
func slow(m *Model)       { m.Application, m.TwoSteps = twoSteps, true }
func confirming(m *Model) {
	m.Application, m.Properties = []Kind{Reserve, Confirm, Leave}, sound
}

// owned has locks that name their account.
func owned(m *Model) {
	m.Tool, m.Owners, m.Properties = []Protocol{ByOwner}, true, sound
	m.Start = []Start{
		{Holds: map[int]int{0: 0}, Locks: map[int]Lock{0: {Owner: 1}}},
		{Locks: map[int]Lock{0: {Owner: 1}}},
		{Holds: map[int]int{0: 1}, Locks: map[int]Lock{0: {Owner: 1}, 1: {Owner: 1}}},
	}
}

// sick adds first states in which the value already has a problem.
func sick(m *Model) {
	m.Start = append(m.Start, Start{Holds: map[int]int{0: 0}}, Start{Holds: map[int]int{0: 0, 1: 0}, Locks: map[int]Lock{0: {}}})
	m.Properties = sound
}

// adopts makes a table without locks, on which a rule is adopted.
func adopts(m *Model) {
	m.Tool, m.Owners = []Protocol{Adopts}, true
	m.Start = []Start{{Holds: map[int]int{0: 0}}, {Holds: map[int]int{0: 0, 1: 1}}}
	m.Application = []Kind{CheckFirst, SignUpPrinted, ChangePrinted, LeavePrinted}
	m.Properties = append([]Property{OneHolder, HoldsAtEnd}, sound...)
}

func oldWriters(m *Model) {
	m.Application = append(m.Application, SignUpOld, ChangeOld, LeaveOld)
	m.Properties = sound
}

// undoing lets the tool undo releases and put missing locks.
func undoing(m *Model) { m.Tool = append(m.Tool, Puts) }

func without(w ...Weakness) func(*Model) { return func(m *Model) { m.Without = w } }

// TestProtocolsHold explores the protocols with all their parts: no step breaks a property.
func TestProtocolsHold(t *testing.T) {
	testrun.OneGoroutine(t)
	t.Parallel()
	long := testrun.Runs(2, 0)
	for name, m := range map[string]*Model{
		"release":                  release(1 + long),
		"release, accidents":       release(1+long, accidental),
		"release, lost answers":    release(1+long, atomic, losing),
		"release, lost, accidents": release(1+long, atomic, losing, accidental),
		"release, the tool stops":  release(2+long, atomic, crashing, func(m *Model) { m.Attempts = 2 }),
		"release, eventual look":   release(1+long, late),
		"release, two steps":       release(1+long, slow),
		"release, reserved":        release(2+long, confirming),
		"release, three accounts":  release(2+long, three, atomic),
		"check":                    check(1+long, sick),
		"check, eventual look":     check(1+long, late, sick),
		"check, accidents":         check(1+long, sick, accidental),
		"check, two steps":         check(2+long, slow),
		"release with an owner":    release(2+long, owned),
		"put back":                 release(2+long, func(m *Model) { m.Tool = []Protocol{Puts} }, sick),
		"release, undone":          release(1+long, atomic, undoing),
		"release, lost, undone":    release(1+long, atomic, losing, undoing, accidental),
		"adopt":                    release(2+long, adopts, atomic),
		"adopt, spread and lag":    release(1+long, adopts, late),
		"adopt, lost answers":      release(1+long, adopts, atomic, losing),
		"adopt, old writers":       release(1+long, adopts, atomic, oldWriters),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := explore(t, m); r.Violation != nil {
				t.Error(r.Violation)
			}
		})
	}
}

// TestWeakened leaves out one part of a protocol at a time. Each time, the model finds the trace of docs/truth.md §9,
// or a similar one.
func TestWeakened(t *testing.T) {
	testrun.OneGoroutine(t)
	t.Parallel()
	only := func(p Property) func(*Model) { return func(m *Model) { m.Properties = []Property{p} } }
	for name, tc := range map[string]struct {
		world *Model
		want  Property
	}{
		"X1, no wait, eventual":                          {check(1, atomic, late, without(TheWait)), OrphansAreTrue},
		"X2, no wait, strong":                            {release(1, without(TheWait)), FreesNoLiveValue},
		"X3, lock read only after":                       {check(2, atomic, without(TheFirstLockRead)), OrphansAreTrue},
		"X4, no mark":                                    {release(2, atomic, without(TheMark)), FreesNoLiveValue},
		"X4, check":                                      {check(4, atomic, without(TheABAException)), OrphansAreTrue},
		"X5, last read strong":                           {check(2, only(OrphansAreTrue), without(TheLastTransaction)), OrphansAreTrue},
		"X6, looks after it deletes":                     {release(3, atomic, without(TheMark), only(OneHolder)), OneHolder},
		"X6, put back unasked":                           {release(2, func(m *Model) { m.Tool = []Protocol{Puts} }, sick, without(ThePutsCheck)), MakesNoOrphan},
		"X6, undone over a lock":                         {release(1, atomic, undoing, without(ThePutsAbsent)), OverwritesNothing},
		"§6, a ghost":                                    {check(1, atomic, sick, without(TheStillException)), FindsWhatStays},
		"X7, sent again with a new token":                {release(1, atomic, losing, without(TheMark, TheSameToken)), FreesNoLiveValue},
		"X8, the first mark lands late":                  {release(2, atomic, losing, without(TheFirstSending)), FreesNoLiveValue},
		"X8, marking makes a lock":                       {release(1, atomic, without(TheMarksCondition)), MakesNoLock},
		"X9, missing lock by three reads":                {check(3, atomic, without(TheSnapshot)), PairsAreTrue},
		"X10, duplicate by two reads":                    {check(2, atomic, sick, without(TheSnapshot)), PairsAreTrue},
		"X11, owner by three reads":                      {release(2, atomic, owned, without(TheOwnersCheck)), FreesNoLiveValue},
		"X12, re-key":                                    {release(1, atomic, func(m *Model) { m.Application = []Kind{ReKey} }), FreesNoLiveValue},
		"X12, import":                                    {release(1, atomic, func(m *Model) { m.Application = []Kind{ImportBare} }, only(FreesNoLiveValue)), FreesNoLiveValue},
		"X12, copying":                                   {release(2, atomic, func(m *Model) { m.Application = []Kind{Copy} }), FreesNoLiveValue},
		"X13, one wait too few":                          {release(2, slow, without(TheSecondWait)), HoldersHaveLocks},
		"X13, no wait":                                   {release(1, atomic, slow, without(TheWait)), FreesNoLiveValue},
		"an incomplete look":                             {release(0, without(TheWholeLook)), FreesNoLiveValue},
		"an incomplete pass":                             {check(0, sick, without(TheWholePass)), FindsWhatStays},
		"an application that refuses unknown attributes": {release(1, func(m *Model) { m.Application = []Kind{LeaveStrict} }), NoMarkIsSeen},
		"lacking attribute":                              {release(2, atomic, confirming, without(TheLackingAttribute)), FreesNoLiveValue},
		"adopt, no check of the account":                 {release(2, adopts, atomic, without(ThePutsCheck)), MakesNoOrphan},
		"adopt, locks overwritten":                       {release(2, adopts, atomic, without(ThePutsAbsent)), OverwritesNothing},
		"adopt, a late copy overwrites":                  {release(2, adopts, atomic, losing, without(ThePutsAbsent, ThePutsCheck), only(OverwritesNothing)), OverwritesNothing},
		"adopt, undo by the key alone":                   {release(2, adopts, atomic, without(TheUndosTag)), UndoDeletesOnlyItsOwn},
		"adopt, Verify before the undo has ended":        {release(0, adopts, atomic, losing, without(TheUndosEnd)), HoldsAtEnd},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := explore(t, tc.world); r.Violation == nil || r.Violation.Property != tc.want {
				t.Errorf("%s; want: %s", r.Violation, tc.want)
			}
		})
	}
}

// TestEachStepIsTaken checks that some world takes each step. A step that is never taken proves nothing.
func TestEachStepIsTaken(t *testing.T) {
	testrun.OneGoroutine(t)
	t.Parallel()
	reached := map[Kind]int{}
	for _, m := range []*Model{
		release(2, atomic), release(1, atomic, losing), release(1, late), release(2, atomic, slow), release(2, atomic, confirming),
		release(1, atomic, accidental, crashing), check(1, sick), release(1, atomic, owned),
		release(1, atomic, adopts, oldWriters, losing), release(1, sick, func(m *Model) { m.Tool = []Protocol{Puts} }),
		release(0, atomic, undoing),
	} {
		for kind, n := range Explore(m, 0).Reached {
			reached[kind] += n
		}
	}
	for _, kind := range Kinds() {
		switch kind {
		case ReKey, ImportBare, Copy, LeaveStrict, ReadOne, Transaction: // only weakened models and traces take these steps
		default:
			if reached[kind] == 0 {
				t.Errorf("no world takes the step %q", kind)
			}
		}
	}
	t.Log(fmt.Sprint(reached))
}
