package cli

import (
	"fmt"

	"github.com/spf13/cobra"
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
