// Package layout has the command layout: it prints the layout of a table, and stores people's answers
// about the layout.
package layout

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// showing is one run of `layout`.
type showing struct {
	*app.Run
	list, unmasked bool
	said
	// taught is the layout derived from the examples; nil without examples.
	taught *dynamo.Taught
}

// about is the help of the command.
const about = `Print the layout of the table in --table as TOML, from the config or recognised
in the table. The layout says how the table keeps accounts, locks and counters.
You can put the TOML into the config file, and correct it there. The comment
after a line is the evidence for the line; # ? marks an uncertain line. If
tallylock recognises no layout, it prints the shapes of the items' keys and the
nearest layout. It masks the keys, unless you add --examples.

A preset is a well-known layout with a name. --layout PRESET reads the table by
this preset, even if tallylock does not recognise the preset in the table.

If no layout fits, name items as examples: a healthy account with --account KEY,
and the lock of one of its values with --lock KEY; or a counter with --counter
KEY, and an item with one of the counter's numbers with --id KEY. KEY is a key
in DynamoDB JSON. If the lock, or the item with the number, is in another table,
write 'TABLE KEY'. You can repeat each flag, for another constraint or for a
second example. tallylock reads these items, derives the layout, and prints it
with its evidence. If the items leave a line of the layout open, the output has
a question that begins with "# ?". Answer it with --answer 'LINE = TEXT'. You
can accept the layout only after you have answered all questions.

A recognised or derived layout is a guess. tallylock writes nothing while the
layout is only a guess. With --accept you say that your application really uses
a constraint, or a counter with its meaning. --accept CONSTRAINT shows the
constraint and asks. --accept HASH accepts exactly the printed text that has
this hash. If the text has changed, the exit status is 4. If the locks are in a
table of their own, --also-in names the other tables whose accounts have locks
in the same lock table. Write the word none if there are no such tables.

If items outside the layout have values of a constraint, tallylock does not
delete the locks of these values until you say what the items are. --holder says
that such items hold the values. --no-holder says that they do not hold the
values: they are copies, for example. ITEMS is the shape of the items' keys, as
the question prints it: words, and * for an id, a number, a time or the value.
If you write * for a word, the answer covers every word in that place, also in
later items.

tallylock stores answers beside the journal, under the TableId of the table. So
an answer does not apply to a new table of the same name. --forget ID takes an
answer back. The config overrides answers. If the config says
answers = "config", tallylock stores no answers, but prints the lines for the
config.`

