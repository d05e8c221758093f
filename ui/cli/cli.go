// Package cli is the command line: one file a command, what they share beside
// them. Results go to standard output, everything else to standard error, and
// the exit status tells a script what became of it.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"tallylock/ui/session"
)

// App is what the commands stand on.
type App struct {
	In       *os.File
	Out, Err *os.File
	// Example is the text of config.example.toml.
	Example string
	// Version is what --version says.
	Version string
	// Inspect runs the inspector until the person leaves it.
	Inspect func(context.Context, session.Options) error
}

// Run carries out a command line, without the program's name, and returns the
// exit status.
func (a *App) Run(ctx context.Context, args []string) int {
	s := &invocation{App: a}
	root := s.root()
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !s.understood {
		err = misused(cmd, err)
	}
	if s.unwritten != nil && exitStatus(err) <= exitFound {
		err = fmt.Errorf("writing the result: %w", s.unwritten)
	}
	s.complain(err)
	return exitStatus(err)
}

// invocation is one run of the program.
type invocation struct {
	*App
	flags flags
	// understood is set once the command line has been read without an error:
	// errors from before are errors of the command line itself.
	understood bool
	// unwritten is why not everything could be written that people were to read.
	unwritten error
	// instead takes the results of a command that writes to tables; nil for all others.
	instead *instead
}

// root is the command tree.
func (s *invocation) root() *cobra.Command {
	root := s.inspector()
	root.SilenceErrors, root.SilenceUsage, root.DisableSuggestions = true, true, true
	root.Version = s.Version
	root.SetVersionTemplate("tallylock {{.Version}}\n")
	root.SetUsageTemplate(usageTemplate)
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		s.understood = true
		return nil
	}
	s.flags.add(root.PersistentFlags())
	root.AddCommand(s.demo(), s.find(), s.check(), s.counters(), s.bump(), s.release(), s.mend(), s.undo(), s.journal(), s.layout(), s.policy(), s.config(), s.completion())
	return root
}

// paper is standard output for people.
func (s *invocation) paper() *paper {
	p := newPaper(s.Out)
	if p.w = s.results(); s.instead == nil {
		p.w = noting{p.w, &s.unwritten}
	}
	return p
}

// results takes what a command answers.
func (s *invocation) results() io.Writer {
	if s.instead != nil {
		return s.instead
	}
	return s.Out
}

// writesTables says that the command may write to tables. From here on what was done
// decides the exit status, and not whether somebody reads it: a closed pipe does not end
// the program in the middle of a change, either.
func (s *invocation) writesTables() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // which has the write fail instead
	s.instead = &instead{out: s.Out, err: s.Err}
}

// instead writes to standard error what cannot be written to standard output.
type instead struct {
	out, err io.Writer
	failed   bool
}

func (i *instead) Write(b []byte) (int, error) {
	if !i.failed {
		_, err := i.out.Write(b)
		if err == nil {
			return len(b), nil
		}
		i.failed = true
		fmt.Fprintln(i.err, "tallylock: "+harmless(fmt.Sprintf("the result cannot be written to standard output (%s), and stands here:", reason(err))))
	}
	_, _ = i.err.Write(b)
	return len(b), nil
}

// noting writes, and notes the first error.
type noting struct {
	w   io.Writer
	err *error
}

func (n noting) Write(b []byte) (int, error) {
	written, err := n.w.Write(b)
	if err != nil && *n.err == nil {
		*n.err = err
	}
	return written, err
}

// note says something beside the result.
func (s *invocation) note(format string, args ...any) {
	newPaper(s.Err).hang(plain, 0, fmt.Sprintf(format, args...))
}

// terminal reports whether a stream is one that a person sits at.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && f != nil && term.IsTerminal(f.Fd())
}
