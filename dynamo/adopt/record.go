package adopt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"tallylock/dynamo"
	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/client"
	"tallylock/dynamo/durable"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Record is the file with the phases of one adoption. Each line is an Event, and is synced to the disk. The file is
// beside the journal, and belongs to one constraint of one table of one connection.
type Record struct {
	rule *Rule
	path string
	who  string
}

// adoption identifies an adoption, as the journal identifies the destination of a change.
type adoption struct {
	Account    string `json:"account"`
	Region     string `json:"region"`
	Endpoint   string `json:"endpoint"`
	Table      string `json:"table"`
	TableID    string `json:"table_id"`
	Constraint string `json:"constraint"`
}

// header is the first line of a record.
type header struct {
	Version  int      `json:"tallylock_adopt"`
	Adoption adoption `json:"adoption"`
}

// OpenRecord returns the record of a rule's adoption, in the folder "adopt" beside a journal. It creates nothing. The
// events name who, the user.
func OpenRecord(journal string, r *Rule, who string) *Record {
	name := odd.ReplaceAllString(r.Table.Name+"."+r.Constraint.Name, "_")
	id, _ := json.Marshal(r.adoption()) // it cannot fail
	sum := sha256.Sum256(id)
	name = name[:min(len(name), 80)] + "." + hex.EncodeToString(sum[:6])
	return &Record{rule: r, path: filepath.Join(filepath.Dir(journal), "adopt", name+".jsonl"), who: who}
}

// RecordOf returns the record of a constraint that the layout may no longer have. It needs only the table and the
// name of the constraint. Append only backfills and their undos to this record: events of other phases count only
// with the hash of the rule, which RecordOf does not know.
func RecordOf(journal string, t *dynamo.Table, constraint, who string) *Record {
	return OpenRecord(journal, &Rule{Table: t, Constraint: &layout.Constraint{Name: constraint}}, who)
}

// odd matches the characters that may not be in the name of the file.
var odd = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

func (r *Rule) adoption() adoption {
	conn := r.Table.Connection()
	return adoption{
		Account: r.Table.Account, Region: conn.Region(), Endpoint: conn.Endpoint(), Table: r.Table.Name,
		TableID: r.Table.Identity(), Constraint: r.Constraint.Name,
	}
}

// Path returns the path of the file.
func (r *Record) Path() string { return r.path }

// Folder returns the folder of the file. The backfill keeps its own files there.
func (r *Record) Folder() string { return filepath.Dir(r.path) }

// State reads the file, and the evidence in the records of constraints with the same locks. A missing file is an
// adoption that has not begun.
func (r *Record) State() (*State, error) {
	s := &State{rule: r.rule, Backfills: []*Backfill{}}
	own, err := r.events(r.checkHeader)
	if err != nil {
		return nil, err
	}
	if len(own) == 0 {
		return s, nil
	}
	others, err := r.evidence()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(others, func(a, b Event) int { return a.At.Compare(b.At) })
	for _, e := range own {
		for len(others) > 0 && !others[0].At.After(e.At) {
			s.addEvidence(others[0])
			others = others[1:]
		}
		s.add(e)
	}
	for _, e := range others {
		s.addEvidence(e)
	}
	s.countPut()
	return s, nil
}

// countPut sets the number of locks of a stopped backfill by the file of the run. A killed process has not recorded
// this number. If the file cannot be read, the number of the record stays.
func (s *State) countPut() {
	if b := s.stopped; b != nil {
		if put, err := backfill.PutBy(b.File, b.Receipt); err == nil {
			b.Put = put
		}
	}
}

func (r *Record) checkHeader(line []byte) error {
	var h header
	if err := json.Unmarshal(line, &h); err != nil || h.Version == 0 {
		return errors.New("the file is not the record of an adoption")
	}
	if h.Version != version {
		return fmt.Errorf("the record has version %d, but this program reads version %d", h.Version, version)
	}
	if h.Adoption != r.rule.adoption() {
		return errors.New("the record belongs to another table, connection or constraint")
	}
	return nil
}

