package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/ui/kit"
)

// layoutOf is what `layout` is asked for.
type layoutOf struct {
	*invocation
	list, examples, accept, forget bool
	copies, holders                []string
	fits                           []string // constraints that are right, whatever speaks against them
}

// layoutCommand prints the table's layout as the config file would have it with its evidence,
// takes what a person says of it, or lists the presets.
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

A release refuses a value that unknown items hold. --copy says that such items
only repeat values of accounts, as orders do; --holder says that they hold them,
as accounts do. ITEMS is the shape of their keys, as the refusal prints it.
--accept CONSTRAINT says that a constraint is right although something speaks
against it. These answers are kept beside the config, for this table, with the
numbers; you are asked again if the numbers get worse.

--accept alone accepts the layout as it was recognised. It is kept beside the
journal, by the table's TableId, and stays in use. If a sample suggests another
layout, you are told. --forget removes it. The config takes precedence.`,
		Example: `  tallylock layout --table accounts
  tallylock layout --table accounts --accept
  tallylock layout --table accounts --copy 'ORDER#* email'
  tallylock layout --list`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			l.fits = args
			switch {
			case len(args) > 0 && !l.accept:
				return usage("reading the arguments", fmt.Sprintf("layout takes no argument %q", args[0]),
					"name the table with --table, a constraint with --accept")
			case l.accept && l.forget:
				return usage("reading --accept and --forget", "they exclude each other", "give one of them")
			case l.list:
				return writePresets(s)
			}
			return l.run(cmd)
		},
	}
	set := cmd.Flags()
	set.BoolVar(&l.list, "list", false, "list the presets: the layouts known by name")
	set.BoolVar(&l.examples, "examples", false, "show keys unmasked if the table is not recognised")
	set.StringArrayVar(&l.copies, "copy", nil, "`'ITEMS ATTRIBUTE'`: such items repeat values of accounts there")
	set.StringArrayVar(&l.holders, "holder", nil, "`'ITEMS ATTRIBUTE'`: such items hold values there, as accounts do")
	set.BoolVar(&l.accept, "accept", false,
		"keep the layout as it was recognised; with a CONSTRAINT: it is right, even against the evidence")
	set.BoolVar(&l.forget, "forget", false, "forget the layout that was accepted, and recognise it again")
	return cmd
}

func (l layoutOf) run(cmd *cobra.Command) error {
	t, conn, err := l.connectTarget(cmd.Context())
	if err != nil {
		return err
	}
	if l.forget {
		if err := l.forgotten(cmd.Context(), t, conn); err != nil {
			return err
		}
	}
	table, err := accountTable(cmd.Context(), l.invocation, t, conn)
	if err != nil {
		return err
	}
	if err := l.tell(cmd.Context(), table); err != nil {
		return err
	}
	return l.show(cmd.Context(), table)
}

// show prints the layout and how well it fits.
func (l layoutOf) show(ctx context.Context, t *dynamo.Table) error {
	if t.Layout.Empty() {
		return l.unknown(ctx, t)
	}
	differs, err := dynamo.Differs(ctx, t)
	if err != nil {
		return err
	}
	config := t.Layout.Config(t.Name)
	if t.Kept != nil || !t.Layout.Configured {
		config.Name = t.Name
	}
	if l.flags.output == asText {
		return l.write(ctx, t, config, differs)
	}
	beside := besideLayout{
		Fit:      fitsOf(t),
		Told:     told(t),
		Evidence: evidenceOf(t),
		NotRead:  notReadOf(t),
		Keyed:    keyedOf(t),
	}
	if t.Kept != nil {
		beside.Kept = &keptLayout{t.Kept.Day(), t.Kept.Path, append([]string{}, differs...)}
	}
	u, err := l.seen(ctx, t)
	if err != nil {
		return err
	}
	if len(u.Shapes) > 0 {
		seen, err := l.json(t, u)
		if err != nil {
			return err
		}
		beside.Shapes, beside.Nearest = seen.Shapes, seen.Nearest
	}
	one, err := layoutJSON(config, beside)
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
