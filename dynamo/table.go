package dynamo

import (
	"cmp"
	"slices"

	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
)

// Table is an open table: its description and its layout.
type Table struct {
	client.Description
	*schema.View // by its layout
	// Fit is how well the layout fits.
	Fit *Fitting

	// Sample is what was read to recognise and judge the layout by.
	Sample *Sample

	conn     *Connection
	locks    map[string]client.Description // the tables that locks and ids are in, this one included
	answered *answered
	// described is the hash of the layout that the config had when the table was opened; empty if it
	// had none.
	described string
}

// sampleUnits is what may be read of a table to recognise and judge its layout: nothing
// where nothing may be read unasked, and nobody has asked.
func (c *Connection) sampleUnits() float64 {
	if c.options.Asked {
		return OpenUnits
	}
	return min(OpenUnits, c.AutoReadUnits())
}

// Connection is the connection that the table was opened on.
func (t *Table) Connection() *Connection { return t.conn }

// Remedy returns a remedy whose commands are about the table.
func (t *Table) Remedy(code remedy.Code, args ...string) remedy.Remedy {
	return remedy.Remedy{Code: code, Args: args, Table: t.Name, Place: t.conn.options.Place}
}

// DescriptionOf describes this table, or one that its locks or ids are in.
func (t *Table) DescriptionOf(table string) client.Description {
	if table == t.Name {
		return t.Description
	}
	return t.locks[table]
}

// Tables lists the tables that may hold values: the accounts' table first, then those of locks and
// ids, and others that put locks there.
func (t *Table) Tables() []string {
	all := []string{t.Name}
	for _, name := range slices.Concat(t.Layout.LockTables(t.Name), t.Layout.IDTables(t.Name), t.Layout.AlsoTables()) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// OtherTables are the other tables that locks are in.
func OtherTables(t *Table) []string {
	return slices.DeleteFunc(t.Layout.LockTables(t.Name), func(name string) bool { return name == t.Name })
}

// NoLayout is the error of a question about accounts, asked of a table where none
// are known.
func (t *Table) NoLayout(op string) error {
	e := &client.Error{
		Kind:   client.NoLayout,
		Op:     op,
		Why:    "no layout that we know fits the table " + t.Name,
		Remedy: t.Remedy(remedy.SeeAndNameLayout),
	}
	switch {
	case t.Sample.Vacant():
		e.Why = "the table " + t.Name + " is empty"
		e.Remedy = remedy.Of(remedy.NameLayoutOrWait)
	case t.Sample.Unread():
		why, do := t.conn.WhyUnread()
		e.Why = "nothing of the table " + t.Name + " was read, since " + why
		e.Remedy = remedy.Of(remedy.NameLayoutOr, do)
	case t.Sample.unread != nil:
		e.Why = "the layout of the table " + t.Name + " could not be recognised, since the permission dynamodb:Scan is denied"
		e.Remedy = remedy.Of(remedy.NameLayout)
	case !t.Layout.Empty():
		e.Why = "the table " + t.Name + " keeps counters, and no accounts that we know"
		e.Remedy = t.Remedy(remedy.ListCounters)
	case t.Sample.Leases() != "":
		e.Why = "the table " + t.Name + " keeps " + t.Sample.Leases() + ", which come and go, and no locks that keep values unique"
	}
	if names := t.Sample.Unlooked(); len(names) > 0 {
		e.Why += "; not looked at for its locks: " + phrase.Some(names)
	}
	return e
}

// Unrecognised is NoLayout where it is a missing permission that kept the layout
// from being recognised, and nil otherwise.
func Unrecognised(t *Table, op string) error {
	if t.Sample.unread == nil || t.Sample.Vacant() || !t.Layout.Empty() {
		return nil
	}
	return t.NoLayout(op)
}

// Keeps says in a few words what a table's layout keeps, for the list of
// tables.
func Keeps(t *Table) string {
	locks, owner := 0, false
	for _, c := range t.Layout.Constraints() {
		locks++
		owner = owner || c.Owner != "" || c.OwnedByKey()
	}
	counters := ""
	switch n := len(t.Layout.Counters); {
	case n == 1 && t.Layout.Counters[0].Semantics == layout.Next:
		counters = "1 counter, next"
	case n > 0 && !t.Layout.Counters[0].Fixed(t.Schema) && !t.Layout.Counters[0].KeyIsValue(t.Schema):
		counters = "counters"
	case n > 0:
		counters = phrase.Count(n, "counter")
	}
	switch {
	case locks > 0 && counters != "":
		return "locks, " + counters
	case locks > 0 && owner:
		return "locks with owner"
	case locks > 0:
		return "locks, no owner"
	case counters != "":
		return counters
	}
	return "nothing known"
}

// IndexOf is the index that finds who holds a constraint's values: the one that the
// layout names, or one of the table on the same attribute. It is empty where there is none.
func IndexOf(t *Table, c *layout.Constraint) string {
	return cmp.Or(c.Index, t.Indexes[c.Attribute])
}

// IndexKey is the attribute that is an index's partition key; empty where the
// table has no such index.
func IndexKey(t *Table, index string) string {
	for attribute, name := range t.Indexes {
		if name == index {
			return attribute
		}
	}
	return ""
}
