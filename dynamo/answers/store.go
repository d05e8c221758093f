package answers

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/durable"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
)

// Table identifies a table. A table that is created again under the same name gets a different ID.
type Table struct {
	Name string `json:"name" toml:"name"`
	ID   string `json:"id"   toml:"id"`
}

// Entry is one statement of a person. It accepts a constraint or a counter, says whether the items of a place
// hold values, or says that no item outside the layout holds the values of a constraint.
type Entry struct {
	// ID names the entry. Two entries about the same thing have the same ID, and only the later one counts.
	ID   string    `json:"id"`
	Said time.Time `json:"said"`
	// Tables has first the table of the accounts or of the counter. If the locks are in another table, that table
	// is second.
	Tables []Table `json:"tables"`
	// Constraint is the name of a constraint. Counter is the key of a counter, by CounterKey.
	Constraint string `json:"constraint,omitempty"`
	Counter    string `json:"counter,omitempty"`
	// Hash is the hash of the accepted constraint or counter. Layout is a config that has only this constraint with
	// its account, or only this counter. Both are empty in an answer about a place.
	Hash   string `json:"hash,omitempty"`
	Layout string `json:"layout,omitempty"`
	// AlsoIn lists the other tables whose applications put locks into the constraint's lock table. It is nil if
	// nobody has named these tables.
	AlsoIn *[]string `json:"also_in,omitempty"`
	// NowhereElse says that no item outside the layout holds the values of the constraint. The statement counts
	// as long as the constraint has this Hash. Layout is empty in such an entry.
	NowhereElse bool `json:"nowhere_else,omitempty"`
	// Place is the place that a person was asked about. Answer is the person's answer, or layout.Asked if there is
	// none yet.
	Place  *layout.Place `json:"place,omitempty"`
	Answer layout.Answer `json:"answer,omitempty"`
}

// Accepts reports whether the entry accepts a constraint or a counter.
func (e Entry) Accepts() bool { return e.Layout != "" }

// Config returns the config of the accepted constraint or counter.
func (e Entry) Config() (config.Layout, error) {
	var file struct {
		Layouts []config.Layout `toml:"layout"`
	}
	err := toml.NewDecoder(strings.NewReader(e.Layout)).DisallowUnknownFields().Decode(&file)
	if err == nil && (len(file.Layouts) != 1 || len(file.Layouts[0].Accounts)+len(file.Layouts[0].Counters) != 1) {
		err = errors.New("the answer must accept exactly one constraint or counter")
	}
	if err != nil {
		return config.Layout{}, err
	}
	return file.Layouts[0], nil
}

// accepted returns the layout of the accepted constraint or counter. Its state is guessed.
func (e Entry) accepted() (*layout.Layout, error) {
	c, err := e.Config()
	if err != nil {
		return nil, err
	}
	l, err := c.Build()
	if err == nil {
		l.SetState(layout.Guessed) // New sets it to accepted if the hash still matches
	}
	return l, err
}

// id returns the ID of an entry: a hash of its subject.
func (e Entry) id() string {
	tables := e.Tables
	if e.Place == nil { // about a constraint or a counter: only the first table is part of the ID, not the lock table
		tables = tables[:min(1, len(tables))]
	}
	about, _ := json.Marshal(struct {
		Tables              []Table
		Constraint, Counter string
		NowhereElse         bool
		Place               *layout.Place
	}{tables, e.Constraint, e.Counter, e.NowhereElse, e.Place})
	sum := sha256.Sum256(about)
	return "A-" + hex.EncodeToString(sum[:4])
}

// identified reports whether each table of the entry has an ID.
func (e Entry) identified() bool {
	return !slices.ContainsFunc(e.Tables, func(t Table) bool { return t.ID == "" })
}

// check returns an error if this program cannot have written the entry.
func (e Entry) check() error {
	switch {
	case len(e.Tables) == 0 || !e.identified():
		return errors.New("the answer names no table")
	case e.ID != e.id():
		return errors.New("the answer's id does not match its content")
	case e.Place != nil && e.Answer != layout.Hold && e.Answer != layout.HoldNot && e.Answer != layout.Asked:
		return errors.New("the answer is missing or unknown")
	case e.NowhereElse && (e.Hash == "" || e.Layout != "" || e.Place != nil):
		return errors.New("the answer has no hash of a layout")
	case e.NowhereElse:
		return nil
	case e.Place == nil && e.Layout == "":
		return errors.New("the answer is empty")
	case e.Layout == "":
		return nil
	}
	_, err := e.accepted()
	return err
}

// Store is a file with one line for each entry. Lines are only added. An entry counts until a later line
// replaces or removes it. Store is safe for concurrent use.
type Store struct {
	path string
	// nowhere says why the store has no file. It is empty if there is a file.
	nowhere string
	// readOnly says why nothing can be stored, although the stored entries count. It is empty if entries can be stored.
	readOnly string
	// note is called with each entry before it is stored or removed; nil for none. After an error, nothing is stored.
	note func(e Entry, removed bool) error
	mu   sync.Mutex
	// last is the result of the latest read. If the file has the same bytes, it is not parsed again.
	last struct {
		data       []byte
		all        []Entry
		unreadable int
	}
	// ignored says why About ignores entries. Ignored returns this text once, and clears it. noted is set together
	// with ignored, so that About does not set the text again.
	ignored string
	noted   bool
}

// Open returns the store with a file. The file may not exist yet.
func Open(path string) *Store { return &Store{path: path} }

// Nowhere returns a store without a file. why is the reason, as a text for people.
func Nowhere(why string) *Store { return &Store{nowhere: why} }

// SetReadOnly lets the store refuse all new entries and removals. why is the reason, as a text for people.
func (s *Store) SetReadOnly(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readOnly = why
}

