package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
)

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

// completesNoFiles keeps the names of files away from commands that take none: a shell
// offers them where it is told nothing.
func completesNoFiles(commands ...*cobra.Command) {
	for _, cmd := range commands {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
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
	c, err := f.readConfig()
	if err != nil {
		return nil
	}
	records, _ := journal.OpenReadOnly(c.journalPath(f.journal)).Records()
	var names []string
	for _, r := range records {
		if r.Outcome == change.Applied && r.Undone == "" {
			names = append([]string{r.Receipt}, names...)
		}
	}
	return names
}
