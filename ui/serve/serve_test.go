package serve_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/crypto/ssh"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/queue"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
	"tallylock/ui"
	"tallylock/ui/serve"
	"tallylock/ui/serve/access"
	"tallylock/ui/session"
)

// served is a running server over the demo's tables.
type served struct {
	t       *testing.T
	address string
	log     *buffer
	journal *journal.Journal
	reload  chan struct{}

	mu       sync.Mutex
	config   access.Config
	settings map[string]any
	wrong    error // the error of reading the config
	useless  error // the error of connecting
	hang     bool  // connecting does not end by itself
	started  chan struct{}
	stop     context.CancelFunc
	ended    chan error
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// newKey makes a key, and its line in the config.
func newKey(t *testing.T) (ssh.Signer, string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signer, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}

// user returns a user of the demo's accounts.
func user(name string, role session.Role, key string, tables ...string) access.User {
	if tables == nil {
		tables = []string{demo.Table}
	}
	return access.User{Name: name, Role: role, Keys: []string{key}, Connections: []string{"demo"}, Tables: tables}
}

// start starts a server for users.
func start(t *testing.T, config access.Config) *served {
	t.Helper()
	return startSlow(t, config, 300*time.Millisecond, 0) // long enough to cut a connection in the middle of a release
}

// startSlow starts a server whose releases wait for settle. A session that ends cancels its change after cancelAfter.
func startSlow(t *testing.T, config access.Config, settle, cancelAfter time.Duration) *served {
	t.Helper()
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	j, err := journal.Open(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	plans, err := queue.Open(filepath.Join(dir, "queue"), j)
	if err != nil {
		t.Fatal(err)
	}
	o := d.Options()
	o.Answers = filepath.Join(dir, "answers.jsonl")
	o.Write = true
	o.Settle = settle
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &served{
		t: t, log: &buffer{}, journal: j, reload: make(chan struct{}), config: config,
		started: make(chan struct{}), stop: stop, ended: make(chan error, 1),
	}
	setup := func(ctx context.Context) (*serve.Setup, error) {
		s.mu.Lock()
		wrong, hang := s.useless, s.hang
		s.mu.Unlock()
		if hang {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if wrong != nil {
			return nil, wrong
		}
		base := session.Connection{
			Connection: conn, Changer: &change.Changer{Journal: j, Who: "server", Writes: client.Pace{Rate: 1000}},
		}
		return &serve.Setup{Queue: plans, Connections: map[string]session.Connection{"demo": base}, Mistake: func(err error) error { return err }}, nil
	}
	go func() {
		s.ended <- serve.Run(ctx, serve.Options{
			Address: "127.0.0.1:0", HostKey: filepath.Join(dir, "key"), Reload: s.reload, CancelAfter: cancelAfter,
			Log: slog.New(slog.NewTextHandler(s.log, nil)),
			Read: func() (serve.Reading, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				return serve.Reading{Config: s.config, Settings: s.settings, Connect: setup}, s.wrong
			},
			Ready: func(at net.Addr, _ ssh.PublicKey, _ bool) {
				s.address = at.String()
				close(s.started)
			},
			Inspect: func(ctx context.Context, o session.Options, more ...tea.ProgramOption) (serve.Program, error) {
				return ui.NewProgram(ctx, o, more...)
			},
		})
	}()
	select {
	case <-s.started:
	case err := <-s.ended:
		t.Fatalf("the server did not start: %v", err)
	}
	t.Cleanup(func() {
		stop()
		<-s.ended
	})
	return s
}

// read makes the server read another config.
func (s *served) read(config access.Config) {
	s.mu.Lock()
	s.config = config
	s.mu.Unlock()
	s.reload <- struct{}{}
}

// dial logs in.
func (s *served) dial(key ssh.Signer) (*ssh.Client, error) {
	var methods []ssh.AuthMethod
	if key != nil {
		methods = append(methods, ssh.PublicKeys(key))
	}
	return ssh.Dial("tcp", s.address, &ssh.ClientConfig{
		User: "anyone", Auth: methods, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
}

// screen is the screen of a person.
type screen struct {
	*ssh.Session
	client *ssh.Client
	in     io.WriteCloser
	out    *buffer
	ended  chan error
}

// connect shows the inspector to the person with a key.
func (s *served) connect(key ssh.Signer, term string, width, height int) *screen {
	s.t.Helper()
	c, err := s.dial(key)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	sess, err := c.NewSession()
	if err != nil {
		s.t.Fatal(err)
	}
	v := &screen{Session: sess, client: c, out: &buffer{}, ended: make(chan error, 1)}
	v.in, _ = sess.StdinPipe()
	sess.Stdout, sess.Stderr = v.out, v.out
	if err := sess.RequestPty(term, height, width, ssh.TerminalModes{}); err != nil {
		s.t.Fatal(err)
	}
	if err := sess.Shell(); err != nil {
		s.t.Fatal(err)
	}
	go func() { v.ended <- sess.Wait() }()
	return v
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for tick := time.NewTicker(5 * time.Millisecond); !holds(); {
		select {
		case <-ctx.Done():
			t.Fatalf("waited too long: %s", what)
		case <-tick.C:
		}
	}
}

// shows waits until the screen has had a text.
func (v *screen) shows(t *testing.T, text string) {
	t.Helper()
	until(t, "no "+text, func() bool { return strings.Contains(v.out.String(), text) })
}

// A click of the mouse chooses a row, and y copies into the clipboard of the person's own terminal, with OSC 52.
func TestMouseAndClipboard(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("maria", session.Viewer, line)}})
	v := s.connect(key, "xterm-256color", 80, 24)
	v.shows(t, "ada@")
	v.shows(t, "\x1b[?1006h") // asks the terminal for the mouse
	click := func(row int) string {
		_, _ = fmt.Fprintf(v.in, "\x1b[<0;10;%dM\x1b[<0;10;%dm", row, row)
		before := strings.Count(v.out.String(), "\x1b]52;c;")
		_, _ = io.WriteString(v.in, "y")
		until(t, "nothing is copied", func() bool { return strings.Count(v.out.String(), "\x1b]52;c;") > before })
		_, text, _ := strings.Cut(v.out.String()[strings.LastIndex(v.out.String(), "\x1b]52;c;"):], "c;")
		coded, _, _ := strings.Cut(text, "\x07")
		plain, err := base64.StdEncoding.DecodeString(coded)
		if err != nil {
			t.Fatalf("%q: %v", coded, err)
		}
		return string(plain)
	}
	if first, second := click(6), click(9); first == second || first == "" || second == "" {
		t.Errorf("the rows have %q and %q", first, second)
	}
}

func TestAPersonSeesTheInspector(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("maria", session.Viewer, line)}})
	v := s.connect(key, "xterm-256color", 80, 24)
	v.shows(t, "ada@")
	_, _ = io.WriteString(v.in, "q")
	if err := <-v.ended; err != nil {
		t.Errorf("after q: %v", err)
	}
	until(t, "the log has no end", func() bool { return strings.Contains(s.log.String(), "reason=quit") })
	for _, want := range []string{"msg=login", "user=maria", "role=viewer", ssh.FingerprintSHA256(key.PublicKey()), "127.0.0.1:"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, s.log)
		}
	}
}

