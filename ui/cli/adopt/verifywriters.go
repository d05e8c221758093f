package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/idtime"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// WritersJudged is the output of --verify-writers.
type WritersJudged struct {
	Constraint string `json:"constraint"`
	Table      string `json:"table"`
	TableID    string `json:"table_id,omitempty"`
	// Verified says whether the backfill may begin.
	Verified bool             `json:"verified"`
	Writers  *adopt.Judgement `json:"writers"`
	// Confirmed is set if a person has confirmed the operations that are not verified.
	Confirmed bool   `json:"confirmed"`
	Next      string `json:"next"`
}

// TimesUnchosen is the output of --verify-writers if no time of the accounts is chosen.
type TimesUnchosen struct {
	Constraint string            `json:"constraint"`
	Table      string            `json:"table"`
	TableID    string            `json:"table_id,omitempty"`
	Candidates []adopt.Candidate `json:"time_candidates"`
}

// times are the flags that choose the times of accounts.
type times struct {
	created, updated, id, epoch, index, partition string
}

// timeFlags are the names of the flags in times.
var timeFlags = []string{"created-at", "updated-at", "id-time", "id-epoch", "index", "partition"}

func (t *times) addFlags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&t.created, "created-at", "", "the accounts' `ATTRIBUTE` with the time of the sign-up")
	set.StringVar(&t.updated, "updated-at", "", "the accounts' `ATTRIBUTE` with the time of the last change of the value")
	set.StringVar(&t.id, "id-time", "", "take the time of the sign-up from the accounts' ids; the `KIND` of ids is one of: "+idKinds(", "))
	set.StringVar(&t.epoch, "id-epoch", "", "with --id-time snowflake: the `TIME` from which the ids count")
	set.StringVar(&t.index, "index", "", "read this `INDEX` instead of the table; the sort key of the index must be the attribute of --created-at or --updated-at")
	set.StringVar(&t.partition, "partition", "", "with --index: the `VALUE` of its partition key")
	app.Completes(cmd, "id-time", app.OneOf(strings.Split(idKinds(" "), " ")...))
}

func idKinds(between string) string {
	var all []string
	for _, kind := range idtime.Kinds() {
		all = append(all, string(kind))
	}
	return strings.Join(all, between)
}

// sinceOptions reads the flags of --verify-writers.
func (a *adopting) sinceOptions() (o adopt.SinceOptions, err error) {
	const op = "reading the command line"
	t := a.times
	o = adopt.SinceOptions{
		Times: adopt.Times{Created: t.created, Updated: t.updated, ID: idtime.Kind(t.id)},
		Index: t.index, Partition: t.partition,
		MaxReadUnits: a.settings.Over(a.target.Check).Options().MaxReadUnits, Progress: new(scan.Progress),
	}
	if o.Since, err = timeOf("since", a.since); err != nil {
		return o, err
	}
	switch {
	case o.Since.After(time.Now()):
		return o, exit.Usage(op, "the time of --since is in the future",
			"give the time from which all writers use the transactions")
	case t.id != "" && !slices.Contains(idtime.Kinds(), o.ID):
		return o, exit.Usage(op, fmt.Sprintf("--id-time %q is not a kind of id", t.id), "use one of: "+idKinds(", "))
	case o.ID == idtime.Snowflake && t.epoch == "":
		return o, exit.Usage(op, "Snowflake ids count from a time that each company chooses", "add --id-epoch TIME")
	case o.ID != idtime.Snowflake && t.epoch != "":
		return o, exit.Usage(op, "--id-epoch is only for --id-time snowflake", "leave it out")
	case (t.index == "") != (t.partition == ""):
		return o, exit.Usage(op, "--index and --partition need each other", "give both, or leave both out")
	}
	if t.epoch != "" {
		o.Epoch, err = timeOf("id-epoch", t.epoch)
	}
	return o, err
}

// timeOf reads the time of a flag. The time needs a zone.
func timeOf(flag, text string) (time.Time, error) {
	at, ok := adopt.TimeOf(text)
	if ok {
		return at, nil
	}
	why := fmt.Sprintf("--%s %q is not a time with a time zone", flag, text)
	if text == "" {
		why = "--" + flag + " is missing"
	}
	return at, exit.Usage("reading the command line", why, "write a time such as 2026-11-27T08:00:00Z")
}

