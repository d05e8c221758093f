//go:build !unix

package ui

import tea "charm.land/bubbletea/v2"

// resumed says that the program has the terminal again. stopped is true if a shell had it in between.
type resumed struct{ stopped bool }

// stopProcess reports that the program was not stopped: on this system, no shell stops programs.
func stopProcess() tea.Cmd { return func() tea.Msg { return resumed{} } }
