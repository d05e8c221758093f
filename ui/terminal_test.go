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
	"tallylock/ui"
	"tallylock/ui/session"
)

// patience is how long a test waits for what must appear: only something that
// hangs takes so long.
const patience = 2 * time.Minute

// terminal is the real program on a virtual terminal.
type terminal struct {
	t     *testing.T
	emu   *vt.SafeEmulator
	model ui.Model
	p     *tea.Program
	done  chan error
	over  bool
	busy  bool // its pictures are of something that is awaited
	marks int  // sent so far
	views *views

	mu     sync.Mutex
	title  string
	drawn  int  // the last mark on the screen
	awaits bool // that screen's model awaits something
}

// titled takes the window's title apart.
func (term *terminal) titled(title string) {
	term.mu.Lock()
	defer term.mu.Unlock()
	var count string
	if term.title, count, _ = strings.Cut(title, " mark "); count != "" {
		_, _ = fmt.Sscan(count, &term.drawn, &term.awaits)
	}
}

// setup is what a test's program runs on.
type setup struct {
	demo    *demo.Demo
	conn    *dynamo.Connection
	options session.Options
	w, h    int
	profile colorprofile.Profile
	grace   time.Duration
	clock   func() time.Time // nil: that of the machine
}

// onDemo is the demo without traffic, at 80×24, opened on its accounts. Tests on it run
// side by side: most of the time they wait.
func onDemo(t *testing.T, change ...func(*dynamo.Options)) *setup {
	t.Helper()
	t.Parallel()
	return alone(t, change...)
}

// onServer is onDemo with the tables served, as those of DynamoDB are: what commands and plans
// are about can be reached by others.
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

// served has a connection reach a server, by flags of the command line.
func served(by *httptest.Server) func(*dynamo.Options) {
	return func(o *dynamo.Options) {
		o.Transport, o.Region, o.Endpoint, o.Place = nil, "eu-central-1", by.URL, []string{"--endpoint-url", by.URL}
	}
}

// alone is onDemo for a test beside which no other may run.
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
	o.Settle = 20 * time.Millisecond // the embedded engine has neither lag nor spread
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
		PollUnits: 1e9, // tests do not wait for a poll
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

// end quits the program and waits until nothing of it is left.
func (term *terminal) end() {
	if !term.over {
		term.p.Quit()
		term.exited()
	}
	if pipe, ok := term.emu.InputPipe().(io.Closer); ok { // ends the reader, which nothing else does
		_ = pipe.Close()
	}
}

// forgotten ends the program, and lets go of its emulator's four megabytes: package testing
// keeps what is cleaned up until the last test has ended.
func (term *terminal) forgotten() {
	term.end()
	term.emu, term.p, term.model, term.views = nil, nil, ui.Model{}, nil
}

// exited waits for the program's own end.
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

// screen is the screen when all that was sent has been drawn.
func (term *terminal) screen() string {
	term.t.Helper()
	frame, _ := term.look()
	return frame
}

// look gives the screen when all that was sent has been drawn, and tells whether
// something is awaited there.
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

// poll asks until something is so.
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

// wait draws the screen again only where something has come to the model since.
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

// quiet waits until nothing is awaited any more.
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

// see waits until all texts stand on the screen.
func (term *terminal) see(texts ...string) string {
	term.t.Helper()
	return term.until(strings.Join(texts, ", "), func(s string) bool { return holds(s, texts) })
}

// picture compares the screen with the test's golden file when all texts stand on
// it and nothing is awaited, unless that is what it is of.
func (term *terminal) picture(texts ...string) {
	term.t.Helper()
	frame := term.wait(strings.Join(texts, ", "), func(s string, awaits bool) bool {
		return (term.busy || !awaits) && holds(s, texts)
	})
	golden.RequireEqual(term.t, masked(frame))
	term.keep()
}

// keep writes the frame for docs/picture, where that is asked for: of one on 80×24 only.
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
	here, err := os.Getwd() // pictures do not tell where they were made
	if err != nil {
		term.t.Fatal(err)
	}
	const home = "/home/sam"
	frame := strings.ReplaceAll(portless(term.emu.Render()), here, home+strings.Repeat(" ", max(len(here)-len(home), 0)))
	if err := os.WriteFile(file, []byte(frame), 0o600); err != nil {
		term.t.Fatal(err)
	}
}

// pictures is picture, and then the same screen on larger terminals, each with a golden file
// of its own.
func (term *terminal) pictures(texts ...string) {
	term.t.Helper()
	term.picture(texts...)
	for _, size := range [][2]int{{140, 40}, {200, 60}} {
		term.resize(size[0], size[1])
		frame := term.wait("quiet", func(_ string, awaits bool) bool { return term.busy || !awaits })
		golden.RequireEqual(sized{term.t, fmt.Sprintf("-%dx%d", size[0], size[1])}, masked(frame))
	}
}

// sized names a golden file after a size, too.
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

// press sends keys, each when nothing is awaited any more: letters, or a name such
// as "enter" in angle brackets.
func (term *terminal) press(keys string) {
	term.t.Helper()
	term.keys(keys, term.quiet)
}

// meanwhile sends keys at once, whatever is awaited.
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

// row is the line of the screen that holds a text.
func row(frame, text string) string {
	for _, line := range strings.Split(frame, "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// faults is a transport that fails as an endpoint can, before or after the real
// engine has answered.
type faults struct {
	next http.RoundTripper
	mu   sync.Mutex
	// deny are the operations that the role may not use; lose those whose answer
	// never comes back, so that they are sent again and again; away those that nobody
	// listens to; down takes the whole endpoint away; expired is a log-in that is
	// over; hold keeps operations waiting until it is closed.
	deny, lose, away map[string]bool
	down             bool
	expired          bool
	hold             map[string]chan struct{}
	lost             atomic.Int32 // answers lost so far
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

// netError is a connection that broke.
type netError struct{}

func (*netError) Error() string   { return "connection reset by peer" }
func (*netError) Timeout() bool   { return false }
func (*netError) Temporary() bool { return false }

// undescribed has the demo's tables be recognised.
func undescribed(o *dynamo.Options) { o.Layouts = nil }

// undescribedFaults is withFaults for tables that have to be recognised.
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
