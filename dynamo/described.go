package dynamo

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// CheckConfig reads the config again. It returns an error of the kind Usage if the config now describes the
// table differently than when the table was opened. It also returns an error if the config cannot be read.
func (t *Table) CheckConfig() error {
	changed, err := t.ConfigChanged()
	if !changed {
		return err
	}
	return &client.Error{
		Kind: client.Usage, Op: "changing " + t.Name,
		Why: "the config now describes " + t.Name + " differently than when the table was opened",
		Do:  "open the table again, and plan the change again",
	}
}

// ConfigChanged reads the config again. It reports whether the config now describes the table differently than when
// the table was opened. It returns an error if the config cannot be read.
func (t *Table) ConfigChanged() (bool, error) {
	_, now, _, err := t.conn.described(t.Name)
	return err == nil && now != t.described, err
}

// Statements reads the config and the stored answers about the table again, and returns a hash of the answers.
// A plan relies on the answers at the time of planning: if the hash has changed since, the plan is stale.
// Statements returns the error of CheckConfig, or an error of the kind Usage if the answers cannot be read.
func (t *Table) Statements() (string, error) {
	if err := t.CheckConfig(); err != nil {
		return "", err
	}
	return t.Answers.Statement()
}

// SetDescribed records that the config now describes the table. The parameter config has the layout of the open
// table.
func (t *Table) SetDescribed(config config.Layout) error {
	l, err := config.Build()
	if err != nil {
		return err
	}
	t.Layout.Configured, t.described = true, describedHash(l)
	t.Layout.SetState(layout.Described)
	return nil
}

// Correct returns the remedy for a wrong layout of the table.
func (t *Table) Correct() remedy.Remedy {
	if !t.Layout.Configured {
		return t.Remedy(remedy.DescribeLayout)
	}
	return t.Remedy(remedy.CorrectLayout)
}

// described returns the layout that the current config has for a table, and the hash of that layout. If the
// config has no layout for the table, the layout is nil and the hash is empty. A layout for a table also
// describes the table's ARN, unless another layout names this ARN. byName is set if name is an ARN, and the
// layout has only the table's name.
func (c *Connection) described(name string) (_ *layout.Layout, hash string, byName bool, err error) {
	all := c.options.Layouts
	if c.options.ReadLayouts != nil {
		if all, err = c.options.ReadLayouts(); err != nil {
			return nil, "", false, err
		}
	}
	for _, named := range slices.Compact([]string{name, client.BareName(name)}) {
		for _, cfg := range all {
			if cfg.Name == c.options.Layout || (c.options.Layout == "" && slices.Contains(cfg.Tables, named)) {
				l, err := answersOf(cfg, name).Build()
				if err != nil {
					return nil, "", false, err
				}
				return l, describedHash(l), byName, nil
			}
		}
		byName = true
	}
	return nil, "", false, nil
}

// answersOf returns the layout cfg with the ARN in place of the table's name in its answers. The config may have only
// the name.
func answersOf(cfg config.Layout, arn string) config.Layout {
	name := client.BareName(arn)
	if name == arn {
		return cfg
	}
	cfg.Accounts = slices.Clone(cfg.Accounts)
	for n := range cfg.Accounts {
		a := &cfg.Accounts[n]
		a.Constraints = slices.Clone(a.Constraints)
		for m := range a.Constraints {
			c := &a.Constraints[m]
			c.Holders, c.NoHolders = slices.Clone(c.Holders), slices.Clone(c.NoHolders)
			for k := range c.Holders {
				if c.Holders[k].Table == name {
					c.Holders[k].Table = arn
				}
			}
			for k := range c.NoHolders {
				if c.NoHolders[k].Table == name {
					c.NoHolders[k].Table = arn
				}
			}
		}
	}
	return cfg
}

// sameAccount checks the tables that the layout names without an ARN. It returns an error if one of them is in
// another AWS account or Region than the accounts' table, which a person named by its ARN.
func (t *Table) sameAccount() error {
	for _, name := range t.Tables()[1:] {
		d := t.DescriptionOf(name)
		if client.BareName(name) == name && (d.Account != t.Account || d.Region != t.Region) {
			return &client.Error{
				Kind: client.Usage, Op: "opening " + t.Name,
				Why: fmt.Sprintf("the layout %s names the table %s, which is in the account %s and the Region %s; "+
					"the opened table is elsewhere",
					t.Layout.Name, name, d.Account, d.Region),
				Do: "name " + name + " by its ARN in the config",
			}
		}
	}
	return nil
}

