package screen

import (
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Cover is a completeness line that shows life while one of these tasks is under way.
func Cover(s *session.Session, tasks ...task.Kind) *kit.Coverage {
	c := &kit.Coverage{Part: 1, Working: -1}
	for _, k := range tasks {
		if since, busy := s.Tasks.Since(k); busy {
			c.Working = s.Phase(since)
		}
	}
	return c
}

// Slow says of a task that takes long which endpoint it waits for, and how to leave it:
// one that takes requests and never answers is given up only after a while.
func Slow(s *session.Session, d *kit.Block, e task.Kind) {
	since, busy := s.Tasks.Since(e)
	took := s.Now().Sub(since)
	if !busy || !words.Long(took) {
		return
	}
	d.Row(func(l *kit.Line) {
		l.Put(kit.Warn, " "+words.Roughly(took)+" so far: ")
		l.Fit(kit.Text, s.Connection().Where(), max(l.Width-l.At-kit.Width(words.Silent)-20, 8))
		l.Put(kit.Warn, " "+words.Silent+". ")
		l.Put(kit.Key, s.Keys.Key(keymap.Back))
		l.Put(kit.Muted, " leaves.")
	})
}
