package change

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// Record is what the journal knows of one change. The plan, which is long, is read
// when it is asked for.
type Record struct {
	Receipt string
	At      time.Time // of the first step
	// What the change does, and why, in the plan's words.
	What, Reason string
	Table        string
	Who          string
	// Profile, Account, Connection, Region and Endpoint are where it was sent.
	Profile, Account, Connection, Region, Endpoint string

	Outcome Outcome
	// Open: a step was sent and its answer is not known, or a mark was set and
	// neither used nor taken off. Somebody should look.
	Open bool
	// Resolved: it was settled later what became of it.
	Resolved bool
	Reasons  []Reason
	Error    string
	// Undoes is the receipt that the change took back, and Undone the one that
	// took it back.
	Undoes, Undone string
	// undoing is one that may have taken it back: what became of it is not known.
	undoing string

	journal *Journal
	run     string
	steps   []*sent
	mu      sync.Mutex
	entry   *Entry
}

// sent is a step that the journal knows to have been sent.
type sent struct {
	name        string
	first, last time.Time
	outcome     Outcome // Unknown until the answer
	failed      bool    // refused by something else than what the table holds
	once        bool    // answered at its only sending
	at          span    // of its newest line
	// before is what was known until it was sent again.
	before *sent
}

// span is where a line stands in the journal.
type span struct {
	offset int64
	size   int
}

// step is the step of that name; nil where it was not sent.
func (r *Record) step(name string) *sent {
	for _, s := range r.steps {
		if s.name == name {
			return s
		}
	}
	return nil
}

// written is when the newest line about its steps was.
func (r *Record) written() time.Time {
	var newest time.Time
	for _, s := range r.steps {
		if s.last.After(newest) {
			newest = s.last
		}
	}
	return newest
}

// Plan is the change as it was planned; what it needs to be applied is gone. It is
// nil where it cannot be read, which Load explains. It is safe for concurrent use.
func (r *Record) Plan() *Plan {
	e, err := r.Load()
	if err != nil {
		return nil
	}
	return e.Plan
}

// Load reads what was written down before the change was sent: the plan, who and
// where. It is safe for concurrent use.
func (r *Record) Load() (*Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entry != nil {
		return r.entry, nil
	}
	e, err := r.journal.entryAt(r.steps[0].at, r.Receipt)
	if err != nil { // it was pruned meanwhile: the lines stand elsewhere
		if again, _ := r.journal.Record(r.Receipt); again != nil {
			e, err = r.journal.entryAt(again.steps[0].at, r.Receipt)
		}
	}
	if err != nil {
		return nil, err
	}
	r.entry = &e
	return r.entry, nil
}

// entryAt reads one line of the journal again.
func (j *Journal) entryAt(at span, receipt string) (Entry, error) {
	f, err := os.Open(j.path)
	if err != nil {
		return Entry{}, j.wrap("reading", err)
	}
	defer f.Close()
	line := make([]byte, at.size)
	var e Entry
	if _, err := f.ReadAt(line, at.offset); err != nil && !errors.Is(err, io.EOF) {
		return e, j.wrap("reading", err)
	}
	if err := json.Unmarshal(content(line), &e); err != nil || e.Receipt != receipt {
		return e, j.wrap("reading", fmt.Errorf("it changed while it was read, and %s is no longer where it was", receipt))
	}
	return e, nil
}

// Records reads the journal, the newest change last. Lines that a crash tore are
// passed over: a step whose line was torn was never sent.
func (j *Journal) Records() ([]*Record, error) {
	all, _, err := j.Read()
	return all, err
}

