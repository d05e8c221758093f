// Package cli is the command line. Each command is in the files of its name. Results go to standard
// output, and everything else goes to standard error. The exit status tells a script the outcome.
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

// App has what the commands need from outside.
type App struct {
	In       *os.File
	Out, Err *os.File
	// Example is the text of config.example.toml.
	Example string
	// Version is the version of the program.
	Version Version
	// Inspect runs the inspector until the person leaves it.
	Inspect func(context.Context, session.Options) error
}

// Main runs the program's command line on its standard streams, and returns the exit status. The first
// signal cancels the command, and the second ends the program.
func (a *App) Main() int {
	a.In, a.Out, a.Err = os.Stdin, os.Stdout, os.Stderr
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // with nohup, the program goes on without its terminal
		ends = append(ends, syscall.SIGHUP)
		// If a terminal closes, it sends SIGHUP, and its shell sends another one. The second must not
		// end the program: it may still have to remove a release mark.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	signals, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	// The commands get a context of their own. The cause of signals is a signal, so code that asks for
	// the cause would not see that it was cancelled.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(signals, func() {
		stop()
		cancel()
	})()
	return a.Run(ctx, os.Args[1:])
}

// Run runs a command line, without the program's name, and returns the exit status.
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

// rootCommand returns the program's command with all its subcommands.
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
		cmd.ValidArgsFunction = cobra.NoFileCompletions // otherwise a shell offers files
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

// noFlag marks an argument that looks like a flag but is a value.
const noFlag = "\x00"

// markNegative marks negative numbers among the arguments of a command. They are values, such as ids,
// but the library takes them for flags. It does not mark the value of a flag.
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

// many means no limit for the number of arguments.
const many = -1

// takesNothing refuses a command line with arguments.
func takesNothing(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument %q", cmd.Name(), args[0])
	}
	return nil
}

// takes refuses a command line with too few or too many arguments. what names the arguments.
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

// exitStatuses is at the end of every help text.
const exitStatuses = `0 done, 1 check found something, 2 not allowed by the command line,
the config or read-only, 3 could not be done or completed, 4 refused by what the
table holds, 5 outcome not known.
`

// Manual returns all commands and the exit statuses, to make manual pages of them.
func Manual() (commands *cobra.Command, exits string) {
	return rootCommand(&invocation{App: &App{}}), exitStatuses
}

// usageTemplate is cobra's template, with the arguments of a command.
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

// anyName replaces the wildcards of a policy by characters that a table's name may have.
var anyName = strings.NewReplacer("*", "___", "?", "_")

// tableNamed refuses a --table that cannot be the name of a table, before any request. For a policy,
// --table may have wildcards.
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
