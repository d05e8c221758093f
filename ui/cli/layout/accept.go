package layout

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// said has the flags of `layout` for a person's answers.
type said struct {
	accept                      bool
	names                       []string // the name or hash of a constraint, or the hash of a counter
	alsoIn                      string
	counter, attribute, meaning string // counter is the KEY or name of the counter to accept
	examples
	holders, noHolders []string
	itemsTable         string
	unseen             bool
	forget             string
	saysTables         bool
}

func (w *said) addFlags(set *pflag.FlagSet) {
	set.BoolVar(&w.accept, "accept", false, "say that your application uses this CONSTRAINT; with a HASH, only if the printed text still has this hash")
	set.StringVar(&w.alsoIn, "also-in", "", "with --accept: the other `TABLES` whose accounts have locks in the same lock table; the word none if there are no such tables")
	set.StringVar(&w.attribute, "attribute", "", "with --accept --counter: the `NAME` of the counter's attribute")
	set.StringVar(&w.meaning, "meaning", "",
		"with --accept --counter: the `MEANING` of the counter's number: last (handed out), next (to hand out) or tally (a count)")
	set.StringArrayVar(&w.holders, "holder", nil, "say that these items hold the constraint's values: `ANSWER` is 'CONSTRAINT ITEMS ATTRIBUTE'")
	set.StringArrayVar(&w.noHolders, "no-holder", nil,
		"say that these items do not hold the constraint's values: `ANSWER` is 'CONSTRAINT ITEMS ATTRIBUTE'")
	set.StringVar(&w.itemsTable, "items-table", "",
		"with --holder or --no-holder: the `TABLE` of these items, if it is not the accounts' table")
	set.BoolVar(&w.unseen, "unseen", false, "with --holder or --no-holder: answer even if the sample has no such items")
	set.StringVar(&w.forget, "forget", "", "take back the answer with this `ID`")
	w.examples.addFlags(set)
}

// check refuses flags that do not go together, before any request.
func (w *said) check(cmd *cobra.Command) error {
	w.saysTables = cmd.Flags().Changed("also-in")
	const op = "reading the command line"
	if err := w.examples.check(); err != nil {
		return err
	}
	switch {
	case w.given():
		return w.checkTaught()
	case len(w.counters) > 1:
		return exit.Usage(op, "--counter is given several times", "accept one counter at a time, or add --id KEY for each counter")
	case len(w.counters) == 1:
		w.counter = w.counters[0]
	}
	switch {
	case len(w.names) > 1, len(w.names) == 1 && !w.accept:
		return exit.Usage("reading the arguments", fmt.Sprintf("layout takes no argument %q", w.names[len(w.names)-1]),
			"name the table with --table, or one constraint with --accept")
	case w.accept && len(w.names) == 0 && w.counter == "":
		return exit.Usage(op, "--accept does not name a constraint or a counter", "add the name of a constraint, a hash, or --counter KEY")
	case w.accept && len(w.names) > 0 && w.counter != "":
		return exit.Usage(op, "--accept names a constraint and a counter", "accept first the constraint, then the counter")
	case !w.accept && w.counter != "":
		return exit.Usage(op, "--counter needs --accept or --id",
			"add --accept to accept the counter, or --id KEY to derive the layout from the counter and an item with its number")
	case !w.accept && w.saysTables:
		return exit.Usage(op, "--also-in needs --accept", "add --accept CONSTRAINT")
	case w.counter == "" && (w.attribute != "" || w.meaning != ""):
		return exit.Usage(op, "--attribute and --meaning are about a counter", "add --accept --counter KEY")
	case w.counter != "" && !slices.Contains([]string{"last", "next", "tally"}, w.meaning):
		return exit.Usage(op, fmt.Sprintf("--meaning must be last, next or tally, not %q", w.meaning),
			"add --meaning last (the last number handed out), next (the next number to hand out) or tally (a count)")
	case (w.unseen || w.itemsTable != "") && len(w.holders)+len(w.noHolders) == 0:
		return exit.Usage(op, "--unseen and --items-table need --holder or --no-holder", "add --holder or --no-holder")
	case w.forget != "" && (w.accept || len(w.holders)+len(w.noHolders) > 0):
		return exit.Usage(op, "--forget takes an answer back, but the other flags give an answer", "run two commands, one for each")
	}
	return nil
}

// checkTaught refuses flags that do not go together with examples.
func (w *said) checkTaught() error {
	const op = "reading the command line"
	switch {
	case len(w.names) > 1, len(w.names) == 1 && !w.accept, w.accept && len(w.names) == 0:
		return exit.Usage(op, "to accept a constraint or a counter of a derived layout, you give its hash",
			"print the derived layout without --accept, then add --accept HASH")
	case w.saysTables && !w.accept:
		return exit.Usage(op, "--also-in needs --accept", "add --accept HASH")
	case w.forget != "" || len(w.holders)+len(w.noHolders) > 0 || w.unseen || w.itemsTable != "":
		return exit.Usage(op, "one command cannot take example keys and --holder, --no-holder or --forget", "run two commands, one for each")
	case w.attribute != "" || w.meaning != "":
		return exit.Usage(op, "--attribute and --meaning have no effect on a derived layout",
			"use --answer 'counter[0].semantics = last'")
	}
	return nil
}

