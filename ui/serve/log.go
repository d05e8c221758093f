package serve

import (
	"os"
	"sync"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// LogFile is the file of the log. It is safe for concurrent use.
type LogFile struct {
	path string

	mu   sync.Mutex
	file *os.File
}

// OpenLog opens the file of a log. It makes the file if necessary, and refuses a file that others may use.
func OpenLog(path string) (*LogFile, error) {
	f, err := openLog(path)
	if err != nil {
		return nil, err
	}
	return &LogFile{path: path, file: f}, nil
}

// Write implements io.Writer.
func (l *LogFile) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Write(text)
}

// Reopen opens the path again: logrotate renames the old file. If this fails, the log goes on in the old file.
func (l *LogFile) Reopen() error {
	f, err := openLog(l.path)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.file
	l.file = f
	_ = old.Close() // the new file is in use already
	return nil
}

// Close closes the file.
func (l *LogFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

func openLog(path string) (*os.File, error) {
	fail := func(why string) (*os.File, error) {
		return nil, &client.Error{Kind: client.Usage, Op: "writing the log " + path, Why: why, Do: "name another file with --log"}
	}
	before, err := os.Lstat(path)
	if err == nil {
		if why := unsafeFile(before); why != "" {
			return fail(why)
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fail(phrase.WithoutPath(err))
	}
	if opened, err := f.Stat(); err != nil || unsafeFile(opened) != "" || before != nil && !os.SameFile(before, opened) {
		_ = f.Close()
		return fail("the file has just changed")
	}
	return f, nil
}
