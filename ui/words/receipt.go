package words

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/change"
)

// InOrder reports whether a change was left because there is nothing to mend.
func InOrder(r change.Receipt) bool {
	return r.Outcome == change.Refused && len(r.Reasons) > 0 && r.Reasons[0].Code == change.InOrder
}

// WhyReceipt says why a change was not made.
func WhyReceipt(r change.Receipt) []string {
	var out []string
	for _, reason := range r.Reasons {
		out = append(out, Sentence(reason.Text))
	}
	if r.Err != nil {
		_, _, why, _ := Explain(r.Err)
		out = append(out, Sentence(why))
	}
	return out
}

// MarkLeft reports whether a reason is that a mark was left on its lock.
func MarkLeft(r change.Reason) bool { return r.Code == change.MarkLeft }

// Mark says what became of the mark of a release that was stopped half way;
// empty where none was put.
func Mark(r change.Receipt) string {
	if !Stopped(r) {
		return ""
	}
	if n := slices.IndexFunc(r.Reasons, MarkLeft); n >= 0 {
		return r.Reasons[n].Text
	}
	if r.Unmarked {
		return "removed"
	}
	return ""
}

// Receipt is what became of a change at a time, as sentences for a ticket.
func Receipt(r change.Receipt, at time.Time) string {
	s := at.Format("2006-01-02 15:04:05 MST") + ": "
	switch r.Outcome {
	case change.Applied:
		s += Done(r.Plan, r) + "."
	case change.Unknown:
		s += "sent, and not known what became of it."
	default:
		word := "refused"
		if Stopped(r) {
			word = "stopped"
		}
		if mark := Mark(r); mark != "" {
			s += word + ", the lock stays. Its marker: " + Sentence(mark)
		} else {
			s += word + ", nothing was written."
		}
	}
	for _, reason := range r.Reasons {
		if Stopped(r) && MarkLeft(reason) {
			continue
		}
		s += " " + Sentence(reason.Text)
	}
	return s + named(r)
}

// Receipts is what became of several changes, a line each, for a ticket.
func Receipts(receipts []change.Receipt) string {
	var b strings.Builder
	for _, r := range receipts {
		outcome := string(r.Outcome)
		if Stopped(r) {
			outcome = "stopped"
		}
		fmt.Fprintf(&b, "%s: %s. %s", r.Plan.String(), outcome, strings.Join(WhyReceipt(r), " "))
		b.WriteString(named(r) + "\n")
	}
	return b.String()
}

// named names a receipt; empty where nothing was sent, and the journal knows of nothing.
func named(r change.Receipt) string {
	if r.ID == "" {
		return ""
	}
	return " Receipt " + r.ID + "."
}
