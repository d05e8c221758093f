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

// CheckConfig reads the config again. It returns an error of the kind Usage if the config describes the
// table otherwise than when the table was opened, and an error if the config cannot be read.
func (t *Table) CheckConfig() error {
	_, now, err := t.conn.described(t.Name)
	if err != nil || now == t.described {
		return err
	}
	return &client.Error{
		Kind: client.Usage, Op: "changing " + t.Name,
		Why: "the config describes " + t.Name + " otherwise than when it was opened",
		Do:  "open the table again, and plan the change again",
	}
}

// SetDescribed says that the config has described the table since, by the layout that it was opened as.
func (t *Table) SetDescribed(config config.Layout) error {
	l, err := config.Build()
	if err != nil {
		return err
	}
	t.Layout.Configured, t.described = true, describedHash(l)
	t.Layout.SetState(layout.Described)
	return nil
}

// Correct says how to correct the table's layout.
func (t *Table) Correct() remedy.Remedy {
	if !t.Layout.Configured {
		return t.Remedy(remedy.DescribeLayout)
	}
	return t.Remedy(remedy.CorrectLayout)
}

// described returns the layout that the config has by now for a table, and a hash of it; nil and empty if
// the config has none.
func (c *Connection) described(name string) (_ *layout.Layout, hash string, err error) {
	all := c.options.Layouts
	if c.options.ReadLayouts != nil {
		if all, err = c.options.ReadLayouts(); err != nil {
			return nil, "", err
		}
	}
	for _, cfg := range all {
		if cfg.Name == c.options.Layout || (c.options.Layout == "" && slices.Contains(cfg.Tables, name)) {
			l, err := cfg.Build()
			if err != nil {
				return nil, "", err
			}
			return l, describedHash(l), nil
		}
	}
	return nil, "", nil
}

// describedHash is a hash of all that a layout says, the answers included. Its name, its tables and what
// it ignores change nothing.
func describedHash(l *layout.Layout) string {
	c := config.Of(l)
	c.Name, c.Tables, c.Ignore = "", nil, nil
	return config.HashSettings(c)
}

// LayoutNamed is the layout or preset that somebody has named for all tables; empty where
// each table's is found.
func (c *Connection) LayoutNamed() string { return c.options.Layout }

// checkLayout refuses the name of a layout that there is none of.
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
		Why:  "there is neither a layout nor a preset of that name" + mistake.Meant(o.Layout, names...),
		Do:   "use one of: " + strings.Join(names, ", "),
	}
}

// checkKeys refuses a layout whose keys the table cannot hold.
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
			return bad(table, from, "sk", "gives its "+what+" no sort key, and the table has one ("+has+")")
		case has == "" && !sk.Empty() && t.Layout.Configured:
			return bad(table, from, "sk",
				fmt.Sprintf("gives its %s the sort key %q, and the table has none: leave sk out", what, sk))
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

// checkIDs refuses ids of counters that are to be read by an index which their table has not.
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
				Why:    "the layout " + t.Layout.Name + " reads ids by the index " + ids.Index + ", and " + d.Name + " has none of that name with a sort key",
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

// checkWrittenIn refuses a Region of the layout that the table has no part in.
func checkWrittenIn(t *Table) error {
	r := t.Regions()
	if r.WrittenIn == "" || len(r.Others) == 0 || r.WrittenIn == r.Here ||
		slices.Contains(r.Others, r.WrittenIn) || slices.Contains(r.Others, client.AnotherRegion) {
		return nil
	}
	return &client.Error{
		Kind: client.Usage, Op: "opening " + t.Name,
		Why: fmt.Sprintf("the layout %s says written_in = %q, and the table is in %s", t.Layout.Name, r.WrittenIn,
			phrase.List(append([]string{r.Here}, r.Others...))),
		Remedy: t.Correct(),
	}
}
