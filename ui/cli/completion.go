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
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/layout/config"
)

// completionCommand prints what makes a shell complete command lines.
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

// completing is how long a completion may take: somebody waits for it with a finger on
// the key.
const completing = 2 * time.Second

// values lists what can stand somewhere on a command line.
type values func(context.Context) []string

// completes has a flag of a command completed, by all of the lists.
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

// completesArgument has an argument of a command completed, by how many stand before it.
func completesArgument(cmd *cobra.Command, before int, from values) {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) != before {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completed(cmd, begun, from)
	}
}

// completed lists the values that begin as what was typed, and no files. What cannot be
// listed completes nothing: no error belongs into the middle of a command line.
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

// oneOf lists values that are always the same.
func oneOf[T ~string](all ...T) values {
	var names []string
	for _, one := range all {
		names = append(names, string(one))
	}
	return func(context.Context) []string { return names }
}

// completesShared has the flags of every command completed.
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

// tableNames asks the endpoint which tables there are.
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

// receipts lists the changes of the journal that are done, the newest first.
func (f *flags) receipts(context.Context) []string {
	c, _ := f.readConfig()
	records, _ := journal.OpenReadOnly(c.journalPath(f.journal)).Records()
	var names []string
	for _, r := range records {
		if r.Outcome == change.Applied && r.Undone == "" {
			names = append([]string{r.Receipt}, names...)
		}
	}
	return names
}

// described returns the layouts that the config has for what a command line is about, and what was
// accepted: the one that is named, those of the table, or all of them. It sends nothing.
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

// constraints lists the rules that are described, by the names that commands take.
func (f *flags) constraints(context.Context) []string {
	var names []string
	for _, l := range f.described() {
		for _, a := range l.Accounts {
			for _, c := range a.Constraints {
				if !c.Unique { // no locks to change or to release
					names = append(names, cmp.Or(c.Name, c.Attribute))
				}
			}
		}
	}
	return once(names)
}

// counters lists the counters that are described. Those of a family are called by
// what their keys say, which only the table tells.
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

// tables lists the tables that the config names: the connection's, and those of its layouts.
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

// once lists names in order, each once.
func once(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
