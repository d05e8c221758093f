// Command tallylock is a terminal inspector for the uniqueness locks and
// counters that applications keep in DynamoDB.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"os"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"

	"tallylock/ui"
	"tallylock/ui/cli"
	"tallylock/ui/cli/app"
	"tallylock/ui/serve"
	"tallylock/ui/session"
)

//go:embed config.example.toml
var example string

func main() {
	os.Exit(cli.Main(&app.App{
		Example: example, Version: version(),
		Inspect: func(ctx context.Context, o session.Options) error { return ui.Run(ctx, o) },
		InspectFor: func(ctx context.Context, o session.Options, more ...tea.ProgramOption) (serve.Program, error) {
			return ui.NewProgram(ctx, o, more...)
		},
	}))
}

// The linker sets release, commit and date for a release: -ldflags "-X main.release=1.2.0". In any other build they are
// empty, and version uses the data of the Go tool.
var release, commit, date string

// version returns the version that the linker or the Go tool has written into the program.
func version() app.Version {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info, app.Version{Version: release, Commit: commit, Date: date})
}

// versionOf fills the empty fields of v with the data of the Go tool.
func versionOf(info *debug.BuildInfo, v app.Version) app.Version {
	v.Version = cmp.Or(v.Version, info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = cmp.Or(v.Commit, s.Value)
		case "vcs.time":
			v.Date = cmp.Or(v.Date, s.Value)
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
