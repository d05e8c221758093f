// Package message holds the messages that screens and dialogs send to the program, for actions that
// they cannot do themselves, such as showing another screen or asking a question. A session delivers a message,
// and the program handles it at once, before the next key.
package message

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/dialog"
)

// Leave closes the screen on top.
type Leave struct{}

// Ask shows a dialog.
type Ask struct{ Dialog dialog.Dialog }

// Close closes the dialog.
type Close struct{}

// Refresh reads the current screen again, after a change.
type Refresh struct{}

// LayoutAnswered says that a person has answered a question about a layout. The program makes the other open
// layouts of that table use the answer, and calls Then with the error.
type LayoutAnswered struct{ Then func(error) tea.Cmd }

// Pointed says that a person has pointed at an item as an example.
type Pointed struct{}

// Place opens a table of a connection; esc goes back. On is the connection's index. The table is given by Name, or as
// Table if it is open already.
type Place struct {
	On    int
	Name  string
	Table *dynamo.Table
	// SameTab keeps the current tab. It needs Table.
	SameTab bool
	// Tab is the action of the tab to show. It needs Table. Empty means the first tab of the table.
	Tab keymap.Action
}

// UseLayout replaces the open table with Table, which has another layout.
type UseLayout struct{ Table *dynamo.Table }

// Accepted says that a person has accepted a constraint or a counter. Table uses the accepted
// layout; Was is the table before.
type Accepted struct{ Table, Was *dynamo.Table }

// Started says that the program has just started.
type Started struct{}

// Opened says that a table was opened: it is the session's table now.
type Opened struct{}

// Connected says that another connection is about to be shown.
type Connected struct{}

// Watch watches a released value until somebody takes it again.
type Watch struct {
	Table    *dynamo.Table
	Relation *verdict.Relation
}

// Queued says that a plan was put into the queue, or was decided.
type Queued struct{}

// Changed says that changes were made or tried, so the journal must be read again.
type Changed struct{ Made []change.Receipt }
