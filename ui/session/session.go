// Package session holds the state that all screens share, in parts with a type each: connections
// and tabs, the window, tasks, messages, outages and recent changes. It also says why something
// cannot be written. It knows no screen. Start reading at Session.
package session

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/ui/kit"
	"tallylock/ui/task"
)

// Session is the state that all screens share. Code that needs only a part of it takes that part.
type Session struct {
	Options Options
	// Program handles a message of package message, or a target of package screen.
	Program func(message any) tea.Cmd

	Place
	Window
	Work
	Messages
	Outages
	Changes

	Denied   map[Denial]bool // permissions that DynamoDB denied
	Marks    Marks
	Examples Examples
	Asked    kit.History // the values that a person searched for, until the program ends
}

// New begins a session. ctx bounds all its tasks. program handles the messages that screens and
// dialogs send.
func New(ctx context.Context, o Options, program func(message any) tea.Cmd) *Session {
	o = o.Filled()
	s := &Session{Options: o, Program: program, Denied: map[Denial]bool{}}
	s.Connections = slices.Clone(o.Connections)
	for n, c := range s.Connections {
		c.guest, c.Changer = o.Guest, o.Guest.changer(c.Changer)
		if c.Dial != nil {
			c.Dial = dialOnce(c)
		}
		o.Guest.use(c.Connection, c.Changer)
		s.Connections[n] = c
	}
	s.Keys = o.Keys
	s.Now = time.Now
	s.Tasks = task.New(ctx, func() time.Time { return s.Now() })
	if o.Guest != nil {
		s.Tasks.Outlast(task.Changing)
	}
	s.Messages.work, s.Outages.work = &s.Work, &s.Work
	s.Restyle(o.Theme != Light)
	return s
}

// Restyle rebuilds the styles for a dark or a light background.
func (s *Session) Restyle(dark bool) {
	d := s.Colours
	if s.Options.NoColour {
		d = kit.NoColour
	}
	s.Styles = kit.NewStyles(kit.Look{Dark: dark, Colours: d, ASCII: s.Options.ASCII, Theme: s.Options.Look})
}

// Send hands a message to the program, which handles it at once. The message is one of package message, or a target of
// package screen.
func (s *Session) Send(message any) tea.Cmd { return s.Program(message) }
