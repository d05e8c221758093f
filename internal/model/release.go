package model

import (
	"bytes"
	"slices"
)

// The steps of a release by mark (docs/truth.md §3b).
const (
	Plan         Kind = "read the lock"
	Mark         Kind = "mark"
	MarkAgain    Kind = "mark again" // the same request again, after a lost answer
	Settle       Kind = "wait"
	Read         Kind = "look"
	ReadEventual Kind = "look eventually"
	EndLook      Kind = "end the look"
	SettleAgain  Kind = "wait again"
	Delete       Kind = "delete"
	Unmark       Kind = "unmark"
	Stop         Kind = "stop"
	LateCopy     Kind = "late copy"
)

var releaseKinds = map[Kind]func(*move, Step) error{
	Plan: (*move).plan, Mark: (*move).mark, MarkAgain: (*move).markAgain, Settle: (*move).settleRelease,
	Read: (*move).read, ReadEventual: (*move).read, EndLook: (*move).endLook, SettleAgain: (*move).settleAgain,
	Delete: (*move).delete, Unmark: (*move).unmark, Stop: (*move).stop, LateCopy: (*move).lateCopy,
}

// Phase is the phase of a release by mark.
type Phase uint8

// The phases.
const (
	Idle Phase = iota
	Planned
	MarkLost // the mark was sent, but its answer was lost
	Waiting
	Looking
	WaitingAgain
	Deleting
	Unmarking
	Over
)

// Release is a release by mark of one lock.
type Release struct {
	Phase Phase
	Value int
	Mark  int // the number of the mark that this release writes
	Seen  Version
	// Done is set if the last request was executed, although its answer was lost.
	Done  bool
	Freed bool // the deletion was answered, and nobody has undone the release
	Look  Look
}

// The rules of a release by mark.
const (
	MarkIsNew       Rule = "no mark is written twice"
	MarkComesFirst  Rule = "a look begins after a mark"
	MarkIsAnswered  Rule = "a deletion rests on a mark that was answered at its first sending"
	LookAfterWait   Rule = "no page of a look is requested before the mark and the wait"
	LookIsStrong    Rule = "the look reads strongly consistent"
	DeleteAfterLook Rule = "a deletion comes after a complete look"
	HeldStays       Rule = "a value with a holder keeps its lock"
	WaitAgain       Rule = "a deletion comes after the second wait"
	MarkIsOff       Rule = "a deletion rests on a mark that is still set"
)

// Request is a request whose answer was lost, or that was refused. A copy may arrive at any time.
type Request struct {
	Kind  Kind
	Value int
	Mark  int // the mark of a release, or the run of a backfill
	Seen  Version
	// Of has the locks of a request of a backfill or of its undo. Its entry for a value is the number of the lock's
	// account plus 1; 0 if the request has no lock of the value.
	Of [maxValues]uint8
}

func (r Request) key(b []byte) []byte {
	b = append(b, r.Kind[0], byte(len(r.Kind)), byte(r.Value), byte(r.Mark))
	return r.Seen.key(append(b, r.Of[:]...))
}

func (r *Release) key(b []byte, items []int) []byte {
	b = append(b, byte(r.Phase), byte(r.Value), byte(r.Mark), bit(r.Done), bit(r.Freed))
	return r.Look.key(r.Seen.key(b), items)
}

