package serve

import (
	"bytes"
	"io"
	"regexp"
	"sync"
	"time"

	"charm.land/ssh"
)

// The sizes of a terminal. A client may name any size, and the inspector keeps every cell in memory.
const (
	usualWidth, usualHeight = 80, 24
	mostWidth, mostHeight   = 1000, 500
)

// sized returns the size to draw for a client's window. A client that does not know its size says 0.
func sized(w ssh.Window) (width, height int) {
	width, height = usualWidth, usualHeight
	if w.Width > 0 {
		width = min(w.Width, mostWidth)
	}
	if w.Height > 0 {
		height = min(w.Height, mostHeight)
	}
	return width, height
}

// usualTerm is the TERM of a client that names none.
const usualTerm = "xterm"

// termName matches names of terminals.
var termName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9+._-]{0,63}$`)

// termOf returns the name of a client's terminal. Any other text counts as the usual terminal.
func termOf(name string) string {
	if termName.MatchString(name) {
		return name
	}
	return usualTerm
}

// The longest times for a write to a client. A client that reads nothing for longer counts as gone. At the end of a
// session, the time is shorter.
const (
	patience     = 30 * time.Second
	lastPatience = time.Second
)

// terminal is the client's terminal, for the inspector. When the client is gone, reads block and writes are dropped, so
// that a change in progress can end.
type terminal struct {
	in     io.Reader
	out    io.Writer
	cut    func()        // closes the connection
	gone   func()        // is called once the client is gone
	closed chan struct{} // ends Read
	input  unfinished    // only Read uses it

	writing sync.Mutex // is held during a write

	mu    sync.Mutex
	last  time.Time // when the client sent something last
	limit time.Duration
	stuck *time.Timer // set during a write
}

// newTerminal returns the terminal of a session.
func newTerminal(in io.Reader, out io.Writer, cut, gone func()) *terminal {
	return &terminal{
		in: in, out: out, cut: cut, gone: sync.OnceFunc(gone),
		closed: make(chan struct{}), last: time.Now(), limit: patience,
	}
}

// Read implements io.Reader.
func (t *terminal) Read(b []byte) (int, error) {
	began := time.Now() // the time between two reads is no pause of the client
	n, err := t.in.Read(b)
	now := time.Now()
	t.mu.Lock()
	t.last = now
	t.mu.Unlock()
	if t.floods(b[:n], now.Sub(began)) {
		t.cut()
	}
	if err == nil {
		return n, nil
	}
	t.gone()
	<-t.closed
	return n, io.EOF
}

// unfinished is input that Bubble Tea keeps in memory until it ends: a paste, or input without a pause.
type unfinished struct {
	tail        []byte // the last bytes, which may begin a bracket of a paste
	pasting     bool
	pasted, run int // the bytes of the paste, and the bytes since the last pause
}

// The limits of unfinished input.
const (
	mostUnfinished = 1 << 20
	pauseOfInput   = 100 * time.Millisecond
)

// floods reports whether the client sends a paste, or input without a pause, that is too long.
func (t *terminal) floods(b []byte, pause time.Duration) bool {
	in := &t.input
	if pause > pauseOfInput {
		in.run = 0
	}
	in.run += len(b)
	text := append(in.tail, b...)
	on, off := bytes.LastIndex(text, []byte("\x1b[200~")), bytes.LastIndex(text, []byte("\x1b[201~"))
	switch {
	case off > on:
		in.pasting, in.pasted = false, 0
	case on > off: // a second beginning does not end the paste
		in.pasting = true
	}
	if in.pasting {
		in.pasted += len(b)
	}
	in.tail = bytes.Clone(text[max(0, len(text)-len("\x1b[201~")+1):])
	return in.run > mostUnfinished || in.pasted > mostUnfinished
}

// Write implements io.Writer. It never fails.
func (t *terminal) Write(b []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	t.stuck = time.AfterFunc(t.limit, t.cut)
	t.mu.Unlock()
	_, err := t.out.Write(b)
	t.mu.Lock()
	t.stuck.Stop()
	t.stuck = nil
	t.mu.Unlock()
	if err != nil {
		t.gone()
	}
	return len(b), nil
}

// hurry shortens the time for writes, also for a write in progress.
func (t *terminal) hurry() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limit = lastPatience
	if t.stuck != nil {
		t.stuck.Reset(lastPatience)
	}
}

// quiet returns the time since the client sent something.
func (t *terminal) quiet() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.last)
}

// close ends Read.
func (t *terminal) close() { close(t.closed) }
