// Package session is what all screens share, each a type of its own: where one is, the
// window, what runs, messages, outages, changes made from here, and why something cannot be
// written. It draws nothing but a message, and knows no screen. Start reading at Session.
package session

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/ui/kit"
	"tallylock/ui/task"
)

// Session is what all screens share. What needs only a part of it asks for that part.
type Session struct {
	Options Options
	// Program acts on a message of package message.
	Program func(message any) tea.Cmd

	Place
	Window
	Work
	Messages
	Outages
	Changes

	Denied map[Denial]bool // permissions that turned out to be missing
	Marks  Marks
	Asked  kit.History // the values that were looked for; kept for as long as the program runs
}

// New begins a session. The context bounds all that runs in it; program acts on what screens
// and dialogs ask for.
func New(ctx context.Context, o Options, program func(message any) tea.Cmd) *Session {
	o = o.Filled()
	s := &Session{Options: o, Program: program, Denied: map[Denial]bool{}}
	s.Connections = slices.Clone(o.Connections)
	for n, c := range s.Connections {
		if c.Dial != nil {
			s.Connections[n].Dial = dialOnce(c.Dial)
		}
	}
	s.Keys = o.Keys
	s.Now = time.Now
	s.Tasks = task.New(ctx, func() time.Time { return s.Now() })
	s.Messages.work, s.Outages.work = &s.Work, &s.Work
	s.Restyle(o.Theme != Light)
	return s
}

// Restyle makes the styles anew, for a dark or a light background.
func (s *Session) Restyle(dark bool) {
	d := s.Colours
	if s.Options.NoColour {
		d = kit.NoColour
	}
	s.Styles = kit.NewStyles(kit.Look{Dark: dark, Colours: d, ASCII: s.Options.ASCII, Theme: s.Options.Look})
}

// Send hands a message to the program, which acts on it at once.
func (s *Session) Send(message any) tea.Cmd { return s.Program(message) }
