// Package cli is the command line: each command in files of its name, what they share beside
// them. Results go to standard output, everything else to standard error, and
// the exit status tells a script what became of it.
package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

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
	Version Version
	// Inspect runs the inspector until the person leaves it.
	Inspect func(context.Context, session.Options) error
}

// Main carries out the program's command line on its standard streams, and returns the exit
// status. The first signal cancels what is under way, the second ends the program.
func (a *App) Main() int {
	a.In, a.Out, a.Err = os.Stdin, os.Stdout, os.Stderr
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // nohup has it go on without its terminal
		ends = append(ends, syscall.SIGHUP)
		// A terminal that closes sends one, and its shell another. The second may not end the program,
		// which may still have to take a mark off.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	signals, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	// A context of its own: that of the signals gives a signal as its cause, and
	// whoever asks for the cause would not know that it was cancelled.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(signals, func() {
		stop()
		cancel()
	})()
	return a.Run(ctx, os.Args[1:])
}

// Run carries out a command line, without the program's name, and returns the
// exit status.
func (a *App) Run(ctx context.Context, args []string) int {
	s := &invocation{App: a}
	s.out = errorRecorder{a.Out, &s.unwritten}
	root := rootCommand(s)
	root.SetArgs(negativeNumbers(args))
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
	if cmd == root && s.understood {
		if other, ok := offerChoice(ctx, s, err, args); ok {
			return a.Run(ctx, other)
		}
	}
	return exitStatus(err)
}

// rootCommand is the command tree.
func rootCommand(s *invocation) *cobra.Command {
	root := inspectorCommand(s)
	root.SilenceErrors, root.SilenceUsage, root.DisableSuggestions = true, true, true
	takesVersion(s, root)
	root.SetUsageTemplate(usageTemplate)
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		s.understood = true
		return tableNamed(cmd, s.flags.table)
	}
	s.flags.add(root.PersistentFlags())
	completesShared(s, root)
	find, deleteAccount := findCommand(s), deleteAccountCommand(s)
	completesNoFiles(find, deleteAccount)
	root.AddCommand(find, bumpCommand(s), releaseCommand(s), changeCommand(s), deleteAccount)
	root.AddCommand(demoCommand(s), checkCommand(s), countersCommand(s), mendCommand(s), applyCommand(s), undoCommand(s))
	root.AddCommand(journalCommand(s), layoutCommand(s), doctorCommand(s), policyCommand(s), configCommand(s),
		completionCommand(s))
	return root
}
