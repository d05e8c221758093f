package app

import (
	"fmt"

	"github.com/spf13/cobra"
)

// Takes refuses a command line with too few or too many arguments. what names the arguments.
func Takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s needs %s", cmd.Name(), what)
		case most != Many && len(args) > most:
			return fmt.Errorf("%s needs %s, and takes nothing more: %q", cmd.Name(), what, args[most])
		}
		return nil
	}
}

// TakesNothing refuses a command line with arguments.
func TakesNothing(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument %q", cmd.Name(), args[0])
	}
	return nil
}

// Many means no limit for the number of arguments.
const Many = -1