// SetNote sets a function that is called with each statement of a person, before the statement is stored or removed.
// If the function returns an error, the store does not change.
func (s *Store) SetNote(note func(e Entry, removed bool) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note = note
}

// noteEntry calls the function of SetNote.
func (s *Store) noteEntry(e Entry, removed bool) error {
	s.mu.Lock()
	note := s.note
	s.mu.Unlock()
	if note == nil || e.Answer == layout.Asked || s.WhyReadOnly() != "" {
		return nil
	}
	return note(e, removed)
}

// WhyReadOnly returns the reason why nothing can be stored; empty if entries can be stored.
func (s *Store) WhyReadOnly() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.nowhere, s.readOnly)
}

// Beside returns the path of the answers' file in the folder of a journal.
func Beside(journal string) string { return filepath.Join(filepath.Dir(journal), "answers.jsonl") }

// Path returns the path of the file.
func (s *Store) Path() string { return s.path }

// line is a line of the file: an entry, or the ID of an entry to remove.
type line struct {
	Entry
	Forget string `json:"forget,omitempty"`
}

// All returns the entries that count, oldest first: the latest entry for each ID, unless it was forgotten.
// unreadable counts lines that cannot be parsed and were skipped.
func (s *Store) All() (all []Entry, unreadable int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read()
}

// About returns the entries about a table. It returns none if the table has no ID. It skips unreadable entries,
// and Ignored reports them.
func (s *Store) About(table Table) []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, unreadable, err := s.read()
	if !s.noted && (err != nil || unreadable > 0) {
		s.noted = true
		s.ignored = fmt.Sprintf("tallylock ignores %s in %s, because it cannot read them.",
			phrase.Count(unreadable, "stored answer"), s.path)
		if err != nil {
			s.ignored = fmt.Sprintf("tallylock ignores the answers in %s, because it cannot read them: %v.", s.path, err)
		}
	}
	return slices.DeleteFunc(all, func(e Entry) bool { return table.ID == "" || e.Tables[0] != table })
}

// Ignored returns the message that About has ignored unreadable answers. The first call after that gets the message.
// All other calls get an empty text.
func (s *Store) Ignored() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.ignored
	s.ignored = ""
	return text
}

// PutAccepted puts the constraints and counters that people have accepted for a table into a recognised layout.
func (s *Store) PutAccepted(table Table, l *layout.Layout) {
	var all []*layout.Layout
	for _, e := range s.About(table) {
		if !e.Accepts() {
			continue
		}
		if accepted, err := e.accepted(); err == nil { // the method read skips entries whose layout is invalid
			if accepted.Name = ""; l.Empty() {
				accepted.Name = table.Name
			}
			all = append(all, accepted)
		}
	}
	l.Put(all...)
}

func (s *Store) read() (all []Entry, unreadable int, err error) {
	if s.nowhere != "" {
		return nil, 0, nil
	}
	if err := s.checkPipe(); err != nil {
		return nil, 0, err
	}
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	if bytes.Equal(data, s.last.data) {
		return slices.Clone(s.last.all), s.last.unreadable, nil
	}
	for text := range bytes.Lines(data) {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var l line
		err := json.Unmarshal(text, &l)
		if err == nil && l.Forget == "" {
			err = l.check()
		}
		if err != nil {
			unreadable++
			continue
		}
		forgotten := l.Forget
		if forgotten == "" {
			forgotten = l.ID
		}
		all = slices.DeleteFunc(all, func(e Entry) bool { return e.ID == forgotten })
		if l.Forget == "" {
			all = append(all, l.Entry)
		}
	}
	s.last.data, s.last.all, s.last.unreadable = data, slices.Clone(all), unreadable
	return all, unreadable, nil
}

// Add stores an entry and returns its ID. The entry replaces an earlier one with the same ID.
func (s *Store) Add(e Entry) (id string, err error) {
	e.ID, e.Said = e.id(), time.Now().UTC().Truncate(time.Second)
	if err := e.check(); err != nil {
		return "", err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return "", err
	}
	if err := s.noteEntry(e, false); err != nil {
		return "", err
	}
	return e.ID, s.write(text)
}

// AddOnce stores an entry unless the store has one with the same ID.
func (s *Store) AddOnce(e Entry) error {
	all, _, err := s.All()
	if id := e.id(); err != nil || slices.ContainsFunc(all, func(have Entry) bool { return have.ID == id }) {
		return err
	}
	_, err = s.Add(e)
	return err
}

// Forget removes an entry.
func (s *Store) Forget(id string) error {
	text, err := json.Marshal(struct {
		Forget string `json:"forget"`
	}{id})
	if err != nil {
		return err
	}
	all, _, err := s.All()
	if err != nil {
		return err
	}
	if n := slices.IndexFunc(all, func(e Entry) bool { return e.ID == id }); n >= 0 {
		if err := s.noteEntry(all[n], true); err != nil {
			return err
		}
	}
	return s.write(text)
}

// checkPipe returns an error if the file is a pipe or a socket: opening it may never end.
func (s *Store) checkPipe() error {
	if info, err := os.Stat(s.path); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return errors.New("the path is a pipe, but answers need a file")
	}
	return nil
}

// write adds a line to the file, under a lock that all processes use. If another process was interrupted while
// it wrote the last line, write first adds the missing line end.
func (s *Store) write(text []byte) error {
	if why := s.WhyReadOnly(); why != "" {
		return errors.New(why)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	if err := s.checkPipe(); err != nil {
		return err
	}
	unlock, err := durable.Lock(context.Background(), s.path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	return durable.Append(s.path, func(_ *os.File, _ int64, torn bool) ([]byte, error) {
		if torn {
			text = append([]byte{'\n'}, text...)
		}
		return append(text, '\n'), nil
	})
}
