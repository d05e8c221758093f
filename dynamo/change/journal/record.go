package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"
	"unique"

	"tallylock/dynamo/remedy"
)

// Record is one change, derived from its journal lines. A Record does not have the plan, which is long: Entry reads
// the plan on demand.
type Record struct {
	Receipt string
	At      time.Time // the time of the first step
	// What and About describe the newest request of the change. Reason is the person's reason.
	What, Reason string
	About        About
	Table        string
	// Who, AppliedBy and AskedBy are the persons of the change; see Entry.
	Who, AppliedBy, AskedBy string
	// Said is set if the record is a person's answer about a table, and no change of items.
	Said bool
	// Profile, Account, Connection, Region and Endpoint are the destination of the change.
	Profile, Account, Connection, Region, Endpoint string

	Outcome Outcome
	// Open is set if the answer to a step is unknown. It is also set if a release has set its mark, but has neither
	// deleted the lock nor removed the mark. A person should then resolve the change.
	Open     bool
	Resolved bool // a person resolved the change later
	Reasons  []Reason
	Error    string
	Remedy   remedy.Remedy // the remedy of Error
	// Undoes is the receipt of the change that this one undoes. Undone is the receipt of the change that undid
	// this one. Undoing is the receipt of a change that may have undone this one: its outcome is unknown.
	Undoes, Undone, Undoing string
	// Change is the ID of the change in a plan file; empty if this change was not planned in a file.
	Change string
	// Run is the receipt of the change, or of the first of several changes that were made together.
	Run string
	// Steps are the steps that were sent, in the order of their first sending.
	Steps []*Step

	journal *Journal
}

// Step is a step that was sent.
type Step struct {
	Name StepName
	// First is the time of the first sending, and Last the time of the step's newest line. A step that was
	// refused and planned again is a new request, with a new token and a new First.
	First, Last time.Time
	// FirstThere and LastThere are First and Last by the endpoint's clock; zero if the endpoint gave no time.
	FirstThere, LastThere time.Time
	Outcome               Outcome // Unknown until the step is answered
	Once                  bool    // the step was sent only once, and answered
	Token                 string  // the token of the last request

	failed bool // the step failed for a reason that is not in the table's data
	// takenOver is set if another release has replaced the mark. Then the mark of this release never comes back.
	takenOver bool
	at        span // the place of the line about the last sending
}

// span is the place of a line in the journal.
type span struct {
	offset int64
	size   int
}

