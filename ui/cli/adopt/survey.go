package adopt

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Survey is the output of a survey.
type Survey struct {
	Problems []adopt.Problem `json:"problems"`
	SurveyEnd
}

// SurveyEnd is the last line of jsonl.
type SurveyEnd struct {
	Constraint string          `json:"constraint"`
	Table      string          `json:"table"`
	TableID    string          `json:"table_id,omitempty"`
	Survey     *adopt.Surveyed `json:"survey"`
	// Next is the command of the next phase.
	Next string `json:"next"`
}

// mostShown limits the problems of each kind that the text lists.
const mostShown = 20

// surveying is the output of one survey.
type surveying struct {
	*adopting
	list  app.List
	shown map[adopt.ProblemKind][]adopt.Problem
	count map[adopt.ProblemKind]int64
}

// runSurvey reads the tables, and records the result.
func (a *adopting) runSurvey(ctx context.Context) error {
	o, err := a.options(ctx)
	if err != nil {
		return err
	}
	cost := adopt.EstimateSurvey(a.rule, o)
	if err := a.confirmCost(ctx, say.BeforeSurvey(a.rule, cost, o.Export != nil), cost); err != nil {
		return err
	}
	s := &surveying{
		adopting: a, list: app.List{Run: a.Run, Bar: app.NewProgress(a.Run), Name: "problems"},
		shown: map[adopt.ProblemKind][]adopt.Problem{},
		count: map[adopt.ProblemKind]int64{},
	}
	sum, err := adopt.Survey(ctx, a.rule, o, s.onProblem, showState(s.list.Bar))
	s.list.Bar.Clear()
	if kept := a.keep(ctx, adopt.Event{Survey: sum}); err == nil {
		err = kept
	}
	s.answer(sum)
	switch {
	case err != nil:
		return err
	case sum.Problems() > 0:
		return exit.Found
	}
	return nil
}

// options returns the options of a reading.
func (a *adopting) options(ctx context.Context) (o setting.Options, err error) {
	o = a.settings.Over(a.target.Check).Options()
	o.Temp, o.Say = a.temp, say.Do
	if a.export != "" {
		o.Export, err = a.OpenExport(ctx, a.export, func() (*dynamo.Connection, error) { return a.conn, nil })
	}
	return o, err
}

// keep records the result of a phase, even if ctx is cancelled.
func (a *adopting) keep(ctx context.Context, e adopt.Event) error {
	if err := a.record.Append(context.WithoutCancel(ctx), e); err != nil {
		return err
	}
	now, err := a.record.State()
	if err == nil {
		a.state = now
	}
	return err
}

// confirmCost prints the cost of a reading. On a terminal, it asks whether to continue if the cost is unknown or above
// --auto-read-units. With --yes, it does not ask.
func (a *adopting) confirmCost(ctx context.Context, said string, cost progress.Cost) error {
	a.Note("%s", said)
	if !print.IsTerminal(a.Err) || !cost.Uncounted && cost.Units() <= a.conn.AutoReadUnits() || a.yes {
		return nil
	}
	d, ok := a.OpenPrompt()
	if !ok {
		return nil
	}
	defer d.Close()
	return d.Confirm(ctx, "adopting the constraint "+a.constraint, "Read the table", "nothing was read")
}

// showState shows the progress of a reading.
func showState(bar *app.ProgressLine) func(progress.State) {
	return func(now progress.State) {
		doing, _ := say.CheckStage(now)
		bar.ShowStage(doing, say.CheckLine(now, time.Now(), bar.Width()))
	}
}

// onProblem writes a problem. In the format text, it keeps the first problems for the end.
func (s *surveying) onProblem(p adopt.Problem) {
	s.count[p.Kind]++
	if !s.list.Add(p) && len(s.shown[p.Kind]) < mostShown {
		s.shown[p.Kind] = append(s.shown[p.Kind], p)
	}
}

