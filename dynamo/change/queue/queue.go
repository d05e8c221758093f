// Package queue keeps the plans that people ask an operator to apply. Each plan is a file in a folder that only the
// server's user can read. The package has no screens, and sends nothing to a table: it decides who may see and decide a
// plan, and lets one operator at a time apply it. Start reading at Queue.
package queue

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/durable"
)

// Queue is the folder of the plans. It is safe for concurrent use, also by several processes.
type Queue struct {
	dir     string
	journal *journal.Journal // tells the outcome of a plan whose operator's process ended
	now     func() time.Time
	mu      sync.Mutex // held while the folder is changed

	parsing sync.Mutex
	parsed  map[string]parsed // by the ID of the entry
}

// Person is a person as the queue sees them.
type Person struct {
	Name     string
	Operator bool
	// ApproveOwn lets an operator apply a plan of their own.
	ApproveOwn bool
	// Sees reports whether the person may see a table of a connection. Opens reports whether the person may open it: a
	// lock table is seen, but only its accounts table may be opened. Nil means all tables.
	Sees, Opens func(connection, table string) bool
}

// Problem is a file of the folder that the queue does not use.
type Problem struct{ File, Why string }

// MostPlans is the greatest number of plans in the queue. mostOwn is the greatest number of one person's open plans.
const (
	MostPlans = 100
	mostOwn   = 20
)

// Open opens the queue in a folder, and creates the folder. It refuses a folder that others can use. j is the journal
// of the operators' changes.
func Open(dir string, j *journal.Journal) (*Queue, error) {
	q := &Queue{dir: dir, journal: j, now: time.Now, parsed: map[string]parsed{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, q.wrap("opening", err)
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
	case !info.IsDir():
		err = errors.New("the path is not a directory")
	case private(info) != nil:
		err = private(info)
	}
	if err != nil {
		return nil, q.wrap("opening", err)
	}
	if _, _, err := q.read(); err != nil { // removes old entries
		return nil, err
	}
	return q, nil
}

// SetClock sets the clock.
func (q *Queue) SetClock(now func() time.Time) { q.now = now }

func (q *Queue) wrap(doing string, err error) error {
	return &client.Error{
		Kind: client.Failed, Op: doing + " the queue of plans", Why: why(err), Do: "check the folder of the queue on the server",
		Err: fmt.Errorf("%s: %w", q.dir, err),
	}
}

// why returns the text of an error without its path: people who work over SSH do not see the server's folders.
func why(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	if at, ok := errors.AsType[*os.LinkError](err); ok {
		err = at.Err
	}
	if at, ok := errors.AsType[*durable.LockError](err); ok {
		err = at.Err
	}
	return err.Error()
}

// refusal returns an error that says why a plan cannot be decided.
func refusal(op, why, do string) error {
	return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: do}
}

// sees reports whether a person may see an entry: its author, and operators of all its tables.
func (p Person) sees(e *Entry) bool {
	return e.AskedBy == p.Name || p.operates(e)
}

// operates reports whether a person is an operator of all tables of an entry, and may open the tables of its changes.
func (p Person) operates(e *Entry) bool {
	return p.Operator && !slices.ContainsFunc(e.tables(), func(table string) bool {
		return p.Sees != nil && !p.Sees(e.Plan.Connection, table)
	}) && !slices.ContainsFunc(e.Plan.Changes, func(c change.PlannedChange) bool {
		return p.Opens != nil && !p.Opens(e.Plan.Connection, c.Table)
	})
}

// WhyNotDecided returns the reason why a person cannot apply an entry; empty if the person can.
func (p Person) WhyNotDecided(e *Entry) string {
	switch {
	case !p.operates(e):
		return "only an operator of the plan's tables can decide"
	case e.State == Applying:
		return e.DecidedBy + " is applying it"
	case e.SentAndRefused():
		return e.DecidedBy + " has sent it already, and DynamoDB refused it"
	case e.State == Applied, e.State == Refused:
		return fmt.Sprintf("%s has %s it already", e.DecidedBy, e.State)
	case e.State == Unknown:
		return e.DecidedBy + " has sent the change, and its outcome is unknown: resolve the change in the journal"
	case e.State == Expired:
		return "it has expired: the author has to ask again"
	case e.AskedBy == p.Name && !p.ApproveOwn:
		return "another operator has to apply your plan"
	}
	return ""
}

