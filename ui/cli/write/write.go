// Package write has the commands that change tables. Each command makes plans; write.go shows a plan,
// asks, applies it and prints the outcome.
package write

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// writing is one run of a command that makes changes, with the flags that all of these commands
// have.
type writing struct {
	*app.Run
	op      string // what the command does, for errors: "releasing a lock"
	reason  string
	yes     bool
	dryRun  bool
	confirm []string
	// to is the file or directory of --plan. If it is set, the command only writes the plan there.
	to string
	// out has the plans for that file. It is nil if there are none.
	out *change.PlanFile
	// from describes the plan file from which the plans come, and its age. It is empty without a plan file.
	from string
	// several is set if the run makes several changes, each with its own outcome.
	several bool
	// unsureSaid has the printed notes about guesses that a person must accept first.
	unsureSaid []string

	// prepare sets the following fields.
	target  app.Target
	conn    *dynamo.Connection
	changer *change.Changer
}

// addFlags adds the flags of commands that plan changes.
func (w *writing) addFlags(cmd *cobra.Command) {
	w.addSharedFlags(cmd)
	cmd.Flags().StringVar(&w.to, "plan", "",
		"change nothing: write the plan for \"tallylock apply\" to a new `FILE`, or into a directory; needs no --write")
}

// addSharedFlags adds the flags of all commands that make changes.
func (w *writing) addSharedFlags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&w.reason, "reason", "", "record the reason for the change in the journal, in your own `WORDS`")
	set.BoolVar(&w.yes, "yes", false, "do not ask; required without a terminal, as in a pipe")
	set.BoolVar(&w.dryRun, "dry-run", false, "change nothing: only print the plan")
	set.StringArrayVar(&w.confirm, "confirm", nil, "with --yes: the `VALUE`, name or number, instead of typing it at the question")
}

// prepare connects. If the command line, the config or the journal forbids the change, it returns an
// error before any request.
func (w *writing) prepare(ctx context.Context) (err error) {
	if err := w.onlyPlans(); err != nil {
		return err
	}
	if w.target, err = w.ResolveTarget(ctx); err != nil {
		return err
	}
	if !w.dryRun {
		if err := w.checkAllowed(w.target.Options); err != nil {
			return err
		}
	}
	if w.changer, err = w.target.Changer(!w.dryRun); err != nil {
		return err
	}
	if !w.dryRun {
		if err := w.changer.Journal.CheckWritable(); err != nil {
			return err
		}
		w.WritesTables()
	}
	w.conn, err = w.Connect(ctx, w.target)
	return err
}

// checkAllowed refuses a change on a read-only connection, a change without a required reason, and a change that nobody
// can confirm: there is no terminal, and --yes is missing.
func (w *writing) checkAllowed(o dynamo.Options) error {
	switch {
	case !o.Write:
		return &client.Error{
			Kind: client.ReadOnly,
			Op:   w.op,
			Why:  "this connection is read-only",
			Do:   "add --write, or set write = true in the config; to see only the plan, add --dry-run. Nothing was sent",
		}
	case o.RequireReason && len(o.Reasons) == 0 && strings.TrimSpace(w.reason) == "":
		return w.unreasoned()
	case w.yes:
		return nil
	}
	d, err := w.openPrompt()
	if err == nil {
		d.Close()
	}
	return err
}

// openPrompt opens the terminal for a question.
func (w *writing) openPrompt() (*app.Prompt, error) {
	d, ok := w.OpenPrompt()
	if !ok {
		return nil, exit.Usage(w.op, "there is no terminal to ask on",
			"add --yes to make the change without a question, or --dry-run to see the plan; nothing was sent")
	}
	return d, nil
}

// carryOut shows a plan, asks, and applies it. If err is a refusal, it writes the refusal as the
// outcome.
func (w *writing) carryOut(ctx context.Context, p *plan.Plan, err error) error {
	if refused, ok := errors.AsType[*plan.Refusal](err); ok {
		return w.answer([]change.Receipt{change.NotMade(nil, refused)})
	}
	if err != nil {
		return err
	}
	if err := w.allowed(p.Live.Unsure); err != nil {
		return err
	}
	p.Reason = w.reason
	if w.from != "" {
		p.Lines = append(p.Lines, plan.Line{Label: plan.LabelPlanned, Text: w.from})
	}
	return w.apply(ctx, &change.Batch{Plans: []*plan.Plan{p}}, func(to *print.Printer) { writePlan(to, p) }, p.Button)
}

