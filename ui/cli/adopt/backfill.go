package adopt

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// BackfillRun is the output of a backfill.
type BackfillRun struct {
	Findings []change.BackfillFinding `json:"findings"`
	BackfillEnd
}

// BackfillEnd is the last line of jsonl.
type BackfillEnd struct {
	Constraint string                `json:"constraint"`
	Table      string                `json:"table"`
	TableID    string                `json:"table_id,omitempty"`
	Backfill   change.BackfillResult `json:"backfill"`
	// Stopped is the error that stopped the run; empty if the run is complete.
	Stopped string `json:"stopped,omitempty"`
	Next    string `json:"next"`
}

// PlannedBackfill is the output of a dry run.
type PlannedBackfill struct {
	Outcome journal.Outcome `json:"outcome"`
	Plan    *plan.Plan      `json:"plan"`
	// Continues is set if the plan resumes a stopped backfill. The plan then has the receipt of that backfill.
	Continues bool `json:"continues,omitempty"`
}

// AbandonedAdoption is the output of --abandon.
type AbandonedAdoption struct {
	Constraint string              `json:"constraint"`
	Table      string              `json:"table"`
	TableID    string              `json:"table_id,omitempty"`
	Receipt    string              `json:"receipt"`
	Left       change.BackfillLeft `json:"left"`
}

// backfilling is one run of --backfill.
type backfilling struct {
	*adopting
	changer *change.Changer
	mu      sync.Mutex
	begun   time.Time    // the beginning of the current stage
	stage   change.Stage // the current stage
	shown   map[change.BackfillKind][]change.BackfillFinding
	list    app.List
}

// runBackfill puts the missing locks.
func (a *adopting) runBackfill(ctx context.Context) error {
	if err := a.state.Allows(adopt.PhaseBackfill); err != nil {
		return err
	}
	b := &backfilling{
		adopting: a, shown: map[change.BackfillKind][]change.BackfillFinding{},
		list: app.List{Run: a.Run, Bar: app.NewProgress(a.Run), Name: "findings"},
	}
	if err := b.prepare(); err != nil {
		return err
	}
	if !a.dryRun {
		free, err := a.lock()
		if err != nil {
			return err
		}
		defer free()
		if err := a.state.Allows(adopt.PhaseBackfill); err != nil {
			return err
		}
	}
	o, err := a.options(ctx)
	if err != nil {
		return err
	}
	cost := adopt.EstimateSurvey(a.rule, o)
	if err := a.confirmCost(ctx, say.BeforeBackfill(a.rule, cost), cost); err != nil {
		return err
	}
	planned, err := b.changer.PlanBackfill(ctx, a.table, a.rule.Constraint, a.rule.Locks(), o, b.show)
	b.list.Bar.Clear()
	if err != nil {
		return a.planRefused(a.op(), err, "nothing was sent")
	}
	planned.Plan.Reason = a.reason
	if a.dryRun {
		return b.planned(planned)
	}
	if err := b.confirmPlan(ctx, planned); err != nil {
		return err
	}
	return b.carryOut(ctx, planned)
}

// planRefused puts the refusal of a plan into words. It returns other errors as they are.
func (a *adopting) planRefused(op string, err error, do string) error {
	refused, ok := errors.AsType[*plan.Refusal](err)
	if !ok {
		return err
	}
	a.printRefused(adopt.Code(refused.Reasons[0].Code), refused.Error(), do)
	said := &client.Error{Kind: client.Failed, Op: op, Why: refused.Error(), Do: do, Err: err}
	return errors.Join(said, exit.Refused)
}

func (a *adopting) op() string { return "putting the missing locks of " + a.constraint }

// prepare opens the journal. It refuses a backfill that lacks a required reason, or that nobody can confirm, before any
// table is read.
func (b *backfilling) prepare() (err error) {
	if b.changer, err = b.target.Changer(!b.dryRun); err != nil {
		return err
	}
	settings := b.settings.Over(b.target.Check)
	b.changer.Writes.Rate = app.WriteRate(settings)
	if rate := settings.Options().MaxReadUnits; rate != 0 {
		b.changer.MaxReadUnits = rate
	}
	if b.dryRun {
		return nil
	}
	if err := b.checkAllowed(b.rule.LockTable); err != nil {
		return err
	}
	if d, ok := b.OpenPrompt(); ok {
		d.Close()
	} else if !b.yes {
		return exit.Usage(b.op(), "there is no terminal to ask on",
			"add --yes to put the locks without a question, or --dry-run to see the plan; nothing was sent")
	}
	if err := b.changer.Journal.CheckWritable(); err != nil {
		return err
	}
	b.WritesTables()
	return nil
}

