package cli

import (
	"context"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/configfile"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// inspectorCommand is the program without a subcommand: it opens the inspector.
func inspectorCommand(s *app.Run) *cobra.Command {
	return &cobra.Command{
		Use:   "tallylock",
		Short: "Look at DynamoDB uniqueness locks and counters, and mend them",
		Long: `tallylock looks into DynamoDB tables. It shows accounts next to the locks that
keep values unique, such as an email or a username. It also shows the counters
that hand out numbers. Without a command it opens the inspector. It only reads,
unless you add --write. "tallylock demo" shows sample tables, without AWS.
"tallylock doctor" shows what works with your own tables.`,
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
			c, err := s.Flags.Config.Read()
			if err != nil {
				return err
			}
			c.SessionReadUnits = c.InspectorUnits()
			t, err := s.TargetFrom(ctx, c)
			if err != nil {
				return err
			}
			t.Options.Asked = false
			conn, err := s.Connect(ctx, t)
			if err != nil {
				return err
			}
			connection := connections(s, t)
			first := connection(t)
			first.Connection = conn
			conns := []session.Connection{first}
			for _, other := range t.Connections {
				if other.Name == t.Options.Name {
					continue
				}
				o := s.TargetOf(ctx, t.File, other, true)
				o.Options.Asked, o.Options.MFA = false, app.NoCode
				o.Options.Answers, o.Options.ReadLayouts = t.Options.Answers, t.Options.ReadLayouts
				o.Options.Place = append(s.Flags.Given("config"), "--connection", other.Name)
				c := connection(o)
				c.Called = other.Name
				c.Dial = func(ctx context.Context) (*dynamo.Connection, error) { return dynamo.Connect(ctx, o.Options) }
				conns = append(conns, c)
			}
			return inspect(ctx, s, t.File, false, t.Table, conns...)
		},
	}
}

// connections returns a function that makes a connection of the inspector. Without a writable journal, the inspector
// can read but not write. A read-only connection can still record the outcome of an open change, because this sends
// nothing.
func connections(s *app.Run, t app.Target) func(app.Target) session.Connection {
	writer := sync.OnceValues(func() (*change.Changer, error) { return t.Changer(true) })
	reader, _ := t.Changer(false)
	var connection func(app.Target) session.Connection
	connection = func(t app.Target) session.Connection {
		write := t.Options.Write
		changer, err := writer()
		if err == nil && write {
			err = changer.Journal.CheckWritable()
		}
		c := session.Connection{Changer: changer, Production: t.Production, Colour: t.Colour, Table: t.Table}
		if err != nil {
			c.Changer = reader
		}
		if write {
			c.NoJournal = err
		}
		c.With = func(ctx context.Context, profile, region string) (session.Connection, error) {
			other := s.With(ctx, t, profile, region)
			conn, err := dynamo.Connect(ctx, other.Options)
			if err != nil {
				return session.Connection{}, err
			}
			c := connection(other)
			c.Connection, c.ToWrite = conn, say.CommandLine(append(slices.Clone(other.Options.Place), "--write"))
			return c, nil
		}
		return c
	}
	return connection
}

// inspect opens the inspector. It shows the first connection.
func inspect(
	ctx context.Context, s *app.Run, c configfile.File, demo bool, table string, conns ...session.Connection,
) error {
	keys, err := keymap.FromConfig(c.Keys)
	if err != nil {
		return exit.Usage("reading the config", err.Error(), "correct the file")
	}
	o := c.UI.Options()
	o.Connections, o.Look, o.ASCII = conns, c.Theme, o.ASCII || s.Flags.ASCII
	o.Check = c.Check.Options()
	o.Tip = demo && s.Flags.Table == ""
	if !demo || s.Flags.Config != "" {
		o.Config = session.ConfigFile{Path: s.Flags.Config.Path(), Write: s.Flags.Config.AppendLayout}
	}
	o.Table, o.Keys, o.NoColour = table, keys, !print.Colourful(s.Out)
	return s.Inspect(ctx, o)
}

// needScreen returns an error if there is no terminal for a screen. instead is a command to
// suggest.
func needScreen(s *app.Run, instead string) error {
	switch {
	case os.Getenv("TERM") == "dumb":
		return exit.Usage("opening the inspector", "this terminal (TERM=dumb) cannot draw a screen",
			"use another terminal, or run: "+instead)
	case print.IsTerminal(s.In) && print.IsTerminal(s.Out):
		return nil
	}
	return exit.Usage("opening the inspector", "there is no terminal to draw on", "use a terminal, or run: "+instead)
}

// choice is one alternative to start the inspector with.
type choice struct {
	key, what string
	args      []string
}

// offerChoice asks what to show if the inspector cannot connect: a connection of the config, an AWS
// profile, or the demo. If the log-in has expired, the person can also log in and try again. It
// returns the arguments of the choice.
func offerChoice(ctx context.Context, s *app.Run, err error, args []string) (other []string, ok bool) {
	expired := client.KindOf(err) == client.Expired
	if !app.Unequipped(err) && !expired || !print.IsTerminal(s.In) || !print.IsTerminal(s.Out) {
		return nil, false
	}
	d, ok := s.OpenPrompt()
	if !ok {
		return nil, false
	}
	defer d.Close()
	choices := choices(&s.Flags)
	if expired { // the error already names the command to log in
		choices = append([]choice{{"r", "try again (log in first, in another window)", args}}, choices...)
	}
	var rows [][]kit.Span
	for _, c := range choices {
		rows = append(rows, []kit.Span{kit.Strong.Of(c.key), kit.Text.Of(c.what)})
	}
	d.Out.Line(kit.Muted, "type the letter or the number of your choice, then press enter")
	d.Out.Table(2, []print.Column{{}, {Least: print.LeastRoom}}, rows)
	for {
		pressed, err := d.Ask(ctx, ">")
		if err != nil || pressed == "" || pressed == "q" {
			return nil, false
		}
		if n := slices.IndexFunc(choices, func(c choice) bool { return c.key == pressed }); n >= 0 {
			return choices[n].args, true
		}
	}
}

// choices lists the alternatives that were not tried. The alternatives keep only the flags --config and --journal.
// Other flags, such as --write, were for another account.
func choices(f *app.Flags) []choice {
	all := []choice{{"d", "the demo: sample tables, without AWS", []string{"demo"}}}
	add := func(flag, what, name string) {
		all = append(all, choice{strconv.Itoa(len(all)), what + " " + name, append(f.Given("config", "journal"), flag, name)})
	}
	c, _ := f.Config.Read() // an unreadable config was already reported
	tried, _ := f.ConnectionOf(c)
	for _, conn := range c.Connections {
		if conn.Name != tried.Name {
			add("--connection", "the connection", conn.Name)
		}
	}
	for _, name := range (client.AWSFiles{}).Profiles() {
		if name != f.Profile {
			add("--profile", "the AWS profile", name)
		}
	}
	return append(all, choice{key: "q", what: "quit"})
}