func TestNobodyElseGetsIn(t *testing.T) {
	t.Parallel()
	_, line := newKey(t)
	stranger, _ := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("maria", session.Viewer, line)}})
	attempt := func(name string, auth ...ssh.AuthMethod) {
		c, err := ssh.Dial("tcp", s.address, &ssh.ClientConfig{User: "root\x1b[2J", Auth: auth, HostKeyCallback: ssh.InsecureIgnoreHostKey()})
		if err == nil {
			_ = c.Close()
			t.Errorf("%s logged in", name)
		}
	}
	attempt("nobody")
	attempt("a password", ssh.Password("x"))
	attempt("answers", ssh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return nil, nil }))
	attempt("another key", ssh.PublicKeys(stranger))
	until(t, "the log lacks the key", func() bool {
		return strings.Contains(s.log.String(), ssh.FingerprintSHA256(stranger.PublicKey())) && strings.Contains(s.log.String(), "unknown key")
	})
	if strings.Contains(s.log.String(), "\x1b") {
		t.Error("the log has an escape sequence")
	}
}

func TestEveryOtherRequestIsRefused(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("maria", session.Operator, line)}})
	c, err := s.dial(key)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, kind := range []string{"direct-tcpip", "direct-streamlocal@openssh.com", "x11", "auth-agent@openssh.com", "tun@openssh.com", "unknown"} {
		if _, _, err := c.OpenChannel(kind, nil); err == nil {
			t.Errorf("a channel %s was opened", kind)
		}
	}
	for _, kind := range []string{"tcpip-forward", "cancel-tcpip-forward", "streamlocal-forward@openssh.com", "unknown"} {
		if ok, _, err := c.SendRequest(kind, true, nil); ok || err != nil {
			t.Errorf("the request %s: %v, %v", kind, ok, err)
		}
	}
	for _, kind := range []string{"env", "auth-agent-req@openssh.com", "x11-req", "subsystem", "exec", "shell", "break", "window-change", "unknown"} {
		ch, requests, err := c.OpenChannel("session", nil)
		for errors.As(err, new(*ssh.OpenChannelError)) && t.Context().Err() == nil { // the channel before is still closing
			ch, requests, err = c.OpenChannel("session", nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		go ssh.DiscardRequests(requests)
		if ok, err := ch.SendRequest(kind, true, ssh.Marshal(struct{ A, B string }{"LANG", "C"})); ok || err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("the request %s: %v, %v", kind, ok, err)
		}
		_ = ch.Close()
	}
}

