package cli

import (
	"cmp"
	"context"
	"slices"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/layout"
)

// described returns the layouts that the config has for what a command line is about, and what was
// accepted: the one that is named, those of the table, or all of them. It sends nothing.
func (f *flags) described() []layout.Config {
	c, err := f.readConfig()
	if err != nil {
		return nil
	}
	conn, _ := c.connection(f)
	name, table := cmp.Or(f.layout, conn.Layout), cmp.Or(f.table, conn.Table)
	known := slices.Clone(c.Layouts)
	all, _, _ := answers.Open(answers.Beside(c.journalPath(f.journal))).All()
	for _, e := range all {
		if l, err := e.Config(); e.Accepts() && err == nil {
			l.Name, l.Tables = e.Tables[0].Name, []string{e.Tables[0].Name}
			known = append(known, l)
		}
	}
	return slices.DeleteFunc(known, func(l layout.Config) bool {
		if name != "" {
			return l.Name != name
		}
		return table != "" && !slices.Contains(l.Tables, table)
	})
}

// constraints lists the rules that are described, by the names that commands take.
func (f *flags) constraints(context.Context) []string {
	var names []string
	for _, l := range f.described() {
		for _, a := range l.Accounts {
			for _, c := range a.Constraints {
				if !c.Unique { // no locks to change or to release
					names = append(names, cmp.Or(c.Name, c.Attribute))
				}
			}
		}
	}
	return once(names)
}

// counters lists the counters that are described. Those of a family are called by
// what their keys say, which only the table tells.
func (f *flags) counters(context.Context) []string {
	var names []string
	for _, one := range f.described() {
		l, err := one.Build()
		if err != nil {
			continue
		}
		for _, c := range l.Counters {
			switch {
			case !c.PK.Constant() || !c.SK.Constant() && c.SK.String() != "{pk}":
			case c.Name != "":
				names = append(names, c.Name)
			default:
				names = append(names, one.Tables...)
			}
		}
	}
	return once(names)
}

// tables lists the tables that the config names: the connection's, and those of its layouts.
func (f *flags) tables(context.Context) []string {
	c, err := f.readConfig()
	if err != nil {
		return nil
	}
	var names []string
	if conn, _ := c.connection(f); conn.Table != "" {
		names = append(names, conn.Table)
	}
	for _, l := range c.Layouts {
		names = append(names, l.Tables...)
	}
	return once(names)
}

// once lists names in order, each once.
func once(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
