package serve_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/crypto/ssh"

	"tallylock/dynamo/change/journal"
	"tallylock/internal/testrun"
	"tallylock/ui/serve/access"
	"tallylock/ui/session"
)

// The connection is lost in the middle of a release. The release ends all the same, and the log has its outcome.
func TestAReleaseOutlivesItsConnection(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("ben", session.Operator, line)}})
	v := s.releasing(t, key)
	_ = v.client.Close()
	until(t, "the session goes on", func() bool { return strings.Contains(s.log.String(), `reason="connection lost"`) })
	records, err := s.journal.Records()
	if err != nil || len(records) == 0 || records[0].Open {
		t.Errorf("the journal has %v: %v", records, err)
	}
	if records[0].Outcome != journal.Applied || !strings.Contains(s.log.String(), "applied (receipt ") {
		t.Errorf("the release ended with %s; the log:\n%s", records[0].Outcome, s.log)
	}
}

// A key is revoked in the middle of a release. The release ends first, and then the session.
func TestAReleaseOutlivesItsRevocation(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("ben", session.Operator, line)}})
	v := s.releasing(t, key)
	s.read(access.Config{})
	if err := <-v.ended; err == nil {
		t.Error("the session ended as if the person had quit")
	}
	until(t, "the session goes on", func() bool { return strings.Contains(s.log.String(), `reason="rights changed"`) })
	records, err := s.journal.Records()
	if err != nil || len(records) == 0 || records[0].Open || records[0].Outcome != journal.Applied {
		t.Errorf("the journal has %+v: %v", records, err)
	}
}

// A change that lasts too long after the end of its session is cancelled. A cancelled release removes its mark.
func TestALongReleaseIsCancelledAfterItsSession(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	users := access.Config{Users: []access.User{user("ben", session.Operator, line)}}
	s := startSlow(t, users, time.Hour, time.Millisecond)
	v := s.releasing(t, key)
	_ = v.client.Close()
	until(t, "the session goes on", func() bool { return strings.Contains(s.log.String(), `reason="connection lost"`) })
	records, err := s.journal.Records()
	if err != nil || len(records) == 0 || records[0].Open || records[0].Outcome != journal.Refused {
		t.Errorf("the journal has %+v: %v", records, err)
	}
}

// releasing connects, and begins the release of a lock.
func (s *served) releasing(t *testing.T, key ssh.Signer) *screen {
	t.Helper()
	v := s.connect(key, "xterm", 100, 30)
	v.shows(t, "held") // before a verdict is visible, the layout is being checked
	_, _ = io.WriteString(v.in, "/alan\r")
	v.shows(t, "the whole table")
	tries := 0
	until(t, "no dialog", func() bool { // the answer may still be drawn; in the dialog, a key would be text
		if tries++; tries%400 == 1 {
			_, _ = io.WriteString(v.in, "r")
		}
		return strings.Contains(v.out.String(), "No, leave it")
	})
	before := len(v.out.String())
	until(t, "the button has no focus", func() bool { // keys right after the dialog has opened have no effect
		_, _ = io.WriteString(v.in, "\x1b[C")
		return strings.Contains(ansi.Strip(v.out.String()[before:]), "▸ Release")
	})
	_, _ = io.WriteString(v.in, "\r")
	until(t, "no release in the journal", func() bool {
		records, err := s.journal.Records()
		return err == nil && len(records) > 0
	})
	return v
}

// A client that reads nothing does not block other clients, and a revocation ends it.
func TestAClientThatNeverReads(t *testing.T) {
	t.Parallel()
	first, firstLine := newKey(t)
	second, secondLine := newKey(t)
	both := access.Config{Users: []access.User{user("maria", session.Viewer, firstLine), user("ben", session.Viewer, secondLine)}}
	s := start(t, both)
	c, err := s.dial(second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ch, requests, err := c.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	go ssh.DiscardRequests(requests)
	pty := struct {
		Term                    string
		Width, Height, PxW, PxH uint32
		Modes                   string
	}{"xterm-256color", 1000, 500, 0, 0, "\x00"}
	for kind, payload := range map[string][]byte{"pty-req": ssh.Marshal(pty)} {
		if ok, err := ch.SendRequest(kind, true, payload); !ok || err != nil {
			t.Fatal(kind, ok, err)
		}
	}
	if ok, err := ch.SendRequest("shell", true, nil); !ok || err != nil {
		t.Fatal(ok, err)
	}
	for n := range 2000 { // each size makes the server draw again
		_, _ = ch.SendRequest("window-change", false, ssh.Marshal(struct{ W, H, PW, PH uint32 }{uint32(200 + n%800), uint32(100 + n%400), 0, 0}))
	}
	maria := s.connect(first, "xterm", 80, 24)
	maria.shows(t, "ada@")
	began := time.Now()
	s.read(access.Config{Users: both.Users[:1]})
	until(t, "the silent session goes on", func() bool { return strings.Contains(s.log.String(), `reason="rights changed"`) })
	t.Logf("the silent session ended after %s", time.Since(began))
}

// Fifty sessions fit into 300 MB.
func TestFiftySessions(t *testing.T) {
	if !testrun.Long() {
		t.Skip("takes long")
	}
	var keys []ssh.Signer
	var users []access.User
	for n := range 5 { // one person may have ten sessions
		key, line := newKey(t)
		keys = append(keys, key)
		users = append(users, user(fmt.Sprint("maria", n), session.Viewer, line))
	}
	s := start(t, access.Config{Users: users})
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var all []*screen
	for n := range 50 {
		v := s.connect(keys[n%5], "xterm-256color", 140, 40)
		v.shows(t, "ada@")
		all = append(all, v)
	}
	status, _ := os.ReadFile("/proc/self/status")
	for l := range strings.Lines(string(status)) {
		if strings.HasPrefix(l, "VmHWM") || strings.HasPrefix(l, "VmRSS") {
			t.Log(strings.TrimSpace(l))
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("heap of 50 sessions and their clients: %d MB; goroutines %d", (after.HeapInuse-before.HeapInuse)>>20, runtime.NumGoroutine())
	if after.Sys > 300<<20 {
		t.Errorf("the process has %d MB", after.Sys>>20)
	}
	_, err := s.dial(keys[0])
	if err != nil {
		t.Error(err)
	}
	for _, v := range all {
		_ = v.client.Close()
	}
	until(t, "sessions are left", func() bool { return strings.Count(s.log.String(), "session ends") == 50 })
}

// The environment of the server changes nothing in a session.
func TestTheEnvironmentOfTheServer(t *testing.T) {
	for name, value := range map[string]string{
		"NO_COLOR": "1", "COLORTERM": "truecolor", "TERM": "dumb", "LC_ALL": "C", "CLICOLOR_FORCE": "1", "TERM_PROGRAM": "Apple_Terminal",
	} {
		t.Setenv(name, value)
	}
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("maria", session.Viewer, line)}})
	v := s.connect(key, "xterm-256color", 80, 24)
	v.shows(t, "ada@")
	out := v.out.String()
	if !strings.Contains(out, "8;5;") || strings.Contains(out, "8;2;") {
		t.Error("the colours are not those of TERM=xterm-256color")
	}
	if !strings.Contains(out, "─") {
		t.Error("the screen has only plain characters")
	}
	_, _ = io.WriteString(v.in, "\x1a") // ctrl+z would stop this process
	_, _ = io.WriteString(v.in, "q")
	if err := <-v.ended; err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob("*.log"); len(files) > 0 {
		t.Errorf("the working directory has %v", files)
	}
}