// A session with a terminal serves nothing else, even while the inspector runs. A second session is refused.
func TestOtherRequestsOfARunningSession(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("maria", session.Operator, line)}})
	for _, kind := range []string{"env", "exec", "shell", "pty-req", "subsystem", "signal", "x11-req", "auth-agent-req@openssh.com"} {
		v := s.connect(key, "xterm", 80, 24)
		v.shows(t, "ada@")
		if _, err := v.client.NewSession(); err == nil {
			t.Error("a second session begins")
		}
		ok, err := v.SendRequest(kind, true, ssh.Marshal(struct{ A, B string }{"LANG", "C"}))
		if ok || err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("the request %s: %v, %v", kind, ok, err)
		}
		_ = v.client.Close()
	}
	sess, err := s.dial(key)
	if err != nil {
		t.Fatal(err)
	}
	defer sess.Close()
	one, err := sess.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := one.RequestPty("xterm", 24, 80, ssh.TerminalModes{}); err != nil {
		t.Fatal(err)
	}
	if out, err := one.CombinedOutput("ls"); err == nil || len(out) > 0 { // as by ssh -t HOST ls
		t.Errorf("a command runs: %q, %v", out, err)
	}
}

// A revoked key ends its session, and cannot log in again. A config that cannot be read changes nothing.
func TestARevokedKeyEndsItsSession(t *testing.T) {
	t.Parallel()
	first, firstLine := newKey(t)
	second, secondLine := newKey(t)
	both := access.Config{Users: []access.User{user("maria", session.Viewer, firstLine), user("ben", session.Operator, secondLine)}}
	s := start(t, both)
	maria, ben := s.connect(first, "xterm", 80, 24), s.connect(second, "xterm", 80, 24)
	maria.shows(t, "ada@")
	ben.shows(t, "ada@")
	s.mu.Lock()
	s.wrong = errors.New("line 3: wrong")
	s.mu.Unlock()
	s.read(access.Config{})
	until(t, "no word about the old config", func() bool { return strings.Contains(s.log.String(), "old config stays") })
	s.mu.Lock()
	s.wrong = nil
	s.mu.Unlock()
	s.read(access.Config{Users: both.Users[:1]})
	if err := <-ben.ended; err == nil {
		t.Error("the session ended as if the person had quit")
	}
	if !strings.Contains(ben.out.String(), "the rights of ben have changed") {
		t.Error("the person was not told")
	}
	if _, err := s.dial(second); err == nil {
		t.Error("the revoked key logged in")
	}
	_, _ = io.WriteString(maria.in, "q")
	if err := <-maria.ended; err != nil {
		t.Errorf("the other session: %v", err)
	}
}

