package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
)

// configCommand prints an example of the config file.
func configCommand(s *app.Run) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print an example of the config file",
		Long: `Print an example of the config file: every setting with its default and its
meaning. tallylock reads the config from --config, or from tallylock/config.toml
in your config directory. It never reads a config from the working directory.`,
		Example: "  mkdir -p ~/.config/tallylock\n  tallylock config > ~/.config/tallylock/config.toml",
		Args:    app.TakesNothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("output") && s.Flags.Output != app.Text {
				return exit.Usage("printing the example config with --output "+s.Flags.Output.String(),
					"the example is always TOML with comments", "leave --output out")
			}
			_, err := fmt.Fprint(s.Out, s.Example)
			return err
		},
	}
}
