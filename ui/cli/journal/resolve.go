package journal

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// resolving is one run of `journal --resolve`.
type resolving struct {
	*app.Run
	options
	changer *change.Changer
	conn    *dynamo.Connection
	// broken is set if somebody has edited the journal and --trust-journal is not given. Then no change is resolved.
	broken error
}

// Resolved is the JSON of an open change.
type Resolved struct {
	Receipt string          `json:"receipt"`
	At      time.Time       `json:"at"`
	What    string          `json:"what"`
	Outcome journal.Outcome `json:"outcome"`
	Open    bool            `json:"open"`
	Words   string          `json:"words"`
	Facts   []change.Fact   `json:"facts"`
	Choices []change.Action `json:"choices"`
	Chosen  *string         `json:"chosen"`
	Until   *time.Time      `json:"until"` // the change can be sent again until this time
	Reasons []plan.Reason   `json:"reasons"`
}

// resolveOpen handles all open changes. It returns exit.Unknown if the outcome of a change stays
// unknown.
func resolveOpen(ctx context.Context, s *app.Run, ask options) error {
	t, err := s.ResolveTarget(ctx)
	if err != nil {
		return err
	}
	changer, err := t.Changer(!ask.dryRun)
	if err != nil {
		return err
	}
	if ask.trust {
		changer.Journal.Trust()
	}
	records, err := changer.Journal.Records()
	if err != nil {
		return err
	}
	open := journal.Unresolved(records)
	if len(open) == 0 {
		if s.Flags.Output == app.Text {
			s.Note("No change is open.")
			return nil
		}
		app.PrintAll(s, []Resolved{})
		return nil
	}
	if !ask.dryRun {
		if err := changer.Journal.CheckWritable(); err != nil {
			return err
		}
		s.WritesTables()
	}
	conn, err := s.Connect(ctx, t)
	if err != nil {
		return err
	}
	broken := changer.Journal.CheckChain("resolving the open changes")
	return (&resolving{s, ask, changer, conn, broken}).all(ctx, open)
}

func (r *resolving) all(ctx context.Context, open []*journal.Record) error {
	var results []*Resolved
	var finish []*change.Resolution
	var finished []*Resolved
	for _, record := range open {
		one := &Resolved{
			Receipt: record.Receipt, At: record.At, What: record.What, Outcome: journal.Unknown, Open: true,
			Facts: []change.Fact{}, Choices: []change.Action{},
			Reasons: say.Reasons(plan.ReasonsOf(record)),
		}
		results = append(results, one)
		s, err := r.changer.Examine(ctx, r.conn, record)
		if err != nil {
			one.Words = say.Error(err)
			r.say(one, nil)
			if ctx.Err() != nil {
				return err
			}
			continue
		}
		one.about(s)
		r.say(one, s)
		do, err := r.choose(ctx, s)
		if err != nil {
			return err
		}
		if do == "" {
			continue
		}
		one.Chosen = attr.NullIfEmpty(string(do))
		if do == change.Finish {
			finish, finished = append(finish, s), append(finished, one)
			continue
		}
		one.became(r, r.changer.Resolve(ctx, s, do, nil))
	}
	if len(finish) > 0 {
		progress := app.NewProgress(r.Run)
		receipts := r.changer.ResolveAll(ctx, finish, change.Finish, progress.Show)
		progress.Clear()
		for n, receipt := range receipts {
			finished[n].became(r, receipt)
		}
	}
	if r.Flags.Output != app.Text {
		app.PrintAll(r.Run, results)
	}
	if r.broken != nil && !r.dryRun {
		return r.broken
	}
	for _, one := range results {
		if one.Outcome == journal.Unknown {
			return exit.Unknown
		}
	}
	return nil
}

func (one *Resolved) about(s *change.Resolution) {
	one.Outcome, one.Words = s.Outcome, s.Words
	one.Facts = append(one.Facts, s.Facts...)
	for _, c := range s.Choices {
		one.Choices = append(one.Choices, c.Do)
	}
	if !s.Until.IsZero() {
		one.Until = &s.Until
	}
}

// became records and prints the outcome of the chosen action.
func (one *Resolved) became(r *resolving, receipt change.Receipt) {
	one.Outcome, one.Reasons = receipt.Outcome, say.Reasons(receipt.Reasons)
	did := change.Action(*one.Chosen)
	if one.Open = say.StaysOpen(receipt, did); receipt.Err != nil {
		r.Complain(receipt.Err)
		one.Outcome = journal.Unknown
	}
	if r.Flags.Output != app.Text {
		return
	}
	page := r.Printer()
	page.Put(kit.Muted, one.Receipt+" ")
	said := say.ResolvedLine(receipt, did)
	page.Line(said.Style, "%s", said.Text)
	for _, reason := range one.Reasons {
		page.Indented(kit.Text, 2, reason.Text)
	}
}

// say prints the facts about an open change for people.
func (r *resolving) say(one *Resolved, s *change.Resolution) {
	if r.Flags.Output != app.Text {
		return
	}
	page := r.Printer()
	page.Line(kit.Strong, "%s", one.What)
	page.Line(kit.Muted, "  %s · %s", one.At.Local().Format("2006-01-02 15:04:05"), one.Receipt)
	page.Indented(kit.Text, 2, one.Words)
	var about print.Facts
	for _, f := range one.Facts {
		about.Add(f.Item, f.Text)
	}
	if s != nil && !s.Later.IsZero() {
		about.Add("later", "run this command again after "+phrase.Clock(s.Later))
	}
	page.Facts(2, about)
}

// choose asks a person for an action about an open change. With --yes, it returns the safe action. ""
// leaves the change open.
func (r *resolving) choose(ctx context.Context, s *change.Resolution) (change.Action, error) {
	if r.dryRun || r.broken != nil {
		return "", nil
	}
	if r.yes {
		if c, ok := s.Safe(); ok && (!c.Sends || r.conn.Write()) {
			return c.Do, nil
		}
		return "", nil
	}
	d, ok := r.OpenPrompt()
	if !ok {
		return "", nil
	}
	defer d.Close()
	var offered []change.Choice
	for _, c := range s.Choices {
		if c.Sends && !r.conn.Write() {
			d.Out.Line(kit.Muted, "    (only with --write: %s)", strings.ToLower(c.Title[:1])+c.Title[1:])
			continue
		}
		offered = append(offered, c)
		d.Out.Put(kit.Strong, fmt.Sprintf("  %d %s. ", len(offered), c.Title))
		d.Out.Hang(kit.Text, 4, c.Words)
	}
	if len(offered) == 0 {
		return "", nil
	}
	answer, err := d.Ask(ctx, "Type a number, or press enter to leave the change open:")
	if err != nil {
		return "", err
	}
	n, err := strconv.Atoi(strings.TrimSpace(answer))
	if err != nil || n < 1 || n > len(offered) {
		return "", nil
	}
	do := offered[n-1].Do
	if want := s.Typed(do); want != "" {
		if same, err := d.ConfirmTyped(ctx, want); err != nil || !same {
			return "", err
		}
	}
	return do, nil
}
