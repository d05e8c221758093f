package write

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Planned is the JSON of a dry run. Its names are a contract.
type Planned struct {
	Outcome journal.Outcome `json:"outcome"`
	Plan    *plan.Plan      `json:"plan"`
}

// Result is the JSON of a change. Its names are a contract.
type Result struct {
	Outcome journal.Outcome `json:"outcome"`
	Value   string          `json:"value,omitempty"`  // the value of the change; empty if the run makes only one change
	Undoes  string          `json:"undoes,omitempty"` // the receipt of the change that this change undoes
	Receipt *string         `json:"receipt"`          // null if nothing was sent
	Before  string          `json:"before,omitempty"`
	After   string          `json:"after,omitempty"`
	First   string          `json:"first,omitempty"`
	Last    string          `json:"last,omitempty"`
	Reasons []plan.Reason   `json:"reasons"`
}

// planned writes the result of a dry run.
func (w *writing) planned(b *change.Batch, show func(*print.Printer)) error {
	if slices.ContainsFunc(b.Plans, (*plan.Plan).HasAccount) {
		w.Note("Careful: this prints the whole account, with all its attributes.")
	}
	switch {
	case w.Flags.Output == app.Text:
		page := w.Printer()
		show(page)
		return w.writeCommands(page, b.Plans)
	case !w.several:
		w.Print(Planned{journal.Planned, b.Plans[0]})
		return nil
	}
	var all []any
	for _, p := range b.Plans {
		all = append(all, Planned{journal.Planned, p})
	}
	for _, r := range b.Refused {
		all = append(all, w.resultOf(r))
	}
	app.PrintAll(w.Run, all)
	return nil
}

// writeCommands ends a dry run for people with the AWS CLI commands for the same change. It leaves the
// commands out if --plan is given, or if a plan depends on a guess.
func (w *writing) writeCommands(page *print.Printer, plans []*plan.Plan) error {
	page.Line(kit.Muted, "Planned; nothing was written.")
	guessed := func(p *plan.Plan) bool { return p.Live.Unsure != nil }
	if w.to != "" || slices.ContainsFunc(plans, guessed) {
		return nil
	}
	same := "The same change with the AWS CLI:"
	if slices.ContainsFunc(plans, func(p *plan.Plan) bool { return p.Kind.IsBackfill() }) {
		same = "The first transaction with the AWS CLI:"
	}
	page.Line(kit.Muted, "%s", same)
	for _, p := range plans {
		commands, err := say.AWSCommands(w.conn, p.Steps)
		if err != nil {
			return err
		}
		page.Lines("", commands)
	}
	return nil
}

// answer writes the outcomes of changes, and returns the worst exit status.
func (w *writing) answer(receipts []change.Receipt) error {
	rank, worst := []exit.Status{exit.Done, exit.Refused, exit.NotAllowed, exit.Failed, exit.Unknown}, 0
	var all []Result
	for _, r := range receipts {
		all = append(all, w.resultOf(r))
		worst = max(worst, slices.Index(rank, exit.OfReceipt(r)))
		if w.Flags.Output != app.Text {
			continue
		}
		page := w.Printer()
		switch {
		case w.several && r.Plan.Undoes != "":
			page.Line(kit.Text, "undo of %s", r.Plan.Undoes)
		case w.several:
			page.Line(kit.Text, "%s \"%s\"", r.Plan.Constraint, r.Plan.Value)
		}
		writeOutcome(w.Run, page, r)
	}
	switch {
	case w.Flags.Output == app.Text:
	case w.several:
		app.PrintAll(w.Run, all)
	default:
		w.Print(all[0])
	}
	for _, r := range receipts {
		if r.Err != nil { // print one error, because usually all receipts have the same error
			w.Complain(w.toResolve(r))
			break
		}
	}
	if worst > 0 {
		return rank[worst]
	}
	return nil
}

// toResolve returns the error of a change. If the change may have been made, the remedy is not to try it again: that
// could make it twice. If credentials or a permission are missing, the remedy stays, because they are needed first.
func (w *writing) toResolve(r change.Receipt) error {
	e, ok := errors.AsType[*client.Error](r.Err)
	if r.Outcome != journal.Unknown || !ok {
		return r.Err
	}
	switch e.Kind {
	case client.NoCredentials, client.Expired, client.Denied:
		return r.Err
	}
	out := *e
	out.Remedy, out.Do = remedy.Remedy{}, "the change may have been made: before you make it again, run: "+
		w.Flags.Command("journal", "--resolve")
	return &out
}

// resultOf returns the JSON of a change.
func (w *writing) resultOf(r change.Receipt) Result {
	o := Result{
		Outcome: r.Outcome,
		Receipt: attr.NullIfEmpty(r.ID),
		Before:  r.Before,
		After:   r.After,
		First:   r.First,
		Last:    r.Last,
		Reasons: say.Reasons(r.Reasons),
	}
	if w.several {
		o.Value, o.Undoes = r.Plan.Value, r.Plan.Undoes
	}
	unexplained := !slices.ContainsFunc(o.Reasons, func(why plan.Reason) bool { return why.Code != plan.MarkLeft })
	if unexplained && r.Err != nil {
		why := plan.Reason{Code: code(client.KindOf(r.Err)), Text: say.Error(r.Err)}
		o.Reasons = slices.Insert(slices.Clip(o.Reasons), 0, why)
	}
	return o
}

// code converts a kind of error to the code of a reason: "no table" becomes NoTable.
func code(k client.Kind) string {
	var out strings.Builder
	for _, word := range strings.FieldsFunc(string(k), func(r rune) bool { return r == ' ' || r == '-' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

func writeOutcome(s *app.Run, p *print.Printer, r change.Receipt) {
	sign, now := say.Result(r)
	p.Sign(sign, 0)
	p.Line(kit.Strong, " · %s", now)
	var about print.Facts
	why := "because"
	if r.Outcome == journal.Applied {
		why = "careful"
	}
	for _, reason := range r.Reasons {
		about.Add(why, say.Reason(reason))
	}
	if r.Unmarked {
		about.Add("mark", "removed from the lock")
	}
	for _, read := range r.Reads {
		about.Add("read",
			fmt.Sprintf("%s in %s: %s (%s, %s)", read.What, read.Table, read.Found, read.How, phrase.Clock(read.At)))
	}
	about.Add("proven", r.Proof())
	if r.Outcome == journal.Unknown {
		about.Add("next", "run: "+s.Flags.Command("journal", "--resolve")+"; tallylock sends the change again only if you choose that")
	}
	if r.NoSTS != "" {
		about.Add("by", r.Who+" (AWS did not name the caller: "+r.NoSTS+")")
	}
	if r.ID != "" {
		about.Add("receipt", r.ID)
		if r.WhyNotUndone() == "" {
			about.Add("undo", s.Flags.CommandLine([]string{"undo", r.ID, "--write"}))
		}
		about.Add("paid", say.Paid(r.WriteUnits, r.ReadUnits))
	}
	p.Facts(2, about)
}
