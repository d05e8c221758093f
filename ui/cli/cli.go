// Package cli is the command line: each command in files of its name, what they share beside
// them. Results go to standard output, everything else to standard error, and
// the exit status tells a script what became of it.
package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"tallylock/dynamo/client"
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
	root.SetArgs(markNegative(root, args))
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
	for _, cmd := range []*cobra.Command{find, deleteAccount} {
		cmd.ValidArgsFunction = cobra.NoFileCompletions // a shell offers files where it is told nothing
	}
	root.AddCommand(find, bumpCommand(s), releaseCommand(s), changeCommand(s), deleteAccount)
	root.AddCommand(demoCommand(s), checkCommand(s), countersCommand(s), mendCommand(s), applyCommand(s), undoCommand(s))
	root.AddCommand(journalCommand(s), layoutCommand(s), doctorCommand(s), policyCommand(s), configCommand(s),
		completionCommand(s))
	for _, cmd := range root.Commands() {
		validate := cmd.Args
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			for n, a := range args {
				args[n] = strings.TrimPrefix(a, noFlag)
			}
			return validate(cmd, args)
		}
	}
	return root
}

// noFlag begins an argument that looks like a flag and is a value.
const noFlag = "\x00"

// markNegative marks the negative numbers among the arguments of a command: they are values, such as
// an id, and the library for the command line takes them for flags. The value of a flag stays as it is.
func markNegative(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd == root {
		return args
	}
	args = slices.Clone(args)
	for n := 1; n < len(args) && args[n] != "--"; n++ {
		name, isFlag := strings.CutPrefix(args[n-1], "--")
		if f := cmd.Flag(name); isFlag && f != nil && f.NoOptDefVal == "" {
			continue
		}
		if a := args[n]; len(a) > 1 && a[0] == '-' && a[1] >= '0' && a[1] <= '9' {
			args[n] = noFlag + a
		}
	}
	return args
}

// many is how many arguments a command takes at most where there is no limit.
const many = -1

// takesNothing reports a command line with an argument.
func takesNothing(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument %q", cmd.Name(), args[0])
	}
	return nil
}

// takes reports a command line with too few or too many arguments; what says what the
// command needs.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s needs %s", cmd.Name(), what)
		case most != many && len(args) > most:
			return fmt.Errorf("%s needs %s, and takes nothing more: %q", cmd.Name(), what, args[most])
		}
		return nil
	}
}

// exitStatuses is what every help ends with.
const exitStatuses = `0 done, 1 check found something, 2 not allowed by the command line,
the config or read-only, 3 could not be done or completed, 4 refused by what the
table holds, 5 outcome not known.
`

// Manual is the command tree, for who makes manual pages of it.
func Manual() (commands *cobra.Command, exits string) {
	return rootCommand(&invocation{App: &App{}}), exitStatuses
}

// usageTemplate is cobra's, with what a command takes beside its name.
const usageTemplate = `Usage:
  {{.UseLine}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND [flags]

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Use 32}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}

Exit status: ` + exitStatuses

// anyName has what stands for other characters in a policy be a part of a name.
var anyName = strings.NewReplacer("*", "___", "?", "_")

// tableNamed refuses a --table that no table can be called, before anything is sent. A
// policy may be for all tables of a pattern.
func tableNamed(cmd *cobra.Command, table string) error {
	name, rules := table, client.NameRules
	if cmd.Name() == "policy" {
		name, rules = anyName.Replace(table), rules+`; "*" and "?" stand for other characters`
	}
	if table == "" || client.MayBeCalled(name) {
		return nil
	}
	return usage("reading --table", fmt.Sprintf("no table can be called %q", table), "give "+rules+"; nothing was sent")
}