// apply shows plans, asks once for all, and applies them.
func (w *writing) apply(ctx context.Context, b *change.Batch, show func(*print.Printer), button string) error {
	if len(b.Plans) == 0 {
		return w.answer(b.Refused)
	}
	if w.dryRun {
		if err := w.hand(ctx, b.Plans); err != nil {
			return err
		}
		if w.to != toStdout {
			if err := w.planned(b, show); err != nil {
				return err
			}
		}
		return w.handOver()
	}
	confirmed := b.Plans
	if b.Typed != "" {
		number := &plan.Plan{Value: b.Typed, Typed: b.Typed}
		if w.yes && w.from == "" { // no typing is needed, because a person has named each lock on the command line
			number.Typed = ""
		}
		confirmed = append([]*plan.Plan{number}, confirmed...)
	}
	if err := w.confirmPlans(ctx, confirmed, show, button); err != nil {
		return err
	}
	for _, l := range b.Plans[0].Lines {
		if w.yes && !w.several && l.Warns() { // --yes skips the plan with its warnings
			w.Note("Careful: %s.", l.Text)
		}
	}
	progress := app.NewProgress(w.Run)
	receipts := w.changer.ApplyAll(ctx, b.Plans, progress.Show)
	progress.Clear()
	return w.answer(append(b.Refused, receipts...))
}

// allowed refuses a change that depends on a guess. A dry run without --plan shows the change anyway, and says what to
// accept first.
func (w *writing) allowed(unsure error) error {
	if unsure == nil || !w.dryRun || w.to != "" {
		return unsure
	}
	first, why := "Before you can make this change, accept the guess", unsureText(unsure)
	if u := dynamo.UnacceptedOf(unsure); u != nil && u.Constraint != nil && u.Constraint.State.Sure() {
		first = "Before you can make this change, answer the question"
	}
	if !slices.Contains(w.unsureSaid, why) {
		w.unsureSaid = append(w.unsureSaid, why)
		w.Note("%s: %s", first, why)
	}
	return nil
}

// unsureText returns the reason why a change is not allowed yet, and the command that allows it.
func unsureText(unsure error) string {
	e := say.Explain(unsure)
	why := e.Why
	if e.Do != "" {
		why += "; " + e.Do
	}
	return why
}

// allowedOn works like allowed, for a change of a table. If the change depends on a guess and the table's guard denies
// all changes, it returns the error about the guard.
func (w *writing) allowedOn(table string, unsure error) error {
	if err := w.conn.Denied(table); unsure != nil && err != nil {
		return err
	}
	return w.allowed(unsure)
}

func (w *writing) unreasoned() error {
	return exit.Usage(w.op, "the config demands a reason for each change", "add --reason WORDS; nothing was written")
}

// confirmPlans asks once for all plans. A person must type each text that a plan demands.
func (w *writing) confirmPlans(
	ctx context.Context, plans []*plan.Plan, show func(*print.Printer), button string,
) error {
	var subjects, missing []string
	for _, p := range plans {
		if p.NeedsReason() {
			return w.unreasoned()
		}
		subject := p.Subject()
		if p.Typed != "" {
			subject = p.Typed
			if !slices.Contains(w.confirm, p.Typed) {
				missing = append(missing, p.Typed)
			}
		}
		subjects = append(subjects, subject)
	}
	for _, said := range w.confirm {
		if !slices.Contains(subjects, said) {
			var quoted []string
			for _, subject := range subjects {
				quoted = append(quoted, strconv.Quote(subject))
			}
			return exit.Usage(w.op, fmt.Sprintf("--confirm has %q, but the change is about %s", said, strings.Join(quoted, ", ")),
				"give each of these texts exactly, with its own --confirm; nothing was written")
		}
	}
	if w.yes && len(missing) > 0 {
		return exit.Usage(w.op, "--yes alone does not confirm this change",
			"add --confirm "+phrase.ShellWord(missing[0])+"; nothing was written")
	}
	if w.yes {
		return nil
	}
	d, err := w.openPrompt()
	if err != nil {
		return err
	}
	defer d.Close()
	show(d.Out)
	for _, want := range missing {
		switch same, err := d.ConfirmTyped(ctx, want); {
		case err != nil:
			return err
		case !same:
			return &client.Error{
				Kind: client.Cancelled, Op: w.op, Why: "the typed text is different", Do: "nothing was written",
			}
		}
	}
	if len(missing) > 0 {
		return nil
	}
	return d.Confirm(ctx, w.op, button, "nothing was written")
}

// writePlan writes a plan for people.
func writePlan(p *print.Printer, planned *plan.Plan) {
	p.Line(kit.Strong, "%s", planned.Title)
	p.Hang(kit.Text, 0, planned.Sentence)
	var about print.Facts
	for _, l := range planned.Lines {
		about.Add(string(l.Label), l.Text)
	}
	about.Add("reason", planned.Reason)
	p.Facts(2, about)
}
