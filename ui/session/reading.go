package session

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// ReadMore asks whether a session that has reached its limit of read units may read on.
type ReadMore struct {
	Over  []Connection // those at their limit, or soon to be
	Units float64      // what Then reads, about; 0: unknown
	Then  func() tea.Cmd
}

// Reading does what a person asks for, which reads about so many units; 0: unknown. If that passes
// the limit of the session on one of the connections, a question comes first. Without connections
// it is about the open one.
func (s *Session) Reading(units float64, then func() tea.Cmd, on ...Connection) tea.Cmd {
	if len(on) == 0 {
		on = []Connection{s.Connection()}
	}
	over := slices.DeleteFunc(slices.Clone(on), func(c Connection) bool {
		return c.Connection == nil || !c.SessionSpent() && units <= c.SessionLeft()
	})
	if len(over) == 0 {
		return then()
	}
	return s.Send(ReadMore{over, units, then})
}