// tell stores the answers in the flags, and returns the table with its new layout.
func (l showing) tell(ctx context.Context, t *dynamo.Table) (*dynamo.Table, error) {
	for _, text := range l.holders {
		if err := l.answerPlace(t, "--holder", text, layout.Hold); err != nil {
			return t, err
		}
	}
	for _, text := range l.noHolders {
		if err := l.answerPlace(t, "--no-holder", text, layout.HoldNot); err != nil {
			return t, err
		}
	}
	switch {
	case l.accept && l.taught != nil && len(l.taught.Open()) > 0:
		return t, l.unanswered()
	case l.forget != "":
		if err := t.Answers.Forget(l.forget); err != nil {
			return t, err
		}
		return t.Connection().Open(ctx, t.Name)
	case l.counter != "":
		return l.acceptCounter(ctx, t)
	case l.accept && hash.MatchString(l.names[0]):
		return l.acceptHash(ctx, t, l.names[0])
	case l.accept:
		return l.acceptNamed(ctx, t, l.names[0])
	}
	return t, nil
}

// hash matches a hash. No constraint has such a name.
var hash = regexp.MustCompile(`^[0-9a-f]{16}$`)

// answerPlace stores an answer about items outside the layout.
func (l showing) answerPlace(t *dynamo.Table, flag, text string, a layout.Answer) error {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	end := strings.LastIndexByte(rest, ' ')
	if end <= 0 {
		return exit.Usage("reading "+flag, fmt.Sprintf("%q needs three parts: a constraint, the shape of the items' keys, and an attribute", text),
			"write the three parts as in 'email ORDER#*/META email'")
	}
	c, err := constraintNamed(t, "reading "+flag, name)
	if err != nil {
		return err
	}
	place := layout.Place{
		Table:     cmp.Or(l.itemsTable, t.Name),
		Items:     strings.ReplaceAll(strings.TrimSpace(rest[:end]), " / ", "/"),
		Attribute: rest[end+1:],
	}
	if !l.unseen && !t.Answers.WasAsked(c, place) {
		return exit.Usage("answering for "+place.Items, "tallylock has not asked about the attribute "+place.Attribute+" of such items",
			"correct the shape or the attribute, or add --unseen")
	}
	return t.Answers.Answer(c, place, a)
}

// constraintNamed returns the constraint with this name.
func constraintNamed(t *dynamo.Table, op, name string) (*layout.Constraint, error) {
	var names []string
	for _, a := range t.Layout.Accounts {
		for _, c := range slices.Concat(a.Constraints, a.Unlocked) {
			if c.Name == name {
				return c, nil
			}
			names = append(names, c.Name)
		}
	}
	return nil, exit.Usage(op, fmt.Sprintf("the layout has no constraint %q%s", name, mistake.Meant(name, names...)),
		"to see its constraints, run: "+say.TableCommand(t, []string{"layout"}))
}

// acceptHash accepts the constraint or the counter that has this hash.
func (l showing) acceptHash(ctx context.Context, t *dynamo.Table, hash string) (*dynamo.Table, error) {
	for _, c := range t.Layout.Rules() {
		if t.Answers.HashOf(c) == hash {
			tables, err := l.tables(ctx, t, c)
			if err != nil {
				return t, err
			}
			return dynamo.Accept(ctx, t, c, tables)
		}
	}
	for _, c := range t.Layout.Counters {
		switch {
		case t.Answers.CounterHash(c) != hash:
		case l.saysTables:
			return t, exit.Usage("reading --also-in", "the hash belongs to a counter, and counters have no locks", "leave --also-in out")
		default:
			return dynamo.AcceptCounter(ctx, t, c)
		}
	}
	l.Note("tallylock: accepting %s: no constraint and no counter of %s has this hash now, so nothing was accepted. To see the hashes, run: %s",
		hash, t.Name, say.TableCommand(t, []string{"layout"}))
	return t, exit.Refused
}

// tables returns the tables of --also-in. It returns nil if the flag is not given.
func (l showing) tables(ctx context.Context, t *dynamo.Table, c *layout.Constraint) (*[]string, error) {
	if !l.saysTables {
		return nil, nil
	}
	return t.AlsoIn(ctx, c, l.alsoIn)
}

