package adopt

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
)

// work is a running phase with its progress.
type work struct {
	phase adopt.Phase
	undo  bool // whether this is the undo of a backfill
	// state is the progress of a survey or of the check that verifies the rule. made is the progress of a backfill or its
	// undo, and begun is the time when its stage began. read is the progress of the reading that verifies the writers.
	state progress.State
	made  change.Progress
	begun time.Time
	read  *scan.Progress
}

// begin begins a phase.
func (s *Screen) begin(phase adopt.Phase) *work {
	s.work, s.warned = &work{phase: phase, begun: s.Now()}, false
	return s.work
}

// name is the name of the work in a sentence.
func (w *work) name() string {
	if w.undo {
		return "undo of the backfill"
	}
	return string(w.phase)
}

// title describes the work in the list of phases.
func (w *work) title() string {
	if w.undo {
		return "undoing"
	}
	return "running"
}

// report receives the progress of a backfill.
func (w *work) report(p change.Progress, now time.Time) {
	if w.made.Stage != p.Stage {
		w.begun = now
	}
	w.made = p
}

// share returns the finished part of the work, from 0 to 1.
func (w *work) share(t *dynamo.Table) float64 {
	of := func(done, all int64) float64 {
		if all <= 0 {
			return 0
		}
		return min(float64(done)/float64(all), 1)
	}
	switch {
	case w.read != nil:
		return of(w.read.Totals().Items, t.Description.Items)
	case w.made.AllLocks > 0:
		return of(int64(w.made.Locks), int64(w.made.AllLocks))
	case w.made.Stage != "":
		return of(w.made.Done, w.made.Total)
	}
	return w.state.Share
}

// drawProgress draws the running phase above the list.
func (s *Screen) drawProgress(d *kit.Block) {
	w := s.work
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		l.Bar(min(w.share(s.table), 0.99), l.Width-2)
	})
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		switch {
		case w.read != nil:
			l.Put(kit.Text, "Reading the accounts: "+phrase.Count(w.read.Totals().Items, "item"))
			return
		case w.made.Stage != "":
			l.Words(kit.Text, say.BackfillDoing(w.made, s.Now().Sub(w.begun)), l.Width-l.At-1)
			return
		}
		doing, about := say.CheckStage(w.state)
		l.Put(kit.Text, doing+about)
		if w.state.Expected > 0 {
			l.Put(kit.Muted, "  "+phrase.Number(w.state.Items)+" of about "+phrase.Number(w.state.Expected))
		}
		if w.state.Left > time.Second {
			l.Put(kit.Muted, "  about "+say.Roughly(w.state.Left)+" left")
		}
	})
	d.Gap()
}

// ended ends the running phase. now is the state after it; nil if there is no new state. If the phase failed or
// stopped, ended shows the reason. Otherwise it shows said.
func (s *Screen) ended(now *adopt.State, err error, said string) tea.Cmd {
	again, does := keymap.Open, " starts the phase again."
	switch w := s.work; {
	case w == nil:
	case w.read != nil:
		again = keymap.VerifyWriters
	case w.undo:
		again, does = keymap.UndoBackfill, " continues the undo."
	case w.phase == adopt.PhaseBackfill:
		does = " continues the backfill."
	}
	s.work = nil
	if now != nil {
		s.state = now
	}
	changed := s.Send(message.Changed{}) // the journal may have a new receipt
	switch {
	case client.KindOf(err) == client.Cancelled:
		return tea.Batch(changed, s.Say("Stopped. "+s.Keys.Key(again)+does))
	case err != nil:
		return tea.Batch(changed, s.failed(err))
	case said != "":
		return tea.Batch(changed, s.Tell(said))
	}
	return changed
}

// failed says why a phase failed.
func (s *Screen) failed(err error) tea.Cmd {
	if why := s.refusal(err); why != "" {
		return s.Complain(why)
	}
	return s.Fail(err)
}
