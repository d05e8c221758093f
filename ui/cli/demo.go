package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// demoCommand shows the sample tables.
func demoCommand(s *app.Run) *cobra.Command {
	serve := ""
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try tallylock on sample tables, without AWS",
		Long: `Open the inspector on sample tables, without AWS. The tables are in the memory
of this program, and change slowly by themselves. You can make changes: the
tables disappear when you quit.

--serve opens no inspector, and its tables do not change by themselves. It
serves the tables over HTTP, as DynamoDB does, for other programs and for other
commands of tallylock. It prints the endpoint, and the path of a config for
--config that describes the tables.

It answers these operations of DynamoDB:

` + engineOperations(),
		Example: "  tallylock demo\n  tallylock demo --serve 127.0.0.1:8000",
		Args:    app.TakesNothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if given := s.Flags.Given("connection", "profile", "region", "endpoint-url"); len(given) > 0 {
				return exit.Usage("starting the demo", "the demo has its own tables, and makes no connection", "leave out "+given[0])
			}
			if cmd.Flags().Changed("serve") {
				if f := givenShared(cmd); f != "" {
					return exit.Usage("serving the demo", "--"+f+" has no effect with --serve",
						"leave it out here, and add it to the commands that use the served tables")
				}
				return serveDemo(cmd.Context(), s, serve)
			}
			return showDemo(cmd.Context(), s)
		},
	}
	cmd.Flags().StringVar(
		&serve,
		"serve",
		"",
		"serve the tables on a loopback `ADDRESS`, such as 127.0.0.1:8000; port 0 chooses a free port",
	)
	return cmd
}

// engineOperations lists the operations of the engine, for the help.
func engineOperations() string {
	return "  " + strings.Join(kit.Wrap(strings.Join(embedded.Operations(), ", "), 76), "\n  ")
}

// givenShared returns the name of a flag on the command line that all commands have. It returns "" if there is none.
func givenShared(cmd *cobra.Command) (name string) {
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			name = f.Name
		}
	})
	return name
}

func serveDemo(ctx context.Context, s *app.Run, addr string) error {
	d, err := demo.New(ctx)
	if err != nil {
		return err
	}
	dir, remove, err := temporary()
	if err != nil {
		return err
	}
	defer remove()
	config := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(config, demo.Config(), 0o600); err != nil {
		return fmt.Errorf("writing the config of the sample tables: %w", err)
	}
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
	return exit.Usage("serving the demo", err.Error(), "use 127.0.0.1, [::1] or localhost with a port, such as 127.0.0.1:8000")
}

// temporary makes a directory for files of the demo. remove deletes it.
func temporary() (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", "tallylock-demo-"); err != nil {
		return "", nil, fmt.Errorf("making a directory for the demo: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
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
	path := s.Flags.Journal
	if path == "" {
		dir, remove, err := temporary()
		if err != nil {
			return err
		}
		defer remove()
		path = filepath.Join(dir, "journal.jsonl")
	}
	journal, err := journal.Open(path)
	if err != nil {
		return err
	}
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