// Read is Records, with how many lines cannot be read. It answers an error where none
// can be: such a journal is not empty.
func (j *Journal) Read() (all []*Record, unread int, err error) {
	f, err := os.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, j.wrap("reading", err)
	}
	defer f.Close()
	byID, known := map[string]*Record{}, words{}
	at, torn := span{}, false
	for line, err := range lines(f) {
		if err != nil {
			return nil, 0, j.wrap("reading", err)
		}
		at = span{at.offset + int64(at.size), len(line)}
		torn = tornLine(line)
		e, ok := glance(line)
		if !ok {
			if len(content(line)) > 0 {
				unread++
			}
			continue
		}
		r := byID[e.Receipt]
		if r == nil && e.Event == "send" {
			r = &Record{
				Receipt: e.Receipt, At: e.At, Undoes: e.Undoes, What: e.What, Reason: e.Reason, Table: known.of(e.Table), Who: known.of(e.Who), Profile: known.of(e.Profile),
				Account: known.of(e.Account), Connection: known.of(e.Connection), Region: known.of(e.Region), Endpoint: known.of(e.Endpoint), journal: j,
			}
			byID[e.Receipt], all = r, append(all, r)
		}
		if r != nil {
			r.take(e, at)
		}
	}
	for _, r := range all {
		r.conclude()
		if r.Open && r.forgetTorn() {
			unread++
		}
	}
	all = slices.DeleteFunc(all, func(r *Record) bool { return len(r.steps) == 0 })
	if len(all) == 0 && unread > 0 && (unread > 1 || !torn) {
		return nil, unread, j.unreadable(unread)
	}
	for _, r := range all {
		switch undone := byID[r.Undoes]; {
		case undone == nil:
		case r.Outcome == Applied:
			undone.Undone = r.Receipt
		case r.Outcome == Unknown:
			undone.undoing = r.Receipt
		}
	}
	return all, unread, nil
}

// Record finds one change by its receipt; nil where there is none.
func (j *Journal) Record(receipt string) (*Record, error) {
	all, err := j.Records()
	if n := slices.IndexFunc(all, func(r *Record) bool { return r.Receipt == receipt }); n >= 0 {
		return all[n], err
	}
	return nil, err
}

// take takes in one line.
func (r *Record) take(e Entry, at span) {
	s := r.step(e.Step)
	switch {
	case e.Event == "resolved":
		r.Resolved, r.Outcome, r.Reasons, r.Error = true, e.Outcome.definite(), e.Reasons, e.Error
	case e.Event == "send" && s == nil:
		r.steps = append(r.steps, &sent{name: e.Step, first: e.At, last: e.At, outcome: Unknown, at: at})
		r.run = e.Run
	case e.Event == "send":
		was := *s
		s.last, s.outcome, s.once, s.at, s.before = e.At, Unknown, false, at, &was
		r.Resolved = false
	case s != nil:
		s.last, s.outcome, s.failed, s.once = e.At, e.Outcome.definite(), e.Error != "", e.Sent == Once
		if e.Step != "unmark" {
			r.Reasons, r.Error = e.Reasons, e.Error
		} else if e.Outcome == Applied {
			r.Reasons = e.Reasons
		}
	}
}

// conclude tells from the steps what became of the change.
func (r *Record) conclude() {
	if r.Resolved || len(r.steps) == 0 {
		r.Open = false
		return
	}
	mark, remove, unmark := r.step("mark"), r.step("delete"), r.step("unmark")
	switch {
	case mark == nil:
		r.Outcome = r.steps[len(r.steps)-1].outcome
		r.Open = r.Outcome == Unknown
	case remove != nil && remove.outcome != Refused:
		r.Outcome, r.Open = remove.outcome, remove.outcome == Unknown
	case mark.outcome == Refused:
		r.Outcome = Refused
	case unmark.took(mark):
		r.Outcome = Refused
	default:
		r.Outcome, r.Open = Unknown, true
	}
}

// took reports whether a step has taken a mark off for good. That it found none is
// enough only where the mark was answered: else it may still be under way.
func (s *sent) took(mark *sent) bool {
	switch {
	case s == nil || s.failed:
		return false
	case mark.outcome == Applied:
		return s.outcome != Unknown
	}
	return s.outcome == Applied
}

// forgetTorn forgets the newest sending where its line is torn in a way that a
// glance does not see: then it was none. What was sent before it counts. It reports
// whether it has.
func (r *Record) forgetTorn() bool {
	newest := slices.MaxFunc(r.steps, func(a, b *sent) int { return cmp.Compare(a.at.offset, b.at.offset) })
	if _, err := r.journal.entryAt(newest.at, r.Receipt); err == nil {
		return false
	}
	if newest.before != nil {
		*newest = *newest.before
	} else {
		r.steps = slices.DeleteFunc(r.steps, func(s *sent) bool { return s == newest })
	}
	r.conclude()
	return true
}

// Open lists the changes that are open.
func Open(records []*Record) []*Record {
	return slices.DeleteFunc(slices.Clone(records), func(r *Record) bool { return !r.Open })
}
