package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Table is an open table: its description and its layout.
type Table struct {
	client.Description
	Layout *layout.Layout
	// Fit is how well the layout fits, and Match what it makes of items.
	Fit   *Fitting
	Match Matcher

	conn *Connection
	// unsampled is why no items could be read to recognise the layout by; nil where
	// they could.
	unsampled error
	// unknown is what was read of a table in which no accounts were recognised; nil for others.
	unknown *recogniser
	locks   map[string]client.Description // the tables that locks and ids are in, this one included

	opened  float64 // read units that opening it took
	regions Regions
}

// errVacant is why no items could be read of a table that has none.
var errVacant = errors.New("the table is empty")

// errUnread is why no items were read of a table that nobody has asked about.
var errUnread = errors.New("nothing may be read unasked")

// Vacant reports whether the table had no items when its layout was looked for.
func (t *Table) Vacant() bool { return t.unsampled == errVacant }

// Unread reports whether nothing was read to recognise the table's layout by, since
// nothing may be read unasked.
func (t *Table) Unread() bool { return t.unsampled == errUnread }

// sampleSize is how many locks are looked at for what they have besides their keys.
const sampleSize = 200

// Open describes a table, finds its layout, and judges how well that fits: the config's
// where one names the table, else the one that fits a sample. It reads openUnits at
// most. A table that no layout fits opens with an empty one: its items can be browsed.
func (c *Connection) Open(ctx context.Context, name string) (*Table, error) {
	return c.open(ctx, name, c.sampleUnits())
}

// sampleUnits is what may be read of a table to recognise and judge its layout: nothing
// where nothing may be read unasked, and nobody has asked.
func (c *Connection) sampleUnits() float64 {
	if c.options.Asked {
		return openUnits
	}
	return min(openUnits, c.AutoReadUnits())
}

func (c *Connection) open(ctx context.Context, name string, budget float64) (*Table, error) {
	d, err := c.Describe(ctx, name)
	if err != nil {
		return nil, err
	}
	t := &Table{Description: d, conn: c}
	t.Fit, t.Match = &Fitting{t: t}, Matcher{t}
	r := c.Reader()
	found, err := c.layoutOf(ctx, r, d, budget)
	if err != nil {
		return nil, err
	}
	if t.Layout, t.unsampled = found.layout, found.unsampled; len(t.Layout.Accounts) == 0 {
		t.unknown = found.by
	}
	t.locks = map[string]client.Description{name: d}
	for _, other := range slices.Concat(t.Layout.LockTables(name), t.Layout.IDTables(name)) {
		if _, ok := t.locks[other]; !ok {
			if t.locks[other], err = c.Describe(ctx, other); err != nil {
				return nil, fmt.Errorf("the layout %s keeps locks or ids in %s: %w", t.Layout.Name, other, err)
			}
		}
	}
	t.regions = regionsOf(t)
	if err := cmp.Or(checkKeys(t), t.regions.fits(t)); err != nil {
		return nil, err
	}
	said, err := readDecisions(c.options.Decisions)
	if err != nil {
		return nil, err
	}
	t.Fit.answered(said)
	err = sampleFit(ctx, t, r, found.own, budget)
	t.opened = r.Units
	return t, err
}

// sampleFit judges how well the layout fits, within what is left of a budget of read units.
func sampleFit(ctx context.Context, t *Table, r *client.Reader, own sample, budget float64) error {
	if len(t.Layout.Constraints()) == 0 || t.unsampled != nil {
		return nil
	}
	samples := map[string]sample{t.Name: own}
	for _, name := range t.Layout.LockTables(t.Name) {
		if name == t.Name {
			continue
		}
		s, err := readSample(ctx, r, t.locks[name], (budget-r.Units)*samplePart)
		if err != nil && client.KindOf(err) != client.Denied {
			return err
		}
		samples[name] = s
	}
	return t.Fit.judge(ctx, r, samples, budget-r.Units)
}

// checkKeys refuses a layout whose keys the table cannot hold.
func checkKeys(t *Table) error {
	bad := func(table string, from layout.Origin, setting, why string) error {
		e := &client.Error{Kind: client.Usage, Op: "opening " + table, Why: "the layout " + t.Layout.Name + " " + why, Do: "correct the layout in the config, or name another with --layout"}
		if at := from.Of(setting); at != "" {
			e.Do = "correct " + at
		}
		return e
	}
	sort := func(what, table string, sk layout.Template, from layout.Origin) error {
		switch has := t.locks[table].Schema.RangeName; {
		case has != "" && sk.Empty():
			return bad(table, from, "sk", "gives its "+what+" no sort key, and the table has one ("+has+")")
		case has == "" && !sk.Empty() && t.Layout.Configured:
			return bad(table, from, "sk", fmt.Sprintf("gives its %s the sort key %q, and the table has none: leave sk out", what, sk))
		}
		return nil
	}
	for _, a := range t.Layout.Accounts {
		if err := sort(a.Model+"s", t.Name, a.SK, a.Origin); err != nil {
			return err
		}
		for _, con := range slices.Concat(a.Constraints, a.Unlocked) {
			if con.Index != "" && indexKey(t, con.Index) == "" {
				return bad(t.Name, con.Origin, "index", "finds its "+con.Name+" by the index "+con.Index+", which the table does not have")
			}
		}
		for _, con := range a.Constraints {
			if err := sort(con.Name+" locks", con.LockTable(t.Name), con.SK, con.Origin); err != nil {
				return err
			}
		}
	}
	return nil
}

// Connection is the connection that the table was opened on.
func (t *Table) Connection() *Connection { return t.conn }

// SchemaOf is the key schema of this table, or of one that its locks or ids are in.
func (t *Table) SchemaOf(table string) attr.Schema { return t.locks[table].Schema }

// DescriptionOf describes this table, or one that its locks or ids are in.
func (t *Table) DescriptionOf(table string) client.Description {
	if table == t.Name {
		return t.Description
	}
	return t.locks[table]
}

// NoLayout is the error of a question about accounts, asked of a table where none
// are known.
func (t *Table) NoLayout(op string) error {
	e := &client.Error{Kind: client.NoLayout, Op: op, Why: "no layout that we know fits the table " + t.Name, Do: "see what was found: " + t.Command([]string{"layout"}) + "; then name a preset with --layout, or describe the table's keys under [[layout]] in the config"}
	switch {
	case t.unsampled == errVacant:
		e.Why, e.Do = "the table "+t.Name+" is empty", "try again when there is something in it, or name its layout with --layout"
	case t.unsampled == errUnread:
		e.Why = "nothing of the table " + t.Name + " was read, since auto_read_units is 0"
		e.Do = "name its layout with --layout, describe it under [[layout]] in the config, or set auto_read_units to 120 or more"
	case t.unsampled != nil:
		e.Why = "the layout of the table " + t.Name + " could not be recognised, since the permission dynamodb:Scan is denied"
		e.Do = "name it, for example with --layout uniq, or describe it under [[layout]] in the config"
	case !t.Layout.Empty():
		e.Why = "the table " + t.Name + " keeps counters, and no accounts that we know"
		e.Do = "run: " + t.Command([]string{"counters"})
	case t.Leases() != "":
		e.Why = "the table " + t.Name + " keeps " + t.Leases() + ", which come and go, and no locks that keep values unique"
	}
	return e
}

// Unrecognised is NoLayout where it is a missing permission that kept the layout
// from being recognised, and nil otherwise.
func Unrecognised(t *Table, op string) error {
	if t.unsampled == nil || t.unsampled == errVacant || !t.Layout.Empty() {
		return nil
	}
	return t.NoLayout(op)
}
