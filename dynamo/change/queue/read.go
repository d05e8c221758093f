package queue

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// parsed is an entry, with the time and the size of its file. Nobody changes the entry.
type parsed struct {
	changed time.Time
	size    int64
	entry   *Entry
}

// read returns all entries, with their present states. It removes entries that nobody needs any more.
func (q *Queue) read() (all []*Entry, problems []Problem, err error) {
	files, err := os.ReadDir(q.dir)
	if err != nil {
		return nil, nil, q.wrap("reading", err)
	}
	for _, f := range files {
		name := f.Name()
		id, ok := strings.CutSuffix(name, ".json")
		switch {
		case name == lockName, strings.HasSuffix(name, ".lock") && isID(strings.TrimSuffix(name, ".lock")):
			continue
		case strings.HasPrefix(name, tempPrefix):
			q.removeStale(f)
			continue
		case !ok || !isID(id):
			problems = append(problems, Problem{name, "it is not a file of the queue"})
			continue
		}
		e, err := q.load(id)
		if errors.Is(err, fs.ErrNotExist) { // its author has just withdrawn it
			continue
		}
		if err != nil {
			problems = append(problems, Problem{name, err.Error()})
			continue
		}
		if e = q.current(e); e != nil {
			all = append(all, e)
		}
	}
	q.parsing.Lock()
	defer q.parsing.Unlock()
	maps.DeleteFunc(q.parsed, func(id string, _ parsed) bool {
		return !slices.ContainsFunc(all, func(e *Entry) bool { return e.ID == id })
	})
	return all, problems, nil
}

// current settles an entry that nobody applies any more, and removes an entry that nobody needs any more. It returns
// nil for a removed entry.
func (q *Queue) current(e *Entry) *Entry {
	if e.State == Applying || e.State == Unknown {
		unlock, free, err := q.lockEntry(e.ID)
		if err == nil && free {
			if again, err := q.load(e.ID); err == nil && again.State == e.State {
				e = again
				_ = q.settle(e) // if that fails, the next reading tries again
			}
		}
		unlock()
	}
	e.expire(q.now())
	end := e.Until
	if !e.Decided.IsZero() {
		end = e.Decided
	}
	if q.now().After(end.Add(lasts)) && e.State != Applying && e.State != Unknown {
		_ = q.remove(e.ID)
		return nil
	}
	return e
}

// load reads one entry. A waiting entry may have expired.
func (q *Queue) load(id string) (*Entry, error) {
	f, err := os.OpenFile(q.path(id), os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not an ordinary file")
	}
	if err := private(info); err != nil {
		return nil, err
	}
	e, err := q.parse(id, f, info)
	if err == nil && e.Asked.After(q.now().Add(time.Hour)) {
		return nil, errors.New("the time of the entry is in the future")
	}
	if err == nil {
		e.expire(q.now())
	}
	return e, err
}

// parse reads the file of an entry, unless the queue knows the entry already. All sessions share the parsed plans: a
// full queue has megabytes. The queue does not keep an entry of a new file: within one tick of the file system's clock,
// the file may change again.
func (q *Queue) parse(id string, f io.Reader, info fs.FileInfo) (*Entry, error) {
	q.parsing.Lock()
	defer q.parsing.Unlock()
	if known := q.parsed[id]; known.entry != nil && known.size == info.Size() && known.changed.Equal(info.ModTime()) {
		return new(*known.entry), nil
	}
	data, err := io.ReadAll(io.LimitReader(f, maxEntry+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxEntry {
		return nil, fmt.Errorf("the file is larger than %d KB", maxEntry>>10)
	}
	e, err := parse(id, data)
	if err == nil && q.now().Sub(info.ModTime()) > settled {
		q.parsed[id] = parsed{info.ModTime(), info.Size(), new(*e)}
	}
	return e, err
}

// settled is the coarsest resolution of file times that a file system may have.
const settled = 2 * time.Second

func (q *Queue) path(id string) string { return filepath.Join(q.dir, id+".json") }
