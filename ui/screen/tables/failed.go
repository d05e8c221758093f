package tables

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// again is the key that asks once more for tables that could not be listed: somebody may
// have logged in since. What else reads again may be a letter, which is typed here.
const again = "ctrl+r"

// failed reports whether the tables of a connection could not be listed.
func (s *Screen) failed() bool {
	for _, c := range s.of {
		if c.err != nil {
			return true
		}
	}
	return false
}

// again lists the tables of all connections once more.
func (s *Screen) again() tea.Cmd {
	if !s.failed() {
		return nil
	}
	s.of = make([]catalogue, len(s.Connections))
	return s.Look()
}

// unselected says what finds out more, where there is no table to say anything of.
func (s *Screen) unselected(d *kit.Block) {
	if _, ok := s.selected(); !ok && s.failed() {
		d.Para(1, kit.Muted, "Run tallylock doctor in a shell: it says what works here and what does not.")
	}
}

// instead says what to do about a connection that shows no tables; empty where nothing has
// to be done.
func (s *Screen) instead(conn int) string {
	c := s.of[conn]
	switch {
	case c.err != nil:
		_, _, _, do := words.Explain(c.err)
		return words.Sentence(do)
	case c.names != nil && len(c.names) == 0:
		return "Is the Region right? Start with another --region or --profile."
	}
	return ""
}
