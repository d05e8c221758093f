package cli

import (
	"fmt"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// layout prints the table's layout as the config file would have it, or the
// presets.
func (s *session) layout() *cobra.Command {
	list := false
	cmd := &cobra.Command{
		Use:   "layout",
		Short: "The table's layout as TOML for the config; the presets",
		Long: `The layout of the table that --table names, as it was recognised or as the config
has it: TOML that can be put into the config file, and corrected there. What the
config says of a table is believed, so look at it first.`,
		Example: "  tallylock layout --table accounts\n  tallylock layout --table accounts --layout onetable\n  tallylock layout --list",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list {
				return s.presets()
			}
			return s.tableLayout(cmd)
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list the presets: the layouts known by name")
	return cmd
}

func (s *session) tableLayout(cmd *cobra.Command) error {
	t, conn, err := s.reach(cmd.Context())
	if err != nil {
		return err
	}
	table, err := s.accountTable(cmd.Context(), t, conn)
	if err != nil {
		return err
	}
	if table.Layout.Empty() {
		return table.NoLayout("recognising the layout of " + table.Name)
	}
	config, origin := table.Layout.Config(table.Name), "from the config"
	if !table.Layout.Configured {
		config.Name, origin = table.Name, "the preset "+config.Name+", recognised from the keys and a sample of the items"
	}
	text, err := config.TOML()
	if err != nil {
		return err
	}
	if s.flags.output != asText {
		var file map[string][]any
		if err := toml.Unmarshal(text, &file); err != nil {
			return err
		}
		return s.print(file["layout"][0])
	}
	_, err = fmt.Fprintf(s.Out, "# %s: %s\n%s", harmless(table.Name), harmless(origin), attr.Visible(text))
	return err
}

// preset is the JSON of a preset.
type preset struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func (s *session) presets() error {
	known, err := layout.Presets()
	if err != nil {
		return err
	}
	var out []preset
	rows := [][]cell{{{muted, "PRESET", false}, {muted, "WHAT IT LOOKS LIKE", false}}}
	for _, p := range known {
		out = append(out, preset{p.Name, p.About})
		rows = append(rows, []cell{{strong, p.Name, false}, {text: p.About}})
	}
	if s.flags.output != asText {
		return printAll(s, out)
	}
	s.paper().table(0, rows...)
	return nil
}
