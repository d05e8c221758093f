// Package message holds the messages that screens and dialogs send to the program, for actions that
// they cannot do themselves, such as showing another screen or asking a question. A session delivers a message,
// and the program handles it at once, before the next key.
package message

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
	"tallylock/ui/dialog"
	"tallylock/ui/record"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Push shows a screen on top of the current one.
type Push struct{ Screen screen.Screen }

// Leave closes the screen on top.
type Leave struct{}

// Ask shows a dialog.
type Ask struct{ Dialog dialog.Dialog }

// Close closes the dialog.
type Close struct{}

// Refresh reads the current screen again, after a change.
type Refresh struct{}

// Told says that a person has answered a question about a layout. The program makes the other open
// layouts of that table use the answer, and calls Then with the error.
type Told struct{ Then func(error) tea.Cmd }

// Save asks for a file to save something to. Now returns the content only when the file is written,
// since more may be read while a person types the file's name.
type Save struct {
	Title string
	File  string        // the proposed file name
	Says  func() string // a sentence about the content so far
	Now   func() Saved
	Under dialog.Dialog // the dialog to return to; nil for none
}

// Saved is something to save, and its name in the message afterwards: "12 findings".
type Saved struct {
	What string
	To   func(ctx context.Context, path string, replace bool) error
}

// OpenTable opens a table of a connection. On is the connection's index. Opened is the table, if it
// is open already.
type OpenTable struct {
	On     int
	Name   string
	Opened *dynamo.Table
}

// GoToConnection opens a table of another connection, and keeps the current screen; esc goes back.
// On is the connection's index.
type GoToConnection struct {
	On    int
	Table *dynamo.Table
}

// ReadBy replaces the open table with Table, which has another layout.
type ReadBy struct{ Table *dynamo.Table }

// Accept asks a person to accept a guessed constraint or counter. Then continues with the table
// that uses the accepted layout.
type Accept struct {
	Of   *dynamo.Unaccepted
	Then func(*dynamo.Table) tea.Cmd
}

// Accepted says that a person has accepted a constraint or a counter. Table uses the accepted
// layout; Was is the table before.
type Accepted struct{ Table, Was *dynamo.Table }

// Started says that the program has just started.
type Started struct{}

// Opened says that a table was opened: it is the session's table now.
type Opened struct{}

// Connected says that another connection is shown from now on.
type Connected struct{}

// SeeLayout shows the layout of the open table.
type SeeLayout struct{}

// OpenItem shows an item of a table, or of one of its lock tables. Owner is the table whose layout
// leads to the item. Counter is set if the item is opened as a counter.
type OpenItem struct {
	Owner   *dynamo.Table
	Table   string
	Key     attr.Key
	Counter *counter.Counter
}

// Watch watches a released value until somebody takes it again.
type Watch struct {
	Table    *dynamo.Table
	Relation *verdict.Relation
}

// Answer asks a person a question about a layout that the table cannot answer.
type Answer struct{ Question *answers.Question }

// NowhereElse asks a person whether any item outside the layout holds values of a constraint.
type NowhereElse struct {
	Table      *dynamo.Table
	Constraint *layout.Constraint
}

// Changed says that changes were made or tried, so the journal must be read again.
type Changed struct{ Made []change.Receipt }

// ReadAhead lets the current screen read on, if its cursor or its rows require it.
type ReadAhead struct{}

// ReadAgain continues all automatic reads after the session may read more.
type ReadAgain struct{}

// OpenAgain continues to open the requested table, or starts again.
type OpenAgain struct{}

// Judged says that the layout of the table being opened was judged, so the table is now open.
type Judged struct{ Table *dynamo.Table }

// NotOpened says why the requested table could not be opened.
type NotOpened struct{ Err error }

// ShowLock shows the lock of a relation in the list of locks.
type ShowLock struct{ Relation *verdict.Relation }

// ShowAccount shows the account of a relation in the list of accounts.
type ShowAccount struct{ Relation *verdict.Relation }

// Listed is the current content of a list, to be saved.
type Listed struct {
	What string // "12 findings"
	Of   string // which table, and how much of it: " of accounts, as far as it is read"
	Tail string // another sentence; empty: none
	List func() record.List
}

// SaveList asks for a file to save a list to. The file name's extension decides the format.
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
