package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/ui/kit"
)

// layoutOf is what `layout` is asked for.
type layoutOf struct {
	*invocation
	list, examples bool
	said
}

// layoutCommand prints the table's layout as the config file would have it with its evidence,
// stores what a person says of it, or lists the presets.
func layoutCommand(s *invocation) *cobra.Command {
	l := layoutOf{invocation: s}
	cmd := &cobra.Command{
		Use:   "layout",
		Short: "Print a table's layout as TOML",
		Long: `Print the layout of the table of --table, as it was recognised or as the config
has it: TOML for the config file, where you can correct it. The comment behind a
line says what supports it; # ? marks what is not sure. If no layout was
recognised, it prints which keys the items have, masked unless you add
--examples, and which layout came nearest; if nothing may be read, why.

A preset is a well-known layout with a name. --layout PRESET reads the table by
it, recognised or not.

A layout that was recognised is a guess: nothing is written by it. --accept takes
a constraint, or a counter with its meaning, for the way your application does
it: CONSTRAINT shows it and asks; HASH, as this command or a refusal prints it,
accepts exactly that, or fails with exit status 4. If the locks are in a table of
their own, --also-in names the other tables whose application puts locks there,
or none.

If other items hold values of a constraint, their locks stay until you say what
the items are. --holder says that they hold the values; --no-holder says that they
are copies, or something else. ITEMS is the shape of their keys, as the question
prints it: * stands for an id, a number, a time or the value, and words stay. You
may write * for a word, too: the answer then covers every word there, and words
that come later.

Answers are kept beside the journal, by the table's TableId. --forget takes one
back, by its id. The config takes precedence. With answers = "config" in the
config nothing is stored: the lines for the config are printed.`,
		Example: `  tallylock layout --table accounts
  tallylock layout --table accounts --accept email
  tallylock layout --table accounts --accept --counter COUNTER#order --meaning last
  tallylock layout --table accounts --no-holder 'email ORDER#*/META email'
  tallylock layout --list`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			l.names = args
			if l.list {
				return writePresets(s)
			}
			if err := l.said.check(cmd); err != nil {
				return err
			}
			return l.run(cmd)
		},
	}
	set := cmd.Flags()
	set.BoolVar(&l.list, "list", false, "list the presets: the layouts known by name")
	set.BoolVar(&l.examples, "examples", false, "show keys unmasked if the table is not recognised")
	l.said.addFlags(set)
	return cmd
}

func (l layoutOf) run(cmd *cobra.Command) error {
	t, conn, err := l.connectTarget(cmd.Context())
	if err != nil {
		return err
	}
	table, err := accountTable(cmd.Context(), l.invocation, t, conn)
	if err == nil {
		table, err = l.tell(cmd.Context(), table)
	}
	if lines, ok := errors.AsType[*dynamo.ConfigLines](err); ok {
		writeTOML(l.printer(), []byte(lines.Lines))
	}
	if err != nil {
		return err
	}
	return l.show(table)
}

// show prints the layout and how well it fits.
func (l layoutOf) show(t *dynamo.Table) error {
	if t.Layout.Empty() {
		return l.unknown(t)
	}
	config := t.Layout.Config(t.Name)
	if !t.Layout.Configured {
		config.Name = t.Name
	}
	if l.flags.output == asText {
		l.write(t, config)
		return nil
	}
	beside := besideLayout{
		State:     t.Layout.State(),
		Fit:       fitsOf(t),
		Said:      saidOf(t),
		Questions: questionsOf(t),
		Evidence:  evidenceOf(t),
		NotRead:   notReadOf(t),
		Keyed:     keyedOf(t),
	}
	if u := l.seen(t); len(u.Shapes) > 0 {
		seen, err := l.json(t, u)
		if err != nil {
			return err
		}
		beside.Shapes, beside.Nearest = seen.Shapes, seen.Nearest
	}
	one, err := layoutJSON(t, config, beside)
	if err != nil {
		return err
	}
	return l.print(one)
}

// preset is the JSON of a preset.
type preset struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func writePresets(s *invocation) error {
	known, err := layout.Presets()
	if err != nil {
		return err
	}
	var out []preset
	var rows [][]cell
	for _, p := range known {
		out = append(out, preset{p.Name, p.About})
		rows = append(rows, []cell{{kit.Strong, p.Name}, {text: p.About}})
	}
	if s.flags.output != asText {
		return printAll(s, out)
	}
	s.printer().table(0, []column{{title: "PRESET"}, {title: "WHAT IT LOOKS LIKE", least: 20}}, rows)
	return nil
}
