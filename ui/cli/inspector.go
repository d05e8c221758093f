package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// inspectorCommand is the program without a subcommand: it opens the inspector.
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
			c, err := s.flags.readConfig()
			if err != nil {
				return err
			}
			c.SessionReadUnits = c.inspectorUnits()
			t, err := s.targetFrom(ctx, c)
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
				o.options.MFA, o.options.Answers, o.options.ReadLayouts = noCode, t.options.Answers, t.options.ReadLayouts
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

// inspectorUnits is the limit of read units for a session of the inspector. Commands have no
// default limit: it could cut off a person's request.
func (c configFile) inspectorUnits() *client.Ceiling {
	return cmp.Or(c.SessionReadUnits, &client.Ceiling{Units: client.DefaultSessionReadUnits})
}

// shown returns the target as a connection of the inspector, with its Changer.
func (t target) shown(keep func(write bool) (*change.Changer, error)) session.Connection {
	changer, noJournal := keep(t.options.Write)
	return session.Connection{
		Changer: changer, NoJournal: noJournal, Production: t.production, Colour: t.colour, Table: t.table,
	}
}

// changers returns a function that returns the Changer of a connection. Without a writable journal,
// the inspector can read but not write. A read-only connection can still close an open change,
// since that sends nothing.
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

// noCode returns an error in place of an MFA code: nobody can type it while a screen uses the
// terminal.
func noCode() (string, error) {
	return "", errors.New("it needs an MFA code: start with --connection and its name")
}

// inspect opens the inspector. It shows the first connection.
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

// needScreen returns an error if there is no terminal for a screen. instead is a command to
// suggest.
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

// advise prints what to do if no connection is possible. A person who starts the program for the
// first time has neither config nor credentials.
func (s *invocation) advise(err error) {
	known, ok := errors.AsType[*client.Error](err)
	if !ok {
		return
	}
	switch known.Kind {
	case client.NoRegion, client.NoCredentials, client.Expired, client.Unreachable:
	default:
		return
	}
	if c, err := s.flags.readConfig(); err == nil {
		if unchosen := c.unchosen(&s.flags); unchosen != "" {
			s.note("%s", unchosen)
		}
	}
	doctor := s.flags.command("doctor")
	if unequipped(err) {
		s.firstSteps(known.Kind, doctor)
		return
	}
	s.note("What works here, and what does not: %s", doctor)
}

// unequipped reports whether the credentials or the Region are missing.
func unequipped(err error) bool {
	known, ok := errors.AsType[*client.Error](err)
	return ok && (known.Kind == client.NoRegion || known.Kind == client.NoCredentials && known.Op == "connecting")
}

// firstSteps prints which settings were found, and what a person can do next.
func (s *invocation) firstSteps(lacks client.Kind, doctor string) {
	config := s.flags.configPath()
	if _, err := os.Stat(config); errors.Is(err, fs.ErrNotExist) {
		config = "none at " + config + ", and none is needed"
	}
	region := cmp.Or(s.flags.region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"),
		"none by flag or AWS_REGION")
	p := s.flags.printer(s.Err)
	p.line(kit.Muted, "what was found")
	facts := []fact{{"config", config}, {"profiles", cmp.Or(phrase.List(client.Profiles()), "none")}, {"Region", region}}
	if lacks == client.NoCredentials {
		facts = append(facts, fact{"credentials", "none usable"})
	}
	p.facts(2, facts...)
	p.line(kit.Muted, "what you can do")
	p.table(2, []column{{}, {}}, [][]cell{
		{{kit.Strong, "tallylock demo"}, {kit.Text, "sample tables, without AWS"}},
		{{kit.Strong, doctor}, {kit.Text, "what works here"}},
		{{kit.Strong, "tallylock --profile NAME --region REGION"}, {kit.Text, "your tables on AWS"}},
		{{kit.Strong, "tallylock --endpoint-url http://127.0.0.1:8000"}, {kit.Text, "those of another DynamoDB"}},
	})
}

// choice is one alternative to start the inspector with.
type choice struct {
	key, what string
	args      []string
}

// offerChoice asks what to show if the inspector cannot connect: a connection of the config, an AWS
// profile, or the demo. If the log-in has expired, the person can also log in and try again. It
// returns the arguments of the choice.
func offerChoice(ctx context.Context, s *invocation, err error, args []string) (other []string, ok bool) {
	expired := client.KindOf(err) == client.Expired
	if !unequipped(err) && !expired || !terminal(s.In) || !terminal(s.Out) {
		return nil, false
	}
	d, ok := s.openPrompt()
	if !ok {
		return nil, false
	}
	defer d.close()
	choices := s.flags.choices()
	if expired { // the error already names the command to log in
		choices = append([]choice{{"r", "try again: you have logged in, in another window", args}}, choices...)
	}
	var rows [][]cell
	for _, c := range choices {
		rows = append(rows, []cell{{kit.Strong, c.key}, {kit.Text, c.what}})
	}
	d.out.line(kit.Muted, "type your choice, then enter")
	d.out.table(2, []column{{}, {least: leastRoom}}, rows)
	for {
		pressed, err := d.ask(ctx, ">")
		if err != nil || pressed == "" || pressed == "q" {
			return nil, false
		}
		if n := slices.IndexFunc(choices, func(c choice) bool { return c.key == pressed }); n >= 0 {
			return choices[n].args, true
		}
	}
}

// choices lists the alternatives that were not tried. They take over only --config and --journal:
// other flags, such as --write, were for another account.
func (f *flags) choices() []choice {
	all := []choice{{"d", "the demo: sample tables, without AWS", []string{"demo"}}}
	add := func(flag, what, name string) {
		all = append(all, choice{strconv.Itoa(len(all)), what + " " + name, append(f.given("config", "journal"), flag, name)})
	}
	c, _ := f.readConfig() // an unreadable config was already reported
	tried, _ := c.connection(f)
	for _, conn := range c.Connections {
		if conn.Name != tried.Name {
			add("--connection", "the connection", conn.Name)
		}
	}
	for _, name := range client.Profiles() {
		if name != f.profile {
			add("--profile", "the AWS profile", name)
		}
	}
	return append(all, choice{key: "q", what: "quit"})
}