// answer writes the output that comes at the end.
func (s *surveying) answer(sum *adopt.Surveyed) {
	end := SurveyEnd{
		Constraint: s.constraint, Table: s.table.Name, TableID: s.table.ID, Survey: sum, Next: s.next(),
	}
	if !s.list.End(end) {
		s.writeText(sum)
	}
}

// writeText writes the survey for people.
func (s *surveying) writeText(sum *adopt.Surveyed) {
	p := s.Printer()
	p.Put(kit.Strong, s.constraint+" of "+s.table.Name)
	p.Line(kit.Muted, "  %s, %s, %s, %s, %s", phrase.Count(sum.Items, "item"), phrase.Count(sum.Accounts, "account"),
		phrase.Count(sum.Locks, "lock"), say.UsedReadUnits(sum.ReadUnits, s.conn.ReportsUnits()),
		say.Lasts(time.Duration(sum.Seconds*float64(time.Second))))
	for _, kind := range say.AdoptProblems() {
		s.writeKind(p, kind)
	}
	p.End()
	if !sum.Complete() {
		p.Hang(kit.Warn, 0, "The survey is incomplete: "+sum.Why)
		if s.state.Survey.Complete() {
			p.Hang(kit.Text, 0, "The earlier, complete survey of "+phrase.UTC(s.state.SurveyAt)+" stays valid.")
		}
		return
	}
	if sum.Problems() == 0 {
		p.Line(kit.Good, "%s", kit.GlyphYes+" No two accounts hold the same "+s.constraint+", and each value can have a lock.")
	}
	for _, line := range say.SurveyFigures(s.rule, sum, app.WriteRate(s.settings.Over(s.target.Check))) {
		p.Hang(kit.Text, 0, line)
	}
	for _, line := range say.SurveyRepairs(sum) {
		p.Hang(kit.Text, 0, line)
	}
	p.Hang(kit.Text, 0, "Next: "+s.next())
}

// writeKind writes the problems of one kind.
func (s *surveying) writeKind(p *print.Printer, kind adopt.ProblemKind) {
	all := s.shown[kind]
	if len(all) == 0 {
		return
	}
	p.End()
	p.Line(kit.Bad, "%s", say.AdoptProblem(kind, s.count[kind]))
	for _, one := range all {
		p.Put(kit.Strong, "  "+phrase.Quote(one.Value))
		p.Line(kit.Muted, "  %s", strings.TrimSpace(say.ProblemWhy(one)))
		var rows [][]kit.Span
		for _, h := range one.Accounts {
			rows = append(rows, []kit.Span{
				kit.Text.Of(s.keyOf(h.Key)), kit.Muted.Of(say.HolderSince(h)), kit.Muted.Of(say.HolderHolds(h)),
			})
		}
		p.Table(4, []print.Column{{Least: print.LeastRoom}, {}, {Least: 10, Spare: true}}, rows)
		if one.MoreAccounts > 0 {
			p.Line(kit.Muted, "    %s", phrase.Count(one.MoreAccounts, "more account"))
		}
	}
	if more := s.count[kind] - int64(len(all)); more > 0 {
		p.Line(kit.Muted, "  %s", fmt.Sprintf("%s more; --output jsonl lists up to %s", phrase.Number(more), phrase.Number(adopt.MostListed)))
	}
}

// keyOf returns the key of an account.
func (a *adopting) keyOf(item attr.Item) string {
	key, _ := a.table.Schema.KeyOf(item)
	return key.String()
}

// next returns the command of the next phase.
func (a *adopting) next() string { return a.phaseCommand(a.state.Step()) }

// phaseCommand returns the command that begins or repeats a phase. Without a phase, it is empty. If an undo has
// stopped, phaseCommand returns the command that finishes the undo, because a backfill or a verification must wait for
// it.
func (a *adopting) phaseCommand(phase adopt.Phase) string {
	if phase == "" {
		return ""
	}
	if b := a.state.StoppedUndo(); b != nil && (phase == adopt.PhaseBackfill || phase == adopt.PhaseVerify) {
		return a.Flags.Command("undo", b.Receipt, "--write")
	}
	return a.command(say.PhaseFlags(a.state, phase, a.constraint)...)
}