// describedHash returns a hash of a layout and its answers. It leaves out the layout's name, its tables, and
// the names that it ignores, since these do not change the meaning of the layout.
func describedHash(l *layout.Layout) string {
	c := config.Of(l)
	c.Name, c.Tables, c.Ignore = "", nil, nil
	return config.HashSettings(c)
}

// LayoutNamed returns the layout or preset that the options name for all tables. It is empty if the options
// name none. Then the program finds a layout for each table.
func (c *Connection) LayoutNamed() string { return c.options.Layout }

// checkLayout returns an error if the options name an unknown layout.
func (o Options) checkLayout() error {
	if o.Layout == "" || slices.ContainsFunc(o.Layouts, func(c config.Layout) bool { return c.Name == o.Layout }) {
		return nil
	}
	presets, err := config.Presets()
	if err != nil {
		return err
	}
	var names []string
	for _, p := range presets {
		if p.Name == o.Layout {
			return nil
		}
		names = append(names, p.Name)
	}
	return &client.Error{
		Kind: client.Usage,
		Op:   "choosing the layout " + o.Layout,
		Why:  "no layout or preset has this name" + mistake.Meant(o.Layout, names...),
		Do:   "use one of: " + strings.Join(names, ", "),
	}
}

// checkKeys returns an error if the layout's keys or indexes do not match the table.
func checkKeys(t *Table) error {
	bad := func(table string, from layout.Origin, setting, why string) error {
		e := &client.Error{
			Kind:   client.Usage,
			Op:     "opening " + table,
			Why:    "the layout " + t.Layout.Name + " " + why,
			Remedy: remedy.Of(remedy.CorrectOrNameLayout),
		}
		if at := from.Of(setting); at != "" {
			e.Remedy = remedy.Of(remedy.Text, "correct "+at)
		}
		return e
	}
	sort := func(what, table string, sk layout.Template, from layout.Origin) error {
		switch has := t.locks[table].Schema.RangeName; {
		case has != "" && sk.Empty():
			return bad(table, from, "sk", "gives its "+what+" no sort key, but the table has the sort key "+has)
		case has == "" && !sk.Empty() && t.Layout.Configured:
			return bad(table, from, "sk",
				fmt.Sprintf("gives its %s the sort key %q, but the table has no sort key: leave sk out", what, sk))
		}
		return nil
	}
	for _, a := range t.Layout.Accounts {
		if err := sort(a.Model+"s", t.Name, a.SK, a.Origin); err != nil {
			return err
		}
		for _, con := range slices.Concat(a.Constraints, a.Unlocked) {
			if con.Index != "" && IndexKey(t, con.Index) == "" {
				return bad(t.Name, con.Origin, "index",
					"finds its "+con.Name+" by the index "+con.Index+", which the table does not have")
			}
		}
		for _, con := range a.Constraints {
			if err := sort(con.Name+" locks", t.LockTable(con), con.SK, con.Origin); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkIDs returns an error if the layout reads ids by an index that the table of the ids does not have.
func checkIDs(t *Table) error {
	for _, c := range t.Layout.Counters {
		for n := range c.IDs {
			ids := &c.IDs[n]
			d := t.DescriptionOf(ids.TableOf(t.Name))
			if ids.Index == "" || slices.ContainsFunc(d.Sorted, func(x attr.Index) bool { return x.Name == ids.Index }) {
				continue
			}
			e := &client.Error{
				Kind:   client.Usage,
				Op:     "opening " + t.Name,
				Why:    "the layout " + t.Layout.Name + " reads ids by the index " + ids.Index + ", but " + d.Name + " has no index of this name with a sort key",
				Remedy: t.Correct(),
			}
			if at := c.Origin.Of("index"); at != "" {
				e.Remedy = remedy.Of(remedy.Text, "correct "+at)
			}
			return e
		}
	}
	return nil
}

// checkWrittenIn returns an error if the layout's written_in is a Region without a replica of the table.
func checkWrittenIn(t *Table) error {
	r := t.Regions()
	if r.WrittenIn == "" || len(r.Others) == 0 || r.WrittenIn == r.Here ||
		slices.Contains(r.Others, r.WrittenIn) || slices.Contains(r.Others, client.AnotherRegion) {
		return nil
	}
	return &client.Error{
		Kind: client.Usage, Op: "opening " + t.Name,
		Why: fmt.Sprintf("the layout %s says written_in = %q, but the table is in %s", t.Layout.Name, r.WrittenIn,
			phrase.List(append([]string{r.Here}, r.Others...))),
		Remedy: t.Correct(),
	}
}
