package change

import (
	"strings"

	"tallylock/dynamo/change"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// work is a change that is being applied.
type work struct {
	*session.Session
	proposal
	progress  change.Progress
	steps     []change.Stage // stages seen, in order
	stopping  bool
	stoppedAt change.Stage // the stage that was interrupted
}

// update receives progress.
func (w *work) update(p change.Progress) {
	if n := len(w.steps); n == 0 || w.steps[n-1] != p.Stage {
		if n > 0 && w.stopping && p.Stage == change.StageUnmark {
			w.stoppedAt = w.steps[n-1]
		}
		w.steps = append(w.steps, p.Stage)
	}
	w.progress = p
}

// draw draws the stages done, the current one, and how to stop.
func (w *work) draw() *kit.Box {
	b := kit.NewBox(w.Styles, w.Size.Width, kit.Accent, kit.Heading.Of(doing(w.plan.Title)))
	b.Gap()
	b.Para(kit.Must, kit.Strong, w.plan.Sentence)
	b.Gap()
	for n, s := range w.steps {
		last := n == len(w.steps)-1
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			k := kit.Muted
			if last {
				k = kit.Text
			}
			l.Put(k, dialog.StageWord(s))
			l.To(12)
			switch {
			case last:
				dialog.WriteProgress(w.Session, l, w.progress)
			case w.steps[n+1] == change.StageAskAgain:
				l.Put(kit.Warn, "no answer yet")
			case s == w.stoppedAt:
				l.Put(kit.Muted, "stopped")
			default:
				l.Put(kit.Good, kit.GlyphYes)
			}
		})
	}
	if len(w.steps) == 0 {
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(12)
			w.Working(l, task.Changing, 24)
		})
	}
	b.Gap()
	text := "Stop"
	if w.stopping {
		text = "Stopping"
	}
	b.Buttons([]string{text}, 0, nil)
	if len(w.plan.Steps) > 1 {
		text := "Stopping removes the marker. The lock is not deleted."
		switch {
		case len(w.batch.Plans) > 1 && marksFirst(w.batch.Plans) < len(w.batch.Plans):
			text = "What is done stays done."
		case len(w.batch.Plans) > 1:
			text = "Stopping removes all markers. No lock is deleted."
		}
		b.Para(kit.Must, kit.Muted, text)
	}
	b.Gap()
	b.Hints(w.Hint(keymap.Leave, "stop"))
	return b
}

// doing turns a title into the present participle: "Release a lock" becomes "Releasing a
// lock".
func doing(title string) string {
	first, rest, _ := strings.Cut(title, " ")
	switch first {
	case "Release", "Reserve", "Raise", "Create", "Give", "Replace", "Change", "Delete", "Take":
		first = strings.TrimSuffix(first, "e") + "ing"
	case "Bump", "Lower", "Mend", "Undo", "Convert", "Turn":
		first += "ing"
	case "Put":
		first += "ting"
	}
	return first + " " + rest
}
