//go:build unix

package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"tallylock/dynamo/demo"
)

// sitting is the program with a person in front of it: it reads from a terminal
// and writes what is no result to it.
type sitting struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	said chan string // by the program, as it comes
	seen string
	out  bytes.Buffer // standard output, which is a pipe
}

// sit starts the program against a server with the demo's tables.
func sit(t *testing.T, args ...string) *sitting {
	t.Helper()
	d, err := demo.New(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(d.Engine)
	t.Cleanup(server.Close)
	s := &sitting{t: t, cmd: exec.Command("tallylock", args...), said: make(chan string)}
	for name, value := range isolated(t.TempDir()) {
		s.cmd.Env = append(s.cmd.Env, name+"="+value)
	}
	s.cmd.Env = append(s.cmd.Env, "AWS_ENDPOINT_URL_DYNAMODB="+server.URL, "TERM=xterm-256color")
	s.cmd.Stdout = &s.out
	if s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 24, Cols: 200}); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.said)
		for buf := make([]byte, 4096); ; {
			n, err := s.tty.Read(buf)
			if n > 0 {
				s.said <- string(buf[:n])
			}
			if err != nil { // nobody holds the other end any more
				return
			}
		}
	}()
	return s
}

// sees waits until the program has said something.
func (s *sitting) sees(text string) {
	s.t.Helper()
	late := time.After(time.Minute)
	for !strings.Contains(s.seen, text) {
		select {
		case more, ok := <-s.said:
			if !ok {
				s.t.Fatalf("it has ended, and did not say %q but %q", text, s.seen)
			}
			s.seen = ansi.Strip(s.seen + more)
		case <-late:
			s.t.Fatalf("it does not say %q but %q", text, s.seen)
		}
	}
}

// types is what the person types; "\x03" is ctrl+c.
func (s *sitting) types(text string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the program's end, and reads the rest of what it says.
func (s *sitting) ends(status int) (out string) {
	s.t.Helper()
	for more := range s.said {
		s.seen = ansi.Strip(s.seen + more)
	}
	_ = s.cmd.Wait() // a status is no error here
	_ = s.tty.Close()
	if got := s.cmd.ProcessState.ExitCode(); got != status {
		s.t.Errorf("exit status %d, want %d: %q", got, status, s.seen)
	}
	return s.out.String()
}

// A check that costs more than may be read unasked says what it costs, and asks.
// No is the answer unless it is yes.
func TestCheckAsks(t *testing.T) {
	for _, answer := range []string{"\r", "n\r", "yeah\r"} {
		s := sit(t, "check", "--table", "accounts", "--auto-read-units", "1")
		s.sees("Checking accounts: about 104 items; at most about")
		s.sees("Check the table? [y/N]")
		s.types(answer)
		if out := s.ends(3); out != "" || !strings.Contains(s.seen, "the answer was no; nothing was read") {
			t.Errorf("after %q: %s, %q", answer, out, s.seen)
		}
	}
	s := sit(t, "check", "--table", "accounts", "--auto-read-units", "1")
	s.sees("[y/N]")
	s.types("\x03")
	if out := s.ends(3); out != "" {
		t.Errorf("after ctrl+c: %s, %q", out, s.seen)
	}
}

// While a check runs, a line on the terminal says where it stands; in the end it
// is gone.
func TestCheckShowsProgress(t *testing.T) {
	s := sit(t, "check", "--table", "accounts", "--auto-read-units", "1", "--settle", "5s", "--output", "jsonl")
	s.sees("[y/N]")
	s.types("y\r")
	s.sees("waiting ")
	s.sees("6 suspects")
	s.sees("ctrl+c stops")
	out := s.ends(1)
	if n := strings.Count(out, `"confirmed":true`); n != 7 { // the findings, and the summary
		t.Errorf("%d are confirmed: %s", n, out)
	}
	if strings.Contains(out, "waiting") {
		t.Errorf("standard output has what is no result: %q", out)
	}
}

// A cheap check does not ask.
func TestCheckDoesNotAskAboutLittle(t *testing.T) {
	s := sit(t, "check", "--table", "accounts", "--settle", "10ms")
	s.ends(1)
	if strings.Contains(s.seen, "[y/N]") || !strings.Contains(s.seen, "at most about") {
		t.Errorf("%q", s.seen)
	}
}

// Ctrl+c keeps what was found, and says how much was read.
func TestCheckStopped(t *testing.T) {
	for _, output := range []string{"text", "jsonl"} {
		s := sit(t, "check", "--table", "accounts", "--settle", "1h", "--output", output)
		s.sees("waiting ")
		s.types("\x03")
		out := s.ends(3)
		if !strings.Contains(s.seen, "stopped before it was done") {
			t.Errorf("%q", s.seen)
		}
		want := []string{"104 items, 34 accounts, 70 locks", "incomplete", "orphaned-lock", "not confirmed", "read units"}
		if output == "jsonl" {
			want = []string{`"finding":"orphaned-lock"`, `"value":"alan"`, `"confirmed":false`, `"complete":false`, `"items":104`, `"read_units":`}
		}
		for _, text := range want {
			if !strings.Contains(out, text) {
				t.Errorf("%s does not say %q: %s", output, text, out)
			}
		}
	}
}
