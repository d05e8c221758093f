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
	list, examples        bool
	copies, holders, fits []string
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
--accept says of a constraint that it is right although something speaks against it.
What is said is kept beside the config, for this table, with the numbers; it is asked
again where they get worse.`,
		Example: "  tallylock layout --table accounts\n  tallylock layout --table accounts --copy 'ORDER#* email'\n  tallylock layout --list",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if l.list {
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
	set.StringArrayVar(&l.fits, "accept", nil, "the `CONSTRAINT` is right, whatever speaks against it now")
	return cmd
}

func (l layoutOf) run(cmd *cobra.Command) error {
	t, conn, err := l.reach(cmd.Context())
	if err != nil {
		return err
	}
	table, err := l.accountTable(cmd.Context(), t, conn)
	if err != nil {
		return err
	}
	if err := l.tell(table); err != nil {
		return err
	}
	return l.show(cmd.Context(), table)
}

// tell keeps what is said of the table's layout.
func (l layoutOf) tell(t *dynamo.Table) error {
	for are, all := range map[dynamo.Holding][]string{dynamo.HoldsCopy: l.copies, dynamo.HoldsAccount: l.holders} {
		for _, text := range all {
			n := strings.LastIndexByte(text, ' ')
			if n <= 0 || n == len(text)-1 {
				return usage("reading --copy and --holder", fmt.Sprintf("%q is not the shape of items, a space, and an attribute", text), "write it as 'ORDER#* email'")
			}
			items := strings.ReplaceAll(strings.TrimSpace(text[:n]), " / ", "/") // as keys are shown
			if err := t.Fit.Decide(dynamo.Decision{Items: items, Attribute: text[n+1:], Are: are}); err != nil {
				return err
			}
		}
	}
	for _, name := range l.fits {
		_, c := t.Layout.Constraint(name)
		if c == nil {
			return usage("reading --accept", fmt.Sprintf("the layout %s has no constraint %q", t.Layout.Name, name), "see them with: "+t.Command([]string{"layout"}))
		}
		if err := t.Fit.Accept(c); err != nil {
			return err
		}
	}
	return nil
}

// show prints the layout and how well it fits.
func (l layoutOf) show(ctx context.Context, t *dynamo.Table) error {
	if t.Layout.Empty() {
		return l.unknown(ctx, t)
	}
	config, origin := t.Layout.Config(t.Name), "from the config"
	if !t.Layout.Configured {
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

// annotated is the layout's TOML with the evidence of each line.
func annotated(t *dynamo.Table, config layout.Config) []byte {
	notes := map[[2]string]string{}
	for _, line := range t.Fit.Lines() {
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
	for _, line := range t.Fit.Lines() {
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
	for _, d := range t.Fit.Decisions() {
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
		for _, d := range t.Fit.Decisions() {
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
