package main

import (
	"cmp"
	"runtime/debug"

	"tallylock/ui/cli"
)

// What the linker writes into a release: -ldflags "-X main.release=1.2.0". Everything else
// is built without, and says what the Go tool knows of it.
var release, commit, date string

// version is what the linker or the Go tool has written into the program.
func version() cli.Version {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info, cli.Version{Version: release, Commit: commit, Date: date})
}

// versionOf fills what a release does not say with what the Go tool knows.
func versionOf(info *debug.BuildInfo, v cli.Version) cli.Version {
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
