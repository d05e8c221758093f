package journal

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"tallylock/dynamo/client"
	"tallylock/dynamo/durable"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// Prune removes the closed changes that began before the given time, and returns the number of removed changes.
// After Trust, it also repairs a broken hash chain. Other processes may write the journal at the same time.
func (j *Journal) Prune(ctx context.Context, before time.Time) (forgotten int, err error) {
	records, err := j.Records()
	if err != nil || len(records) == 0 {
		return 0, err
	}
	if err := j.sweep(); err != nil {
		return 0, j.wrap("pruning", err)
	}
	old, kept := map[string]bool{}, map[string]bool{}
	for _, r := range records {
		// An undo is kept as long as the change that it undoes, even if the clock was set back between them.
		if !r.Open && r.At.Before(before) && !kept[r.Undoes] {
			old[r.Receipt] = true
		} else {
			kept[r.Receipt] = true
		}
	}
	if len(old) == 0 && !j.trusted {
		return 0, nil
	}
	unlock, err := j.lock(ctx)
	if err != nil {
		return 0, j.wrap("pruning", err)
	}
	defer unlock()
	// The remaining lines get new hashes. New hashes would hide earlier edits, so the old hashes are verified first.
	if err := j.CheckChain("pruning the journal"); err != nil {
		return 0, err
	}
	if err := j.rewrite(func(e Entry) bool { return !old[e.Receipt] }); err != nil {
		return 0, j.wrap("pruning", err)
	}
	for receipt := range old {
		_ = os.Remove(j.FileOf(receipt)) // nobody needs the file without its receipt
	}
	return len(old), nil
}

// rewrite replaces the journal atomically. The new file has the lines to keep, with new hashes, and the
// unreadable lines.
func (j *Journal) rewrite(keep func(Entry) bool) (err error) {
	f, err := openFile(j.path)
	if err != nil {
		return err
	}
	defer f.Close()
	fresh, err := os.CreateTemp(filepath.Dir(j.path), "journal-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(fresh.Name()))
		}
	}()
	out := bufio.NewWriter(fresh)
	var before []byte
	for line, err := range lines(f) {
		if err != nil {
			return errors.Join(err, fresh.Close())
		}
		e, ok := parseEntry(line)
		if ok && !keep(e) {
			continue
		}
		if ok {
			line = withHash(before, line)
		}
		if _, err := out.Write(line); err != nil {
			return errors.Join(err, fresh.Close())
		}
		if line = content(line); len(line) > 0 {
			before = append(before[:0], line...)
		}
	}
	if err := errors.Join(out.Flush(), fresh.Sync(), fresh.Close(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(fresh.Name(), j.path); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(j.path))
}

// lines iterates over the lines of a journal, each with its newline if it has one. A line is
// valid until the next iteration.
func lines(f io.Reader) func(yield func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		in := bufio.NewReaderSize(f, 1<<16)
		var long []byte
		for {
			line, err := in.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) {
				long = append(long, line...)
				continue
			}
			if len(long) > 0 {
				line, long = append(long, line...), long[:0]
			}
			if len(line) > 0 && !yield(line, nil) {
				return
			}
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, err)
				return
			}
		}
	}
}

// tornLine reports whether an unreadable line looks torn by a crash: it begins like a journal's line and has no
// newline.
func tornLine(line []byte) bool {
	return line[len(line)-1] != '\n' && bytes.HasPrefix(line, []byte(`{"`)) && !bytes.Contains(line, []byte("\r"))
}

// unreadable returns the error for a journal with n lines, all of them unreadable.
func unreadable(path string, n int) error {
	all := "one line"
	if n > 1 {
		all = phrase.Group(strconv.Itoa(n)) + " lines"
	}
	return &client.Error{
		Kind: client.Usage, Op: "reading the journal " + path, Why: fmt.Sprintf("no line can be read (%s)", all),
		Remedy: remedy.Of(remedy.NoJournal),
	}
}
