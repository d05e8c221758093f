package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/session"
)

// demoCommand shows the sample tables.
func demoCommand(s *app.Run) *cobra.Command {
	serve := ""
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try it on sample tables, without AWS",
		Long: `Open the inspector over sample tables with light traffic, in an engine within
this program. Changes are allowed: all of it is gone when you quit. --serve
serves only the engine, over HTTP, for other programs. It also prints the path of
a config that describes the tables, for --config.`,
		Example: "  tallylock demo\n  tallylock demo --serve 127.0.0.1:8000",
		Args:    app.TakesNothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if given := s.Flags.Given("connection", "profile", "region", "endpoint-url"); len(given) > 0 {
				return exit.Usage("starting the demo", "the demo has its own tables and connects to nothing", "leave out "+given[0])
			}
			if cmd.Flags().Changed("serve") {
				return serveDemo(cmd.Context(), s, serve)
			}
			return showDemo(cmd.Context(), s)
		},
	}
	cmd.Flags().StringVar(
		&serve,
		"serve",
		"",
		"serve the tables on a loopback `ADDRESS`, such as 127.0.0.1:8000; port 0 picks one",
	)
	return cmd
}

func serveDemo(ctx context.Context, s *app.Run, addr string) error {
	d, err := demo.New(ctx)
	if err != nil {
		return err
	}
	config, remove, err := demoConfig()
	if err != nil {
		return err
	}
	defer remove()
	err = d.Engine.Serve(ctx, addr, func(url string) {
		fmt.Fprintln(s.Out, "endpoint "+url)
		fmt.Fprintln(s.Out, "config "+config)
	})
	if err == nil {
		return nil
	}
	if busy, ok := errors.AsType[syscall.Errno](err); ok {
		return &client.Error{
			Kind: client.Failed,
			Op:   "serving the demo on " + addr,
			Why:  busy.Error(),
			Do:   "choose another port, or 0 for a free one",
			Err:  err,
		}
	}
	return exit.Usage("serving the demo", err.Error(), "use 127.0.0.1, [::1] or localhost, such as 127.0.0.1:8000")
}

// demoConfig writes a temporary config that describes the sample tables. remove deletes it.
func demoConfig() (path string, remove func(), err error) {
	const op = "writing the config of the sample tables"
	f, err := os.CreateTemp("", "tallylock-demo-*.toml")
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", op, err)
	}
	_, err = f.Write(demo.Config())
	if err = errors.Join(err, f.Close()); err != nil {
		return "", nil, errors.Join(fmt.Errorf("%s: %w", op, err), os.Remove(f.Name()))
	}
	return f.Name(), func() { _ = os.Remove(f.Name()) }, nil
}

func showDemo(ctx context.Context, s *app.Run) error {
	if err := needScreen(s, "tallylock demo --serve 127.0.0.1:8000"); err != nil {
		return err
	}
	c, err := s.Flags.Config.Read()
	if err != nil {
		return err
	}
	d, err := demo.New(ctx)
	if err != nil {
		return err
	}
	o := d.Options()
	own, read := o.Layouts, s.Flags.Config.LayoutReader()
	o.ReadLayouts = func() ([]config.Layout, error) {
		all, err := read()
		return slices.Concat(all, own), err
	}
	o.Layouts, o.Layout = slices.Concat(c.Layouts, own), s.Flags.Layout
	o.SessionReadUnits = c.InspectorUnits().Units
	if s.Flags.Settle != nil {
		o.Settle = max(s.Flags.Settle.Duration, 1)
	}
	journal, remove, err := demoJournal(s)
	if err != nil {
		return err
	}
	defer remove()
	o.Answers = answers.Beside(journal.Path())
	conn, err := dynamo.Connect(ctx, o)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	var traffic sync.WaitGroup
	traffic.Go(func() { d.Traffic(ctx) })
	defer traffic.Wait()
	defer cancel()
	table := demo.Table
	if s.Flags.Table != "" {
		table = s.Flags.Table
	}
	return inspect(ctx, s, c, true, table, session.Connection{Connection: conn, Changer: app.ChangerOf(journal, c)})
}

// demoJournal opens the journal of --journal, or else a temporary one. The function that it returns
// deletes the temporary one.
func demoJournal(s *app.Run) (*journal.Journal, func(), error) {
	if s.Flags.Journal != "" {
		j, err := journal.Open(s.Flags.Journal)
		return j, func() {}, err
	}
	dir, err := os.MkdirTemp("", "tallylock-demo-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a directory for the demo's journal: %w", err)
	}
	j, err := journal.Open(filepath.Join(dir, "journal.jsonl"))
	return j, func() { _ = os.RemoveAll(dir) }, err
}
