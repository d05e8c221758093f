package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

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