// runVerifyWriters judges the accounts that are new or changed.
func (a *adopting) runVerifyWriters(ctx context.Context) error {
	if err := a.state.Allows(adopt.PhaseWriters); err != nil {
		return err
	}
	o, err := a.sinceOptions()
	if err != nil {
		return err
	}
	for _, said := range a.confirm {
		if said != a.constraint {
			return exit.Usage("confirming the writers", "--confirm has "+phrase.Quote(said)+", but the adoption is about "+phrase.Quote(a.constraint),
				"repeat the constraint after --confirm; nothing was read")
		}
	}
	if o.By() == "" {
		return a.unchosenTimes()
	}
	cost := progress.Cost{}
	if o.Index == "" {
		d := a.table.Description
		cost.First, cost.Uncounted = scan.Units(d, 0, false), d.Bytes == 0
	}
	if err := a.confirmCost(ctx, say.BeforeJudging(a.rule, cost.First, o.Index), cost); err != nil {
		return err
	}
	bar := app.NewProgress(a.Run)
	stop := showItems(bar, o.Progress)
	j, err := adopt.VerifyWriters(ctx, a.rule, o)
	stop()
	bar.Clear()
	if err != nil {
		return err
	}
	confirmed, err := a.confirmWriters(ctx, j)
	if err != nil {
		return err
	}
	if err := a.keep(ctx, adopt.Event{Writers: j.Event(confirmed)}); err != nil {
		return err
	}
	a.answerJudged(j, confirmed)
	switch {
	case j.Without > 0:
		return exit.Refused
	case a.state.OldWriter(): // another process has just found an old writer
		return a.state.Allows(adopt.PhaseBackfill)
	case a.state.Allows(adopt.PhaseBackfill) != nil:
		return exit.Failed
	}
	return nil
}

// showItems shows how many items a scan has read, until stop is called.
func showItems(bar *app.ProgressLine, p *scan.Progress) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				bar.ShowStage("read", "reading the accounts: "+phrase.Count(p.Totals().Items, "item"))
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// unchosenTimes lists the attributes and ids with times, and returns an error: a person must choose one.
func (a *adopting) unchosenTimes() error {
	found := adopt.Candidates(a.rule)
	do := "choose --created-at ATTRIBUTE, --updated-at ATTRIBUTE or --id-time KIND"
	if a.Flags.Output != app.Text {
		a.Print(TimesUnchosen{a.constraint, a.table.Name, a.table.ID, append([]adopt.Candidate{}, found...)})
	} else if len(found) > 0 {
		p := a.Printer()
		p.Line(kit.Strong, "Times in the sampled accounts")
		var facts print.Facts
		for _, c := range found {
			name := c.Attribute
			if c.ID != "" {
				name = "--id-time " + string(c.ID)
			}
			facts.Add(name, say.TimeCandidates(c))
		}
		p.Facts(2, facts)
	}
	if len(found) == 0 {
		do = "no sampled account has a readable time: add a time to new accounts, and name its attribute with --created-at ATTRIBUTE"
	}
	return exit.Usage("verifying the writers", "tallylock does not guess the meaning of a time", do+"; nothing was read")
}

// confirmWriters asks a person to confirm the operations that are not verified.
func (a *adopting) confirmWriters(ctx context.Context, j *adopt.Judgement) (bool, error) {
	if j.TooFew() || j.Without > 0 || len(j.NotVerified) == 0 {
		return false, nil
	}
	if slices.Contains(a.confirm, a.constraint) {
		return true, nil
	}
	if a.yes {
		return false, nil
	}
	d, ok := a.OpenPrompt()
	if !ok {
		return false, nil
	}
	defer d.Close()
	for _, line := range say.Judgement(j, a.constraint) {
		d.Out.Hang(kit.Text, 0, line)
	}
	d.Out.Hang(kit.Text, 0, "Confirm that every writer uses the printed transactions for these operations.")
	return d.ConfirmTyped(ctx, a.constraint)
}

// answerJudged writes the result of --verify-writers.
func (a *adopting) answerJudged(j *adopt.Judgement, confirmed bool) {
	verified := a.state.Allows(adopt.PhaseBackfill) == nil
	next := a.next()
	if a.Flags.Output != app.Text {
		a.Print(WritersJudged{a.constraint, a.table.Name, a.table.ID, verified, j, confirmed, next})
		return
	}
	p := a.Printer()
	for _, line := range say.Judgement(j, a.constraint) {
		p.Hang(kit.Text, 0, line)
	}
	for n, c := range j.Came {
		if n == mostShown {
			p.Line(kit.Muted, "  %s more; --output json lists %d", phrase.Number(len(j.Came)-n), len(j.Came))
			break
		}
		p.Put(kit.Strong, "  "+c.Account.String())
		p.Line(kit.Muted, "  %s, %s, %s", phrase.Quote(c.Value), phrase.UTC(c.At), say.CameWithout(c))
	}
	for name, keys := range map[string][]attr.Key{"without a time": j.UntimedKeys, "in the future": j.FutureKeys} {
		for _, key := range keys[:min(len(keys), 3)] {
			p.Line(kit.Muted, "  %s: %s", name, key)
		}
	}
	if confirmed {
		p.Line(kit.Text, "You confirmed: %s.", say.Operations(j.NotVerified))
	}
	if j.Without > 0 {
		next = say.AfterOldWriter(a.state.Writers, a.command)
	}
	if next != "" {
		p.Hang(kit.Text, 0, "Next: "+next)
	}
}
