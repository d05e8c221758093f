package dialog

import (
	"fmt"

	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// WriteProgress draws the progress of a stage.
func WriteProgress(s *session.Session, l *kit.Line, p change.Progress) {
	switch {
	case p.Stage == change.StageEach:
		l.Bar(float64(p.Done)/float64(max(p.Total, 1)), 24)
		l.Put(kit.Muted, fmt.Sprintf("  %s of %s", phrase.Number(int(p.Done)), phrase.Number(int(p.Total))))
		if p.Attempt > 1 {
			l.Put(kit.Warn, fmt.Sprintf(", sent %d times", p.Attempt))
		}
	case p.Stage == change.StageWait && p.Total > 0:
		l.Bar(float64(p.Done)/float64(p.Total), 24)
		l.Put(kit.Muted, fmt.Sprintf("  %.1f of %g s", float64(p.Done)/1000, float64(p.Total)/1000))
	case p.Stage == change.StageLook:
		part := 0.0
		if p.Total > 0 {
			part = min(float64(p.Done)/float64(p.Total), 1)
		}
		l.Bar(part, 24)
		l.Put(kit.Muted, fmt.Sprintf("  %s read, %s RU", phrase.Count(int(p.Done), "item"), words.Units(p.ReadUnits)))
		if p.Throttled > 0 {
			l.Put(kit.Warn, ", throttled")
		}
	case p.AllLocks > 1:
		l.Bar(float64(p.Locks)/float64(p.AllLocks), 24)
		l.Put(kit.Muted, fmt.Sprintf("  %d of %d locks", p.Locks, p.AllLocks))
	default:
		s.Working(l, task.Changing, 24)
		if p.Attempt > 1 {
			l.Put(kit.Warn, fmt.Sprintf("  sent %d times", p.Attempt))
		}
	}
}

// StageWord returns the name of a stage on the screen.
func StageWord(s change.Stage) string {
	if s == change.StageAskAgain {
		return "again"
	}
	return string(s)
}