// releaseSteps returns the steps that the releases may take. Only the lock of the first value is released.
func (m *Model) releaseSteps(s *State) (all []Step) {
	fates := []Answer{Answered}
	if m.Losses {
		fates = []Answer{Answered, LostAfter, LostSent}
	}
	for n := range s.Releases {
		switch r := s.Releases[n]; r.Phase {
		case Idle, Over:
			if s.Marks < m.Attempts {
				all = append(all, Step{Kind: Plan, Process: n})
			}
			if l, _ := s.LockOf(r.Value).Lock(); r.Phase == Over && r.Mark > 0 && l.Mark == r.Mark {
				all = append(all, Step{Kind: Unmark, Process: n})
			}
		case Planned:
			for _, fate := range fates {
				all = append(all, Step{Kind: Mark, Process: n, Number: s.Marks + 1, Answer: fate})
			}
		case MarkLost:
			all = append(all, Step{Kind: Unmark, Process: n})
			for _, fate := range fates {
				all = append(all, Step{Kind: MarkAgain, Process: n, Answer: fate})
			}
		case Waiting:
			all = append(all, Step{Kind: Settle, Process: n}, Step{Kind: Unmark, Process: n})
		case Looking:
			all = append(all, m.lookSteps(s, &s.Releases[n].Look, n)...)
			all = append(all, Step{Kind: EndLook, Process: n})
		case WaitingAgain:
			all = append(all, Step{Kind: SettleAgain, Process: n})
		case Deleting:
			for _, fate := range fates {
				all = append(all, Step{Kind: Delete, Process: n, Answer: fate})
			}
		case Unmarking:
			for _, fate := range fates {
				all = append(all, Step{Kind: Unmark, Process: n, Answer: fate})
			}
		}
		if m.runs(Crashes) && s.Releases[n].Phase > Planned && s.Releases[n].Phase < Over {
			all = append(all, Step{Kind: Stop, Process: n})
		}
	}
	for n := range s.Late {
		all = append(all, Step{Kind: LateCopy, Number: n})
	}
	return all
}

// lookSteps returns the reads that a look may send next: of any account, in any order.
func (m *Model) lookSteps(s *State, l *Look, process int) (all []Step) {
	for a := range m.Accounts {
		switch {
		case l.Read>>a&1 == 1:
		case m.Eventual:
			for n := l.floor(a); n <= s.Items[a].Visible; n++ {
				all = append(all, Step{Kind: ReadEventual, Process: process, Account: a, Number: n})
			}
		default:
			all = append(all, Step{Kind: Read, Process: process, Account: a})
		}
	}
	return all
}

// plan reads the lock before it is marked. It may find the mark of an earlier attempt.
func (m *move) plan(step Step) error {
	r := &m.Releases[step.Process]
	i := m.Items[LockItem(step.Value)]
	seen := i.Versions[i.Visible]
	if len(step.Writes) > 0 {
		seen = step.Writes[0].Version // a trace has the version that the tool read
	}
	if r.Phase != Idle && r.Phase != Over || seen == 0 {
		return errNotNow
	}
	*r = Release{Phase: Planned, Value: step.Value, Seen: seen}
	if m.without(TheMark) {
		r.Phase = Waiting
		m.Marks++ // counts the attempt
		m.begin(&r.Look, step.Process)
	}
	return nil
}

// mark sends the request that marks the lock.
func (m *move) mark(step Step) error {
	r := &m.Releases[step.Process]
	switch {
	case r.Phase != Planned:
		return errNotNow
	case step.Number <= m.Marks:
		return MarkIsNew
	}
	m.Marks = step.Number
	r.Mark, r.Done = step.Number, false
	request := Request{Kind: Mark, Value: r.Value, Mark: r.Mark, Seen: r.Seen}
	if step.Answer != LostSent {
		r.Done = m.execute(request)
	}
	m.begin(&r.Look, step.Process)
	switch {
	case step.Answer != Answered:
		r.Phase = MarkLost
		m.keepCopy(request)
	case r.Done:
		r.Phase = Waiting
	default:
		r.Phase = Over
		m.keepCopy(request)
	}
	return nil
}

// markAgain sends the mark once more, with the same token, so DynamoDB does not execute it twice. The release then
// removes the mark: a copy of the first request may arrive after DynamoDB has forgotten the token.
func (m *move) markAgain(step Step) error {
	r := &m.Releases[step.Process]
	if r.Phase != MarkLost {
		return errNotNow
	}
	if step.Answer != LostSent && !r.Done {
		r.Done = m.execute(Request{Kind: Mark, Value: r.Value, Mark: r.Mark, Seen: r.Seen})
		m.begin(&r.Look, step.Process)
	}
	switch {
	case step.Answer != Answered:
	case !r.Done:
		r.Phase = Over
	case m.without(TheFirstSending):
		r.Phase = Waiting
	default:
		r.Phase, r.Done = Unmarking, false
	}
	return nil
}

