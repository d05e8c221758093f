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

// resumed says that the program has the terminal again. stopped is true if a shell had it in between.
type resumed struct{ stopped bool }

// stopWithin is the time to wait until the system stops the program. Without a shell that controls jobs,
// such as behind ssh or in a container, the system never stops it.
const stopWithin = 300 * time.Millisecond

// signalWithin is the time that Go's runtime may need to deliver SIGCONT after fg.
const signalWithin = 100 * time.Millisecond

// stopProcess gives the terminal back to the shell and stops the program until the shell's fg.
func stopProcess() tea.Cmd {
	s := &stop{within: stopWithin}
	return tea.Exec(s, func(error) tea.Msg { return resumed{s.stopped} })
}

// stop stops the whole process group: the program and, for example, the `go run` that started it.
type stop struct {
	within  time.Duration // the time to wait until the system stops the program
	stopped bool
}

// SetStdin, SetStdout and SetStderr implement tea.ExecCommand. A stop neither reads nor writes.
func (*stop) SetStdin(io.Reader)  {}
func (*stop) SetStdout(io.Writer) {}
func (*stop) SetStderr(io.Writer) {}

// Run implements tea.ExecCommand. tea.Suspend would wait forever if no shell sends fg; Run waits at most
// within.
func (s *stop) Run() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	for _, within := range []time.Duration{s.within, signalWithin} { // the first wait also ends during a stop
		select {
		case <-continued:
			s.stopped = true
			return nil
		case <-time.After(within):
		}
	}
	return nil
}
