package session

import (
	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/example"
)

// Examples are items that a person points at, to show how the layout of a table works. They belong to the open
// connection.
type Examples struct {
	On     bool     // the tab of accounts lists items, for a person to point at
	Chosen *Example // an account or a counter that still needs its partner; nil if there is none
	// Refused says why the last item cannot be the partner of Chosen; empty if none was refused.
	Refused string

	Lesson example.Lesson // all pairs of the table, and the person's answers
	Taught *dynamo.Taught // the layout that follows from the lesson; nil if there is none
	Table  *dynamo.Table  // the table before the lesson
}

// Example is an item that a person pointed at.
type Example struct {
	Table   *dynamo.Table
	Key     attr.Key
	Item    attr.Item
	Counter bool // it is a counter; otherwise it is an account
}

// TaughtOf returns the layout of a table that follows from examples; nil if there is none.
func (e *Examples) TaughtOf(t *dynamo.Table) *dynamo.Taught {
	if e.Taught != nil && t != nil && e.Table.Name == t.Name && e.Table.Connection() == t.Connection() {
		return e.Taught
	}
	return nil
}

// With returns the lesson of the chosen example's table with one more pair. partner is an item of table: the lock of
// the chosen account, or an item with a number of the chosen counter.
func (e *Examples) With(table *dynamo.Table, partner attr.Item) example.Lesson {
	var lesson example.Lesson
	if e.TaughtOf(e.Chosen.Table) != nil {
		lesson = e.Lesson
	}
	in := ""
	if table.Name != e.Chosen.Table.Name {
		in = table.Name
	}
	if e.Chosen.Counter {
		return lesson.WithNumber(example.Number{Counter: e.Chosen.Item, ID: partner, IDTable: in})
	}
	return lesson.WithPair(example.Pair{Account: e.Chosen.Item, Lock: partner, LockTable: in})
}