// acceptNamed shows a constraint with its evidence, and asks whether to accept it.
func (l showing) acceptNamed(ctx context.Context, t *dynamo.Table, name string) (*dynamo.Table, error) {
	op := "accepting the constraint " + name
	c, err := constraintNamed(t, op, name)
	if err != nil {
		return t, err
	}
	tables, err := l.tables(ctx, t, c)
	if err != nil {
		return t, err
	}
	d, ok := l.OpenPrompt()
	if !ok {
		return t, exit.Usage(op, "there is no terminal to ask on", "if your application uses the printed constraint, run: "+
			say.TableCommand(t, []string{"layout", "--accept", t.Answers.HashOf(c)}))
	}
	defer d.Close()
	config := config.Only(t.Layout, c)
	config.Name = cmp.Or(config.Name, t.Name)
	d.Out.Lines("", string(config.TOML()))
	for _, text := range dynamo.EvidenceOf(t, c) {
		d.Out.Line(kit.Muted, "# %s", text)
	}
	err = d.Confirm(ctx, op, "Does your application use exactly this constraint", "nothing was accepted")
	if err == nil && tables == nil && !c.Lockless() && t.LockTable(c) != t.Name {
		var text string
		text, err = d.Ask(ctx, "Type the names of the other tables whose accounts have locks in "+phrase.Quote(t.LockTable(c))+", or the word none:")
		if err == nil {
			tables, err = t.AlsoIn(ctx, c, text)
		}
	}
	if err != nil {
		return t, err
	}
	return dynamo.Accept(ctx, t, c, tables)
}

// acceptCounter accepts a counter with its meaning. The counter is a recognised counter, or the item
// with the key.
func (l showing) acceptCounter(ctx context.Context, t *dynamo.Table) (*dynamo.Table, error) {
	op := "accepting the counter " + l.counter
	var found []*layout.Counter
	for _, c := range t.Layout.Counters {
		key := strings.TrimSuffix(c.PK.String()+"/"+c.SK.String(), "/")
		if named := c.NameOr(t.Name) == l.counter || key == l.counter || c.PK.String() == l.counter; named &&
			(l.attribute == "" || c.Attribute == l.attribute) {
			found = append(found, c)
		}
	}
	switch {
	case len(found) > 1:
		return t, exit.Usage(op, "several counters have this name", "name the counter by its whole key and --attribute")
	case len(found) == 0 && l.attribute == "":
		return t, exit.Usage(op, "tallylock recognised no such counter", "correct the name, or name the counter's attribute with --attribute")
	case len(found) == 0:
		c, err := counter.OfKey(ctx, t, l.counter, l.attribute)
		if err != nil {
			return t, err
		}
		found = append(found, c)
	}
	c := *found[0]
	if c.Semantics = layout.Semantics(l.meaning); c.Semantics == layout.Tally {
		c.IDs = nil // a tally hands out no numbers
	}
	return dynamo.AcceptCounter(ctx, t, &c)
}

// String describes the answer in one line.
func (e saidEntry) String() string {
	about := e.Constraint
	switch {
	case e.Answer == layout.Hold:
		about += ": " + e.Items + " items of " + e.Table + " hold values in " + e.Attribute
	case e.Answer != "":
		about += ": " + e.Items + " items of " + e.Table + " do not hold values in " + e.Attribute
	case e.NowhereElse:
		about += ": no item outside the layout holds its values"
		if e.Ignored != "" {
			about += " (no effect: " + e.Ignored + ")"
		}
	case e.Counter != "":
		about = "counter " + e.Counter + ": accepted"
	default:
		about += ": accepted"
	}
	return fmt.Sprintf("%s (answered on %s; --forget %s takes the answer back)", about, e.On, e.ID)
}

// writeAccepting prints the commands that accept guessed constraints and counters, up to a limit. It returns the number
// of lines.
func (l showing) writeAccepting(p *print.Printer, t *dynamo.Table) (written int) {
	var lines []string
	add := func(what string, state layout.State, args ...string) {
		if !state.Sure() {
			lines = append(lines, fmt.Sprintf("# accept %s: %s", what, say.TableCommand(t, append([]string{"layout", "--accept"}, args...))))
		}
	}
	for _, c := range t.Layout.Rules() {
		args := append([]string{t.Answers.HashOf(c)}, l.args()...)
		if !c.Lockless() && t.LockTable(c) != t.Name {
			args = append(args, "--also-in", "TABLES|none") // a placeholder, because a person must name the tables
		}
		add("the constraint "+c.Name, c.State, args...)
	}
	for _, c := range t.Layout.Counters {
		add("the counter "+c.NameOr(t.Name)+" ("+c.Semantics.Words()+")", c.State,
			append([]string{t.Answers.CounterHash(c)}, l.args()...)...)
	}
	if len(lines) == 0 {
		return 0
	}
	p.Line(kit.Text, "")
	if l.taught != nil && len(l.taught.Open()) > 0 {
		p.Line(kit.Text, "# This layout is only a guess, so changes are off. Answer the questions first.")
		return 2
	}
	p.Line(kit.Text, "# This layout is only a guess, so changes are off. Accept the parts that your application uses:")
	const most = 10
	for _, text := range lines[:min(len(lines), most)] {
		p.Line(kit.Text, "%s", text)
	}
	if more := len(lines) - most; more > 0 {
		p.Line(kit.Text, "# … and %d more. --output json has all hashes.", more)
	}
	return min(len(lines), most) + 3
}
