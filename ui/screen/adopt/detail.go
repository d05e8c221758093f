package adopt

import (
	"time"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// words says what each phase does.
var words = map[adopt.Phase]string{
	adopt.PhaseSurvey:   "Reads the table, and lists what prevents the rule. It writes nothing.",
	adopt.PhaseWriters:  "Prints the transactions for your application, then verifies that new accounts have their lock.",
	adopt.PhaseBackfill: "Puts each missing lock, if the account still holds the value.",
	adopt.PhaseVerify:   "Checks the rule. Only then it holds.",
}

// detail draws the selected phase.
func (s *Screen) detail(d *kit.Block, col int) {
	phase := s.phase()
	d.Para(col, kit.Strong, words[phase])
	switch {
	case phase == adopt.PhaseSurvey && s.state.Survey.Complete():
		s.figures(d, col)
	case phase == adopt.PhaseSurvey || phase == adopt.PhaseVerify:
		s.price(d, col, phase)
	default:
		d.LongFact(col, "command", s.command(flags[phase]...))
	}
	if v := s.state.Verified; phase == adopt.PhaseVerify && v != nil {
		if v.Since != nil {
			d.LongFact(col, "holds", say.RuleHolds(s.rule, v))
			d.LongFact(col, "receipt", v.Receipt)
		} else {
			d.LongFact(col, "result", say.RuleUnproven(s.rule, v))
		}
	}
	if phase == adopt.PhaseWriters {
		d.LongFact(col, "until", "Verify has passed: a new account may take the value of an old one")
	}
}

// figures draws the result of the survey.
func (s *Screen) figures(d *kit.Block, col int) {
	sum := s.state.Survey
	d.LongFact(col, "read", phrase.Count(sum.Accounts, "account")+", "+phrase.Count(sum.Values, "value")+", "+
		phrase.Count(sum.Locks, "lock"))
	for _, kind := range say.AdoptProblems() {
		if n := problemsOf(sum, kind); n > 0 {
			d.LongFact(col, "problem", say.AdoptProblem(kind, n))
		}
	}
	if sum.Problems() == 0 {
		d.LongFact(col, "problems", "none")
	}
	for _, line := range say.SurveyFigures(s.rule, sum, change.DefaultWriteUnits) {
		d.LongFact(col, "backfill", line)
	}
}

func problemsOf(s *adopt.Surveyed, kind adopt.ProblemKind) int64 {
	switch kind {
	case adopt.DuplicateValue:
		return s.Duplicates
	case adopt.ForeignLock:
		return s.ForeignLocks
	}
	return s.Unfit
}

// price draws the estimated price of a phase.
func (s *Screen) price(d *kit.Block, col int, phase adopt.Phase) {
	cost := s.cost(phase)
	if cost.Uncounted {
		d.LongFact(col, "costs", "unknown: the endpoint does not report the size of the table yet")
		return
	}
	d.LongFact(col, "costs", say.CheckCost(cost))
	if cost.Time > 0 {
		d.LongFact(col, "takes", "at most about "+say.Roughly(cost.Time))
	}
}

// drawProblems lists the problems of the last survey here.
func (s *Screen) drawProblems(d *kit.Block, col int) {
	if s.phase() != adopt.PhaseSurvey || len(s.problems) == 0 {
		return
	}
	d.Head(col, "PROBLEMS")
	for _, p := range s.problems[:min(len(s.problems), max(d.Height/3, 1))] {
		d.Row(func(l *kit.Line) {
			l.To(col)
			l.Fit(kit.Strong, phrase.Quote(p.Value), l.Width/2)
			l.Put(kit.Text, "  ")
			l.Fit(kit.Muted, say.ProblemWhy(p), l.Width-l.At-1)
		})
	}
	d.Gap()
}

// drawProgress draws the running phase above the list.
func (s *Screen) drawProgress(d *kit.Block) {
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		l.Bar(min(s.progress.Share, 0.99), l.Width-2)
	})
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		doing, about := say.CheckStage(s.progress)
		l.Put(kit.Text, doing+about)
		if s.progress.Expected > 0 {
			l.Put(kit.Muted, "  "+phrase.Number(s.progress.Items)+" of about "+phrase.Number(s.progress.Expected))
		}
		if s.progress.Left > time.Second {
			l.Put(kit.Muted, "  about "+say.Roughly(s.progress.Left)+" left")
		}
	})
	d.Gap()
}
