// Package message is what screens and dialogs ask of the program, where they cannot do it
// themselves: to show another screen, to ask for a change. A screen sends a message through
// its session, and the program acts on it at once, before the next key.
package message

import (
	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/check"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
)

// Push shows a screen on top of what is looked at.
type Push struct{ Screen screen.Screen }

// Leave closes the screen on top.
type Leave struct{}

// OpenTable opens a table of a connection, by the connection's number. Opened is the table
// where it is open already.
type OpenTable struct {
	On     int
	Name   string
	Opened *dynamo.Table
}

// OpenItem shows an item of a table, or of one of its lock tables: Owner is the table that
// it is opened through.
type OpenItem struct {
	Owner *dynamo.Table
	Table string
	Key   attr.Key
}

// Release asks to release the lock of a relation.
type Release struct {
	Table    *dynamo.Table
	Relation *dynamo.Relation
}

// Mend asks for what mends a relation.
type Mend struct {
	Table    *dynamo.Table
	Relation *dynamo.Relation
}

// ChangeValue asks for another value of an account, with its lock: of several values it asks
// which.
type ChangeValue struct {
	Table  *dynamo.Table
	Values []*dynamo.Relation
}

// DeleteAccount asks to delete the account of a relation, with all its locks.
type DeleteAccount struct {
	Table    *dynamo.Table
	Relation *dynamo.Relation
}

// Bump asks for a change of a counter: to bump it, to reserve numbers, to raise or lower it.
// Moving: others move it at this moment.
type Bump struct {
	Counter dynamo.Counter
	Moving  bool
}

// MendCounter asks for what mends a counter.
type MendCounter struct {
	Counter dynamo.Counter
	Moving  bool
}

// MendFindings asks for what mends findings of a check. Became is told, by a finding's number
// among them, what became of it; not of one that was left as it is.
type MendFindings struct {
	Table    *dynamo.Table
	Findings []check.Finding
	Became   func(n int, now Outcome)
}

// Outcome is what became of a finding that was to be mended.
type Outcome struct {
	Sign kit.Sign
	Why  string
	Done bool // there is nothing to mend any more
}

// SaveFindings asks for the file to save the findings of a table's check to.
type SaveFindings struct {
	Table    string
	Findings []check.Finding
	Summary  *check.Summary // nil while the check goes on
}

// UndoLast asks whether the last change from here is to be taken back.
type UndoLast struct{}

// Settle asks what is to be done about a change whose outcome is not known.
type Settle struct{ Record *journal.Record }

// Undo asks whether a change is to be taken back.
type Undo struct{ Record *journal.Record }

// Changed says that a change was made: the journal is read again.
type Changed struct{}
