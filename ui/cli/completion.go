package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
)

// completionCommand prints a script for a shell. The shell then completes command lines of tallylock.
func completionCommand(s *app.Run) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a completion script for a shell",
		Long: `Print a completion script for a shell: bash, zsh, fish or powershell. With the
script, the shell completes commands, flags and names of tables.`,
		Example:   "  source <(tallylock completion bash)",
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      app.Takes(1, 1, "a SHELL: bash, zsh, fish or powershell"),
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
			return exit.Usage("printing a completion script", fmt.Sprintf("there is no script for the shell %q", args[0]),
				"use bash, zsh, fish or powershell")
		},
	}
}

// completesShared sets the completion of the flags that all commands have.
func completesShared(s *app.Run, root *cobra.Command) {
	app.Completes(root, "output", app.OneOf(app.Text, app.JSON, app.JSONLines))
	app.Completes(root, "connection", func(context.Context) []string {
		c, _ := s.Flags.Config.Read()
		return c.ConnectionNames()
	})
	app.Completes(root, "layout", func(context.Context) []string {
		c, _ := s.Flags.Config.Read()
		names, _ := c.LayoutNames()
		return names
	})
	app.Completes(root, "table", s.Tables)
}
