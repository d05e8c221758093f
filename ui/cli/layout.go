package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// layoutOf is what `layout` is asked for.
type layoutOf struct {
	*invocation
	list, examples, accept, forget bool
	copies, holders                []string
	fits                           []string // constraints that are right, whatever speaks against them
}

// layout prints the table's layout as the config file would have it with its evidence,
// takes what a person says of it, or lists the presets.
func (s *invocation) layout() *cobra.Command {
	l := layoutOf{invocation: s}
	cmd := &cobra.Command{
		Use:   "layout",
		Short: "The table's layout as TOML for the config, and how well it fits; the presets",
		Long: `The layout of the table that --table names, as it was recognised or as the config
has it: TOML that can be put into the config file, and corrected there. The comment
behind a line says what was seen that speaks for it; # ? marks what is not sure. Where
no layout was recognised it prints which keys the items have, with examples that are
masked but for --examples, and what came nearest; where nothing may be read, why.

A preset is the name of a layout that is often met: what was recognised is called after
it. --layout PRESET reads the table by that one, whether or not it was recognised.

A release refuses a value that items hold which the layout does not know. --copy says
of such items that they only repeat values of accounts, as orders do, and --holder that
they hold them, as accounts do; ITEMS is the shape of their keys, as the refusal has it.
--accept CONSTRAINT says of a constraint that it is right although something speaks
against it. What is said is kept beside the config, for this table, with the numbers; it
is asked again where they get worse.

--accept alone accepts the layout as it was recognised: it is kept beside the journal, by
the table's TableId, and the table is read by it from then on. Where a sample would show
another one, that is said; --forget takes it away. What the config says goes before.`,
		Example: "  tallylock layout --table accounts\n  tallylock layout --table accounts --accept\n  tallylock layout --table accounts --copy 'ORDER#* email'\n  tallylock layout --list",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			l.fits = args
			switch {
			case len(args) > 0 && !l.accept:
				return usage("reading the arguments", fmt.Sprintf("layout takes no argument %q", args[0]), "name the table with --table, a constraint with --accept")
			case l.accept && l.forget:
				return usage("reading --accept and --forget", "they exclude each other", "leave one out")
			case l.list:
				return s.presets()
			}
			return l.run(cmd)
		},
	}
	set := cmd.Flags()
	set.BoolVar(&l.list, "list", false, "list the presets: the layouts known by name")
	set.BoolVar(&l.examples, "examples", false, "show keys of a table that is not recognised as they are, and not masked")
	set.StringArrayVar(&l.copies, "copy", nil, "`'ITEMS ATTRIBUTE'`: such items repeat values of accounts there")
	set.StringArrayVar(&l.holders, "holder", nil, "`'ITEMS ATTRIBUTE'`: such items hold values there, as accounts do")
	set.BoolVar(&l.accept, "accept", false, "keep the layout as it was recognised; with a CONSTRAINT: it is right, whatever speaks against it now")
	set.BoolVar(&l.forget, "forget", false, "forget the layout that was accepted, and recognise it anew")
	return cmd
}

func (l layoutOf) run(cmd *cobra.Command) error {
	t, conn, err := l.reach(cmd.Context())
	if err != nil {
		return err
	}
	if l.forget {
		if err := l.forgotten(cmd.Context(), t, conn); err != nil {
			return err
		}
	}
	table, err := l.accountTable(cmd.Context(), t, conn)
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
	differs, err := t.Differs(ctx)
	if err != nil {
		return err
	}
	config, origin := t.Layout.Config(t.Name), "from the config"
	switch {
	case t.Kept != nil:
		origin = "accepted on " + t.Kept.Day() + ", kept in " + t.Kept.Path
		config.Name = t.Name
	case !t.Layout.Configured:
		origin = "recognised from the keys and a sample of the items"
		if l := t.Layout; l.Preset != "" && l.Preset == t.Connection().LayoutNamed() {
			origin = "the preset " + l.Preset + ", which was named and not recognised"
		} else if l.Preset != "" {
			origin = "the preset " + l.Preset + ", " + origin
		}
		config.Name = t.Name
	}
	if l.flags.output != asText {
		one, err := configJSON(config)
		if err != nil {
			return err
		}
		one["fit"], one["told"], one["evidence"] = fitsOf(t), told(t), evidenceOf(t)
		if not := notReadOf(t); not != nil {
			one["not_read"] = not
		}
		if t.Kept != nil {
			one["kept"] = keptLayout{t.Kept.Day(), t.Kept.Path, append([]string{}, differs...)}
		}
		u, err := l.seen(ctx, t)
		if err == nil && len(u.Shapes) > 0 {
			var seen seenJSON
			seen, err = l.json(t, u)
			one["shapes"], one["nearest"] = seen.Shapes, seen.Nearest
		}
		if err != nil {
			return err
		}
		return l.print(one)
	}
	p := l.paper()
	p.notRead(t)
	p.line(plain, "# %s: %s", t.Name, origin)
	if len(differs) > 0 {
		p.line(plain, "# ? a sample would show another layout now. It is not used; --forget takes it in place of this one:")
	}
	for _, line := range differs {
		p.line(plain, "#   %s", line)
	}
	for _, said := range told(t) {
		p.line(plain, "# %s items, %s: %s, as somebody said on %s", said.Items, said.Attribute, said.Are, said.Said)
	}
	for _, f := range fitsOf(t) {
		if f.Accepted {
			p.line(plain, "# %s: accepted as it is on %s (layout --accept), although the numbers below speak against it", f.Constraint, f.AcceptedOn)
		}
		for _, claim := range f.Claims {
			if claim.Standing != layout.Supported {
				p.line(plain, "# ? %s, %s: %s, %s", f.Constraint, claim.Claim, claim.Standing, claim.Text)
			}
		}
	}
	p.toml(annotated(t, config))
	return l.besides(ctx, p, t)
}

