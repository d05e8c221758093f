package script

import (
	"bytes"
	"context"
	"net/http"
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

// Sitting is the program at a terminal, with a person. Only the results do not go to the terminal.
type Sitting struct {
	Seen string // the text on the terminal so far

	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	said chan string  // new text on the terminal
	out  bytes.Buffer // standard output, which is a pipe
}

// Sit starts the program against a server with the demo's tables.
func Sit(t *testing.T, args ...string) *Sitting {
	t.Helper()
	return SitBehind(t, func(engine http.Handler) http.Handler { return engine }, args...)
}

// SitBehind works like Sit, with a proxy between the program and the tables.
func SitBehind(t *testing.T, between func(http.Handler) http.Handler, args ...string) *Sitting {
	t.Helper()
	d, err := demo.New(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(between(d.Engine))
	t.Cleanup(server.Close)
	s := &Sitting{t: t, cmd: exec.Command("tallylock", args...), said: make(chan string)}
	dir := t.TempDir()
	if err := describe(dir); err != nil {
		t.Fatal(err)
	}
	for name, value := range Isolated(dir) {
		s.cmd.Env = append(s.cmd.Env, name+"="+value)
	}
	s.cmd.Env = append(s.cmd.Env, "AWS_ENDPOINT_URL_DYNAMODB="+server.URL,
		"AWS_ENDPOINT_URL_S3="+os.Getenv("AWS_ENDPOINT_URL_S3"), "TERM=xterm-256color")
	s.cmd.Stdout = &s.out
	if s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 24, Cols: 1000}); err != nil {
		t.Fatal(err)
	}
	// At ctrl+c, a terminal discards its buffers after the signal. Without noflsh, the last output of the program could
	// get lost.
	keeps := exec.Command("stty", "noflsh")
	if keeps.Stdin = s.tty; keeps.Run() != nil {
		t.Fatal("stty cannot set the terminal up")
	}
	go func() {
		defer close(s.said)
		for buf := make([]byte, 4096); ; {
			n, err := s.tty.Read(buf)
			if n > 0 {
				s.said <- string(buf[:n])
			}
			if err != nil { // the program has closed the other end
				return
			}
		}
	}()
	return s
}

// Sees waits until the terminal shows a text.
func (s *Sitting) Sees(text string) {
	s.t.Helper()
	late := time.After(time.Minute)
	for !strings.Contains(s.Seen, text) {
		select {
		case more, ok := <-s.said:
			if !ok {
				s.t.Fatalf("it has ended, and did not say %q but %q", text, s.Seen)
			}
			s.Seen = ansi.Strip(s.Seen + more)
		case <-late:
			s.t.Fatalf("it does not say %q but %q", text, s.Seen)
		}
	}
}

// Types types a text; "\x03" is ctrl+c.
func (s *Sitting) Types(text string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// Ends waits for the program's end, and compares the exit status. It returns the standard output.
func (s *Sitting) Ends(status int) (out string) {
	s.t.Helper()
	for more := range s.said {
		s.Seen = ansi.Strip(s.Seen + more)
	}
	_ = s.cmd.Wait() // the status is compared below
	_ = s.tty.Close()
	if got := s.cmd.ProcessState.ExitCode(); got != status {
		s.t.Errorf("exit status %d, want %d: %q", got, status, s.Seen)
	}
	return s.out.String()
}
