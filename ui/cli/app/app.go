// Package app has the shared parts of all commands: a run of the program with its streams and flags,
// the connection that the config and the flags select, and questions on the terminal.
package app

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tallylock/ui/kit"
	"tallylock/ui/serve"
	"tallylock/ui/session"
)

// App has the streams, the version and the inspector of the program.
type App struct {
	In       *os.File
	Out, Err *os.File
	// Example is the text of config.example.toml.
	Example string
	// Version is the version of the program.
	Version Version
	// Inspect runs the inspector until the person leaves it.
	Inspect func(context.Context, session.Options) error
	// InspectFor makes the inspector of a person at another terminal.
	InspectFor func(context.Context, session.Options, ...tea.ProgramOption) (serve.Program, error)
	// Hangup is called at SIGHUP instead of ending the program, if it is set.
	Hangup atomic.Pointer[func()]
}

// Version describes this build of tallylock. Commit and Date are empty if they are unknown, as
// after an installation from a module's archive.
type Version struct {
	Version string
	Commit  string
	Date    string // the date of Commit
	// Modified reports whether the build has uncommitted changes.
	Modified bool
}

// String describes the version for --version and doctor.
func (v Version) String() string {
	s := v.Version
	if v.Commit != "" {
		s += ", commit " + v.Commit[:min(len(v.Commit), 12)]
		if v.Date != "" {
			s += " of " + v.Date
		}
	}
	if v.Modified {
		s += ", with uncommitted changes"
	}
	return s
}

// Run is one run of the program.
type Run struct {
	*App
	Flags Flags
	// Args is the command line, without the program's name.
	Args []string
	// Understood is set once the command line is parsed. Earlier errors are mistakes in the command line.
	Understood bool
	// Results writes results to standard output.
	Results output
	// wait removes the line that shows a wait.
	wait atomic.Pointer[func()]
}

// New begins a run of the program with a command line.
func New(a *App, args []string) *Run {
	return &Run{App: a, Args: args, Results: output{to: a.Out}}
}

// Note prints a note on standard error.
func (s *Run) Note(format string, args ...any) {
	s.Flags.printer(s.Err).Hang(kit.Text, 0, fmt.Sprintf(format, args...))
}
