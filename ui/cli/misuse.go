package cli

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo/client"
	"tallylock/dynamo/mistake"
)

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