// Command prints a table's layout as TOML with its evidence. It also stores a person's
// answers about the layout, and lists the presets.
func Command(s *app.Run) *cobra.Command {
	l := showing{Run: s}
	cmd := &cobra.Command{
		Use:   "layout",
		Short: "Print a table's layout as TOML",
		Long:  about,
		Example: `  tallylock layout --table accounts
  tallylock layout --table accounts --account '{"PK":{"S":"ACCT#1"},"SK":{"S":"PROFILE"}}' \
    --lock '{"PK":{"S":"UNIQ#EMAIL#ada@example.org"},"SK":{"S":"LOCK"}}'
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
	set.BoolVar(&l.list, "list", false, "list the presets: well-known layouts with names")
	set.BoolVar(&l.unmasked, "examples", false, "if tallylock recognises no layout: print the keys of items unmasked")
	l.said.addFlags(set)
	return cmd
}

func (l showing) run(cmd *cobra.Command) error {
	table, err := l.OpenAccounts(cmd.Context())
	if err == nil && l.given() {
		if l.taught, err = l.teach(cmd.Context(), table); err == nil {
			table = l.taught.Table
		}
	}
	if err == nil {
		table, err = l.tell(cmd.Context(), table)
	}
	if lines, ok := errors.AsType[*answers.ConfigLines](err); ok {
		l.Printer().Lines("", lines.Lines)
	}
	if err != nil {
		return err
	}
	return l.show(table)
}

// show prints the layout, with the evidence for it.
func (l showing) show(t *dynamo.Table) error {
	switch {
	case l.Flags.Output != app.Text:
		one, err := l.document(t)
		if err == nil {
			l.Print(one)
		}
		return err
	case t.Layout.Empty():
		l.unknown(t)
	default:
		l.write(t, configOf(t))
	}
	return nil
}

// configOf returns the layout of a table as the config has it.
func configOf(t *dynamo.Table) config.Layout {
	c := config.Of(t.Layout, t.Name)
	if !t.Layout.Configured {
		c.Name = t.Name
	}
	return c
}

// JSON returns the layout of a table as `layout --output json` prints it. It masks the keys of unrecognised items.
func JSON(t *dynamo.Table) (any, error) { return showing{}.document(t) }

// document returns the JSON of a table.
func (l showing) document(t *dynamo.Table) (any, error) {
	if t.Layout.Empty() {
		return l.unknownJSON(t)
	}
	beside := Beside{
		State:     t.Layout.State(),
		Fit:       fitsOf(t),
		Said:      saidOf(t),
		Questions: questionsOf(t),
		Evidence:  evidenceOf(t),
		NotRead:   notReadOf(t),
		Keyed:     keyedOf(t),
		Choices:   choicesOf(l.taught),
	}
	if u := l.seen(t); len(u.Shapes) > 0 {
		seen, err := l.json(t, u)
		if err != nil {
			return nil, err
		}
		beside.Shapes, beside.Nearest = seen.Shapes, seen.Nearest
	}
	return layoutJSON(t, configOf(t), beside)
}

// Preset is the JSON of a preset.
type Preset struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func writePresets(s *app.Run) error {
	known, err := config.Presets()
	if err != nil {
		return err
	}
	var out []Preset
	var rows [][]kit.Span
	for _, p := range known {
		out = append(out, Preset{p.Name, p.About})
		rows = append(rows, []kit.Span{kit.Strong.Of(p.Name), {Text: p.About}})
	}
	if s.Flags.Output != app.Text {
		app.PrintAll(s, out)
		return nil
	}
	s.Printer().Table(0, []print.Column{{Title: "PRESET"}, {Title: "WHAT IT LOOKS LIKE", Least: 20}}, rows)
	return nil
}

// write prints the layout as TOML. Comments have the evidence for it and against it.
func (l showing) write(t *dynamo.Table, config config.Layout) {
	p := l.Printer()
	writeNotRead(p, t)
	p.Line(kit.Text, "# %s: %s", t.Name, l.origin(t))
	for _, e := range saidOf(t) {
		p.Line(kit.Text, "# %s", e)
	}
	for _, f := range fitsOf(t) {
		for _, claim := range f.Claims {
			if claim.Standing != layout.Supported {
				p.Line(kit.Text, "# ? %s, %s: %s, %s", f.Constraint, claim.Claim, claim.Standing, claim.Text)
			}
		}
	}
	lines := l.writeConfig(p, t, config) + l.writeChoices(p) + l.writePlaces(p, t) + l.writeAccepting(p, t)
	writeKeyed(p, t)
	l.besides(p, t, (mostLines-lines)/2)
}

// origin says where the layout comes from.
func (l showing) origin(t *dynamo.Table) string {
	if l.taught != nil && t == l.taught.Table {
		return "derived from your examples"
	}
	return say.Origin(t)
}

// writeNotRead prints why no item of the table was read. It prints nothing if items were read.
func writeNotRead(p *print.Printer, t *dynamo.Table) {
	if not := notReadOf(t); not != nil {
		p.Line(kit.Text, "# %s", say.Sentence(not.Why))
		p.Line(kit.Text, "# %s", say.Sentence(not.Do))
	}
}

// mostPlaces limits the printed places.
const mostPlaces = 8

// writePlaces prints the items outside the layout that hold values. Those with an open question
// come first. It returns the number of lines.
func (l showing) writePlaces(p *print.Printer, t *dynamo.Table) (written int) {
	places := t.Answers.PlaceLines()
	if len(places) == 0 {
		return 0
	}
	p.Line(kit.Text, "")
	for _, one := range places[:min(len(places), mostPlaces)] {
		p.Line(kit.Text, "# %s: %s items of %s may hold values in %q: %s", one.Constraint.Name, one.Items, one.Table, one.Attribute, one.Seen())
		if said := one.AnswerWords(); said != "" {
			p.Line(kit.Text, "#   A person has said about these items: %s.", said)
		} else if l.taught != nil && t == l.taught.Table {
			p.Line(kit.Text, "#   Accept the constraint first. Then this command asks whether these items hold values.")
		} else {
			p.Line(kit.Text, "#   %s", say.Do(one.Question().Offer()))
		}
	}
	if more := len(places) - mostPlaces; more > 0 {
		p.Line(kit.Text, "# … and %s more. --output json has all questions.", phrase.Number(more))
	}
	return 2 + 2*min(len(places), mostPlaces)
}

// mostLines limits the printed lines of a layout. With the text around the layout, they fill two screens.
const mostLines = 44

// writeConfig prints the layout as TOML, and returns the number of lines. If there are too many lines, it prints only
// one counter of each group of similar counters, and the names of the others.
func (l showing) writeConfig(p *print.Printer, t *dynamo.Table, config config.Layout) (lines int) {
	text := annotated(t, config, func(counter int) int { return counter })
	if lines = bytes.Count(text, []byte("\n")); lines <= mostLines || len(config.Counters) < 2 {
		p.Lines("", string(text))
		return lines
	}
	shown := config.Counters[:0:0] // the first counter of each group of similar counters
	var first []int                // the indices of these counters in the layout
	var likes []string
	more := map[string][]string{}
	for n, c := range config.Counters {
		like := fmt.Sprintf("with the attribute %s and the semantics %s", c.Attribute, c.Semantics)
		if _, met := more[like]; !met {
			shown, first, likes, more[like] = append(shown, c), append(first, n), append(likes, like), nil
			continue
		}
		more[like] = append(more[like], cmp.Or(c.Name, c.PK))
	}
	config.Counters = shown
	text = annotated(t, config, func(counter int) int { return first[counter] })
	p.Lines("", string(text))
	for _, like := range likes {
		if names := more[like]; len(names) > 0 {
			named := phrase.List(names)
			if rest := len(names) - fewNames; rest > 0 {
				named = strings.Join(names[:fewNames], ", ") + " and " + phrase.Number(rest) + " more"
			}
			p.Line(kit.Text, "# %s %s: %s", phrase.Count(len(names), "more counter"), like, named)
		}
	}
	p.Line(kit.Text, "# To see all counters, run: %s", say.TableCommand(t, []string{"layout", "--output", "json"}))
	return bytes.Count(text, []byte("\n"))
}

// fewNames limits the printed names of a long list.
const fewNames = 10

// annotated returns the layout as TOML with the evidence of each line. config may have fewer counters than the table's
// layout: place maps an index in config to an index in the layout.
func annotated(t *dynamo.Table, config config.Layout, place func(counter int) int) []byte {
	notes := say.LineNotes(t)
	return config.Annotated(func(section, setting string) string {
		var counter int
		if n, _ := fmt.Sscanf(section, "counter[%d]", &counter); n == 1 && !strings.Contains(section, ".") {
			section = fmt.Sprintf("counter[%d]", place(counter))
		}
		return notes(section, setting)
	})
}