// The config no longer lets operators apply their own plans. This ends the sessions of operators who could do that.
func TestApprovalOfOwnPlansIsTakenAway(t *testing.T) {
	t.Parallel()
	first, firstLine := newKey(t)
	c := access.Config{ApproveOwn: true, Users: []access.User{user("ben", session.Operator, firstLine)}}
	s := start(t, c)
	ben := s.connect(first, "xterm", 80, 24)
	ben.shows(t, "ada@")
	c.ApproveOwn = false
	s.read(c)
	if err := <-ben.ended; err == nil || !strings.Contains(ben.out.String(), "the rights of ben have changed") {
		t.Errorf("the session goes on: %v", err)
	}
}

// The config forbids changes on a connection, and another connection cannot be used. The sessions with the old rights
// end all the same. Wider rights that cannot be used end no session.
func TestRightsOfAConfigThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	c := access.Config{Users: []access.User{user("ben", session.Operator, line)}}
	s := start(t, c)
	ben := s.connect(key, "xterm", 80, 24)
	ben.shows(t, "ada@")
	s.mu.Lock()
	s.useless = errors.New("the endpoint is down")
	s.mu.Unlock()
	wider := access.Config{Users: []access.User{user("ben", session.Operator, line, demo.Table, "members")}}
	s.read(wider)
	until(t, "no word about the config", func() bool { return strings.Contains(s.log.String(), "the endpoint is down") })
	again := s.connect(key, "xterm", 80, 24)
	again.shows(t, "ada@")
	s.mu.Lock()
	s.settings = map[string]any{"demo": "write = false"}
	s.mu.Unlock()
	s.read(c)
	for _, session := range []*screen{ben, again} {
		if err := <-session.ended; err == nil || !strings.Contains(session.out.String(), "the rights of ben have changed") {
			t.Errorf("the session goes on: %v", err)
		}
	}
	if _, err := s.dial(key); err == nil {
		t.Error("the old rights let the person in")
	}
}

// A config that cannot be used takes one of two tables away from a person. The person keeps the other one.
func TestAConfigThatCannotBeUsedTakesOneTable(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("ben", session.Operator, line, demo.Table, "members")}})
	ben := s.connect(key, "xterm", 80, 24)
	ben.shows(t, "members")
	s.mu.Lock()
	s.useless = errors.New("the endpoint is down")
	s.mu.Unlock()
	s.read(access.Config{Users: []access.User{user("ben", session.Viewer, line)}})
	if err := <-ben.ended; err == nil || !strings.Contains(ben.out.String(), "the rights of ben have changed") {
		t.Errorf("the session goes on: %v", err)
	}
	again := s.connect(key, "xterm", 80, 24)
	again.shows(t, "ada@")
	if strings.Contains(again.out.String(), "members") {
		t.Error("the person still sees the table")
	}
	until(t, "the person is no viewer now", func() bool { return strings.Contains(s.log.String(), "role=viewer") })
}

// A config that cannot be used gives no new rights: neither to a new person, nor to a known one.
func TestAConfigThatCannotBeUsedGivesNoRights(t *testing.T) {
	t.Parallel()
	first, firstLine := newKey(t)
	second, secondLine := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("ben", session.Viewer, firstLine)}})
	s.mu.Lock()
	s.useless = errors.New("the endpoint is down")
	s.mu.Unlock()
	s.read(access.Config{Users: []access.User{user("ben", session.Operator, firstLine), user("eve", session.Operator, secondLine)}})
	until(t, "no word about the config", func() bool { return strings.Contains(s.log.String(), "the endpoint is down") })
	if _, err := s.dial(second); err == nil {
		t.Error("a person of the new config gets in")
	}
	s.connect(first, "xterm", 80, 24).shows(t, "ada@")
	if log := s.log.String(); !strings.Contains(log, "role=viewer") || strings.Contains(log, "role=operator") {
		t.Errorf("the person has another role: %s", log)
	}
}

