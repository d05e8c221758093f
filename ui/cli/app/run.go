package app

import (
	"fmt"
	"sync/atomic"

	"tallylock/ui/kit"
)

// Run is one run of the program.
type Run struct {
	*App
	Flags Flags
	// Understood: the command line was parsed without an error. Errors before that are mistakes of
	// the command line.
	Understood bool
	// Results is where results go.
	Results output
	// wait ends the line that shows what the program waits for.
	wait atomic.Pointer[func()]
}

// New begins a run of the program.
func New(a *App) *Run {
	return &Run{App: a, Results: output{to: a.Out}}
}

// Note prints a note on standard error.
func (s *Run) Note(format string, args ...any) {
	s.Flags.printer(s.Err).Hang(kit.Text, 0, fmt.Sprintf(format, args...))
}
