// Package message is what screens and dialogs ask of the program, where they cannot do it
// themselves: to show another screen, to ask for a change. A screen sends a message through
// its session, and the program acts on it at once, before the next key.
package message

import (
	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
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

// Settle asks what is to be done about a change whose outcome is not known.
type Settle struct{ Record *journal.Record }

// Undo asks whether a change is to be taken back.
type Undo struct{ Record *journal.Record }

// Changed says that a change was made: the journal is read again.
type Changed struct{}