// settleRelease ends the wait: all items that were written before the mark are visible.
func (m *move) settleRelease(step Step) error {
	r := &m.Releases[step.Process]
	switch {
	case r.Phase != Waiting:
		return errNotNow
	case m.without(TheWait):
		r.Phase = Looking
		return nil
	case m.inFlight(step.Process):
		return errNotNow
	}
	m.settle(&r.Look)
	m.land(step.Process)
	r.Phase = Looking
	return nil
}

// land clears the bit of a look in all operations.
func (m *move) land(bit int) {
	for a := range m.Flights {
		m.Flights[a].Before &^= 1 << bit
	}
}

// read reads one account in a look.
func (m *move) read(step Step) error {
	l, value, err := m.looking(step)
	if err != nil {
		return err
	}
	item := m.Items[step.Account]
	at := item.Visible
	if step.Kind == ReadEventual {
		if at = step.Number; at < l.floor(step.Account) || at > item.Visible {
			return errNotNow
		}
	}
	l.see(step.Account, value, item.Versions[at])
	return nil
}

// looking returns the look that a step belongs to, with its value.
func (m *move) looking(step Step) (*Look, int, error) {
	if step.Process == checkProcess {
		if m.Check.Phase != CheckLook {
			return nil, 0, errNotNow
		}
		return &m.Check.Look, 0, nil
	}
	r := &m.Releases[step.Process]
	switch {
	case r.Phase < Waiting:
		return nil, 0, MarkComesFirst
	case r.Phase == Waiting:
		return nil, 0, LookAfterWait
	case r.Phase != Looking:
		return nil, 0, errNotNow
	case step.Kind == ReadEventual && !m.Eventual:
		return nil, 0, LookIsStrong
	}
	return &r.Look, r.Value, nil
}

// endLook ends a look of all accounts.
func (m *move) endLook(step Step) error {
	r := &m.Releases[step.Process]
	if r.Phase != Looking || r.Look.Read != 1<<m.Accounts-1 && !m.without(TheWholeLook) {
		return errNotNow
	}
	switch {
	case r.Look.Found:
		r.Phase, r.Done = Unmarking, false
	case m.TwoSteps && !m.without(TheSecondWait):
		r.Phase = WaitingAgain
		m.awaitFlights(step.Process)
	default:
		r.Phase, r.Done = Deleting, false
	}
	return nil
}

// settleAgain ends the second wait: all operations that began before the end of the look are finished.
func (m *move) settleAgain(step Step) error {
	r := &m.Releases[step.Process]
	if r.Phase != WaitingAgain || m.inFlight(step.Process) {
		return errNotNow
	}
	r.Phase, r.Done = Deleting, false
	return nil
}

// mayDelete returns the rule that forbids a deletion; nil if there is none.
func (r *Release) mayDelete() error {
	switch {
	case r.Phase < Waiting:
		return MarkIsAnswered
	case r.Phase == Waiting, r.Phase == Looking:
		return DeleteAfterLook
	case r.Phase == WaitingAgain:
		return WaitAgain
	case r.Phase == Unmarking && r.Look.Found:
		return HeldStays
	case r.Phase == Unmarking && r.Look.Read == 0:
		return MarkIsAnswered
	case r.Phase == Over:
		return MarkIsOff
	case r.Phase != Deleting:
		return errNotNow
	}
	return nil
}

// delete sends the deletion, or sends it again.
func (m *move) delete(step Step) error {
	r := &m.Releases[step.Process]
	if err := r.mayDelete(); err != nil {
		return err
	}
	request := Request{Kind: Delete, Value: r.Value, Mark: r.Mark, Seen: r.Seen}
	if step.Answer != LostSent && (!r.Done || m.without(TheSameToken)) {
		r.Done = m.execute(request) || r.Done
	}
	switch {
	case step.Answer != Answered:
		m.keepCopy(request)
	case r.Done:
		r.Phase, r.Freed = Over, true
	default:
		r.Phase = Unmarking
		m.keepCopy(request)
	}
	return nil
}

