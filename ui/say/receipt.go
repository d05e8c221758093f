package say

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// Became describes the outcome of a change in the journal in a sentence. p is the plan of the
// change; nil if it was not read yet.
func Became(r *journal.Record, p *plan.Plan) string {
	switch {
	case r.Open:
		return "It was sent, but its outcome is unknown."
	case r.Outcome == journal.Applied && p != nil:
		words := Sentence(Done(p, change.Receipt{Effect: p.Effect}))
		if r.Undone != "" {
			words += " It was undone."
		}
		return words
	case r.Outcome == journal.Applied:
		return Sentence(r.What)
	case len(r.Reasons) > 0:
		return Sentence(Reason(plan.ReasonsOf(r)[0]))
	case r.Error != "":
		return recordError(r)
	}
	return "Nothing was written."
}

// recordError returns the error of a change of the journal, as a sentence.
func recordError(r *journal.Record) string {
	return Sentence(Reason(plan.Reason{Text: r.Error, Remedy: r.Remedy}))
}

// Done describes the state after a change was applied. A bump of a counter may have been planned
// again, so its numbers come from the receipt.
func Done(p *plan.Plan, r change.Receipt) string {
	switch {
	case p.Kind == plan.KindReserve:
		return planner.ReservedNumbers(p, r.First, r.Last)
	case p.Done != "":
		return p.Done
	}
	return p.Counter + " is at " + phrase.Group(r.After)
}

// DoneShort is Done for a title. A counter's number keeps its leading and trailing digits.
func DoneShort(r change.Receipt) string {
	p := r.Plan
	if p.Counter != "" && r.Before != "" && p.Kind != plan.KindReserve {
		return p.Counter + " is at " + FitNumber(r.After, 40-kit.ValueWidth(p.Counter))
	}
	return Done(p, r)
}

// Lost describes a change whose answer was lost: what may have happened, and what was sent.
func Lost(r change.Receipt) string {
	said := "It may have happened."
	switch p := r.Plan; {
	case r.OnlyMarked():
		said = fmt.Sprintf("The lock on \"%s\" was not deleted: only its mark was sent.", p.Subject())
	case p != nil && p.Kind == plan.KindRelease:
		said = fmt.Sprintf("The lock on \"%s\" may be gone.", p.Subject())
	case p != nil && p.Done != "":
		said = fmt.Sprintf("Unknown whether %s.", p.Done)
	}
	switch {
	case slices.ContainsFunc(r.Sent, func(s plan.Sending) bool { return client.Answered(s.Err) }):
		return said + " Retries did not tell. Nothing more is sent automatically."
	case len(r.Sent) > 1:
		return said + " Retries got no answer. Nothing more is sent automatically."
	}
	return said + " No answer came. Nothing more is sent automatically."
}

// Answered says how DynamoDB answered a request of a change.
func Answered(err error) string {
	kind := client.KindOf(err)
	switch {
	case kind == client.Cancelled:
		return "stopped"
	case !client.Answered(err):
		return "no answer"
	case kind == client.Conflict:
		return "busy"
	case kind == client.Failed:
		return "an error"
	}
	return string(kind)
}

// By returns the part of an ARN that names the person. Any other name stays as it is.
func By(who string) string {
	if strings.HasPrefix(who, "arn:") {
		return who[strings.LastIndexByte(who, '/')+1:]
	}
	return who
}

// Maker names the person who made a change.
func Maker(r *journal.Record) string { return cmp.Or(r.AppliedBy, By(r.Who)) }

// Makers names the person who made a change, the identity on AWS, and the person who asked for the change.
func Makers(who, appliedBy, askedBy string) string {
	out := who
	if appliedBy != "" {
		out = appliedBy
		if who != "" {
			out += " as " + who
		}
	}
	if askedBy != "" {
		out += ", asked by " + askedBy
	}
	return out
}

// WhyNot lists the reasons why a change was refused or how it was resolved. It also names the
// changes that undo it or that it undoes.
func WhyNot(r *journal.Record) []string {
	out := sentences(plan.ReasonsOf(r))
	if r.Error != "" && !halted(r) { // the reason of a stopped change says the same
		out = append(out, recordError(r))
	}
	if r.Undoes != "" {
		out = append(out, "It undoes "+r.Undoes+".")
	}
	if r.Undone != "" {
		out = append(out, "It was undone by "+r.Undone+".")
	}
	return out
}

// OpenChanges says how many changes have an unknown outcome.
func OpenChanges(n int) string {
	if n == 1 {
		return "1 change has an unknown outcome."
	}
	return phrase.Count(n, "change") + " have an unknown outcome."
}

