package dynamo

import (
	"cmp"
	"slices"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
)

// Table is an open table: its description and its layout.
type Table struct {
	client.Description
	*schema.View // the layout, bound to the table
	// Fit is the fit of the layout to the sample.
	Fit *Fitting

	// Sample is the part of the table that was read to recognise and judge the layout.
	Sample *Sample

	// Answers are people's answers about the table. They are nil until the layout is known.
	Answers *answers.Answers

	conn  *Connection
	locks map[string]client.Description // descriptions of this table and of the tables with its locks and ids
	// described is the hash of the config's layout for the table at the time of opening. It is empty if the
	// config had none.
	described string
}

// sampleUnits returns the number of read units for recognising and judging a table's layout. If no person has
// named the table, AutoReadUnits is the limit.
func (c *Connection) sampleUnits() float64 {
	if c.options.Asked {
		return OpenUnits
	}
	return min(OpenUnits, c.AutoReadUnits())
}

// Connection returns the connection by which the table was opened.
func (t *Table) Connection() *Connection { return t.conn }

// Remedy returns a remedy whose commands are about the table.
func (t *Table) Remedy(code remedy.Code, args ...string) remedy.Remedy {
	return remedy.Remedy{Code: code, Args: args, Table: t.Name, Place: t.conn.options.Place}
}

// DescriptionOf returns the description of this table, or of a table with its locks or ids.
func (t *Table) DescriptionOf(table string) client.Description {
	if table == t.Name {
		return t.Description
	}
	return t.locks[table]
}

// Tables lists the tables that may hold values: first the accounts' table, then the tables with locks and ids,
// then other tables whose applications put locks into these lock tables.
func (t *Table) Tables() []string { return tablesOf(t.Layout, t.Name) }

// tablesOf returns the same list as Tables, for the layout of a table that is not open yet.
func tablesOf(l *layout.Layout, accounts string) []string {
	all := []string{accounts}
	for _, name := range slices.Concat(l.LockTables(accounts), l.IDTables(accounts), l.AlsoTables()) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// OtherTables lists the other tables that contain locks of this table's accounts.
func OtherTables(t *Table) []string {
	return slices.DeleteFunc(t.Layout.LockTables(t.Name), func(name string) bool { return name == t.Name })
}

// NoLayout returns the error for an operation that needs accounts, if the layout has none.
func (t *Table) NoLayout(op string) error {
	e := &client.Error{
		Kind:   client.NoLayout,
		Op:     op,
		Why:    "no known layout fits the table " + t.Name,
		Remedy: t.Remedy(remedy.SeeAndNameLayout),
	}
	switch {
	case t.Sample.Vacant():
		e.Why = "the table " + t.Name + " is empty"
		e.Remedy = remedy.Of(remedy.NameLayoutOrWait)
	case t.Sample.Unread():
		why, do := t.conn.WhyUnread()
		e.Why = "no item of the table " + t.Name + " was read, because " + why
		e.Remedy = remedy.Of(remedy.NameLayoutOr, do)
	case t.Sample.unread != nil:
		e.Why = "the layout of the table " + t.Name + " could not be recognised, because the permission dynamodb:Scan is denied"
		e.Remedy = remedy.Of(remedy.NameLayout)
	case !t.Layout.Empty():
		e.Why = "the table " + t.Name + " has counters, but no known accounts"
		e.Remedy = t.Remedy(remedy.ListCounters)
	case t.Sample.Leases() != "":
		e.Why = "the table " + t.Name + " has " + t.Sample.Leases() + ", which are temporary, but no locks that keep values unique"
	}
	if names := t.Sample.Unlooked; len(names) > 0 {
		e.Why += ". These tables were not searched for its locks: " + phrase.Some(names)
	}
	return e
}

// Unrecognised returns the error of NoLayout if no item of the table was read: a permission is missing, or the table
// may be read only after a question. If the table was read, Unrecognised returns nil.
func Unrecognised(t *Table, op string) error {
	if t.Sample.unread == nil || t.Sample.Vacant() || !t.Layout.Empty() {
		return nil
	}
	return t.NoLayout(op)
}

// Keeps describes the contents of a table in a few words, for the list of tables.
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

// IndexOf returns the index that finds the accounts with a constraint's values: the layout's index, or else an
// index of the table on the same attribute. It is empty if there is none.
func IndexOf(t *Table, c *layout.Constraint) string {
	return cmp.Or(c.Index, t.Indexes[c.Attribute])
}

// IndexKey returns the partition key attribute of an index. It is empty if the table has no such index.
func IndexKey(t *Table, index string) string {
	for attribute, name := range t.Indexes {
		if name == index {
			return attribute
		}
	}
	return ""
}
