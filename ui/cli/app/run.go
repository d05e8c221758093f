package app

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
)

// Run is one run of the program.
type Run struct {
	*App
	Flags Flags
	// Understood: the command line was parsed without an error. Errors before that are mistakes of
	// the command line.
	Understood bool
	// Unwritten is the first error of writing to standard output.
	Unwritten error
	// Results is where results go.
	Results io.Writer
	// wait ends the line that shows what the program waits for.
	wait atomic.Pointer[func()]
}

// New begins a run of the program.
func New(a *App) *Run {
	s := &Run{App: a}
	s.Results = errorRecorder{a.Out, &s.Unwritten}
	return s
}

// printer returns a printer for a stream, with the settings of the flags.
func (f *Flags) printer(w *os.File) *print.Printer {
	p := print.New(w)
	p.Wide, p.ASCII = f.wide, f.ASCII || p.ASCII
	return p
}

// Printer returns a printer for standard output.
func (s *Run) Printer() *print.Printer {
	p := s.Flags.printer(s.Out)
	p.W = s.Results
	return p
}

// WritesTables prepares for changes of tables. From now on, the exit status depends on the changes,
// even if nobody reads the output. A closed pipe must not end the program in the middle of a
// change.
func (s *Run) WritesTables() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // the write returns an error instead
	s.Results = &fallbackWriter{out: s.Out, err: s.Err}
}

// fallbackWriter writes to standard error if standard output fails.
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
			"tallylock: "+safe.Text(
				fmt.Sprintf("the result cannot be written to standard output (%s); it follows here:", phrase.WithoutPath(err)),
			),
		)
	}
	_, _ = i.err.Write(b)
	return len(b), nil
}

// errorRecorder writes, and records the first error.
type errorRecorder struct {
	w   io.Writer
	err *error
}

// Note prints a note on standard error.
func (s *Run) Note(format string, args ...any) {
	s.Flags.printer(s.Err).Hang(kit.Text, 0, fmt.Sprintf(format, args...))
}

func (n errorRecorder) Write(b []byte) (int, error) {
	written, err := n.w.Write(b)
	if err != nil && *n.err == nil {
		*n.err = err
	}
	return written, err
}

// PrintAll writes results by --output: as one array, or as one object in each line.
func PrintAll[T any](s *Run, results []T) error {
	if s.Flags.Output == JSONLines {
		for _, r := range results {
			if err := s.Print(r); err != nil {
				return err
			}
		}
		return nil
	}
	if results == nil {
		results = []T{} // so that JSON has an empty array, not null
	}
	return s.Print(results)
}

// Print writes one result as JSON.
func (s *Run) Print(result any) error {
	indent := "  "
	if s.Flags.Output == JSONLines {
		indent = ""
	}
	line, err := attr.Line(result, indent)
	if err == nil {
		_, err = s.Results.Write(line)
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