// A reading of the config that hangs does not delay the next one.
func TestARevocationDuringAReload(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("ben", session.Operator, line)}})
	ben := s.connect(key, "xterm", 80, 24)
	ben.shows(t, "ada@")
	s.mu.Lock()
	s.hang = true
	s.mu.Unlock()
	s.read(s.config)
	s.read(access.Config{})
	if err := <-ben.ended; err == nil {
		t.Error("the session ended as if the person had quit")
	}
}

// One person may have ten sessions.
func TestSessionsOfOnePerson(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("ben", session.Viewer, line)}})
	for range 10 {
		s.connect(key, "xterm", 80, 24).shows(t, "ada@")
	}
	one := s.connect(key, "xterm", 80, 24)
	if err := <-one.ended; err == nil || !strings.Contains(one.out.String(), "You have 10 sessions already") {
		t.Errorf("an eleventh session: %v, %s", err, one.out)
	}
}

// A paste without an end ends the connection: the server would keep the paste in memory.
func TestAPasteWithoutAnEnd(t *testing.T) {
	t.Parallel()
	for name, begins := range map[string]string{"paste": "\x1b[200~", "second paste": "\x1b[200~x\x1b[200~"} {
		key, line := newKey(t)
		s := start(t, access.Config{Users: []access.User{user("ben", session.Viewer, line)}})
		ben := s.connect(key, "xterm", 80, 24)
		ben.shows(t, "ada@")
		go func() {
			_, err := io.WriteString(ben.in, begins)
			for part := strings.Repeat("x", 1<<15); err == nil; {
				_, err = io.WriteString(ben.in, part)
			}
		}()
		if err := <-ben.ended; err == nil {
			t.Errorf("%s: the session ended as if the person had quit", name)
		}
	}
}

// A person lists and opens only their own tables. Below the screens, no request for another table is sent.
func TestOtherTablesAreClosed(t *testing.T) {
	t.Parallel()
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := dynamo.Connect(t.Context(), d.Options())
	if err != nil {
		t.Fatal(err)
	}
	all, _ := whole.TableNames(t.Context())
	conn := whole.Share(client.Share{Tables: []string{demo.Table}, Write: true}, "")
	if names, err := conn.TableNames(t.Context()); err != nil || len(names) != 1 || names[0] != demo.Table {
		t.Errorf("the tables are %v: %v", names, err)
	}
	if _, err := conn.Open(t.Context(), demo.Table); err != nil {
		t.Error(err)
	}
	for _, name := range all {
		if name == demo.Table {
			continue
		}
		_, opened := conn.Open(t.Context(), name)
		_, described := conn.Describe(t.Context(), name)
		_, scanned := conn.Reader().Scan(t.Context(), name, client.PageInput{Limit: 1})
		for what, err := range map[string]error{"open": opened, "describe": described, "scan": scanned} {
			if client.KindOf(err) != client.Denied {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
		if d, err := whole.Describe(t.Context(), name); err == nil {
			a := conn.CheckAbsent(t.Context(), "token", name, d.Schema.KeyFrom("1", "1"))
			if client.KindOf(a.Err) != client.Denied {
				t.Errorf("a transaction on %s: %v", name, a.Err)
			}
		}
	}
	if viewers := whole.Share(client.Share{Tables: []string{demo.Table}}, "a viewer"); viewers.Write() {
		t.Error("a share writes without leave")
	}
}

// Very many sizes, huge sizes and hostile names of terminals end in a working screen.
func TestHostileTerminals(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("maria", session.Viewer, line)}})
	for _, term := range []string{"", "../../../etc/passwd", "xterm\x1b[2J", strings.Repeat("x", 5000), "a\nb"} {
		v := s.connect(key, term, 80, 24)
		v.shows(t, "ada@")
		_ = v.client.Close()
	}
	v := s.connect(key, "xterm", 20, 5)
	v.shows(t, "Too small")
	for n := range 500 {
		if err := v.WindowChange(n%60, n%200); err != nil {
			t.Fatal(err)
		}
	}
	_ = v.WindowChange(1<<31-1, 1<<31-1)
	_ = v.WindowChange(24, 80)
	v.shows(t, "ada@")
	_, _ = io.WriteString(v.in, "q")
	if err := <-v.ended; err != nil {
		t.Error(err)
	}
}