// WhyReceipt lists the reasons why a change was refused.
func WhyReceipt(r change.Receipt) []string {
	out := sentences(r.Reasons)
	if r.Err != nil {
		out = append(out, Sentence(Explain(r.Err).Why))
	}
	return out
}

// sentences returns reasons as sentences.
func sentences(reasons []plan.Reason) []string {
	var out []string
	for _, reason := range reasons {
		out = append(out, Sentence(Reason(reason)))
	}
	return out
}

// WhyRefused writes one reason of a refused change as a sentence. If the reason has differences, the sentence only
// names the item.
func WhyRefused(r change.Receipt, why plan.Reason) string {
	if len(why.Differs) > 0 {
		if all := Writes(RefusedStep(r)); why.Slot < len(all) {
			return all[why.Slot].Key + " changed after you looked."
		}
	}
	if why.Asks != nil { // the dialog takes the answer, so it names no command
		return Sentence(why.Asks.Text)
	}
	return Sentence(Reason(why))
}

// RefusedStep returns the refused step. For a release that had put its mark, that is the deletion.
func RefusedStep(r change.Receipt) plan.Step {
	if steps := r.Plan.Steps; !r.Marked.IsZero() && len(steps) > 1 {
		return steps[1]
	}
	return r.Plan.Steps[0]
}

// AboutMark reports whether a reason is about the mark of a release.
func AboutMark(r plan.Reason) bool { return r.Code == plan.MarkLeft || r.Code == plan.TakenOver }

// Mark says what happened to the mark of a release that a person stopped. It is empty if there was
// no mark.
func Mark(r change.Receipt) string {
	if !Stopped(r) {
		return ""
	}
	if n := slices.IndexFunc(r.Reasons, AboutMark); n >= 0 {
		return Reason(r.Reasons[n])
	}
	if r.Unmarked {
		return "removed"
	}
	return ""
}

// Receipt describes the outcome of a change and its time, as sentences for a ticket.
func Receipt(r change.Receipt, at time.Time) string {
	s := at.Format("2006-01-02 15:04:05 MST") + ": "
	switch r.Outcome {
	case journal.Applied:
		s += Done(r.Plan, r) + "."
	case journal.Unknown:
		s += "sent, with an unknown outcome."
	default:
		_, now := Result(r)
		s += OutcomeWord(r) + ", " + now + "."
		if mark := Mark(r); mark != "" {
			s += " Its mark: " + Sentence(mark)
		}
	}
	for _, reason := range r.Reasons {
		if Stopped(r) && AboutMark(reason) {
			continue
		}
		s += " " + Sentence(Reason(reason))
	}
	return s + named(r)
}

// Receipts describes the outcomes of several changes, one line each, for a ticket.
func Receipts(receipts []change.Receipt) string {
	var b strings.Builder
	for _, r := range receipts {
		fmt.Fprintf(&b, "%s: %s. %s", r.Plan.String(), OutcomeWord(r), strings.Join(WhyReceipt(r), " "))
		b.WriteString(named(r) + "\n")
	}
	return b.String()
}

// named returns the id of a receipt in a sentence, and who asked for the change. It is empty if nothing was sent: then
// the journal has no entry.
func named(r change.Receipt) string {
	if r.ID == "" {
		return ""
	}
	out := " Receipt " + r.ID + "."
	if r.Plan.AskedBy != "" {
		out += " Asked by " + r.Plan.AskedBy + "."
	}
	return out
}

// DrawChange writes the action of a change and its subject, up to column end. It leaves out the
// table.
func DrawChange(l *kit.Line, r *journal.Record, end int) {
	what := strings.TrimSuffix(r.What, " of "+r.Table)
	if r.Undoes != "" {
		l.Words(kit.Muted, "undo: ", end-l.At)
	}
	does, to := what, ""
	if n := strings.IndexAny(what, " \""); n >= 0 {
		does, to = what[:n+1], what[n+1:]
	}
	if n := strings.Index(to, " \""); n >= 0 { // the name of the constraint
		does, to = does+to[:n+1], to[n+1:]
	}
	if w := kit.ValueWidth(does + to); w > end-l.At {
		if n := strings.LastIndex(to, ", "); n > 0 && strings.Contains(to[n:], " → ") { // a cut number would be wrong
			to = to[:n]
		} else if first, _, more := strings.Cut(does, " "); more { // the value matters more than the action
			does = first + " "
		}
	}
	l.Words(kit.Muted, does, end-l.At)
	l.Fit(kit.Strong, to, end-l.At)
}
