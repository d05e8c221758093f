package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// writing is what every command that writes takes, and how it goes about it.
type writing struct {
	*invocation
	op      string // "releasing a lock"
	reason  string
	yes     bool
	dryRun  bool
	confirm []string
	// to is the file that the plan is written to instead of being made.
	to string
	// from says of what file the plans are, and since when; empty where they are new.
	from string
	// unsureSaid is what was said of guesses that have to be accepted first.
	unsureSaid []string
}

// addFlags adds the flags of a command that plans changes.
func (w *writing) addFlags(cmd *cobra.Command) {
	w.addSharedFlags(cmd)
	cmd.Flags().StringVar(&w.to, "plan", "", "write the plan to a new `FILE`, for \"tallylock apply\"; needs no --write")
}

// addSharedFlags adds the flags of every command that makes changes.
func (w *writing) addSharedFlags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&w.reason, "reason", "", "why, in your own `WORDS`; the journal keeps it")
	set.BoolVar(&w.yes, "yes", false, "do not ask")
	set.BoolVar(&w.dryRun, "dry-run", false, "print the plan and write nothing")
	set.StringArrayVar(&w.confirm, "confirm", nil, "the `VALUE` or the counter's name again, if --yes is not enough")
}

// ready is what a change is planned with.
type ready struct {
	target  target
	conn    *dynamo.Connection
	changer *change.Changer
}

// prepare connects. What the command line or the config does not allow is said
// before anything is sent.
func (w *writing) prepare(ctx context.Context) (ready, error) {
	if err := w.onlyPlans(); err != nil {
		return ready{}, err
	}
	t, err := w.resolveTarget(ctx)
	if err != nil {
		return ready{}, err
	}
	if !w.dryRun {
		if !t.options.Write {
			return ready{}, &client.Error{
				Kind: client.ReadOnly,
				Op:   w.op,
				Why:  "this connection is read-only",
				Do:   "add --write, or set write = true in the config; --dry-run shows what it would do. Nothing was sent",
			}
		}
		if t.options.RequireReason && len(t.options.Reasons) == 0 && strings.TrimSpace(w.reason) == "" {
			return ready{}, w.unreasoned()
		}
		if err := w.requirePrompt(); err != nil {
			return ready{}, err
		}
	}
	changer := t.planner()
	if !w.dryRun {
		var err error
		if changer, err = t.changer(); err == nil {
			err = changer.Journal.CheckWritable()
		}
		if err != nil {
			return ready{}, err
		}
		w.writesTables()
	}
	conn, err := w.connect(ctx, t)
	return ready{t, conn, changer}, err
}

func (w *writing) requirePrompt() error {
	if w.yes {
		return nil
	}
	d, ok := w.openPrompt()
	if !ok {
		return usage(w.op, "there is no terminal to ask on",
			"add --yes to go ahead unasked, or --dry-run to see the plan; nothing was sent")
	}
	d.close()
	return nil
}

// carryOut shows a plan, asks and applies it. A plan that came with a refusal is
// answered with that.
func (w *writing) carryOut(ctx context.Context, r ready, p *change.Plan, err error) error {
	if refused, ok := errors.AsType[*change.Refusal](err); ok {
		return w.answer(change.Receipt{Outcome: change.Refused, Reasons: refused.Reasons})
	}
	if err != nil {
		return err
	}
	if err := w.allowed(p.Unsure()); err != nil {
		return err
	}
	p.Reason = w.reason
	if w.from != "" {
		p.Lines = append(p.Lines, change.Line{Label: change.LabelPlanned, Text: w.from})
	}
	if w.dryRun {
		return w.handOver(ctx, r.conn, []*change.Plan{p}, func() error { return w.planned(r.conn, p) })
	}
	if err := w.confirmPlans(ctx, []*change.Plan{p}, func(to *printer) { writePlan(to, p) }, p.Button); err != nil {
		return err
	}
	if w.yes { // the plan was not shown
		for _, l := range p.Lines {
			if l.Warns() {
				w.note("Mind: %s.", l.Text)
			}
		}
	}
	progress := newProgress(w.invocation)
	receipt := r.changer.Apply(ctx, p, progress.show)
	progress.clear()
	if receipt.Plan == nil {
		receipt.Plan = p
	}
	return w.answer(receipt)
}

// allowed refuses a change that rests on a guess. A dry run shows it all the same, and says that
// accepting comes first.
func (w *writing) allowed(unsure error) error {
	if unsure == nil || !w.dryRun || w.to != "" {
		return unsure
	}
	first, why := "A guess has to be accepted first", unsureText(unsure)
	if u := dynamo.UnacceptedOf(unsure); u != nil && u.Constraint != nil && u.Constraint.State.Sure() {
		first = "A question has to be answered first"
	}
	if !slices.Contains(w.unsureSaid, why) {
		w.unsureSaid = append(w.unsureSaid, why)
		w.note("%s: %s", first, why)
	}
	return nil
}

// unsureText says why a change is not allowed yet, and which command allows it.
func unsureText(unsure error) string {
	if e, ok := errors.AsType[*client.Error](unsure); ok {
		return e.Why + "; " + e.Do
	}
	return unsure.Error()
}

// allowedOn is allowed for a change of a table. Its guard comes first.
func (w *writing) allowedOn(conn *dynamo.Connection, table string, unsure error) error {
	if err := conn.Denied(table); unsure != nil && err != nil {
		return err
	}
	return w.allowed(unsure)
}

func (w *writing) unreasoned() error {
	return usage(w.op, "the config asks for a reason", "add --reason WORDS; nothing was written")
}

// confirmPlans asks for what the plans ask for, all of them at once.
func (w *writing) confirmPlans(ctx context.Context, plans []*change.Plan, show func(*printer), button string) error {
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
			return usage(w.op, fmt.Sprintf("--confirm says %q, but the change is about %q", said, strings.Join(subjects, ", ")),
				"repeat it exactly; nothing was written")
		}
	}
	if w.yes && len(missing) > 0 {
		return usage(w.op, "--yes is not enough for this change",
			"add --confirm "+phrase.ShellWord(missing[0])+"; nothing was written")
	}
	if w.yes {
		return nil
	}
	d, ok := w.openPrompt()
	if !ok {
		flags := "--yes"
		if len(missing) > 0 {
			flags += " --confirm " + phrase.ShellWord(missing[0])
		}
		return usage(w.op, "there is no terminal to ask on", "add "+flags+" to go ahead unasked; nothing was written")
	}
	defer d.close()
	show(d.out)
	for _, want := range missing {
		switch same, err := d.confirmTyped(ctx, want); {
		case err != nil:
			return err
		case !same:
			return w.declined("something else was typed")
		}
	}
	if len(missing) > 0 {
		return nil
	}
	yes, err := d.confirm(ctx, button)
	if err == nil && !yes {
		err = w.declined("the answer was no")
	}
	return err
}

func (w *writing) declined(why string) error {
	return &client.Error{Kind: client.Cancelled, Op: w.op, Why: why, Do: "nothing was written"}
}

// writePlan writes a plan for people.
func writePlan(p *printer, plan *change.Plan) {
	p.line(kit.Strong, "%s", plan.Title)
	p.hang(kit.Text, 0, plan.Sentence)
	var about []fact
	for _, l := range plan.Lines {
		about = append(about, fact{string(l.Label), l.Text})
	}
	if plan.Reason != "" {
		about = append(about, fact{"reason", plan.Reason})
	}
	p.facts(2, about...)
}
