// Package adopt is the screen of one adoption: its four phases, with their results and the progress of a running phase.
// Each phase starts here, and can be stopped and continued. Start reading at Screen.
package adopt

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/reading"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen shows how far the adoption of one constraint is.
type Screen struct {
	*session.Session
	table      *dynamo.Table
	constraint string
	list       kit.List

	rule   *adopt.Rule
	record *adopt.Record
	state  *adopt.State // nil until it is read
	err    error

	work     *work                    // the running phase; nil if none runs
	warned   bool                     // the person was warned that leaving stops the phase
	problems []problem                // the first problems of the last survey here
	unproven []problem                // the first findings of the last verification here
	left     []change.BackfillFinding // the first values that the last backfill here left out
	filled   *change.BackfillResult   // the last backfill here; nil if there was none
}

// Opener opens the screen for a screen.Adopt.
func Opener(s *session.Session, known *reading.Known) screen.Opener {
	return screen.Opener{Open: func(target any, _ []screen.Screen) (screen.Screen, tea.Cmd) {
		of, ok := target.(screen.Adopt)
		if !ok || s.Table == nil {
			return nil, nil
		}
		on := &Screen{Session: s, table: s.Table, constraint: of.Constraint}
		return on, on.Refresh()
	}}
}

// About implements screen.Screen.
func (s *Screen) About() string { return "an adoption" }

// phase returns the selected phase.
func (s *Screen) phase() adopt.Phase {
	all := adopt.Phases()
	return all[min(max(s.list.Cursor, 0), len(all)-1)]
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	c := screen.Content{List: &s.list, Rows: rows{s}, Hints: s.Commands().Hints(s.Session)}
	c.Top = screen.Path(s.Session, s.table.Name, "adopt "+s.constraint, s.next())
	c.Cover = screen.Cover(s.Session, task.Fetching, task.Adopting)
	switch {
	case s.err != nil:
		c.EmptyState = func(d *kit.Block) { s.refused(d) }
		c.Rows = kit.TextList{}
		return c
	case s.state == nil:
		c.Rows = kit.TextList{}
		c.EmptyState = func(d *kit.Block) { screen.Reading(s.Session, d, "the record of the adoption", task.Fetching) }
		return c
	}
	c.Heads = func(l *kit.Line) {
		kit.Heads(l, kit.Cell{Column: 2, Text: "PHASE"}, kit.Cell{Column: stateColumn, Text: "STATE"})
	}
	if s.work != nil {
		c.Intro = s.drawProgress
	}
	c.Cover.Left = []kit.Span{kit.Muted.Of(phrase.Count(done(s.state), "phase") + " of 4 satisfied")}
	c.Depth = 9
	c.DetailBelow = func(d *kit.Block) { s.detail(d, 3) }
	c.DetailSide = func(d *kit.Block) {
		s.detail(d, 1)
		d.Gap()
		s.drawFound(d, 1)
		s.Commands().YouCan(s.Session, d, 1)
	}
	return c
}

// next names the next phase for the heading.
func (s *Screen) next() string {
	if s.state == nil {
		return ""
	}
	if phase := s.state.Step(); phase != "" {
		return "next: " + string(phase)
	}
	return "the rule holds"
}

// done counts the satisfied phases.
func done(s *adopt.State) int {
	if n := slices.Index(adopt.Phases(), s.Next()); n >= 0 {
		return n
	}
	return len(adopt.Phases())
}

// refused draws, in place of the phases, why the constraint cannot be adopted.
func (s *Screen) refused(d *kit.Block) {
	refusal, ok := errors.AsType[*adopt.Refusal](s.err)
	if !ok {
		screen.Failed(s.Session, d, s.err)
		return
	}
	why, do := say.AdoptRefusal(refusal, s.command)
	d.Gap()
	d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "refused"}, say.Sentence(why))
	d.Gap()
	d.LongFact(3, "do", say.Sentence(do))
}

// command writes a shell command of this adoption.
func (s *Screen) command(flags ...string) string {
	return say.TableCommand(s.table, append([]string{"adopt", s.constraint}, flags...))
}

// rows are the phases.
type rows struct{ *Screen }

// stateColumn is the column in which the state of a phase begins.
const stateColumn = 16

// Len implements kit.Source.
func (r rows) Len() int { return len(adopt.Phases()) }

// Row implements kit.Source.
func (r rows) Row(n int) (first, last int, ok bool) { return n, n, true }

// Draw implements kit.Source.
func (r rows) Draw(l *kit.Line, n int, _ bool) {
	phase := adopt.Phases()[n]
	sign := r.sign(phase)
	l.Put(sign.Style, sign.Glyph+" ")
	l.Put(kit.Strong, string(phase))
	l.To(stateColumn)
	if r.work != nil && r.work.phase == phase {
		l.Put(kit.Text, r.work.title()+", "+say.Percent(min(r.work.share(r.table), 0.99)))
		return
	}
	l.Fit(kit.Text, say.AdoptPhase(r.state, phase, r.Now()), r.ListWidth()-l.At-1)
}

// sign returns the sign of a phase: satisfied, next, or not yet.
func (r rows) sign(phase adopt.Phase) kit.Sign {
	at, next := slices.Index(adopt.Phases(), phase), done(r.state)
	switch {
	case at < next && phase == adopt.PhaseSurvey && r.state.Survey.Problems() > 0:
		return kit.Sign{Glyph: "!", Style: kit.Warn}
	case at < next:
		return kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good}
	case at == next:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn}
	}
	return kit.Sign{Glyph: kit.GlyphAbsent, Style: kit.Faint}
}

// Leaving implements screen.Unsaved: leaving the screen stops a backfill, so the first attempt only warns.
func (s *Screen) Leaving(bool, keymap.Action) tea.Cmd {
	if s.work == nil || s.work.phase != adopt.PhaseBackfill || s.warned {
		return nil
	}
	s.warned = true
	return s.Tell("The " + s.work.name() + " is running. Leaving this screen stops it: press the key again to leave.")
}

// Left implements screen.Unsaved.
func (s *Screen) Left() tea.Cmd { return nil }
