package tables

import (
	"slices"
	"time"

	"tallylock/ui/kit"
	"tallylock/ui/task"
)

// lists is how long a list of tables is shown again.
const lists = 5 * time.Minute

// Reopen shows again what was listed a while ago, and reads nothing. It reports whether it can.
func (s *Screen) Reopen(offered func() []Command) bool {
	_, busy := s.Tasks.Since(task.Listing)
	unfinished := slices.ContainsFunc(s.of, func(c catalogue) bool { return !c.done || c.err != nil })
	if s.Now().Sub(s.began) > lists || unfinished && !busy {
		return false
	}
	s.field, s.kept, s.offers, s.again = kit.NewField(""), line{}, offered, true
	s.look()
	s.stay()
	return true
}
