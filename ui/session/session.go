// Package session is what all screens share: the connections and the open table, the keys,
// styles and clock, what runs, what was marked, and why something cannot be written here.
// It draws nothing but a message, and knows no screen. Start reading at Session.
package session

import (
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/task"
)

// Session is what all screens share: the connections, the open table, the keys and styles,
// the window and the clock, what runs, and what is known about writing here.
type Session struct {
	Options Options
	// Program acts on a message of package message.
	Program func(message any) tea.Cmd
	Keys    *keymap.Map
	Styles  *kit.Styles
	Colours kit.Colours
	Size    kit.Size
	Now     func() time.Time
	Tasks   *task.Tasks

	Connections []Connection
	On          int           // which of them is looked at
	Table       *dynamo.Table // the open one; nil while there is none
	Tab         Tab           // the one that is looked at, or lies beneath
	Wanted      string        // the name of the table that was asked for last
	Covered     bool          // a dialog stands over the screen
	Shown       time.Time     // when it began to ask what it asks: a key pressed before does not answer it

	Marks      Marks
	Last       LastChange
	counted    counted
	LastReason string      // that was typed for a change
	Asked      kit.History // the values that were looked for; kept for as long as the program runs
	Denied     map[Denial]bool
	Offline    *outage // nil while the endpoint answers
	Status     status
	// Unseen are receipts that nobody was shown yet.
	Unseen atomic.Pointer[[]change.Receipt]
}

// Connection is the one that is looked at.
func (s *Session) Connection() Connection { return s.Connections[s.On] }

// ListWidth is the width of the list of the screen.
func (s *Session) ListWidth() int {
	if s.Size.Wide() {
		return s.Size.Width - s.Size.BesideWidth() - 1
	}
	return s.Size.Width
}

// Restyle makes the styles anew, for a dark or a light background.
func (s *Session) Restyle(dark bool) {
	d := s.Colours
	if s.Options.NoColour {
		d = kit.NoColour
	}
	s.Styles = kit.NewStyles(kit.Look{Dark: dark, Colours: d, ASCII: s.Options.ASCII, Theme: s.Options.Look})
}

// Block begins a block on a ground; a quiet one shows what is old.
func (s *Session) Block(width, height int, g kit.Ground, quiet bool) *kit.Block {
	d := kit.NewBlock(s.Styles, width, height)
	d.Ground, d.Quiet = g, quiet
	return d
}

// Send hands a message to the program, which acts on it at once.
func (s *Session) Send(message any) tea.Cmd { return s.Program(message) }
