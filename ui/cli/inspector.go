package cli

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/keymap"
	"tallylock/ui/session"
)

// inspectorCommand is the program without a command.
func inspectorCommand(s *invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "tallylock",
		Short: "Look at DynamoDB uniqueness locks and counters, and mend them",
		Long: `tallylock shows accounts next to the locks that keep values such as email and
username unique, and the counters that number things. Without a command it opens
the inspector. It only reads, unless you add --write. "tallylock demo" shows
sample tables and needs nothing; "tallylock doctor" shows what works here with
your own.`,
		Example: `  tallylock demo
  tallylock doctor --profile support --region us-east-1
  tallylock --profile support --region us-east-1 --table accounts
  tallylock find ada@lovelace.io --table accounts`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if err := needScreen(s, "tallylock find VALUE, or tallylock counters"); err != nil {
				return err
			}
			t, err := s.resolveTarget(ctx)
			if err != nil {
				return err
			}
			t.options.Asked = false
			conn, err := s.connect(ctx, t)
			if err != nil {
				return err
			}
			keep := t.changers()
			first := t.shown(keep)
			first.Connection = conn
			conns := []session.Connection{first}
			for _, other := range t.Connections {
				if other.Name == t.options.Name {
					continue
				}
				o := t.configFile.target(ctx, other, true)
				o.options.MFA, o.options.Answers = noCode, t.options.Answers
				o.options.Place = append(s.flags.given("config"), "--connection", other.Name)
				c := o.shown(keep)
				c.Called = other.Name
				c.Dial = func(ctx context.Context) (*dynamo.Connection, error) { return dynamo.Connect(ctx, o.options) }
				conns = append(conns, c)
			}
			return inspect(ctx, s, t.configFile, false, t.table, conns...)
		},
	}
}

// shown is a connection as the inspector shows it, with who makes its changes.
func (t target) shown(keep func(write bool) (*change.Changer, error)) session.Connection {
	changer, noJournal := keep(t.options.Write)
	return session.Connection{
		Changer: changer, NoJournal: noJournal, Production: t.production, Colour: t.colour, Table: t.table,
	}
}

// changers answers who makes the changes of a connection that writes, or does not. Without a
// journal nothing is written, and everything can be looked at. Who only reads can close an open
// change, which sends nothing, where the journal can be written.
func (t target) changers() func(write bool) (*change.Changer, error) {
	writer, reader := sync.OnceValues(t.changer), t.planner()
	return func(write bool) (*change.Changer, error) {
		c, err := writer()
		if err == nil && write {
			err = c.Journal.CheckWritable()
		}
		switch {
		case err == nil:
			return c, nil
		case write:
			return reader, err
		}
		return reader, nil
	}
}

// noCode is asked for the code of a device where a screen has the terminal.
func noCode() (string, error) {
	return "", errors.New("it needs an MFA code: start with --connection and its name")
}

// inspect opens the inspector on connections, the first of which is shown.
func inspect(
	ctx context.Context, s *invocation, c configFile, demo bool, table string, conns ...session.Connection,
) error {
	keys, err := keymap.FromConfig(c.Keys)
	if err != nil {
		return usage("reading the config", err.Error(), "correct the file")
	}
	o := c.UI.Options()
	o.Connections, o.Look, o.ASCII = conns, c.Theme, o.ASCII || s.flags.ascii
	o.Check = c.Check.Options()
	o.Tip = demo && s.flags.table == ""
	if !demo || s.flags.config != "" {
		o.Config = session.ConfigFile{Path: s.flags.configPath(), Write: s.flags.writeLayout}
	}
	o.Table, o.Keys, o.NoColour = table, keys, !colourful(s.Out)
	return s.Inspect(ctx, o)
}

// needScreen refuses to draw where nobody sees it.
func needScreen(s *invocation, instead string) error {
	switch {
	case os.Getenv("TERM") == "dumb":
		return usage("opening the inspector", "this terminal (TERM=dumb) cannot draw a screen",
			"use another, or run: "+instead)
	case terminal(s.In) && terminal(s.Out):
		return nil
	}
	return usage("opening the inspector", "there is no terminal to draw on", "run it in one, or run: "+instead)
}
