// Command tallylock is a terminal inspector for the uniqueness locks and
// counters that applications keep in DynamoDB.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"tallylock/ui"
	"tallylock/ui/cli"
	"tallylock/ui/session"
)

//go:embed config.example.toml
var example string

func main() { os.Exit(run()) }

// run carries out the command line. The first signal cancels what is under way,
// the second ends the program.
func run() int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // nohup has it go on without its terminal
		ends = append(ends, syscall.SIGHUP)
	}
	signals, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	// A context of its own: that of the signals gives a signal as its cause, and
	// whoever asks for the cause would not know that it was cancelled.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(signals, func() {
		stop()
		cancel()
	})()
	app := cli.App{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Example: example, Version: version(),
		Inspect: func(ctx context.Context, o session.Options) error { return ui.Run(ctx, o) },
	}
	return app.Run(ctx, os.Args[1:])
}

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