// Add puts a plan into the queue. It sets the author of the plan. It returns an error of the kind Usage if the plan has
// no reason or is too large, if the author may not see one of its tables, or if the queue has no room for it.
func (q *Queue) Add(by Person, shown Shown, f *change.PlanFile) (*Entry, error) {
	const op = "asking an operator"
	f.Who = by.Name
	now := q.now().UTC().Truncate(time.Second)
	e := &Entry{
		Version: version, ID: "P-" + strings.ToLower(rand.Text()[:idLength]), State: Waiting, AskedBy: by.Name,
		Asked: now, Until: now.Add(lasts), Shown: shown, Plan: f,
	}
	if strings.TrimSpace(f.Reason) == "" {
		return nil, refusal(op, "the plan has no reason", "type the reason")
	}
	for _, table := range e.tables() {
		if by.Sees != nil && !by.Sees(f.Connection, table) {
			return nil, refusal(op, "you have no access to the table "+table, "nothing was stored")
		}
	}
	data, err := e.bytes()
	if err == nil && len(data) > maxPlan {
		err = fmt.Errorf("the plan is larger than %d KB: ask for fewer changes at once", maxPlan>>10)
	}
	if err != nil {
		return nil, refusal(op, err.Error(), "nothing was stored")
	}
	unlock, err := q.lock()
	if err != nil {
		return nil, q.wrap("writing", err)
	}
	defer unlock()
	if err := q.makeRoom(by); err != nil {
		return nil, err
	}
	if err := q.create(e.ID, data); err != nil {
		return nil, q.wrap("writing", err)
	}
	return e, nil
}

// makeRoom removes old entries, and then the oldest decided entry if the queue is full. It returns an error if the
// queue is full and no entry is decided, or if too many entries of one person are open.
func (q *Queue) makeRoom(by Person) error {
	all, _, err := q.read()
	if err != nil {
		return err
	}
	own := 0
	for _, e := range all {
		if e.AskedBy == by.Name && e.Open() {
			own++
		}
	}
	if own >= mostOwn {
		return refusal("asking an operator", fmt.Sprintf("%d of your plans are already waiting", own), "withdraw one, or ask again later")
	}
	if len(all) < MostPlans {
		return nil
	}
	decided := slices.DeleteFunc(all, func(e *Entry) bool { return e.Open() || e.State == Unknown })
	if len(decided) == 0 {
		return refusal("asking an operator", fmt.Sprintf("%d plans are already waiting", MostPlans), "ask again later")
	}
	oldest := slices.MinFunc(decided, func(a, b *Entry) int { return a.Asked.Compare(b.Asked) })
	if err := q.remove(oldest.ID); err != nil {
		return q.wrap("writing", err)
	}
	return nil
}

// remove removes an entry and its lock.
func (q *Queue) remove(id string) error {
	_ = os.Remove(filepath.Join(q.dir, id+".lock"))
	return os.Remove(q.path(id))
}

// Changed returns the time of the last change in the folder.
func (q *Queue) Changed() (time.Time, error) {
	info, err := os.Stat(q.dir)
	if err != nil {
		return time.Time{}, q.wrap("reading", err)
	}
	return info.ModTime(), nil
}

// List returns the entries that a person may see: the open ones first, then the newest. It also returns the files of
// the folder that it does not use, for operators.
func (q *Queue) List(by Person) ([]*Entry, []Problem, error) {
	all, problems, err := q.read()
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, func(e *Entry) bool { return !by.sees(e) })
	slices.SortFunc(all, func(a, b *Entry) int {
		if a.Open() != b.Open() {
			if a.Open() {
				return -1
			}
			return 1
		}
		return cmp.Or(b.Asked.Compare(a.Asked), strings.Compare(a.ID, b.ID))
	})
	if !by.Operator {
		problems = nil
	}
	return all, problems, nil
}

// Entry returns an entry that a person may see. A hidden entry has the same error as a missing one.
func (q *Queue) Entry(by Person, id string) (*Entry, error) {
	gone := refusal("reading the plan "+id, "the queue has no such plan: its author may have withdrawn it", "read the queue again")
	if !isID(id) {
		return nil, gone
	}
	e, err := q.load(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, gone
	case err != nil:
		return nil, q.wrap("reading", err)
	case !by.sees(e):
		return nil, gone
	}
	return e, nil
}

// Withdraw removes a waiting or expired plan. Only its author can withdraw it.
func (q *Queue) Withdraw(by Person, id string) error {
	return q.decide(by, id, "withdrawing", func(e *Entry) error {
		switch {
		case e.AskedBy != by.Name:
			return refusal("withdrawing "+id, "only its author, "+e.AskedBy+", can withdraw it", "nothing was changed")
		case e.State != Waiting && e.State != Expired:
			return refusal("withdrawing "+id, by.WhyNotWithdrawn(e), "nothing was changed")
		}
		return os.Remove(q.path(id))
	})
}

// WhyNotWithdrawn returns the reason why a person cannot withdraw an entry; empty if the person can.
func (p Person) WhyNotWithdrawn(e *Entry) string {
	switch {
	case e.AskedBy != p.Name:
		return "only its author can withdraw it"
	case e.State == Applying:
		return e.DecidedBy + " is applying it"
	case e.State == Unknown:
		return e.DecidedBy + " has sent it"
	case e.SentAndRefused():
		return e.DecidedBy + " has sent it, and DynamoDB refused it"
	case e.State == Applied, e.State == Refused:
		return fmt.Sprintf("%s has %s it", e.DecidedBy, e.State)
	}
	return ""
}

