package ui

import (
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// drawWorking shows a change being made: what was done, what is being done, and
// that it can be stopped.
func (d *changeDialog) drawWorking() *kit.Box {
	a := d.app
	b := kit.NewBox(a.Styles, a.Size.Width, kit.Accent, kit.Heading.Of(doing(d.plan.Title)))
	b.Gap()
	b.Para(kit.Must, kit.Strong, d.plan.Sentence)
	b.Gap()
	for n, s := range d.steps {
		last := n == len(d.steps)-1
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			k := kit.Muted
			if last {
				k = kit.Text
			}
			l.Put(k, stageWord(s))
			l.To(12)
			switch {
			case last:
				a.stageProgress(l, d.progress)
			case d.steps[n+1] == change.StageAskAgain:
				l.Put(kit.Warn, "no answer yet")
			default:
				l.Put(kit.Good, kit.GlyphYes)
			}
		})
	}
	if len(d.steps) == 0 {
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(12)
			a.Working(l, task.Changing, 24)
		})
	}
	b.Gap()
	text := "Stop"
	if d.stopping {
		text = "Stopping"
	}
	b.Buttons([]string{text}, 0, nil)
	if len(d.plan.Steps) > 1 {
		text := "stopping takes the mark off again; the lock stays"
		switch {
		case d.batch != nil && marksFirst(d.batch.Plans) < len(d.batch.Plans):
			text = "what was made stays; the rest is left as it is"
		case d.batch != nil:
			text = "stopping takes all marks off again; the locks stay"
		}
		b.Row(kit.Note, func(l *kit.Line) {
			l.To(12)
			l.Put(kit.Muted, text)
		})
	}
	b.Gap()
	b.Hints(kit.Hint{Key: a.Keys.Key(keymap.Leave), Words: "stop"})
	return b
}

func (d *changeDialog) atWork() bool     { return d.stage == working }
func (d *changeDialog) toldToStop() bool { return d.stopping }

// stageProgress draws how far a stage of a change has come.
func (a *app) stageProgress(l *kit.Line, p change.Progress) {
	switch {
	case p.Stage == change.StageEach:
		screen.Bar(l, float64(p.Done)/float64(max(p.Total, 1)), 24)
		l.Put(kit.Muted, fmt.Sprintf("  %s of %s", words.Number(p.Done), words.Number(p.Total)))
		if p.Attempt > 1 {
			l.Put(kit.Warn, fmt.Sprintf(", sent %d times", p.Attempt))
		}
	case p.Stage == change.StageWait && p.Total > 0:
		screen.Bar(l, float64(p.Done)/float64(p.Total), 24)
		l.Put(kit.Muted, fmt.Sprintf("  %.1f of %s", float64(p.Done)/1000, time.Duration(p.Total)*time.Millisecond))
	case p.Stage == change.StageLook:
		part := 0.0
		if p.Total > 0 {
			part = min(float64(p.Done)/float64(p.Total), 1)
		}
		screen.Bar(l, part, 24)
		l.Put(kit.Muted, fmt.Sprintf("  %s read, %s RU", phrase.Count(int(p.Done), "item"), words.Units(p.ReadUnits)))
		if p.Throttled > 0 {
			l.Put(kit.Warn, ", throttled")
		}
	case p.AllLocks > 1:
		screen.Bar(l, float64(p.Locks)/float64(p.AllLocks), 24)
		l.Put(kit.Muted, fmt.Sprintf("  %d of %d locks", p.Locks, p.AllLocks))
	default:
		a.Working(l, task.Changing, 24)
		if p.Attempt > 1 {
			l.Put(kit.Warn, fmt.Sprintf("  sent %d times", p.Attempt))
		}
	}
}

// doing is a title while it is done: "Release a lock" becomes "Releasing a lock".
func doing(title string) string {
	first, rest, _ := strings.Cut(title, " ")
	switch first {
	case "Release", "Reserve", "Raise", "Create", "Give", "Replace", "Change", "Delete", "Take":
		first = strings.TrimSuffix(first, "e") + "ing"
	case "Bump", "Lower", "Mend", "Undo", "Convert":
		first += "ing"
	case "Put":
		first += "ting"
	}
	return first + " " + rest
}

// stageWord is what a stage is called on the screen.
func stageWord(s change.Stage) string {
	if s == change.StageAskAgain {
		return "again"
	}
	return string(s)
}
