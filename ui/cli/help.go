package cli

import (
	"github.com/spf13/cobra"
)

// exitStatuses is what every help ends with.
const exitStatuses = `0 done, 1 check found something, 2 not allowed by the command line,
the config or read-only, 3 could not be done or completed, 4 refused by what the
table holds, 5 outcome not known.
`

// Manual is the command tree, for who makes manual pages of it.
func Manual() (commands *cobra.Command, exits string) {
	return rootCommand(&invocation{App: &App{}}), exitStatuses
}

// usageTemplate is cobra's, with what a command takes beside its name.
const usageTemplate = `Usage:
  {{.UseLine}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND [flags]

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Use 32}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}

Exit status: ` + exitStatuses
