// Package cli is the command line. Each command is in the file or the package of its name. Package
// write has the commands that change tables. Results go to standard output, and everything else goes
// to standard error. The exit status shows a script the outcome.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo/client"
	"tallylock/dynamo/mistake"
	"tallylock/ui/cli/adopt"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/check"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/journal"
	"tallylock/ui/cli/layout"
	"tallylock/ui/cli/write"
)

// Main runs the program's command line on its standard streams, and returns the exit status. The first
// signal cancels the command, and the second ends the program.
func Main(a *app.App) int {
	a.In, a.Out, a.Err = os.Stdin, os.Stdout, os.Stderr
	signals, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	defer stop()
	// The commands get another context, because context.Cause(signals) is a signal error and not context.Canceled.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	end := func() {
		stop()
		cancel()
	}
	defer context.AfterFunc(signals, end)()
	go hangups(a, !signal.Ignored(syscall.SIGHUP), end)
	return Run(ctx, a, os.Args[1:])
}

// hangups handles SIGHUP: it calls the function that a command has set. Without such a function, it ends the command if
// ends is set. With nohup, ends is not set, and the command continues without its terminal. A terminal that closes
// sends SIGHUP, and its shell sends SIGHUP again. The second SIGHUP has no effect, because the program may still have
// to remove a release mark.
func hangups(a *app.App, ends bool, end func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	for range signals {
		if f := a.Hangup.Load(); f != nil {
			(*f)()
		} else if ends {
			end()
		}
	}
}

// Run runs a command line, without the program's name, and returns the exit status.
func Run(ctx context.Context, a *app.App, args []string) int {
	s := app.New(a, args)
	root := rootCommand(s)
	root.SetArgs(markNegative(root, args))
	root.SetIn(a.In)
	root.SetOut(&s.Results) // for the help
	root.SetErr(a.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !s.Understood {
		err = misused(cmd, err)
	}
	if lost := s.Results.Unwritten(); lost != nil && exit.Of(err) <= exit.Found {
		err = lost
	}
	s.Complain(err)
	if cmd == root && s.Understood {
		if other, ok := offerChoice(ctx, s, err, args); ok {
			return Run(ctx, a, other)
		}
	}
	return int(exit.Of(err))
}

// commands are the commands of the program. The help sorts them by name.
var commands = []func(*app.Run) *cobra.Command{
	findCommand,
	explainCommand,
	countersCommand,
	check.Command,
	adopt.Command,
	layout.Command,
	write.Bump,
	write.Release,
	write.Change,
	write.DeleteAccount,
	write.Mend,
	write.Apply,
	write.Undo,
	journal.Command,
	demoCommand,
	serveCommand,
	doctorCommand,
	mcpCommand,
	policyCommand,
	configCommand,
	completionCommand,
}

// rootCommand returns the program's command with all its subcommands.
func rootCommand(s *app.Run) *cobra.Command {
	root := inspectorCommand(s)
	root.SilenceErrors, root.SilenceUsage, root.DisableSuggestions = true, true, true
	takesVersion(s, root)
	root.SetUsageTemplate(usageTemplate)
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		s.Understood = true
		return tableNamed(cmd, s.Flags.Table)
	}
	s.Flags.Add(root.PersistentFlags())
	completesShared(s, root)
	for _, command := range commands {
		root.AddCommand(command(s))
	}
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

// exitStatuses is at the end of every help text.
const exitStatuses = `0 done, 1 a check found something, 2 the command line, the config
or read-only mode forbids the command, 3 failed or incomplete, 4 the items of
the table forbid the change, 5 the change was sent and its outcome is unknown.`

// Manual returns all commands and the exit statuses, to make manual pages of them.
func Manual() (commands *cobra.Command, exits string) {
	return rootCommand(&app.Run{App: &app.App{}}), exitStatuses
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

Exit status: ` + exitStatuses + "\n"

// anyName replaces the wildcards of a policy with characters that a table's name may have.
var anyName = strings.NewReplacer("*", "___", "?", "_")

// tableNamed refuses a --table that cannot be the name of a table, before any request. For a policy,
// --table may have wildcards.
func tableNamed(cmd *cobra.Command, table string) error {
	name, rules := table, client.NameRules
	if cmd.Name() == "policy" {
		name, rules = anyName.Replace(table), rules+`; "*" and "?" are wildcards`
	}
	if table == "" || client.MayBeCalled(name) {
		return nil
	}
	return exit.Usage("reading --table", fmt.Sprintf("%q cannot be the name of a table", table), "use "+rules+"; nothing was sent")
}

// misused returns the error for a command line that does not parse.
func misused(cmd *cobra.Command, err error) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "reading the command line",
		Why:  err.Error() + likely(cmd, err),
		Do:   "run: " + cmd.CommandPath() + " --help",
		Err:  err,
	}
}

// likely suggests the command or flag that a mistyped one may mean. It is empty if none is similar.
func likely(cmd *cobra.Command, err error) string {
	var known []string
	if flag, ok := errors.AsType[*pflag.NotExistError](err); ok {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		return mistake.Meant("--"+flag.GetSpecifiedName(), known...)
	}
	if cmd.HasParent() || cmd.Flags().NArg() == 0 {
		return ""
	}
	for _, c := range cmd.Commands() {
		known = append(known, c.Name())
	}
	return mistake.Meant(cmd.Flags().Arg(0), known...)
}
