package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// configCommand prints the example of a config file.
func configCommand(s *invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print an example of the config file",
		Long: `Print an example of the config file, with every setting, its default and what it
does. The config is read from --config, or from tallylock/config.toml in your
config directory; never from the working directory.`,
		Example: "  mkdir -p ~/.config/tallylock\n  tallylock config > ~/.config/tallylock/config.toml",
		Args:    takesNothing,
		RunE: func(*cobra.Command, []string) error {
			if s.flags.set.Changed("output") && s.flags.output != asText {
				return usage("printing the example config with --output "+s.flags.output.String(),
					"it is TOML, and most of it is comments", "leave --output out")
			}
			_, err := fmt.Fprint(s.Out, s.Example)
			return err
		},
	}
}
