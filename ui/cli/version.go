package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"tallylock/dynamo/attr"
	"tallylock/ui/cli/app"
	"tallylock/ui/kit"
)

// versionJSON is the JSON of the version. Its names are a contract.
type versionJSON struct {
	Version  string  `json:"version"`
	Commit   *string `json:"commit"`
	Date     *string `json:"date"` // the date of Commit
	Modified bool    `json:"modified"`
	Go       string  `json:"go"`
	Platform string  `json:"platform"`
}

// takesVersion adds the flag --version to the program without a subcommand.
func takesVersion(s *app.Run, root *cobra.Command) {
	asked := root.Flags().BoolP("version", "v", false, "print the version of tallylock, with its commit and date")
	inspector := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if !*asked {
			return inspector(cmd, args)
		}
		if s.Flags.Output == app.Text {
			s.Printer().Line(kit.Text, "tallylock %s", s.Version)
			return nil
		}
		v := s.Version
		s.Print(versionJSON{
			v.Version,
			attr.NullIfEmpty(v.Commit),
			attr.NullIfEmpty(v.Date),
			v.Modified,
			runtime.Version(),
			fmt.Sprintf("%s/%s", runtime.GOOS, runtime.GOARCH),
		})
		return nil
	}
}
