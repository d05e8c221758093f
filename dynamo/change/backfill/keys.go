package backfill

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/durable"
)

// Keys is the file of a backfill. Each line has one transaction of the run. The line is synced to the disk before the
// transaction is sent, and a short line follows with the outcome. So the file has every lock that the run may have put,
// even if the process is killed.
type Keys struct {
	f    *os.File
	path string
}

// Header is the first line of the file.
type Header struct {
	Version int `json:"tallylock_backfill"`
	// Receipt is the receipt of the run in the journal, and Mark the mark of its locks.
	Receipt string `json:"receipt"`
	Mark    string `json:"mark"`
}

const version = 1

// Line is a line after the header.
type Line struct {
	Event Event     `json:"event"`
	Token string    `json:"token,omitempty"` // the token of the transaction
	At    time.Time `json:"at"`
	// There is the time At by the clock of the endpoint; zero if unknown.
	There time.Time `json:"there,omitzero"`
	// NoTokens is set if the endpoint ignores request tokens. Such a request must not be sent again.
	NoTokens bool `json:"no_tokens,omitempty"`
	// Outcome is the outcome of a transaction: applied, refused or unknown. Locks counts its locks.
	Outcome string `json:"outcome,omitempty"`
	Locks   int    `json:"locks,omitempty"`
	// Lost is set if an attempt of the transaction got no answer. That attempt may arrive later.
	Lost bool `json:"lost,omitempty"`
	// Writes are the actions of the transaction.
	Writes []client.Write `json:"writes,omitempty"`
}

// Puts returns the locks of the transaction.
func (l *Line) Puts() (puts []client.Write) {
	for _, w := range l.Writes {
		if w.Verb == client.Put {
			puts = append(puts, w)
		}
	}
	return puts
}

// Event is the kind of a line.
type Event string

// The events.
const (
	Sending  Event = "send"   // a transaction is about to be sent, or sent again
	Answered Event = "answer" // the outcome of a transaction
	Finished Event = "done"   // every account was read, and every missing lock was tried
	Undone   Event = "undo"   // a transaction of the undo was answered, or got no answer
)

// Create creates the file. Only its owner may read the file: it has values of the table.
func Create(path string, h Header) (*Keys, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	h.Version = version
	k := &Keys{f: f, path: path}
	if err := errors.Join(k.append(h), f.Sync(), durable.SyncDir(filepath.Dir(path))); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return k, nil
}

// Open opens the file of an earlier run to continue the run. It removes a last line that a crash tore: the transaction
// of a torn line was never sent.
func Open(path string, h Header) (*Keys, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	end, err := lastNewline(f)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		err = checkHeader(f, h)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Keys{f: f, path: path}, nil
}

// lastNewline returns the offset after the last newline of a file.
func lastNewline(f *os.File) (int64, error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 64<<10)
	for end > 0 {
		from := max(end-int64(len(buf)), 0)
		n, err := f.ReadAt(buf[:end-from], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if at := bytes.LastIndexByte(buf[:n], '\n'); at >= 0 {
			return from + int64(at) + 1, nil
		}
		end = from
	}
	return 0, nil
}

// checkHeader returns an error if the file belongs to another run.
func checkHeader(f *os.File, want Header) error {
	line, err := bufio.NewReader(io.NewSectionReader(f, 0, 1<<16)).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var h Header
	want.Version = version
	if err := json.Unmarshal(line, &h); err != nil || h != want {
		return fmt.Errorf("%s is not the file of the receipt %s", f.Name(), want.Receipt)
	}
	return nil
}

// Path returns the path of the file.
func (k *Keys) Path() string { return k.path }

// Send records a transaction, and syncs the file. The transaction may be sent only if Send returns nil.
func (k *Keys) Send(l Line) error {
	l.Event = Sending
	return errors.Join(k.append(l), k.f.Sync())
}

// Answer records the outcome of a transaction. It does not sync the file: if the line is lost, the table tells the
// outcome.
func (k *Keys) Answer(l Line) error {
	l.Event, l.Writes = Answered, nil
	return k.append(l)
}

// Finish records that the run is complete.
func (k *Keys) Finish(at time.Time) error {
	return errors.Join(k.append(Line{Event: Finished, At: at}), k.f.Sync())
}

