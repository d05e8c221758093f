package cli

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/charmbracelet/x/term"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// invocation is one run of the program.
type invocation struct {
	*App
	flags flags
	// understood is set once the command line has been read without an error:
	// errors from before are errors of the command line itself.
	understood bool
	// unwritten is why not everything could be written that people were to read.
	unwritten error
	// out takes the results.
	out io.Writer
	// wait ends the line that says what is waited for.
	wait atomic.Pointer[func()]
}

// printer is standard output for people.
func (s *invocation) printer() *printer {
	p := s.flags.printer(s.Out)
	p.w = s.out
	return p
}

// writesTables says that the command may write to tables. From here on what was done
// decides the exit status, and not whether somebody reads it: a closed pipe does not end
// the program in the middle of a change, either.
func (s *invocation) writesTables() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // which has the write fail instead
	s.out = &fallbackWriter{out: s.Out, err: s.Err}
}

// fallbackWriter writes to standard error what cannot be written to standard output.
type fallbackWriter struct {
	out, err io.Writer
	failed   bool
}

func (i *fallbackWriter) Write(b []byte) (int, error) {
	if !i.failed {
		_, err := i.out.Write(b)
		if err == nil {
			return len(b), nil
		}
		i.failed = true
		fmt.Fprintln(
			i.err,
			"tallylock: "+harmless(
				fmt.Sprintf("the result cannot be written to standard output (%s); it follows here:", phrase.WithoutPath(err)),
			),
		)
	}
	_, _ = i.err.Write(b)
	return len(b), nil
}

// errorRecorder writes, and notes the first error.
type errorRecorder struct {
	w   io.Writer
	err *error
}

// note says something beside the result.
func (s *invocation) note(format string, args ...any) {
	s.flags.printer(s.Err).hang(kit.Text, 0, fmt.Sprintf(format, args...))
}

// terminal reports whether a stream is one that a person sits at.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && f != nil && term.IsTerminal(f.Fd())
}

func (n errorRecorder) Write(b []byte) (int, error) {
	written, err := n.w.Write(b)
	if err != nil && *n.err == nil {
		*n.err = err
	}
	return written, err
}
