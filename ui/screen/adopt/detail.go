package adopt

import (
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// words says what each phase does.
var words = map[adopt.Phase]string{
	adopt.PhaseSurvey:   "Reads the table, and lists what prevents the rule. It writes nothing.",
	adopt.PhaseWriters:  "Shows the transactions for your application, then verifies that new accounts have their lock.",
	adopt.PhaseBackfill: "Puts each missing lock, if the account still holds the value.",
	adopt.PhaseVerify:   "Checks the rule. It holds only then.",
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
	case phase == adopt.PhaseBackfill:
		s.drawBackfill(d, col)
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
		s.drawWriters(d, col)
		d.LongFact(col, "risk", "until Verify has passed, a new account may take the value of an old one")
	}
}

// drawWriters draws the result of verifying the writers, or how to verify them.
func (s *Screen) drawWriters(d *kit.Block, col int) {
	w := s.state.Writers
	if w == nil {
		d.LongFact(col, "then", "When all writers use these transactions, "+s.Keys.Key(keymap.VerifyWriters)+" verifies the writers.")
		return
	}
	d.LongFact(col, "since", phrase.UTC(w.Since)+", by "+w.By)
	d.LongFact(col, "judged", phrase.Count(w.Made, "new account")+", "+phrase.Number(w.Changed)+" changed, "+
		phrase.Number(w.Without)+" without their lock")
	if w.Without == 0 && s.state.OldWriter() {
		d.LongFact(col, "since then", "A newer account has no lock: an old writer is still in use. Change the writer, then "+
			s.Keys.Key(keymap.VerifyWriters)+" verifies the writers again.")
	}
	if names := say.Operations(w.NotVerified); names != "" && w.Confirmed {
		d.LongFact(col, "confirmed", names)
	} else if names != "" {
		d.LongFact(col, "open", "the writers for "+names+" are neither verified nor confirmed")
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
	for _, line := range say.SurveyRepairs(sum) {
		d.LongFact(col, "to do", line)
	}
	if sum.Problems() == 0 {
		d.LongFact(col, "problems", "none")
	}
	for _, line := range say.SurveyFigures(s.rule, sum, s.writeRate()) {
		d.LongFact(col, "backfill", line)
	}
}

// writeRate returns the rate of a backfill, in write units a second.
func (s *Screen) writeRate() float64 {
	if c := s.Connection().Changer; c != nil {
		return c.Writes.Rate
	}
	return change.DefaultWriteUnits
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

// drawFound lists the problems that the selected phase found here.
func (s *Screen) drawFound(d *kit.Block, col int) {
	var all []problem
	switch s.phase() {
	case adopt.PhaseSurvey:
		all = s.problems
	case adopt.PhaseVerify:
		all = s.unproven
	case adopt.PhaseBackfill:
		for _, f := range s.left {
			all = append(all, problem{f.Value, say.BackfillFinding(f)})
		}
	}
	if len(all) == 0 {
		return
	}
	d.Head(col, "PROBLEMS")
	for _, p := range all[:min(len(all), max(d.Height/3, 1))] {
		d.Row(func(l *kit.Line) {
			l.To(col)
			l.Fit(kit.Strong, phrase.Quote(p.value), l.Width/2)
			l.Put(kit.Text, "  ")
			l.Fit(kit.Muted, p.why, l.Width-l.At-1)
		})
	}
	d.Gap()
}

// drawBackfill draws the result of the last backfill here. If there is none, it draws the figures of the survey.
func (s *Screen) drawBackfill(d *kit.Block, col int) {
	if why := s.whyNot(adopt.PhaseBackfill); why != "" && s.work == nil {
		d.LongFact(col, "blocked", say.Sentence(why))
	}
	r := s.filled
	if r == nil {
		if sum := s.state.Survey; sum.Complete() {
			for _, line := range say.SurveyFigures(s.rule, sum, s.writeRate()) {
				d.LongFact(col, "survey", line)
			}
		}
		if s.state.Unfinished() != nil {
			d.LongFact(col, "stopped", s.Keys.Key(keymap.Open)+" continues the run that was stopped.")
		}
		return
	}
	d.LongFact(col, "put", phrase.Count(r.Put, "lock")+", "+phrase.Number(r.Had)+" existed already")
	for _, kind := range say.BackfillKinds() {
		if n := r.Found[kind]; n > 0 {
			d.LongFact(col, "problem", say.BackfillFound(kind, n))
		}
	}
	for _, line := range say.BackfillRepairs(*r) {
		d.LongFact(col, "to do", line)
	}
	if r.Unknown > 0 {
		d.LongFact(col, "unknown", phrase.Count(r.Unknown, "transaction")+" got no answer. "+s.Keys.Key(keymap.Open)+" asks for the outcome.")
	}
	d.LongFact(col, "receipt", r.Receipt)
	d.LongFact(col, "used", say.WriteUnits(r.WriteUnits)+", "+say.ReadUnits(r.ReadUnits))
}