// checkAllowed returns an error if the config or the flags forbid the backfill.
func (b *backfilling) checkAllowed(table string) error {
	if err := b.conn.Denied(table); err != nil {
		return err
	}
	for _, said := range b.confirm {
		if said != b.constraint {
			return exit.Usage(b.op(), "--confirm has "+phrase.Quote(said)+", but the change is about "+phrase.Quote(b.constraint),
				"to confirm, repeat the constraint after --confirm; nothing was written")
		}
	}
	switch {
	case strings.TrimSpace(b.reason) == "" && b.conn.RequiresReason(table):
		return exit.Usage(b.op(), "the config demands a reason for each change", "add --reason WORDS; nothing was written")
	case b.yes && b.conn.GuardOf(table) == client.GuardType && !b.said():
		return exit.Usage(b.op(), "--yes alone does not confirm this change",
			"add --confirm "+phrase.ShellWord(b.constraint)+"; nothing was written")
	}
	return nil
}

// said reports whether --confirm repeats the constraint.
func (b *backfilling) said() bool { return slices.Contains(b.confirm, b.constraint) }

// show shows the progress, with the remaining time.
func (b *backfilling) show(p change.Progress) {
	if p.Stage == change.StageAskAgain {
		b.list.Bar.Show(p)
		return
	}
	b.list.Bar.ShowStage(string(p.Stage), say.BackfillLine(p, time.Since(b.since(p.Stage))))
}

// since returns the beginning of a stage.
func (b *backfilling) since(stage change.Stage) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stage != stage {
		b.stage, b.begun = stage, time.Now()
	}
	return b.begun
}

// planned writes the plan of a dry run.
func (b *backfilling) planned(of *change.Backfill) error {
	if b.Flags.Output != app.Text {
		b.Print(PlannedBackfill{journal.Planned, of.Plan, of.Resumes != nil})
		return nil
	}
	p := b.Printer()
	b.writePlan(p, of)
	p.Line(kit.Muted, "Planned; nothing was written.")
	if len(of.Plan.Steps) == 0 {
		return nil
	}
	p.Line(kit.Muted, "The first transaction as a command of the AWS CLI:")
	commands, err := say.AWSCommands(b.conn, of.Plan.Steps)
	if err == nil {
		p.Lines("", commands)
	}
	return err
}

func (b *backfilling) writePlan(p *print.Printer, of *change.Backfill) {
	p.Line(kit.Strong, "%s", of.Plan.Title)
	p.Hang(kit.Text, 0, of.Plan.Sentence)
	var about print.Facts
	if of.Resumes != nil {
		about.Add("continues", of.Plan.ID)
	}
	for _, l := range of.Plan.Lines {
		about.Add(string(l.Label), l.Text)
	}
	about.Add("reason", of.Plan.Reason)
	p.Facts(2, about)
}

// confirmPlan asks whether to put the locks. On a table with guard = "type" a person has to type the constraint.
func (b *backfilling) confirmPlan(ctx context.Context, of *change.Backfill) error {
	if b.yes {
		return nil
	}
	d, ok := b.OpenPrompt()
	if !ok {
		return exit.Usage(b.op(), "there is no terminal to ask on", "add --yes; nothing was sent")
	}
	defer d.Close()
	b.writePlan(d.Out, of)
	if of.Plan.Typed == "" || b.said() {
		return d.Confirm(ctx, b.op(), of.Plan.Button, "nothing was written")
	}
	same, err := d.ConfirmTyped(ctx, of.Plan.Typed)
	if err == nil && !same {
		err = &client.Error{Kind: client.Cancelled, Op: b.op(), Why: "the typed text is different", Do: "nothing was written"}
	}
	return err
}

// carryOut puts the locks, and records the result.
func (b *backfilling) carryOut(ctx context.Context, of *change.Backfill) error {
	state := adopt.Backfill{
		Receipt: of.Plan.ID, File: b.changer.Journal.FileOf(of.Plan.ID), Total: of.Expected(),
	}
	if err := b.keep(ctx, adopt.Event{Backfill: &state}); err != nil {
		return err
	}
	r := b.changer.RunBackfill(ctx, of, b.onFinding, b.show)
	b.list.Bar.Clear()
	state.Done, state.Put, state.Existed = r.Complete && r.Unknown == 0, r.Put, r.Had
	state.Duplicates = r.Found[change.BackfillDuplicate]
	state.Invalid = r.Found[change.BackfillInvalid]
	state.Skipped = r.Findings() - state.Duplicates - state.Invalid
	kept := b.keep(ctx, adopt.Event{Backfill: &state})
	b.answer(r)
	return errors.Join(backfillStatus(r), kept)
}

// backfillStatus returns the error for the exit status of a run.
func backfillStatus(r change.BackfillResult) error {
	switch {
	case r.Unknown > 0:
		return errors.Join(r.Err, exit.Unknown)
	case r.Err != nil:
		if refused, ok := errors.AsType[*plan.Refusal](r.Err); ok {
			return errors.Join(refused, exit.Refused)
		}
		return r.Err
	case r.Findings() > 0:
		return exit.Refused
	}
	return nil
}

