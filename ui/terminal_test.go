package ui_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/charmbracelet/x/vt"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded"
	"tallylock/internal/testrun"
	"tallylock/ui"
	"tallylock/ui/session"
)

// patience limits the wait of a test for a text or an end. Only a program that hangs reaches this limit.
const patience = 2 * time.Minute

// terminal is the real program on a virtual terminal.
type terminal struct {
	t     *testing.T
	emu   *vt.SafeEmulator
	model ui.Model
	p     *tea.Program
	done  chan error
	over  bool
	busy  bool // draw pictures during a task
	marks int  // the number of marks sent so far
	views *views

	mu     sync.Mutex
	title  string
	drawn  int  // the last mark on the screen
	awaits bool // whether a task was running when this screen was drawn
}

// titled splits the window's title into the program's title and the data of the last mark.
func (term *terminal) titled(title string) {
	term.mu.Lock()
	defer term.mu.Unlock()
	var count string
	if term.title, count, _ = strings.Cut(title, " mark "); count != "" {
		_, _ = fmt.Sscan(count, &term.drawn, &term.awaits)
	}
}

// setup has the database, the options and the terminal for a test's program.
type setup struct {
	demo    *demo.Demo
	conn    *dynamo.Connection
	options session.Options
	w, h    int
	profile colorprofile.Profile
	grace   time.Duration
	clock   func() time.Time // nil means the clock of the machine
}

// onDemo returns the demo's accounts without traffic, at 80×24. Its tests run in parallel, because most of the time
// they wait.
func onDemo(t *testing.T, change ...func(*dynamo.Options)) *setup {
	t.Helper()
	testrun.OneIn(t, 3)
	t.Parallel()
	return alone(t, change...)
}

// drawn is onDemo for a test that only draws.
func drawn(t *testing.T, change ...func(*dynamo.Options)) *setup {
	t.Helper()
	testrun.OneIn(t, 6)
	return onDemo(t, change...)
}

// onServer works like onDemo, but a server serves the tables. So other programs could reach them, and the screens offer
// commands and plans.
func onServer(t *testing.T, change ...func(*dynamo.Options)) *setup {
	t.Helper()
	t.Parallel()
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(d.Engine)
	t.Cleanup(server.Close)
	s := &setup{demo: d, w: 80, h: 24, profile: colorprofile.TrueColor}
	s.connect(t, slices.Insert(change, 0, served(server))...)
	return s
}

// served connects to a server, as if by flags of the command line.
func served(by *httptest.Server) func(*dynamo.Options) {
	return func(o *dynamo.Options) {
		o.Transport, o.Region, o.Endpoint, o.Place = nil, "eu-central-1", by.URL, []string{"--endpoint-url", by.URL}
	}
}

// alone works like onDemo, for a test that must not run in parallel.
func alone(t *testing.T, change ...func(*dynamo.Options)) *setup {
	t.Helper()
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &setup{demo: d, w: 80, h: 24, profile: colorprofile.TrueColor}
	s.connect(t, change...)
	return s
}