// notRead is the JSON of why nothing of a table was read.
type notRead struct {
	Why string `json:"why"`
	Do  string `json:"do"`
}

func notReadOf(t *dynamo.Table) *notRead {
	if why, do := t.NotRead(); why != "" {
		return &notRead{why, do}
	}
	return nil
}

// notRead prints why nothing of a table was read, where that is so.
func (p *paper) notRead(t *dynamo.Table) {
	if not := notReadOf(t); not != nil {
		p.line(plain, "# %s", sentence(not.Why))
		p.line(plain, "# %s", sentence(not.Do))
	}
}

// keptLayout is the JSON of a layout's acceptance: when it was, where it is kept, and how it
// differs from what a sample would show now.
type keptLayout struct {
	On      string   `json:"on"`
	Path    string   `json:"path"`
	Differs []string `json:"differs"`
}

// annotated is the layout's TOML with the evidence of each line.
func annotated(t *dynamo.Table, config layout.Config) []byte {
	notes := map[[2]string]string{}
	for _, line := range dynamo.LinesOf(t) {
		note := line.Text
		if line.Unsure {
			note = "? " + note
		}
		notes[[2]string{line.Section, line.Setting}] = note
	}
	return config.Annotated(func(section, setting string) string { return notes[[2]string{section, setting}] })
}

// toml writes a part of a config file. What does not show is escaped in it; what else a
// terminal should not get is escaped as TOML has it, too.
func (p *paper) toml(text []byte) {
	for line := range strings.Lines(string(text)) {
		p.line(plain, "%s", strings.TrimSuffix(line, "\n"))
	}
}

// lineEvidence is the JSON of what speaks for one line of the layout.
type lineEvidence struct {
	Line   string `json:"line"`
	Text   string `json:"text"`
	Unsure bool   `json:"unsure"`
}

func evidenceOf(t *dynamo.Table) []lineEvidence {
	all := []lineEvidence{}
	for _, line := range dynamo.LinesOf(t) {
		all = append(all, lineEvidence{line.Section + "." + line.Setting, line.Text, line.Unsure})
	}
	return all
}

// fit is the JSON of how well a constraint fits.
type fit struct {
	Constraint string          `json:"constraint"`
	Standing   layout.Standing `json:"standing"`
	Accepted   bool            `json:"accepted,omitempty"`
	AcceptedOn string          `json:"accepted_on,omitempty"`
	Claims     []fitClaim      `json:"claims"`
}

// shape is the JSON of what a person has said of items.
type shape struct {
	Items     string         `json:"items"`
	Attribute string         `json:"attribute"`
	Are       dynamo.Holding `json:"are"`
	Said      string         `json:"said"`
}

func told(t *dynamo.Table) []shape {
	all := []shape{}
	for _, d := range t.Fit.Decisions.All() {
		if d.Constraint == "" {
			all = append(all, shape{d.Items, d.Attribute, d.Are, d.Day()})
		}
	}
	return all
}

type fitClaim struct {
	Claim    string          `json:"claim"`
	Standing layout.Standing `json:"standing"`
	Text     string          `json:"text"`
}

func fitsOf(t *dynamo.Table) []fit {
	all := []fit{}
	for _, c := range t.Layout.Constraints() {
		f := t.Fit.Of(c)
		one := fit{Constraint: c.Name, Standing: f.Standing(), Accepted: f.Accepted, Claims: []fitClaim{}}
		for _, d := range t.Fit.Decisions.All() {
			if f.Accepted && d.Constraint == c.Name {
				one.AcceptedOn = d.Day()
			}
		}
		for n, j := range []layout.Judgment{f.Rule, f.Kinds, f.Owner} {
			if j.Text != "" {
				one.Claims = append(one.Claims, fitClaim{[]string{"rule", "kinds", "owner"}[n], j.Standing, j.Text})
			}
		}
		if len(one.Claims) == 0 {
			one.Claims = append(one.Claims, fitClaim{"rule", one.Standing, cmp.Or(f.Why(), "the layout is trusted; nothing was read that could show whether it fits")})
		}
		all = append(all, one)
	}
	return all
}

// preset is the JSON of a preset.
type preset struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func (s *invocation) presets() error {
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
