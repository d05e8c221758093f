//go:build unix

package ui

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// resumed says that the program has the terminal back. stopped: a shell had it meanwhile.
type resumed struct{ stopped bool }

// stopWithin is how long the system may take to stop the program: where no shell controls jobs,
// as behind ssh or in a container, it never does.
const stopWithin = 300 * time.Millisecond

// stopProcess gives the terminal back and stops the program until a shell's fg.
func stopProcess() tea.Cmd {
	s := &stop{}
	return tea.Exec(s, func(error) tea.Msg { return resumed{s.stopped} })
}

// stop stops the program, and with it whatever was started with it, such as `go run`.
type stop struct{ stopped bool }

// SetStdin, SetStdout and SetStderr implement tea.ExecCommand: nothing is read or written.
func (*stop) SetStdin(io.Reader)  {}
func (*stop) SetStdout(io.Writer) {}
func (*stop) SetStderr(io.Writer) {}

// Run implements tea.ExecCommand. tea.Suspend waits for fg alone, and for ever without a shell.
func (s *stop) Run() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-continued:
		s.stopped = true
	case <-time.After(stopWithin):
	}
	return nil
}
