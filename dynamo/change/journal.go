package change

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/adrg/xdg"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
)

// Journal is the record of every change: JSON lines, appended and synced to the
// disk before a step is sent and after its answer. Two processes may write one
// journal. Values of the table stand in it, so only its owner may read it.
type Journal struct {
	path string
	// turn is whose within this process it is to write; lasting is set, in turn,
	// once the file's name is on the disk, too.
	turn    chan struct{}
	lasting bool
	// trusted: it is acted on although its chain is broken.
	trusted bool
}

// Entry is one line of the journal. What tells the steps apart comes first, so
// that a long journal is listed without reading every plan.
type Entry struct {
	// Event is "send", before a step is sent, "answer" after it, or "resolved",
	// where it was settled later what became of the change.
	Event   string    `json:"event"`
	Receipt string    `json:"receipt"`
	Step    string    `json:"step"`
	Token   string    `json:"token"`
	At      time.Time `json:"at"`
	// Run is the receipt of the change, or of the first of those that were made
	// together: as long as they are being made, nobody else settles them.
	Run string `json:"run,omitempty"`
	// Undoes is the receipt that the change takes back.
	Undoes string `json:"undoes,omitempty"`

	// After a step. Sent is Once where the answer was that to its only sending: then
	// no copy of it is under way. Whatever else it says, one may be.
	Outcome Outcome `json:"outcome,omitempty"`
	Sent    string  `json:"sent,omitempty"`

	// Before a step: everything that is needed to judge it later. What, Table
	// and Reason are the plan's, in short. Who is the caller as STS names it, or the operating
	// system's name for the person; NoSTS is why, where STS was asked in vain.
	What       string `json:"what,omitempty"`
	Table      string `json:"table,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Who        string `json:"who,omitempty"`
	NoSTS      string `json:"no_sts,omitempty"`
	Profile    string `json:"profile,omitempty"`
	Account    string `json:"account,omitempty"`
	Connection string `json:"connection,omitempty"`
	Region     string `json:"region,omitempty"`
	Endpoint   string `json:"endpoint,omitempty"`

	// What is long stands at the end.
	Reasons []Reason `json:"reasons,omitempty"`
	Error   string   `json:"error,omitempty"`
	Plan    *Plan    `json:"plan,omitempty"`
	// Request is what is sent, byte for byte.
	Request json.RawMessage `json:"request,omitempty"`
}

// Once is what an answer says that was that to the only sending of its step.
const Once = "once"

// DefaultJournal is where the journal is unless it is said otherwise: in the
// user's state directory (XDG Base Directory Specification).
func DefaultJournal() string {
	return filepath.Join(xdg.StateHome, "tallylock", "journal.jsonl")
}

// OpenJournal opens a journal. Its directory is made if need be, for the user
// alone. A journal that others can write, or put another in the place of, could be
// made to tell lies: it is refused. Nothing is created before the first change.
func OpenJournal(path string) (*Journal, error) {
	j := &Journal{path: path, turn: make(chan struct{}, 1)}
	if err := j.private(); err != nil {
		return nil, j.wrap("writing", err)
	}
	// A link is followed once and for all: whoever comes by it and whoever comes by
	// the file itself keep to one lock, and pruning leaves the link where it is.
	file, err := filepath.EvalSymlinks(path)
	switch _, broken := os.Readlink(path); {
	case err == nil && file != path:
		j.path = file
		err = j.private()
	case errors.Is(err, fs.ErrNotExist) && broken != nil:
		err = nil // it is made with the first change
	}
	if err != nil {
		return nil, j.wrap("writing", err)
	}
	return j, nil
}

// private refuses a journal that is not the user's own, and takes from others the
// right to read it. On Windows the modes say nothing.
func (j *Journal) private() error {
	info, err := os.Stat(j.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if info != nil && info.IsDir() {
		return errors.New("it is a directory")
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	const others = 0o022
	dir := filepath.Dir(j.path)
	if in, err := os.Stat(dir); err == nil && in.Mode().Perm()&others != 0 && in.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("others can write its directory (mode %04o); run: chmod go-w %s", in.Mode().Perm(), dynamo.Quote(dir))
	}
	if info == nil {
		return nil
	}
	mode := info.Mode()
	if mode.Perm()&others != 0 {
		return fmt.Errorf("others can write it (mode %04o); run: chmod 600 %s", mode.Perm(), dynamo.Quote(j.path))
	}
	if mode.IsRegular() && mode.Perm()&0o077 != 0 {
		return os.Chmod(j.path, 0o600) // values of the table stand in it
	}
	return nil
}

// Path is where the journal is.
func (j *Journal) Path() string { return j.path }

func (j *Journal) wrap(doing string, err error) error {
	if errors.Is(err, context.Canceled) {
		return &client.Error{Kind: client.Cancelled, Op: doing + " the journal " + j.path, Why: "stopped before it was done", Err: err}
	}
	kind := client.Usage
	if full, ok := errors.AsType[*fs.PathError](err); ok && (full.Op == "write" || full.Op == "sync") {
		kind = client.Failed // the place is right
	}
	return &client.Error{Kind: kind, Op: doing + " the journal " + j.path, Why: err.Error(), Do: "a step that the journal does not know is not sent; choose another place with --journal", Err: err}
}

func (c *Changer) entry(ctx context.Context, p *Plan, s Step, request []byte) Entry {
	conn := p.conn
	e := Entry{
		Event: "send", Receipt: p.ID, Step: s.Name, Token: s.Token, At: c.now(), Run: p.run, Undoes: p.Undoes,
		Profile: conn.Profile(), Account: p.account, Connection: conn.Name(), Region: conn.Region(), Endpoint: conn.Endpoint(),
		What: p.String(), Table: p.Table, Reason: p.Reason, Plan: p, Request: request,
	}
	who := conn.Identity(ctx)
	if e.Who = who.ARN; e.Who == "" {
		e.Who = c.Who
	}
	if e.Account == "" {
		e.Account = who.Account
	}
	if who.Err != nil {
		e.NoSTS = who.Err.Error()
	}
	return e
}

// before writes down what is about to be sent.
func (j *Journal) before(ctx context.Context, e Entry) error {
	if err := j.append(ctx, e); err != nil {
		return j.wrap("writing", err)
	}
	return nil
}

// after writes down what came of it, although the person has cancelled.
func (j *Journal) after(ctx context.Context, at time.Time, receipt string, s Step, r Receipt) error {
	e := Entry{Event: "answer", Receipt: receipt, Step: s.Name, Token: s.Token, At: at, Outcome: r.Outcome, Reasons: r.Reasons}
	if !r.lost {
		e.Sent = Once
	}
	if r.Err != nil {
		e.Error = r.Err.Error()
	}
	if err := j.append(context.WithoutCancel(ctx), e); err != nil {
		return fmt.Errorf("the answer could not be written to the journal %s: %w", j.path, err)
	}
	return nil
}

// line is the entry as it is written. Nothing in it is escaped that need not be:
// the request must be found in it byte for byte.
func (e Entry) line() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(e)
	return b.Bytes(), err
}

// append writes one line and syncs it. A line that an earlier crash tore is ended
// first; one that could not be written whole, since the disk is full, is taken
// back.
func (j *Journal) append(ctx context.Context, e Entry) error {
	line, err := e.line()
	if err != nil {
		return err
	}
	unlock, err := j.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if !j.lasting {
		if err := syncDir(filepath.Dir(j.path)); err != nil {
			return errors.Join(err, f.Close())
		}
		j.lasting = true
	}
	end, torn, err := ending(f)
	var before []byte
	if err == nil {
		before, err = lastContent(f, end)
	}
	if err == nil {
		if line = linked(before, line); torn {
			line = append([]byte{'\n'}, line...)
		}
		if _, err = f.Write(line); err == nil {
			err = f.Sync()
		}
		if err != nil {
			_ = f.Truncate(end) // where that fails, too, it is a torn line
		}
	}
	return errors.Join(err, f.Close())
}

// ending is how long a file is, and whether its last line has no end.
func ending(f *os.File) (size int64, torn bool, err error) {
	size, err = f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return size, false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], size-1)
	return size, last[0] != '\n', err
}
