package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"tallylock/dynamo/attr"
	"tallylock/ui/kit"
)

// Version describes this build of tallylock. Commit and Date are empty if they are unknown, as
// after an installation from a module's archive.
type Version struct {
	Version string
	Commit  string
	Date    string // of Commit
	// Modified: the build has changes that are not committed.
	Modified bool
}

// String describes the version for --version and doctor.
func (v Version) String() string {
	s := v.Version
	if v.Commit != "" {
		s += ", commit " + v.Commit[:min(len(v.Commit), 12)]
		if v.Date != "" {
			s += " of " + v.Date
		}
	}
	if v.Modified {
		s += ", with changes that are not committed"
	}
	return s
}

// versionJSON is the JSON of the version. Its names are a contract.
type versionJSON struct {
	Version  string  `json:"version"`
	Commit   *string `json:"commit"`
	Date     *string `json:"date"` // of Commit
	Modified bool    `json:"modified"`
	Go       string  `json:"go"`
	Platform string  `json:"platform"`
}

// takesVersion adds the flag --version to the program without a subcommand.
func takesVersion(s *invocation, root *cobra.Command) {
	asked := root.Flags().BoolP("version", "v", false, "print the version, its commit and its date")
	inspector := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if !*asked {
			return inspector(cmd, args)
		}
		if s.flags.output == asText {
			s.printer().line(kit.Text, "tallylock %s", s.Version)
			return nil
		}
		v := s.Version
		return s.print(versionJSON{
			v.Version,
			attr.NullIfEmpty(v.Commit),
			attr.NullIfEmpty(v.Date),
			v.Modified,
			runtime.Version(),
			fmt.Sprintf("%s/%s", runtime.GOOS, runtime.GOARCH),
		})
	}
}