// version is the version of the file.
const version = 1

// Append adds an event to the file and syncs it. It sets the event's time, layout, locks and user, if they
// are empty.
func (r *Record) Append(ctx context.Context, e Event) error {
	if e.At.IsZero() {
		e.At = time.Now().UTC()
	}
	if e.Layout == "" {
		e.Layout = r.rule.Hash
	}
	if e.Locks.Table == "" {
		e.Locks = r.rule.lockKeys()
	}
	if e.Who == "" {
		e.Who = r.who
	}
	if err := r.append(ctx, e); err != nil {
		return r.failed("writing", err)
	}
	return nil
}

func (r *Record) append(ctx context.Context, e Event) error {
	if err := os.MkdirAll(r.Folder(), 0o700); err != nil {
		return err
	}
	unlock, err := durable.Lock(ctx, r.path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	err = durable.Append(r.path, func(f *os.File, _ int64, _ bool) ([]byte, error) {
		return r.lines(f, e)
	})
	if err != nil {
		return err
	}
	return durable.SyncDir(r.Folder())
}

// Withdraw reads the record again. It withdraws the proof of a check if evidence against the rule came after the
// beginning of the check, or if an earlier phase is no longer satisfied.
func (r *Record) Withdraw(v *Verified) error {
	s, err := r.State()
	if err != nil || v.Since == nil || !v.Begun.Before(s.disprovedAt) && s.Allows(PhaseVerify) == nil {
		return err
	}
	v.Since, v.Repeat = nil, PhaseVerify
	v.Why = "while Verify ran, another phase found a problem, changed locks or ended the adoption"
	for _, phase := range []Phase{PhaseSurvey, PhaseWriters, PhaseBackfill} {
		if !s.done(phase) {
			v.Repeat = phase
			break
		}
	}
	return nil
}

// lines returns the lines to append for an event. It cuts off a line that a crash has torn. A new file gets its header.
func (r *Record) lines(f *os.File, e Event) ([]byte, error) {
	var text []byte
	data, err := os.ReadFile(r.path)
	if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if whole < len(data) {
		if err := f.Truncate(int64(whole)); err != nil {
			return nil, err
		}
	}
	if whole == 0 {
		if text, err = json.Marshal(header{version, r.rule.adoption()}); err != nil {
			return nil, err
		}
		text = append(text, '\n')
	}
	line, err := json.Marshal(e)
	return append(append(text, line...), '\n'), err
}

// TryLock locks the adoption for a phase that must not run twice at the same time. It returns a *Refusal with the code
// Running if another process has the lock. The lock ends with its process.
func (r *Record) TryLock(phase Phase) (release func(), err error) {
	if err := os.MkdirAll(r.Folder(), 0o700); err != nil {
		return nil, r.failed("writing", err)
	}
	l := flock.New(r.path+".run", flock.SetPermissions(0o600))
	switch free, err := l.TryLock(); {
	case err != nil:
		return nil, r.failed("locking", err)
	case !free:
		refusal := r.rule.refuse(Running, r.rule.Constraint)
		refusal.Phase = phase
		return nil, refusal
	}
	return func() { _ = l.Unlock() }, nil
}

// failed returns the error of a failed access to the file.
func (r *Record) failed(doing string, err error) error {
	if client.KindOf(err) == client.Cancelled {
		return &client.Error{Kind: client.Cancelled, Op: doing + " the record of the adoption", Why: "stopped", Err: err}
	}
	do := "make its folder readable and writable for you, or choose another place for the journal"
	if errors.Is(err, durable.ErrHeld) {
		do = "wait until that process has finished; if it hangs, end it"
	}
	return &client.Error{
		Kind: client.Failed, Op: doing + " the record of the adoption " + r.path, Why: phrase.WithoutPath(err), Do: do,
		Err: err,
	}
}
