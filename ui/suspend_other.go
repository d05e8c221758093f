//go:build !unix

package ui

import tea "charm.land/bubbletea/v2"

// resumed says that the program has the terminal back. stopped: a shell had it meanwhile.
type resumed struct{ stopped bool }

// stopProcess says that no shell here stops programs.
func stopProcess() tea.Cmd { return func() tea.Msg { return resumed{} } }