// unmark removes the mark of a lock that has to stay, or whose mark was sent twice. A release may give up and remove
// its mark at any time, also after it has ended: a late copy may have written the mark.
func (m *move) unmark(step Step) error {
	r := &m.Releases[step.Process]
	if r.Phase <= Planned {
		return errNotNow
	}
	request := Request{Kind: Unmark, Value: r.Value, Mark: r.Mark}
	if step.Answer != LostSent {
		r.Done = m.execute(request)
	}
	if step.Answer != Answered || !r.Done {
		m.keepCopy(request)
	}
	if r.Phase = Over; step.Answer != Answered {
		r.Phase = Unmarking
	}
	return nil
}

// stop ends a release at any step: the tool was killed, or its connection is gone. A mark stays where it is.
func (m *move) stop(step Step) error {
	m.Releases[step.Process].Phase = Over
	return nil
}

// keepCopy records that a copy of a request may arrive later. DynamoDB remembers the token of a request only if it has
// executed the request, so a copy of a refused request runs, too.
func (m *move) keepCopy(r Request) {
	if m.Losses && !slices.Contains(m.Late, r) {
		m.Late = append(m.Late, r)
		slices.SortFunc(m.Late, func(a, b Request) int {
			return bytes.Compare(a.key(nil), b.key(nil))
		})
	}
}

// lateCopy delivers a copy of a request. DynamoDB may have forgotten the token, so the copy runs again. If the release
// still waits for the answer, DynamoDB knows the token, and does not run the copy twice.
func (m *move) lateCopy(step Step) error {
	request := m.Late[step.Number]
	for n := range m.Releases {
		r := &m.Releases[n]
		if r.Mark != request.Mark || !r.Pending(request.Kind) {
			continue
		}
		if !r.Done {
			r.Done = m.execute(request)
			if request.Kind == Mark {
				m.begin(&r.Look, n)
			}
		}
		return nil
	}
	m.execute(request)
	return nil
}

// Pending reports whether a release still waits for the answer to a request of the given kind.
func (r *Release) Pending(kind Kind) bool {
	return kind == Mark && r.Phase == MarkLost || kind == Delete && r.Phase == Deleting ||
		kind == Unmark && r.Phase == Unmarking
}

// execute runs a request as DynamoDB does. It returns false if a condition fails.
func (m *move) execute(r Request) bool {
	item, now := LockItem(r.Value), m.LockOf(r.Value)
	switch r.Kind {
	case Backfill:
		return m.fill(r)
	case Undo:
		return m.unfill(r)
	case Mark:
		if m.without(TheMarksCondition) {
			if now == 0 {
				m.breaks(MakesNoLock)
			}
			m.write(item, now.mark(r.Mark))
			return true
		}
		if now == 0 || now != r.Seen && !m.without(TheMarksSeen) {
			return false
		}
		m.write(item, now.mark(r.Mark))
	case Unmark:
		if l, there := now.Lock(); !there || l.Mark != r.Mark {
			return false
		}
		m.write(item, now.mark(0))
	case Delete:
		if !m.matches(r, now) {
			return false
		}
		if len(m.holders(r.Value)) > 0 {
			m.breaks(FreesNoLiveValue)
		}
		m.write(item, 0)
	}
	return true
}

// matches reports whether a lock meets the conditions of a deletion: it has the mark, and is otherwise unchanged since
// it was read.
func (m *move) matches(r Request, now Version) bool {
	if now == 0 {
		return false
	}
	want := r.Seen.mark(r.Mark)
	if m.without(TheMark) {
		want = r.Seen
	}
	if m.without(TheLackingAttribute) {
		l, _ := now.Lock()
		l.Confirmed = false
		now = l.Version()
	}
	return now == want
}