func (s *setup) connect(t *testing.T, changes ...func(*dynamo.Options)) {
	t.Helper()
	o := s.demo.Options()
	o.Settle = 20 * time.Millisecond // the embedded engine has no replication lag
	o.Answers = filepath.Join(t.TempDir(), "answers.jsonl")
	for _, change := range changes {
		change(&o)
	}
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	journal, err := journal.Open(filepath.Join(t.TempDir(), "journal", "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s.conn = conn
	s.options = session.Options{
		Connections: []session.Connection{{Connection: conn, Changer: &change.Changer{Journal: journal, Who: "sam"}}},
		Table:       demo.Table, Theme: session.Dark, Refresh: 20 * time.Millisecond,
		PollUnits: 1e9, // so tests do not wait for a poll
	}
	if os.Getenv("TALLYLOCK_FRAMES_LIGHT") != "" {
		s.options.Theme = session.Light
	}
}

// run starts the program.
func (s *setup) run(t *testing.T) *terminal {
	t.Helper()
	m, err := ui.New(context.Background(), s.options)
	if err != nil {
		t.Fatal(err)
	}
	m.SetGrace(s.grace)
	if s.clock != nil {
		m.SetClock(s.clock)
	}
	term := &terminal{t: t, emu: vt.NewSafeEmulator(s.w, s.h), model: m, done: make(chan error, 1), views: &views{}}
	term.emu.SetCallbacks(vt.Callbacks{Title: term.titled})
	_, _ = term.emu.Write([]byte("\x1b[20h")) // without a tty the renderer moves down with bare newlines
	term.p = tea.NewProgram(&watched{Model: m, views: term.views}, tea.WithInput(term.emu), tea.WithOutput(term.emu), tea.WithoutSignals(), tea.WithFPS(60),
		tea.WithWindowSize(s.w, s.h), tea.WithColorProfile(s.profile), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	go func() {
		_, err := term.p.Run()
		term.done <- err
	}()
	t.Cleanup(term.forgotten)
	return term
}

// end quits the program, and waits until all its goroutines have ended.
func (term *terminal) end() {
	if !term.over {
		term.p.Quit()
		term.exited()
	}
	if pipe, ok := term.emu.InputPipe().(io.Closer); ok { // only this ends the reader of the input
		_ = pipe.Close()
	}
}

// forgotten ends the program and drops its emulator, which has 4 MB. Package "testing" keeps a reference to the
// terminal until the last test has ended.
func (term *terminal) forgotten() {
	term.end()
	term.emu, term.p, term.model, term.views = nil, nil, ui.Model{}, nil
}

// exited waits until the program has ended.
func (term *terminal) exited() {
	term.t.Helper()
	select {
	case err := <-term.done:
		if err != nil {
			term.t.Errorf("the program ended with %v", err)
		}
	case <-time.After(patience):
		term.t.Fatalf("the program does not end; the screen:\n%s", term.shown())
	}
	term.over = true
	term.model.Close()
}

func (term *terminal) shown() string { return ansi.Strip(term.emu.Render()) }

// screen returns the screen after all sent messages have been drawn.
func (term *terminal) screen() string {
	term.t.Helper()
	frame, _ := term.look()
	return frame
}

// look returns the screen after all sent messages have been drawn, and reports whether a task is running.
func (term *terminal) look() (frame string, awaits bool) {
	term.t.Helper()
	term.marks++
	sent := term.marks
	term.p.Send(mark{drawn: true})
	term.poll("anything to be drawn", func() bool {
		term.mu.Lock()
		defer term.mu.Unlock()
		awaits = term.awaits
		return term.drawn >= sent
	})
	return term.shown(), awaits
}

// poll calls is until it returns true.
func (term *terminal) poll(what string, is func() bool) {
	term.t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !is() {
		if time.Now().After(deadline) {
			term.t.Fatalf("waited in vain for %s; the screen:\n%s", what, term.shown())
		}
		<-tick.C
	}
}

// until waits for a condition on the screen.
func (term *terminal) until(what string, ok func(frame string) bool) string {
	term.t.Helper()
	return term.wait(what, func(s string, _ bool) bool { return ok(s) })
}

// wait waits for a condition. It draws the screen again only after the model has received a message.
func (term *terminal) wait(what string, ok func(frame string, awaits bool) bool) string {
	term.t.Helper()
	var frame string
	awaits, seen := true, -1
	term.poll(what, func() bool {
		if _, made, _ := term.views.now(); made != seen {
			seen = made
			frame, awaits = term.look()
		}
		return ok(frame, awaits)
	})
	return frame
}

// quiet waits until no task is running.
func (term *terminal) quiet() {
	term.t.Helper()
	term.marks++
	sent := term.marks
	term.p.Send(mark{})
	term.poll("quiet", func() bool {
		marks, _, awaits := term.views.now()
		return marks >= sent && !awaits
	})
}

// see waits until all texts are on the screen.
func (term *terminal) see(texts ...string) string {
	term.t.Helper()
	return term.until(strings.Join(texts, ", "), func(s string) bool { return holds(s, texts) })
}

// picture waits until all texts are on the screen, and compares the screen with the test's golden file. Unless busy is
// set, it also waits until no task is running.
func (term *terminal) picture(texts ...string) {
	term.t.Helper()
	frame := term.wait(strings.Join(texts, ", "), func(s string, awaits bool) bool {
		return (term.busy || !awaits) && holds(s, texts)
	})
	golden.RequireEqual(term.t, masked(frame))
	term.keep()
}

// keep writes an 80×24 frame for docs/picture, if TALLYLOCK_FRAMES names a directory.
func (term *terminal) keep() {
	term.t.Helper()
	dir := os.Getenv("TALLYLOCK_FRAMES")
	if dir == "" || term.emu.Width() != 80 || term.emu.Height() != 24 {
		return
	}
	file := filepath.Join(dir, term.t.Name()+".ansi")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		term.t.Fatal(err)
	}
	here, err := os.Getwd() // pictures must not contain the directory of this machine
	if err != nil {
		term.t.Fatal(err)
	}
	const home = "/home/sam"
	frame := strings.ReplaceAll(portless(term.emu.Render()), here, home+strings.Repeat(" ", max(len(here)-len(home), 0)))
	if err := os.WriteFile(file, []byte(frame), 0o600); err != nil {
		term.t.Fatal(err)
	}
}

// pictures works like picture, and then draws the same screen on larger terminals. Each size has its own golden file.
func (term *terminal) pictures(texts ...string) {
	term.t.Helper()
	term.picture(texts...)
	for _, size := range [][2]int{{140, 40}, {200, 60}} {
		term.resize(size[0], size[1])
		frame := term.wait("quiet", func(_ string, awaits bool) bool { return term.busy || !awaits })
		golden.RequireEqual(sized{term.t, fmt.Sprintf("-%dx%d", size[0], size[1])}, masked(frame))
	}
}

// sized adds a size to the name of a golden file.
type sized struct {
	testing.TB
	size string
}

func (s sized) Name() string { return s.TB.Name() + s.size }

func holds(frame string, texts []string) bool {
	for _, text := range texts {
		if !strings.Contains(frame, text) {
			return false
		}
	}
	return true
}

// gone waits until a text is off the screen.
func (term *terminal) gone(text string) string {
	term.t.Helper()
	return term.until("the end of "+text, func(s string) bool { return !strings.Contains(s, text) })
}

// press sends keys: letters, or names in angle brackets, such as <enter>. Before each key, it waits until no task is
// running.
func (term *terminal) press(keys string) {
	term.t.Helper()
	term.keys(keys, term.quiet)
}

// meanwhile sends keys at once, even while tasks are running.
func (term *terminal) meanwhile(keys string) { term.keys(keys, func() {}) }

func (term *terminal) keys(keys string, before func()) {
	term.t.Helper()
	for keys != "" {
		before()
		if name, rest, ok := strings.Cut(strings.TrimPrefix(keys, "<"), ">"); ok && keys[0] == '<' {
			term.p.Send(named(name))
			keys = rest
			continue
		}
		r := []rune(keys)[0]
		code := r
		if r == ' ' {
			code = tea.KeySpace
		}
		term.p.Send(tea.KeyPressMsg{Code: code, Text: string(r)})
		keys = keys[len(string(r)):]
	}
}

func named(name string) tea.KeyPressMsg {
	switch name {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	case "tab":
		return tea.KeyPressMsg{Code: tea.KeyTab}
	case "shift+tab":
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	case "up":
		return tea.KeyPressMsg{Code: tea.KeyUp}
	case "down":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	case "pgdown":
		return tea.KeyPressMsg{Code: tea.KeyPgDown}
	case "pgup":
		return tea.KeyPressMsg{Code: tea.KeyPgUp}
	case "space":
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	case "left":
		return tea.KeyPressMsg{Code: tea.KeyLeft}
	case "right":
		return tea.KeyPressMsg{Code: tea.KeyRight}
	case "home":
		return tea.KeyPressMsg{Code: tea.KeyHome}
	case "end":
		return tea.KeyPressMsg{Code: tea.KeyEnd}
	case "backspace":
		return tea.KeyPressMsg{Code: tea.KeyBackspace}
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl}
	}
	panic("no key " + name)
}

func (term *terminal) resize(w, h int) {
	term.emu.Resize(w, h)
	term.p.Send(tea.WindowSizeMsg{Width: w, Height: h})
}

// row returns the first line of the screen with a text.
func row(frame, text string) string {
	for _, line := range strings.Split(frame, "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// faults is a transport with the faults of an endpoint, before or after the engine's answer.
type faults struct {
	next http.RoundTripper
	mu   sync.Mutex
	// deny has the operations without permission. lose has the operations whose answer is lost, so the client retries.
	// away has the operations for which the endpoint is unreachable, and down means all operations. expired means that the
	// log-in has expired. hold holds an operation until its channel is closed.
	deny, lose, away map[string]bool
	down             bool
	expired          bool
	hold             map[string]chan struct{}
	lost             atomic.Int32 // the number of answers lost so far
}

func (f *faults) set(change func(*faults)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *faults) RoundTrip(r *http.Request) (*http.Response, error) {
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	f.mu.Lock()
	deny, lose, down, expired, hold := f.deny[op], f.lose[op], f.down || f.away[op], f.expired, f.hold[op]
	f.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	switch {
	case down:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case expired:
		body := `{"__type":"com.amazon.coral.service#ExpiredTokenException","message":"The security token included in the request is expired"}`
		return embedded.Respond(r, http.StatusBadRequest, []byte(body)), nil
	case deny:
		body, _ := json.Marshal(map[string]string{
			"__type":  "com.amazon.coral.service#AccessDeniedException",
			"message": "User: arn:aws:sts::111122223333:assumed-role/viewer/sam is not authorized to perform: dynamodb:" + op + " on resource: arn:aws:dynamodb:us-east-1:111122223333:table/accounts because no identity-based policy allows the dynamodb:" + op + " action",
		})
		return embedded.Respond(r, http.StatusBadRequest, body), nil
	}
	answer, err := f.next.RoundTrip(r)
	if lose && err == nil {
		_ = answer.Body.Close()
		f.lost.Add(1)
		return nil, &netError{}
	}
	return answer, err
}

// netError is the error of a broken connection.
type netError struct{}

func (*netError) Error() string   { return "connection reset by peer" }
func (*netError) Timeout() bool   { return false }
func (*netError) Temporary() bool { return false }

// undescribed removes the layouts of the demo's tables, so they must be recognised.
func undescribed(o *dynamo.Options) { o.Layouts = nil }

// undescribedFaults works like withFaults, for tables that must be recognised.
func undescribedFaults(f *faults) func(*dynamo.Options) {
	return func(o *dynamo.Options) {
		undescribed(o)
		withFaults(f)(o)
	}
}

func withFaults(f *faults) func(*dynamo.Options) {
	return func(o *dynamo.Options) {
		f.next = o.Transport
		o.Transport = f
	}
}
