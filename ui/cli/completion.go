package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/layout/config"
)

// completionCommand prints the script with which a shell completes command lines.
func completionCommand(s *invocation) *cobra.Command {
	return &cobra.Command{
		Use:       "completion SHELL",
		Short:     "Shell completion: bash, zsh, fish, powershell",
		Example:   "  source <(tallylock completion bash)",
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      takes(1, 1, "a SHELL: bash, zsh, fish or powershell"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(s.Out, true)
			case "zsh":
				return root.GenZshCompletion(s.Out)
			case "fish":
				return root.GenFishCompletion(s.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(s.Out)
			}
			return usage("writing a completion", fmt.Sprintf("there is none for %q", args[0]),
				"use bash, zsh, fish or powershell")
		},
	}
}

// completing is how long a completion may take: a person waits for it.
const completing = 2 * time.Second

// values lists the possible values of a flag or an argument.
type values func(context.Context) []string

// completes sets the completion of a flag. It joins all lists.
func completes(cmd *cobra.Command, flag string, from ...values) {
	_ = cmd.RegisterFlagCompletionFunc(
		flag,
		func(cmd *cobra.Command, _ []string, begun string) (shown []string, how cobra.ShellCompDirective) {
			for _, list := range from {
				some, as := completed(cmd, begun, list)
				shown, how = append(shown, some...), as
			}
			if len(from) > 1 {
				shown = once(shown)
			}
			return shown, how
		},
	)
}

// completesArgument sets the completion of an argument. before is the number of arguments before
// it.
func completesArgument(cmd *cobra.Command, before int, from values) {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) != before {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completed(cmd, begun, from)
	}
}

// completed lists the values that begin with the typed text, and no files. If it cannot list them,
// it completes nothing: an error message would end up in the command line.
func completed(cmd *cobra.Command, begun string, from values) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completing)
	defer cancel()
	var shown []string
	for _, value := range from(ctx) {
		if strings.HasPrefix(value, begun) && harmless(value) == value {
			shown = append(shown, value)
		}
	}
	return shown, cobra.ShellCompDirectiveNoFileComp
}

// oneOf lists fixed values.
func oneOf[T ~string](all ...T) values {
	var names []string
	for _, one := range all {
		names = append(names, string(one))
	}
	return func(context.Context) []string { return names }
}

// completesShared sets the completion of the flags that all commands have.
func completesShared(s *invocation, root *cobra.Command) {
	completes(root, "output", oneOf(asText, asJSON, asLines))
	completes(root, "connection", func(context.Context) []string {
		c, _ := s.flags.readConfig()
		var names []string
		for _, conn := range c.Connections {
			names = append(names, conn.Name)
		}
		return names
	})
	completes(root, "layout", func(context.Context) []string {
		c, _ := s.flags.readConfig()
		names, _ := c.layoutNames()
		return names
	})
	completes(root, "table", s.flags.tables, s.tableNames)
}

// tableNames asks the endpoint for the names of its tables.
func (s *invocation) tableNames(ctx context.Context) []string {
	t, err := s.resolveTarget(ctx)
	if err != nil {
		return nil
	}
	t.options.MFA = noCode
	conn, err := dynamo.Connect(ctx, t.options)
	if err != nil {
		return nil
	}
	names, _ := conn.TableNames(ctx)
	return names
}

// receipts lists the receipts of changes that can be undone, the newest first.
func (f *flags) receipts(context.Context) []string {
	c, _ := f.readConfig()
	records, _ := journal.OpenReadOnly(c.journalPath(f.journal)).Records()
	var names []string
	for _, r := range records {
		if r.Outcome == journal.Applied && r.Undone == "" {
			names = append([]string{r.Receipt}, names...)
		}
	}
	return names
}

// described returns the layouts from the config and from accepted constraints: those of --layout,
// of the table, or all. It sends no request.
func (f *flags) described() []config.Layout {
	c, _ := f.readConfig()
	conn, _ := c.connection(f)
	name, table := cmp.Or(f.layout, conn.Layout), cmp.Or(f.table, conn.Table)
	known := slices.Clone(c.Layouts)
	all, _, _ := answers.Open(answers.Beside(c.journalPath(f.journal))).All()
	for _, e := range all {
		if l, err := e.Config(); e.Accepts() && err == nil {
			l.Name, l.Tables = e.Tables[0].Name, []string{e.Tables[0].Name}
			known = append(known, l)
		}
	}
	return slices.DeleteFunc(known, func(l config.Layout) bool {
		if name != "" {
			return l.Name != name
		}
		return table != "" && !slices.Contains(l.Tables, table)
	})
}

// constraints lists the names of the constraints in the config and of accepted ones.
func (f *flags) constraints(context.Context) []string {
	var names []string
	for _, l := range f.described() {
		for _, a := range l.Accounts {
			for _, c := range a.Constraints {
				if !c.Unique { // no locks, so nothing to change or release
					names = append(names, cmp.Or(c.Name, c.Attribute))
				}
			}
		}
	}
	return once(names)
}

// counters lists the names of the counters in the config and of accepted ones. It leaves out
// families: only the table has the names of their counters.
func (f *flags) counters(context.Context) []string {
	var names []string
	for _, one := range f.described() {
		l, err := one.Build()
		if err != nil {
			continue
		}
		for _, c := range l.Counters {
			switch {
			case !c.PK.Constant() || !c.SK.Constant() && c.SK.String() != "{pk}":
			case c.Name != "":
				names = append(names, c.Name)
			default:
				names = append(names, one.Tables...)
			}
		}
	}
	return once(names)
}

// tables lists the tables in the config: the connection's table, and those of the layouts.
func (f *flags) tables(context.Context) []string {
	c, _ := f.readConfig()
	var names []string
	if conn, _ := c.connection(f); conn.Table != "" {
		names = append(names, conn.Table)
	}
	for _, l := range c.Layouts {
		names = append(names, l.Tables...)
	}
	return once(names)
}

// once sorts names and removes repeats.
func once(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
