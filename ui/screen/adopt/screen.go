// Package adopt is the screen of one adoption: its four phases, with their results and the progress of a running phase.
// It runs the survey and the check that verifies the rule. The commands of the other phases can be copied. Start
// reading at Screen.
package adopt

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/reading"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen shows where the adoption of one constraint is.
type Screen struct {
	*session.Session
	table      *dynamo.Table
	constraint string
	list       kit.List

	rule   *adopt.Rule
	record *adopt.Record
	state  *adopt.State // nil until it is read
	err    error

	running  adopt.Phase // empty if no phase runs
	progress progress.State
	inbox    *inbox
	problems []adopt.Problem // the first problems of the last survey here
	stopped  error           // why the last phase here did not end; nil if it did
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
		c.Rows = nothing{}
		return c
	case s.state == nil:
		c.Rows = nothing{}
		c.EmptyState = func(d *kit.Block) { screen.Reading(s.Session, d, "the record of the adoption", task.Fetching) }
		return c
	}
	c.Heads = func(l *kit.Line) {
		kit.Heads(l, kit.Cell{Column: 2, Text: "PHASE"}, kit.Cell{Column: stateColumn, Text: "STATE"})
	}
	if s.running != "" {
		c.Intro = s.drawProgress
	}
	c.Cover.Left = []kit.Span{kit.Muted.Of(phrase.Count(done(s.state), "phase") + " of 4 satisfied")}
	c.Depth = 7
	c.DetailBelow = func(d *kit.Block) { s.detail(d, 3) }
	c.DetailSide = func(d *kit.Block) {
		s.detail(d, 1)
		d.Gap()
		s.drawProblems(d, 1)
		s.Commands().YouCan(s.Session, d, 1)
	}
	return c
}

// next names the next phase for the heading.
func (s *Screen) next() string {
	if s.state == nil {
		return ""
	}
	if phase := s.state.Next(); phase != "" {
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
	if r.running == phase {
		l.Put(kit.Text, "running, "+say.Percent(min(r.progress.Share, 0.99)))
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

// nothing is an empty list.
type nothing struct{}

// Len implements kit.Source.
func (nothing) Len() int { return 0 }

// Row implements kit.Source.
func (nothing) Row(int) (first, last int, ok bool) { return 0, 0, false }

// Draw implements kit.Source.
func (nothing) Draw(*kit.Line, int, bool) {}

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	phase := s.phase()
	return slices.Concat(screen.Commands{
		{
			Action: keymap.Open, Words: "start " + string(phase), Full: "start the " + string(phase),
			Why: func() string { return s.whyNot(phase) },
			Run: func() tea.Cmd { return s.start(phase) },
		},
		{
			Action: keymap.Stop, Words: "stop", Full: "stop the phase",
			Why: screen.WhyIf(s.running == "", "no phase is running"),
			Run: func() tea.Cmd { s.Tasks.Cancel(task.Adopting); return nil },
		},
	}, screen.Copies(s.Session, screen.Selected{
		None: "a phase has no key",
		Command: func() (string, string) {
			if why := say.NoCommand(s.table.Connection()); why != "" {
				return "", why
			}
			return s.command(flags[phase]...), ""
		},
	}), screen.Commands{
		{Action: keymap.Reload, Words: "read again", Why: screen.WhyIf(s.running != "", "a phase is running"), Run: s.Refresh},
		{Action: keymap.Back, Words: "back"},
	})
}

// flags has the flags of each phase on the command line.
var flags = map[adopt.Phase][]string{
	adopt.PhaseSurvey:   {"--survey"},
	adopt.PhaseWriters:  {"--writers"},
	adopt.PhaseBackfill: {"--backfill", "--write"},
	adopt.PhaseVerify:   {"--verify"},
}

// whyNot returns the reason why a phase cannot start here; empty if it can.
func (s *Screen) whyNot(phase adopt.Phase) string {
	switch {
	case s.WhyViewer() != "":
		return s.WhyViewer()
	case s.state == nil:
		return "the record is not read yet"
	case s.running != "":
		return "the " + string(s.running) + " is running"
	case phase == adopt.PhaseWriters || phase == adopt.PhaseBackfill:
		return "it runs on the command line: " + s.Keys.Key(keymap.CopyLine) + " copies the command"
	}
	if refusal, ok := errors.AsType[*adopt.Refusal](s.state.Allows(phase)); ok {
		why, _ := say.AdoptRefusal(refusal, s.command)
		return why
	}
	return ""
}
