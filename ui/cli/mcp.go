package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/configfile"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/layout"
	"tallylock/ui/cli/print"
	"tallylock/ui/mcp"
)

// assisting is one run of `mcp`.
type assisting struct {
	*app.Run
	tables, connections []string
	options             mcp.Options
}

// mcpCommand serves an assistant.
func mcpCommand(s *app.Run) *cobra.Command {
	a := &assisting{Run: s}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let an assistant read tables (MCP)",
		Long: `Serve an assistant over standard input and output, with the Model Context
Protocol (MCP). The program of the assistant starts this command.
docs/assistants.md has the lines for its configuration.

The assistant gets these tools: find, counters, layout, findings and explain
read the tables of --table. plan writes a plan file into --plans, and a person
applies it. No tool writes to a table: the connection only reads, whatever the
config says.

The values of the tables are masked: value-1 and account-1 stand for a value and
an account. With --unmasked, the program of the assistant gets the real values,
and may send them to another computer.

The assistant may use only the tables of --table and the connections of
--connection. tallylock also reads the lock tables that the config or an
accepted layout names for these tables. All calls together use at most
session_read_units, divided equally among the connections. A call that may read
a whole table uses at most --auto-read-units.`,
		Example: "  tallylock mcp --table accounts\n" +
			"  tallylock mcp --connection prod --table accounts --plans ~/plans",
		Args:              app.TakesNothing,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context()) },
	}
	set := cmd.Flags()
	set.StringArrayVar(&a.tables, "table", nil, "let the assistant read this `TABLE`; repeatable")
	set.StringArrayVar(&a.connections, "connection", nil,
		"let the assistant use the connection with this `NAME` in the config; repeatable")
	set.StringVar(&a.options.Findings, "findings", "",
		"take the findings from this `FILE`, the jsonl output of a check; without it, the tool named findings checks the table")
	set.StringVar(&a.options.Plans, "plans", "", "let the assistant write plan files into this `DIR`")
	set.BoolVar(&a.options.Unmasked, "unmasked", false, "show the assistant the values of the table")
	app.Completes(cmd, "table", s.Tables)
	app.Completes(cmd, "connection", func(context.Context) []string {
		c, _ := s.Flags.Config.Read()
		return c.ConnectionNames()
	})
	return cmd
}

func (a *assisting) serve(ctx context.Context) error {
	if err := a.check(); err != nil {
		return err
	}
	c, err := a.Flags.Config.Read()
	if err != nil {
		return err
	}
	c.SessionReadUnits = c.InspectorUnits() // an assistant has a limit, like a person in the inspector
	names := a.connections
	if len(names) == 0 {
		names = []string{""}
	}
	o := a.options
	o.Tables, o.Version, o.Who = a.tables, a.Version.String(), app.Who()
	o.Journal, o.Layout, o.Check = c.JournalFile(a.Flags.Journal), layout.JSON, c.Check.Options()
	for _, name := range names {
		one, err := a.connection(ctx, c, name, len(names))
		if err != nil {
			return err
		}
		o.Connections = append(o.Connections, one)
	}
	if print.IsTerminal(a.In) {
		a.Note("An assistant starts this command, not a person: see docs/assistants.md. ctrl+c ends it.")
	}
	in := a.In
	if in == os.Stdin { // the SDK gives its standard input to the credential_process of a profile
		null, err := os.Open(os.DevNull)
		if err != nil {
			return exit.Usage("serving an assistant", "the null device cannot be opened: "+phrase.WithoutPath(err), "")
		}
		defer null.Close()
		os.Stdin = null
	}
	return mcp.Serve(ctx, o, in, a.Out)
}

// check refuses a command line that names no table, the same name twice, or a permission to write.
func (a *assisting) check() error {
	op := "serving an assistant"
	switch {
	case len(a.tables) == 0:
		return exit.Usage(op, "no table is named", "name each table that the assistant may read with --table")
	case len(a.Flags.Given("write")) > 0:
		return exit.Usage(op, "--write allows changes, but no tool for an assistant changes a table", "leave --write out")
	case len(a.Flags.Given("output")) > 0:
		return exit.Usage(op, "mcp takes no --output, because the Model Context Protocol sets the form of the answers", "leave --output out")
	}
	for n, table := range a.tables {
		if !client.MayBeCalled(table) {
			return exit.Usage("reading --table", fmt.Sprintf("%q cannot be the name of a table", table),
				"use "+client.NameRules+"; nothing was sent")
		}
		if slices.Contains(a.tables[:n], table) {
			return exit.Usage("reading --table", "the table "+table+" is named twice", "name it once")
		}
	}
	for n, name := range a.connections {
		if name == "" {
			return exit.Usage("reading --connection", "the name is empty", "name a connection of the config")
		}
		if slices.Contains(a.connections[:n], name) {
			return exit.Usage("reading --connection", "the connection "+name+" is named twice", "name it once")
		}
	}
	if given := a.Flags.Given("profile", "region", "endpoint-url"); len(a.connections) > 1 && len(given) > 0 {
		return exit.Usage(op, given[0]+" is about one connection, but --connection names "+
			phrase.Count(len(a.connections), "connection"), "leave out "+given[0]+", or name one connection")
	}
	return nil
}

// connection returns a connection for the assistant. It only reads, and never asks on the terminal.
//
// All connections of the assistant share one budget of read units in equal parts. Without a limit in the settings, the
// budget is client.DefaultSessionReadUnits.
func (a *assisting) connection(ctx context.Context, c configfile.File, name string, of int) (mcp.Connection, error) {
	a.Flags.Connection = name
	t, err := a.TargetFrom(ctx, c)
	if err != nil {
		return mcp.Connection{}, err
	}
	o := t.Options
	if name != "" {
		o.Place = append([]string{"--connection", name}, o.Place...)
	}
	o.Write, o.Strict, o.Asked, o.Tables = false, true, false, slices.Clone(a.tables)
	if o.SessionReadUnits == 0 {
		o.SessionReadUnits = client.DefaultSessionReadUnits
	}
	o.SessionReadUnits /= float64(of)
	o.MFA = func() (string, error) {
		return "", &client.Error{
			Kind: client.NoCredentials, Op: "asking for the code of the MFA device",
			Why: "there is no person to ask: an assistant runs this command",
			Do:  "log in first, or use a profile without MFA",
		}
	}
	return mcp.Connection{
		Name: strings.TrimSpace(o.Name),
		Connect: func(ctx context.Context) (*dynamo.Connection, error) {
			return dynamo.Connect(ctx, o)
		},
	}, nil
}