// append writes one line. If the whole line cannot be written, as on a full disk, append removes the written part.
func (k *Keys) append(v any) error {
	line, err := attr.Line(v, "")
	if err != nil {
		return err
	}
	before, err := k.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if line = append(bytes.TrimRight(line, "\n"), '\n'); err == nil {
		if _, err = k.f.Write(line); err != nil {
			_ = k.f.Truncate(before) // if that fails too, a torn line remains
		}
	}
	return err
}

// Close closes the file.
func (k *Keys) Close() error { return k.f.Close() }

// Undo records a transaction of the undo after its end: which locks it deleted, and when. The undo works without this
// line, so Undo does not sync the file.
func (k *Keys) Undo(l Line) error {
	l.Event = Undone
	return k.append(l)
}

// Lines iterates over the lines of a file, without the header. It omits a last line that a crash tore.
func Lines(path string, h Header) iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		n := 1
		for line, err := range rawLines(path, h) {
			n++
			l := new(Line)
			if err == nil && json.Unmarshal(line, l) != nil {
				err = fmt.Errorf("line %d of %s is damaged", n, path)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}

// rawLines is Lines before the lines are decoded.
func rawLines(path string, h Header) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		if err := checkHeader(f, h); err != nil {
			yield(nil, err)
			return
		}
		in := bufio.NewReaderSize(f, 1<<16)
		for n := 0; ; n++ {
			line, err := in.ReadBytes('\n')
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, err)
				return
			case n > 0 && !yield(line, nil):
				return
			}
		}
	}
}

// Summary is the state of a run, by its file.
type Summary struct {
	// Put counts the locks of the applied transactions. Sent counts the locks of all transactions: a lock counts once for
	// each transaction that has it.
	Put, Sent int64
	// Open has the transactions without a definite outcome, by token, each with its newest line. First has the line of
	// the first sending.
	Open, First map[string]*Line
	// Finished is set if the run is complete.
	Finished bool
	// Refused has the tokens of the refused transactions, and Untaken the locks, by Lock.ID, that only refused
	// transactions have. A late attempt may put such a lock.
	Refused map[string]bool
	Untaken map[string]client.Write
	// Late is the newest answer of a transaction that had an attempt without an answer; nil if there is none. A copy of
	// this attempt may still arrive, also if the transaction was applied: DynamoDB forgets its token after 10 minutes.
	Late *Line
}

// PutBy returns the number of locks that a run has put, by its file and its receipt. It does not need the mark of the
// run.
func PutBy(path, receipt string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var h Header
	if err := json.NewDecoder(f).Decode(&h); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	h.Receipt = receipt
	s, err := Summarise(path, h)
	if err != nil {
		return 0, err
	}
	return s.Put, nil
}

// Summarise reads a file. A missing file is an error.
func Summarise(path string, h Header) (*Summary, error) {
	s := &Summary{
		Open: map[string]*Line{}, First: map[string]*Line{}, Refused: map[string]bool{}, Untaken: map[string]client.Write{},
	}
	for l, err := range Lines(path, h) {
		if err != nil {
			return nil, err
		}
		s.add(l)
	}
	return s, nil
}

func (s *Summary) add(l *Line) {
	switch l.Event {
	case Sending:
		if was := s.Open[l.Token]; was == nil {
			s.First[l.Token] = l
			s.Sent += int64(len(l.Puts()))
		} else if l.Writes == nil {
			l.Writes = was.Writes
		}
		s.Open[l.Token] = l
	case Answered:
		if l.Outcome == "unknown" {
			return
		}
		sent := s.Open[l.Token]
		delete(s.Open, l.Token)
		delete(s.First, l.Token)
		applied := l.Outcome == "applied"
		if applied {
			s.Put += int64(l.Locks)
		} else {
			s.Refused[l.Token] = true
		}
		if l.Lost {
			s.Late = l
		}
		s.sort(sent, applied)
	case Finished:
		s.Finished = true
	}
}

// sort updates Untaken with the locks of a transaction that was answered.
func (s *Summary) sort(sent *Line, applied bool) {
	if sent == nil {
		return // the file has two answers of the transaction
	}
	for _, w := range sent.Puts() {
		if id := (&Lock{Put: w}).ID(); applied {
			delete(s.Untaken, id)
		} else {
			s.Untaken[id] = w
		}
	}
}