// onFinding writes a finding. In the format text, it keeps the first findings of each kind for the end.
func (b *backfilling) onFinding(f change.BackfillFinding) {
	if !b.list.Add(f) && len(b.shown[f.Kind]) < mostShown {
		b.shown[f.Kind] = append(b.shown[f.Kind], f)
	}
}

// answer writes the output that comes at the end.
func (b *backfilling) answer(r change.BackfillResult) {
	end := BackfillEnd{Constraint: b.constraint, Table: b.table.Name, TableID: b.table.ID, Backfill: r, Next: b.next()}
	if r.Err != nil {
		end.Stopped = r.Err.Error()
	}
	if b.list.End(end) {
		return
	}
	p := b.Printer()
	for _, kind := range say.BackfillKinds() {
		if n := r.Found[kind]; n > 0 {
			p.Line(kit.Bad, "%s", say.BackfillFound(kind, n))
			for _, f := range b.shown[kind] {
				b.writeFinding(p, f)
			}
			if more := n - int64(len(b.shown[kind])); more > 0 {
				p.Line(kit.Muted, "  %s more; --output jsonl lists all", phrase.Number(more))
			}
		}
	}
	p.Hang(kit.Text, 0, say.BackfillEnd(r))
	var about print.Facts
	about.Add("receipt", r.Receipt)
	about.Add("mark", r.Mark)
	about.Add("used", say.WriteUnits(r.WriteUnits)+", "+say.ReadUnits(r.ReadUnits))
	p.Facts(2, about)
	for _, line := range say.BackfillRepairs(r) {
		p.Hang(kit.Text, 0, line)
	}
	if next := end.Next; next != "" && r.Complete {
		p.Hang(kit.Text, 0, "Next: "+next)
	}
}

func (b *backfilling) writeFinding(p *print.Printer, f change.BackfillFinding) {
	p.Put(kit.Strong, "  "+phrase.Quote(f.Value))
	p.Line(kit.Muted, "  %s", say.BackfillFinding(f))
	for _, item := range f.Accounts {
		p.Line(kit.Text, "    %s", b.keyOf(item))
	}
}

// lock keeps other processes from running a backfill or from ending the adoption. It reads the record again, because
// another process may have changed it before.
func (a *adopting) lock() (free func(), err error) {
	if free, err = a.record.TryLock(adopt.PhaseBackfill); err != nil {
		return nil, err
	}
	if a.state, err = a.record.State(); err != nil {
		free()
	}
	return free, err
}

// runAbandon ends the adoption, and lists the locks that stay.
func (a *adopting) runAbandon(ctx context.Context) error {
	changer, err := a.target.Changer(true)
	if err != nil {
		return err
	}
	free, err := a.lock()
	if err != nil {
		return err
	}
	defer free()
	left, err := changer.BackfillLeft(a.table, a.rule.Constraint)
	if err != nil {
		return err
	}
	if !a.state.Begun() && len(left.Runs) == 0 {
		return &adopt.Refusal{Code: adopt.NotBegun, Table: a.table.Name, Constraint: a.constraint}
	}
	if !a.yes {
		d, ok := a.OpenPrompt()
		if !ok {
			return exit.Usage("abandoning the adoption", "there is no terminal to ask on", "add --yes; nothing was changed")
		}
		defer d.Close()
		for _, line := range say.Abandoned(a.constraint, left) {
			d.Out.Hang(kit.Text, 0, line)
		}
		if err := d.Confirm(ctx, "abandoning the adoption", "Abandon the adoption", "nothing was changed"); err != nil {
			return err
		}
	}
	receipt, err := changer.AbandonBackfills(ctx, a.table, a.rule.Constraint, left, a.reason)
	if err != nil {
		return err
	}
	if err := a.keep(ctx, adopt.Event{Abandoned: &adopt.Abandoned{Locks: left.Locks}}); err != nil {
		return err
	}
	if a.Flags.Output != app.Text {
		a.Print(AbandonedAdoption{a.constraint, a.table.Name, a.table.ID, receipt, left})
		return nil
	}
	p := a.Printer()
	p.Line(kit.Strong, "The adoption of the %s is abandoned.", a.constraint)
	for _, line := range say.Abandoned(a.constraint, left) {
		p.Hang(kit.Text, 0, line)
	}
	for _, run := range left.Runs {
		if _, missing := left.Missing[run]; missing {
			continue // without the file, no undo is possible
		}
		p.Hang(kit.Muted, 0, "To delete its locks: "+a.Flags.Command("undo", run, "--write"))
	}
	return nil
}
