// Command tallylock is a terminal inspector for the uniqueness locks and
// counters that applications keep in DynamoDB.
package main

import (
	"context"
	_ "embed"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"tallylock/ui"
	"tallylock/ui/cli"
)

//go:embed config.example.toml
var example string

func main() { os.Exit(run()) }

// run carries out the command line. The first signal cancels what is under way,
// the second ends the program.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	app := cli.App{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Example: example, Version: version(),
		Inspect: func(ctx context.Context, o ui.Options) error { return ui.Run(ctx, o) },
	}
	return app.Run(ctx, os.Args[1:])
}

// version is what the Go tool has written into the program.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
