package dialog

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Work is a change that a dialog applies, with its progress. It implements Worker; a nil Work is not busy.
type Work struct {
	*session.Session
	progress change.Progress
	stages   []change.Stage // the stages so far, in order
	again    map[int]string // the reason for sending a step again, by the index of its stage among stages
	// Rows is the number of stages that the change usually has: their rows are kept free, so that the dialog does not
	// grow.
	Rows      int
	stopping  bool
	stoppedAt change.Stage // the stage that was interrupted
}

// Busy implements Worker.
func (w *Work) Busy() bool { return w != nil }

// Stopping implements Worker.
func (w *Work) Stopping() bool { return w != nil && w.stopping }

// Apply applies changes in the background, and then calls the function then with the receipts.
func (w *Work) Apply(
	apply func(ctx context.Context, report func(change.Progress)) []change.Receipt, then func([]change.Receipt) tea.Cmd,
) tea.Cmd {
	return task.Stream(
		w.Tasks,
		task.Changing,
		func(ctx context.Context, report func(change.Progress)) ([]change.Receipt, error) {
			made := apply(ctx, report)
			w.Unreported.Store(&made)
			return made, nil
		},
		w.update,
		func(made []change.Receipt, _ error) tea.Cmd {
			w.Unreported.Store(nil)
			w.Shown = w.Now() // ignores a key that was meant for the progress
			return then(made)
		},
	)
}

// update receives the progress of the change.
func (w *Work) update(p change.Progress) {
	if n := len(w.stages); n == 0 || w.stages[n-1] != p.Stage {
		if n > 0 && w.stopping && p.Stage == change.StageUnmark {
			w.stoppedAt = w.stages[n-1]
		}
		w.stages = append(w.stages, p.Stage)
	}
	if n := len(w.stages); n > 1 && p.Stage == change.StageAskAgain {
		if w.again == nil {
			w.again = map[int]string{}
		}
		w.again[n-2] = say.WhyAgain(p)
	}
	w.progress = p
}

// Stop asks the change to stop. The outcome still arrives.
func (w *Work) Stop() {
	w.stopping = true
	w.Tasks.Cancel(task.Changing)
}

// WriteStages draws the finished stages, the current one, and the button that stops.
func (w *Work) WriteStages(b *kit.Box) {
	from := b.Len()
	for n, stage := range w.stages {
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			k, word := kit.Muted, string(stage)
			if n == len(w.stages)-1 {
				k = kit.Text
			}
			if stage == change.StageAskAgain {
				word = "again"
			}
			l.Put(k, word)
			l.To(12)
			switch {
			case n == len(w.stages)-1:
				w.drawProgress(l)
			case w.again[n] != "":
				l.Words(kit.Warn, w.again[n], l.Width-l.At-1)
			case stage == w.stoppedAt:
				l.Put(kit.Muted, "stopped")
			default:
				l.Put(kit.Good, kit.GlyphYes)
			}
		})
	}
	if len(w.stages) == 0 {
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(12)
			w.Working(l, task.Changing, 24)
		})
	}
	for b.Len()-from < w.Rows {
		b.Gap()
	}
	b.Gap()
	text := "Stop"
	if w.stopping {
		text = "Stopping"
	}
	b.Buttons([]string{text}, 0, nil)
}

// drawProgress draws the progress of the current stage.
func (w *Work) drawProgress(l *kit.Line) {
	share, said := say.StageProgress(w.progress)
	if share < 0 {
		w.Working(l, task.Changing, 24)
	} else {
		l.Bar(share, 24)
	}
	for _, s := range said {
		l.Put(s.Style, s.Text)
	}
}
