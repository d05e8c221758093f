package check

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/state"
	"tallylock/dynamo/client"
	"tallylock/dynamo/export"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/scan"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/session"
)

// increments are the flags for the state of a check and for increments. in and out are the files of the old and the new
// state; each may be empty.
type increments struct {
	in, out string
	places  []string
	from    *state.State // the state in the file in
	next    *state.State // the state after the check; nil if there is none
	exports []*scan.Increment
}

func (i *increments) addFlags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&i.out, "state-out", "",
		"after a complete check of a full export, write the state of the check to `FILE`, for later checks of increments; with --increment, write the new state")
	set.StringVar(&i.in, "state", "", "go on from the state in `FILE`, which --state-out wrote; needs --increment")
	set.StringArrayVar(&i.places, "increment", nil,
		"apply the incremental export at `PLACE` to the state: s3://BUCKET/PREFIX/AWSDynamoDB/ID, or a directory; give one --increment for each table and window")
}

// asked reports whether the check reads increments.
func (i *increments) asked() bool { return i.in != "" || len(i.places) > 0 }

// beside lists the flags that have no effect on increments.
var beside = []string{
	"export", "candidates", "sql", "run", "keys", "look", "segments", "max-read-units", "temp",
}

// begin checks the flags, and makes sure that the new state can be written. A check with a state confirms no findings
// by default. If --confirm asks for more, the check refuses to keep a state.
func (i *increments) begin(given *pflag.FlagSet, o *setting.Options) error {
	const op = "reading the command line"
	if i.out == "" && !i.asked() {
		return nil
	}
	switch {
	case i.in == "" && len(i.places) > 0:
		return exit.Usage(op, "--increment needs a state", "name the state of the last check with --state FILE")
	case i.in != "" && len(i.places) == 0:
		return exit.Usage(op, "--state needs the changes since that state", "name the incremental exports with --increment PLACE")
	case i.out == "-":
		return exit.Usage(op, "--state-out cannot write to standard output", "name a file with --state-out FILE")
	}
	if !given.Changed("confirm") {
		o.Confirm = setting.ConfirmNone
	}
	if i.asked() {
		if o.Confirm != setting.ConfirmNone {
			return exit.Usage(op, "a check of increments confirms no findings, because it does not read the table",
				"leave --confirm out")
		}
		at := slices.IndexFunc(beside, given.Changed)
		if at >= 0 {
			return exit.Usage(op, "--"+beside[at]+" has no effect on a check of increments", "leave --"+beside[at]+" out")
		}
	}
	if i.out == "" {
		return nil
	}
	ignorePipe()
	return unwritable("state", i.out, session.Writable(i.out))
}

// read reads the state of an increments check.
func (i *increments) read(memory int64) error {
	if !i.asked() {
		return nil
	}
	f, err := os.Open(i.in)
	if err != nil {
		return exit.Usage("reading the state "+i.in, phrase.WithoutPath(err), "name a file that --state-out wrote")
	}
	defer f.Close()
	i.from, err = state.Decode(f, memory)
	if err == nil {
		return nil
	}
	e := &client.Error{
		Kind: client.Usage, Op: "reading the state " + i.in, Why: phrase.WithoutPath(err), Err: err,
		Remedy: remedy.Of(remedy.RenewState),
	}
	if size, large := errors.AsType[*state.SizeError](err); large {
		e.Remedy = remedy.Of(remedy.MoreMemory, setting.Advice(2*size.Most))
	}
	return e
}

// open opens the increments.
func (i *increments) open(ctx context.Context, c *checking, t app.Target) error {
	for _, at := range i.places {
		full, all, err := c.OpenExports(ctx, at, func() (*dynamo.Connection, error) { return c.connect(ctx, t) })
		switch {
		case err != nil:
			return err
		case full != nil:
			return exit.Usage("reading the increment in "+at, "this is a full export", "name an incremental export, or check the full export with --export")
		}
		i.exports = append(i.exports, all...)
	}
	return nil
}