// Step returns the step with the given name; nil if that step was not sent.
func (r *Record) Step(name StepName) *Step {
	for _, s := range r.Steps {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// LastWritten returns the time of the newest journal line about the record's steps.
func (r *Record) LastWritten() time.Time {
	var newest time.Time
	for _, s := range r.Steps {
		if s.Last.After(newest) {
			newest = s.Last
		}
	}
	return newest
}

// Entry reads the newest EventSend entry of the change. The entry has the plan with the steps as they were sent,
// the user and the connection. Entry is safe for concurrent use.
func (r *Record) Entry() (Entry, error) {
	e, err := r.readNewest()
	if err != nil { // pruning may have moved the lines since the record was read
		if again, _ := r.journal.Record(r.Receipt); again != nil {
			e, err = again.readNewest()
		}
	}
	return e, err
}

// readNewest reads the newest EventSend entry, at its recorded place in the file.
func (r *Record) readNewest() (Entry, error) {
	at := slices.MaxFunc(r.Steps, func(a, b *Step) int { return cmp.Compare(a.at.offset, b.at.offset) }).at
	j := r.journal
	f, err := openFile(j.path)
	if err != nil {
		return Entry{}, j.wrap("reading", err)
	}
	defer f.Close()
	line := make([]byte, at.size)
	if _, err := f.ReadAt(line, at.offset); err != nil && !errors.Is(err, io.EOF) {
		return Entry{}, j.wrap("reading", err)
	}
	e, ok := parseEntry(line)
	if !ok || e.Receipt != r.Receipt {
		return Entry{}, j.wrap("reading",
			fmt.Errorf("the journal changed while it was read, and the lines of %s have moved", r.Receipt))
	}
	return e, nil
}

// Records returns all changes of the journal, the newest last. It skips unreadable lines: a step whose line was
// torn by a crash was never sent.
func (j *Journal) Records() ([]*Record, error) {
	all, _, err := j.Read()
	return all, err
}

// Read is like Records, and also returns the number of unreadable lines. It returns an error if all lines are
// unreadable, unless the journal has a single, torn line.
func (j *Journal) Read() (all []*Record, unread int, err error) {
	f, err := openFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, j.wrap("reading", err)
	}
	defer f.Close()
	byID := map[string]*Record{}
	at, torn := span{}, false
	err = parse(f, func(p *parsed) {
		at, torn = span{at.offset + int64(at.size), p.size}, p.torn
		e := &p.entry
		switch {
		case p.ok:
		case p.blank:
			return
		default:
			unread++
			return
		}
		r := byID[e.Receipt]
		if r == nil && (e.Event == EventSend || e.Event == EventSaid) {
			r = &Record{
				Receipt: e.Receipt, At: e.At, Undoes: e.Undoes, Change: e.Change, What: e.What, About: e.About,
				Reason: e.Reason, Table: shared(e.Table),
				Who: shared(e.Who), AppliedBy: shared(e.AppliedBy), AskedBy: shared(e.AskedBy),
				Said: e.Event == EventSaid, Profile: shared(e.Profile),
				Account: shared(e.Account), Connection: shared(e.Connection), Region: shared(e.Region),
				Endpoint: shared(e.Endpoint), journal: j,
			}
			byID[e.Receipt], all = r, append(all, r)
		}
		if r != nil {
			r.add(e, at)
		}
	})
	if err != nil {
		return nil, 0, j.wrap("reading", err)
	}
	for _, r := range all {
		r.conclude()
	}
	if len(all) == 0 && unread > 0 && (unread > 1 || !torn) {
		return nil, unread, unreadable(j.path, unread)
	}
	for _, r := range all {
		switch undone := byID[r.Undoes]; {
		case undone == nil:
		case r.Outcome == Applied:
			undone.Undone = r.Receipt
		case r.Outcome == Unknown:
			undone.Undoing = r.Receipt
		}
	}
	return all, unread, nil
}

// Record returns the change with the given receipt; nil if the journal has no such change.
func (j *Journal) Record(receipt string) (*Record, error) {
	all, err := j.Records()
	if n := slices.IndexFunc(all, func(r *Record) bool { return r.Receipt == receipt }); n >= 0 {
		return all[n], err
	}
	return nil, err
}

func (r *Record) add(e *Entry, at span) {
	s := r.Step(e.Step)
	switch {
	case e.Event == EventSaid:
		r.Run, r.Steps = r.Receipt, []*Step{{
			Name: StepSaid, First: e.At, Last: e.At, Outcome: Applied, Once: true, Token: e.Token, at: at,
		}}
	case e.Event == EventResolved:
		r.Resolved, r.Outcome, r.Reasons, r.Error, r.Remedy = true, e.Outcome.definite(), e.Reasons, e.Error, e.Remedy
	case e.Event == EventSend && s == nil:
		r.Steps = append(r.Steps, &Step{
			Name: e.Step, First: e.At, Last: e.At, FirstThere: e.There, LastThere: e.There,
			Outcome: Unknown, Token: e.Token, at: at,
		})
		r.Run = cmp.Or(e.Run, r.Receipt)
	case e.Event == EventSend:
		s.Last, s.LastThere, s.Outcome, s.Once, s.at = e.At, e.There, Unknown, false, at
		r.Resolved = false
		if s.Token != e.Token {
			s.First, s.FirstThere, s.Token, r.What, r.About = e.At, e.There, e.Token, e.What, e.About
			r.Reasons, r.Error, r.Remedy = nil, "", remedy.Remedy{} // these belong to the previous request
		}
	case s != nil && s.Token == e.Token: // otherwise the line answers an earlier request
		s.Last, s.LastThere, s.Outcome = e.At, e.There, e.Outcome.definite()
		s.failed, s.Once = e.Error != "", e.Sent == Once
		s.takenOver = slices.ContainsFunc(e.Reasons, func(r Reason) bool { return r.Code == TakenOver })
		if e.Step != StepUnmark {
			r.Reasons, r.Error, r.Remedy = e.Reasons, e.Error, e.Remedy
		} else if e.Outcome == Applied {
			r.Reasons = e.Reasons
		}
	}
}

// conclude derives the outcome of the change from its steps.
func (r *Record) conclude() {
	if r.Resolved || len(r.Steps) == 0 {
		r.Open = false
		return
	}
	mark, remove, unmark := r.Step(StepMark), r.Step(StepDelete), r.Step(StepUnmark)
	switch {
	case mark == nil:
		r.Outcome = r.Steps[len(r.Steps)-1].Outcome
		r.Open = r.Outcome == Unknown
	case remove != nil && remove.Outcome != Refused:
		r.Outcome, r.Open = remove.Outcome, remove.Outcome == Unknown
	case mark.Outcome == Refused:
		r.Outcome = Refused
	case unmark.tookOff(mark), remove != nil && remove.takenOver:
		r.Outcome = Refused
	default:
		r.Outcome, r.Open = Unknown, true
	}
}

// tookOff reports whether the removal s proves that the mark is not on the lock. s is nil if no removal was sent. If
// DynamoDB confirmed the mark, any answer to the removal is enough. Otherwise the removal must have found the mark: a
// mark that was not found may still arrive.
func (s *Step) tookOff(mark *Step) bool {
	switch {
	case s == nil || s.failed:
		return false
	case mark.Outcome == Applied:
		return s.Outcome != Unknown
	}
	return s.Outcome == Applied
}

// Unresolved returns the records of open changes.
func Unresolved(records []*Record) []*Record {
	return slices.DeleteFunc(slices.Clone(records), func(r *Record) bool { return !r.Open })
}

// shared returns one copy of a string for all its repetitions, to save memory.
func shared(s string) string { return unique.Make(s).Value() }
