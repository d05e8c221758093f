// Package message is what screens and dialogs ask of the program, where they cannot do it
// themselves: to show another screen, to ask for a change. A screen sends a message through
// its session, and the program acts on it at once, before the next key.
package message

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
	"tallylock/ui/dialog"
	"tallylock/ui/record"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Push shows a screen on top of what is looked at.
type Push struct{ Screen screen.Screen }

// Leave closes the screen on top.
type Leave struct{}

// Ask shows a dialog.
type Ask struct{ Dialog dialog.Dialog }

// Close closes the dialog.
type Close struct{}

// Refresh reads again what is looked at, after it was changed.
type Refresh struct{}

// Told says that a person has said something of a layout: the other open layouts of its table
// go by it, too. Then is given the error.
type Told struct{ Then func(error) tea.Cmd }

// Save asks for the file that something is saved to. It is given what there is to save at the
// moment that it is saved, since more may come while the file is typed.
type Save struct {
	Title string
	File  string        // the name that is proposed
	Says  func() string // what would be saved now
	Now   func() Saved
	Under dialog.Dialog // the dialog to go back to afterwards; nil for none
}

// Saved is something to be saved, with how it is called afterwards: "12 findings".
type Saved struct {
	What string
	To   func(ctx context.Context, path string, replace bool) error
}

// OpenTable opens a table of a connection, by the connection's number. Opened is the table
// where it is open already.
type OpenTable struct {
	On     int
	Name   string
	Opened *dynamo.Table
}

// GoToConnection opens a table of another connection, by that connection's number, and stays on
// the screen that is looked at; esc goes back from there.
type GoToConnection struct {
	On    int
	Table *dynamo.Table
}

// ReadBy has the open table be read by another layout: Table is the table with that.
type ReadBy struct{ Table *dynamo.Table }

// Accept asks a person to accept a constraint or a counter that is only guessed. Then goes on by the
// table as it is read afterwards.
type Accept struct {
	Of   *dynamo.Unaccepted
	Then func(*dynamo.Table) tea.Cmd
}

// Accepted says that a person has accepted a constraint or a counter of a table: Table is that
// table as it is read from then on.
type Accepted struct{ Table, Was *dynamo.Table }

// SeeLayout shows the layout of the open table.
type SeeLayout struct{}

// OpenItem shows an item of a table, or of one of its lock tables: Owner is the table that
// it is opened through, and Counter the counter that it was opened as, or nil.
type OpenItem struct {
	Owner   *dynamo.Table
	Table   string
	Key     attr.Key
	Counter *counter.Counter
}

// Release asks for the release of a lock; of all marked ones where Relation is nil.
type Release struct {
	Table    *dynamo.Table
	Relation *verdict.Relation
}

// Mend asks for what mends a relation, or for what a person has to say before it is known.
type Mend struct {
	Table    *dynamo.Table
	Relation *verdict.Relation
}

// ChangeValue asks for another value of an account, with its lock: of several values it asks
// which.
type ChangeValue struct {
	Table  *dynamo.Table
	Values []*verdict.Relation
}

// DeleteAccount asks to delete the account of a relation, with all its locks.
type DeleteAccount struct {
	Table    *dynamo.Table
	Relation *verdict.Relation
}

// Bump asks for a change of a counter: to bump it, to reserve numbers, to raise or lower it.
// Moving: others move it at this moment.
type Bump struct {
	Counter counter.Counter
	Moving  bool
}

// MendCounter asks for what mends a counter.
type MendCounter struct {
	Counter counter.Counter
	Moving  bool
}

// MendFindings asks for what mends findings of a table. After is told what became of each, by
// its number among them.
type MendFindings struct {
	Table    *dynamo.Table
	Findings []finding.Finding
	After    func(n int, r change.Receipt)
}

// Watch has a released value watched, until somebody takes it again.
type Watch struct {
	Table    *dynamo.Table
	Relation *verdict.Relation
}

// Answer asks a person what a table does not tell of its layout.
type Answer struct{ Question *answers.Question }

// NowhereElse asks a person whether nothing outside the layout holds the values of a constraint.
type NowhereElse struct {
	Table      *dynamo.Table
	Constraint *layout.Constraint
}

// UndoLast asks whether the last change from here is to be taken back.
type UndoLast struct{}

// Resolve asks what is to be done about a change whose outcome is not known.
type Resolve struct{ Record *journal.Record }

// Undo asks whether a change is to be taken back.
type Undo struct{ Record *journal.Record }

// Changed says that changes were made, or tried: the journal is read again.
type Changed struct{ Made []change.Receipt }

// ReadAhead has what is looked at read on, where its cursor, or what was read, asks for it.
type ReadAhead struct{}

// ReadAgain goes on with all that reads by itself, once the session may read more.
type ReadAgain struct{}

// OpenAgain goes on with opening the table that was asked for, or begins again.
type OpenAgain struct{}

// Judged says that the layout of the table that is being opened was judged: the table is open.
type Judged struct{ Table *dynamo.Table }

// NotOpened says why the table that was asked for was not opened.
type NotOpened struct{ Err error }

// ShowLock shows the lock of a relation among the locks.
type ShowLock struct{ Relation *verdict.Relation }

// ShowAccount shows the account of a relation among the accounts.
type ShowAccount struct{ Relation *verdict.Relation }

// Listed is what a list holds now, to be saved.
type Listed struct {
	What string // "12 findings"
	Of   string // of what, and how far that is all: " of accounts, as far as it is read"
	Tail string // another sentence; empty: none
	List func() record.List
}

// SaveList asks for the file that a list is saved to, in the format that the file's name
// stands for.
func SaveList(title, file string, now func() Listed) Save {
	return Save{
		Title: title, File: file,
		Says: func() string {
			l := now()
			said := "Saves " + l.What + l.Of + ", " + record.Formats + "."
			if l.Tail != "" {
				said += " " + l.Tail
			}
			return said
		},
		Now: func() Saved {
			l := now()
			list := l.List()
			return Saved{What: l.What, To: func(ctx context.Context, path string, replace bool) error {
				data, err := list.Encode(ctx, path)
				if err != nil {
					return err
				}
				return session.WriteFile(path, data, replace)
			}}
		},
	}
}