// openState opens the table of the state. It sends no request if the config describes the table's layout.
func (c *checking) openState(ctx context.Context, t app.Target) (*dynamo.Table, error) {
	s := c.increments.from
	c.o.Export = &scan.Export{}
	t.Table = cmp.Or(t.Table, s.Table)
	if client.BareName(t.Table) != client.BareName(s.Table) || !export.Described(t.Options, t.Table) {
		return c.openTable(ctx, t)
	}
	c.o.Export.Inferred = "tallylock asked no endpoint, so it is unknown whether the table was deleted and created again"
	schemas := map[string]attr.Schema{}
	for _, table := range s.Tables {
		schemas[table.Name] = table.Schema
	}
	table, err := export.OpenEmpty(ctx, t.Options, t.Table, s.Tables[0].ID, schemas)
	if client.KindOf(err) == client.NoTable {
		return nil, exit.Usage("reading the state "+c.increments.in, "the layout uses a table that the state does not have: "+err.Error(),
			"check a full export again, with --export and --state-out")
	}
	return table, err
}

// asOf returns the time of the items that the check compares. It is zero if the time is unknown.
func (c *checking) asOf(table *dynamo.Table) (at time.Time) {
	if !c.increments.asked() {
		return c.o.AsOf(table)
	}
	for _, x := range c.increments.exports {
		if x.To.After(at) {
			at = x.To
		}
	}
	return at
}

// searched reports whether a person asked for findings of a kind, and whether the check looks for them.
func (c *checking) searched(kind finding.Kind) (asked, looked bool) {
	asked = c.o.Wants(kind)
	return asked, asked && (!c.increments.asked() || kind.OfLocks() && kind != finding.ExpiringAccount)
}

// refuses returns the error with which the check would refuse to begin, or nil.
func (c *checking) refuses(table *dynamo.Table) error {
	i := &c.increments
	switch {
	case i.asked():
		return check.RefusesIncrements(table, c.o, i.from, i.exports)
	case i.out != "":
		return cmp.Or(check.RefusesState(table, c.o), check.Refuses(table, c.o))
	}
	return check.Refuses(table, c.o)
}

// announce prints the price before the check, and asks if the price is high.
func (c *checking) announce(ctx context.Context, table *dynamo.Table) error {
	i := &c.increments
	if !i.asked() {
		return c.confirmCost(ctx, table)
	}
	changes := int64(0)
	for _, x := range i.exports {
		changes += x.Items
	}
	c.Note("Applying %s since %s to the state of %s. This uses no read units.", phrase.Count(changes, "change"),
		phrase.UTC(i.from.At), table.Name)
	return nil
}

// check runs the check that the flags ask for.
func (c *checking) check(
	ctx context.Context, table *dynamo.Table, found func(finding.Finding), each func(progress.State),
) (sum finding.Summary, err error) {
	i := &c.increments
	switch {
	case i.asked():
		sum, i.next, err = check.Increments(ctx, table, c.o, i.from, i.exports, found, each)
	case i.out != "":
		sum, i.next, err = check.KeepState(ctx, table, c.o, found, each)
	default:
		sum, err = check.Run(ctx, table, c.o, found, each)
	}
	return sum, err
}

// write writes the new state. unseen is the error if the findings could not be printed, or nil.
func (i *increments) write(run *app.Run, unseen error) error {
	switch {
	case i.out == "":
		return nil
	case i.next == nil:
		run.Note("The state %s is not written, because the check is incomplete.", i.out)
		return nil
	case unseen != nil:
		run.Note("The state %s is not written, because the findings could not be written.", i.out)
		return nil
	}
	if err := session.ReplaceFile(i.out, i.next.Encode); err != nil {
		return unwritable("state", i.out, err)
	}
	run.Note("Wrote the state %s: the table as of %s, with %s.", i.out, phrase.UTC(i.next.At),
		phrase.Count(i.next.Keys.Len(), "open value"))
	return nil
}
