package main

import (
	"runtime/debug"
	"testing"

	"tallylock/ui/cli/app"
)

// TestVersion: the version of a release comes from the linker, and the version of every other build from the Go tool.
func TestVersion(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	built := &debug.BuildInfo{Settings: []debug.BuildSetting{
		setting("vcs", "git"), setting("vcs.revision", "0123456789abcdef0123"), setting("vcs.time", "2026-11-23T10:00:00Z"), setting("vcs.modified", "true"),
	}}
	built.Main.Version = "v1.2.1-0.20261123100000-0123456789ab+dirty"
	installed := &debug.BuildInfo{}
	installed.Main.Version = "v1.2.0"
	for _, c := range []struct {
		info  *debug.BuildInfo
		given app.Version
		want  string
	}{
		{built, app.Version{}, "v1.2.1-0.20261123100000-0123456789ab+dirty, commit 0123456789ab of 2026-11-23T10:00:00Z, with uncommitted changes"},
		{installed, app.Version{}, "v1.2.0"},
		{&debug.BuildInfo{}, app.Version{}, "(devel)"},
		{built, app.Version{Version: "v1.2.0", Commit: "fedcba9876543210fedc", Date: "2026-11-20T08:00:00Z"}, "v1.2.0, commit fedcba987654 of 2026-11-20T08:00:00Z, with uncommitted changes"},
	} {
		if got := versionOf(c.info, c.given).String(); got != c.want {
			t.Errorf("it says %q, want %q", got, c.want)
		}
	}
}
