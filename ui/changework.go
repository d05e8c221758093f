package ui

import (
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
)

// drawWorking shows a change being made: what was done, what is being done, and
// that it can be stopped.
func (d *changeDialog) drawWorking() *box {
	a := d.app
	b := newBox(a.st, a.size.w, asAccent, span{asBold, doing(d.plan.Title)})
	b.gap()
	b.para(must, asStrong, d.plan.Sentence)
	b.gap()
	for n, s := range d.steps {
		last := n == len(d.steps)-1
		b.row(must, func(l *line) {
			l.to(2)
			k := asMuted
			if last {
				k = asText
			}
			l.put(k, stageWord(s))
			l.to(12)
			switch {
			case last:
				a.stageProgress(l, d.progress)
			case d.steps[n+1] == change.StageAskAgain:
				l.put(asWarn, "no answer yet")
			default:
				l.put(asGood, glyphYes)
			}
		})
	}
	if len(d.steps) == 0 {
		b.row(must, func(l *line) {
			l.to(12)
			a.working(l, changing, 24)
		})
	}
	b.gap()
	words := "Stop"
	if d.stopping {
		words = "Stopping"
	}
	b.choices([]string{words}, 0, nil)
	if len(d.plan.Steps) > 1 {
		words := "stopping takes the mark off again; the lock stays"
		switch {
		case d.batch != nil && marksFirst(d.batch.Plans) < len(d.batch.Plans):
			words = "what was made stays; the rest is left as it is"
		case d.batch != nil:
			words = "stopping takes all marks off again; the locks stay"
		}
		b.row(note, func(l *line) {
			l.to(12)
			l.put(asMuted, words)
		})
	}
	b.gap()
	b.hints(hint{a.keys.Key(keymap.Leave), "stop"})
	return b
}

func (d *changeDialog) atWork() bool     { return d.stage == working }
func (d *changeDialog) toldToStop() bool { return d.stopping }

// stageProgress draws how far a stage of a change has come.
func (a *app) stageProgress(l *line, p change.Progress) {
	switch {
	case p.Stage == change.StageEach:
		bar(l, float64(p.Done)/float64(max(p.Total, 1)), 24)
		l.put(asMuted, fmt.Sprintf("  %s of %s", group(p.Done), group(p.Total)))
		if p.Attempt > 1 {
			l.put(asWarn, fmt.Sprintf(", sent %d times", p.Attempt))
		}
	case p.Stage == change.StageWait && p.Total > 0:
		bar(l, float64(p.Done)/float64(p.Total), 24)
		l.put(asMuted, fmt.Sprintf("  %.1f of %s", float64(p.Done)/1000, time.Duration(p.Total)*time.Millisecond))
	case p.Stage == change.StageLook:
		part := 0.0
		if p.Total > 0 {
			part = min(float64(p.Done)/float64(p.Total), 1)
		}
		bar(l, part, 24)
		l.put(asMuted, fmt.Sprintf("  %s read, %s RU", phrase.Count(int(p.Done), "item"), units(p.ReadUnits)))
		if p.Throttled > 0 {
			l.put(asWarn, ", throttled")
		}
	case p.AllLocks > 1:
		bar(l, float64(p.Locks)/float64(p.AllLocks), 24)
		l.put(asMuted, fmt.Sprintf("  %d of %d locks", p.Locks, p.AllLocks))
	default:
		a.working(l, changing, 24)
		if p.Attempt > 1 {
			l.put(asWarn, fmt.Sprintf("  sent %d times", p.Attempt))
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