// Refuse refuses a waiting plan, for a reason that its author sees. It shortens a long reason. If a part of the plan
// was applied, it refuses the rest. It returns an error if a change of the plan was sent and its outcome is unknown:
// such a plan may have been applied.
func (q *Queue) Refuse(by Person, id, why string) error {
	why = strings.TrimSpace(why)
	if why == "" {
		return refusal("refusing "+id, "the reason is empty", "type a reason")
	}
	return q.decide(by, id, "refusing", func(e *Entry) error {
		records, err := q.records()
		if err != nil {
			return err
		}
		whyNot := by.WhyNotDecided(e)
		if e.State == Waiting && by.operates(e) {
			whyNot = "" // an operator can refuse their own plan
		}
		if receipt := e.unanswered(records); whyNot == "" && receipt != "" {
			whyNot = "the change was sent as " + receipt + ", and its outcome is unknown: resolve the change in the journal"
		}
		if whyNot != "" {
			return refusal("refusing "+id, whyNot, "nothing was changed")
		}
		e.State, e.DecidedBy, e.Decided, e.Why = Refused, by.Name, q.now().UTC(), shortened(why)
		if e.Receipts = e.applied(records); len(e.Receipts) > 0 {
			e.State = Applied
		}
		if len(e.Receipts) == len(e.Plan.Changes) {
			e.Why = "" // every change was applied
		}
		return q.store(e)
	})
}

// decide changes one entry while no other operator decides it.
func (q *Queue) decide(by Person, id, doing string, change func(*Entry) error) error {
	t, err := q.take(by, id, doing)
	if err != nil {
		return err
	}
	defer t.unlock()
	if err = change(t.Entry); err != nil {
		if known, ok := errors.AsType[*client.Error](err); ok {
			return known
		}
		return q.wrap("writing", err)
	}
	return nil
}

// Taken is a plan that one operator applies. Nobody else can decide it until Done.
type Taken struct {
	*Entry
	queue  *Queue
	unlock func()
}

// take locks an entry.
func (q *Queue) take(by Person, id, doing string) (*Taken, error) {
	if _, err := q.Entry(by, id); err != nil { // so that no lock file is made for a plan that does not exist
		return nil, err
	}
	unlock, free, err := q.lockEntry(id)
	if err != nil {
		return nil, q.wrap("writing", err)
	}
	e, err := q.Entry(by, id)
	if err == nil && !free {
		err = refusal(doing+" "+id, cmp.Or(by.WhyNotDecided(e), "another person is deciding about this plan"), "read the queue again")
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return &Taken{e, q, unlock}, nil
}

// Take lets an operator apply a plan. If two operators take it, one gets an error with the name of the other. Call Done
// when the outcome is known, or Return if the plan, or the rest of the plan, must wait again.
func (q *Queue) Take(by Person, id string) (*Taken, error) {
	t, err := q.take(by, id, "applying")
	if err != nil {
		return nil, err
	}
	if t.State == Applying { // its operator's process has ended, since the lock is free
		if err = q.settle(t.Entry); err != nil {
			t.unlock()
			return nil, err
		}
	}
	t.expire(q.now())
	if why := by.WhyNotDecided(t.Entry); why != "" {
		t.unlock()
		return nil, refusal("applying "+id, why, "nothing was sent")
	}
	t.State, t.DecidedBy, t.Decided = Applying, by.Name, q.now().UTC()
	if err := q.store(t.Entry); err != nil {
		t.unlock()
		return nil, q.wrap("writing", err)
	}
	return t, nil
}

// Done stores the outcome of the plan, and unlocks the plan. why is the reason of a refusal. receipts has the receipts
// of the changes that were sent. If earlier attempts applied a part of the plan, only the other changes are refused.
func (t *Taken) Done(state State, why string, receipts ...string) error {
	defer t.unlock()
	if state == Refused && len(t.Receipts) > 0 {
		state = Applied
	}
	t.State, t.Receipts, t.Why = state, slices.Concat(t.Receipts, receipts), shortened(why)
	if err := t.queue.store(t.Entry); err != nil {
		return t.queue.wrap("writing", err)
	}
	return nil
}

// Return lets the plan wait again. receipts has the receipts of the changes that were applied.
func (t *Taken) Return(receipts ...string) error {
	t.DecidedBy, t.Decided = "", time.Time{}
	return t.Done(Waiting, "", receipts...)
}

// settle finds the outcome of an entry in the journal, and stores it. The caller holds the entry's lock.
func (q *Queue) settle(e *Entry) error {
	records, err := q.records()
	if err != nil {
		return err
	}
	state, receipts := e.State, len(e.Receipts)
	if e.settle(records); e.State == state && len(e.Receipts) == receipts {
		return nil // a write would make every session read the folder again
	}
	if err := q.store(e); err != nil {
		return q.wrap("writing", err)
	}
	return nil
}

// records returns the records of the journal.
func (q *Queue) records() ([]*journal.Record, error) {
	all, err := q.journal.Records()
	if err != nil {
		return nil, &client.Error{
			Kind: client.Failed, Op: "reading the journal of the server", Why: why(err), Do: "tell the person who runs the server",
			Err: err,
		}
	}
	return all, nil
}
