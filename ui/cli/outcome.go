package cli

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// plannedResult is the JSON of a dry run, outcome that of a change. Their names
// are a contract.
type plannedResult struct {
	Outcome change.Outcome `json:"outcome"`
	Plan    *change.Plan   `json:"plan"`
}

type outcome struct {
	Outcome change.Outcome  `json:"outcome"`
	Value   string          `json:"value,omitempty"` // of one among several
	Receipt *string         `json:"receipt"`         // null where nothing was sent
	Before  string          `json:"before,omitempty"`
	After   string          `json:"after,omitempty"`
	First   string          `json:"first,omitempty"`
	Last    string          `json:"last,omitempty"`
	Reasons []change.Reason `json:"reasons"`
}

// planned answers a dry run.
func (w *writing) planned(conn *dynamo.Connection, p *change.Plan) error {
	if w.flags.output != asText {
		return w.print(plannedResult{change.Planned, p})
	}
	page := w.printer()
	writePlan(page, p)
	return w.writeCommands(page, conn, p)
}

// writeCommands ends a dry run for people: the same by other means, unless a plan rests on a guess.
func (w *writing) writeCommands(page *printer, conn *dynamo.Connection, plans ...*change.Plan) error {
	page.line(kit.Muted, "Planned; nothing was written.")
	guessed := func(p *change.Plan) bool { return p.Unsure() != nil }
	if len(plans) == 0 || w.to != "" || slices.ContainsFunc(plans, guessed) {
		return nil
	}
	page.line(kit.Muted, "The same with the AWS CLI:")
	for _, p := range plans {
		commands, err := p.Steps.Commands(conn)
		if err != nil {
			return err
		}
		for line := range strings.Lines(commands) {
			page.line(kit.Text, "%s", strings.TrimSuffix(line, "\n"))
		}
	}
	return nil
}

// plannedAll answers a dry run of several plans.
func (w *writing) plannedAll(conn *dynamo.Connection, b *change.Batch) error {
	if w.flags.output == asText {
		page := w.printer()
		w.writeBatch(page, b)
		return w.writeCommands(page, conn, b.Plans...)
	}
	var all []any
	for _, p := range b.Plans {
		all = append(all, plannedResult{change.Planned, p})
	}
	for _, r := range b.Refused {
		all = append(all, outcomeOfMany(r))
	}
	return printAll(w.invocation, all)
}

// answerAll writes what became of several changes, and gives the exit status of
// the worst.
func (w *writing) answerAll(receipts []change.Receipt) error {
	rank, worst := []int{exitDone, exitRefused, exitUsage, exitFailed, exitUnknown}, 0
	var all []outcome
	for _, r := range receipts {
		all = append(all, outcomeOfMany(r))
		worst = max(worst, slices.Index(rank, receiptStatus(r)))
		if w.flags.output == asText {
			page := w.printer()
			page.line(kit.Text, "%s \"%s\"", r.Plan.Constraint, r.Plan.Value)
			writeOutcome(w.invocation, page, r)
		}
	}
	if w.flags.output != asText {
		if err := printAll(w.invocation, all); err != nil {
			return err
		}
	}
	for _, r := range receipts {
		if r.Err != nil { // the same for all, as a rule
			w.complain(r.Err)
			break
		}
	}
	if worst > 0 {
		return status(rank[worst])
	}
	return nil
}

func outcomeOfMany(r change.Receipt) outcome {
	o := outcomeOf(r)
	o.Value = r.Plan.Value
	return o
}

// answer writes what became of a change, and gives the exit status.
func (w *writing) answer(r change.Receipt) error {
	if w.flags.output == asText {
		writeOutcome(w.invocation, w.printer(), r)
	} else if err := w.print(outcomeOf(r)); err != nil {
		return err
	}
	if r.Err != nil {
		w.complain(r.Err)
	}
	if code := receiptStatus(r); code != exitDone {
		return status(code)
	}
	return nil
}

func outcomeOf(r change.Receipt) outcome {
	o := outcome{
		Outcome: r.Outcome,
		Receipt: attr.NullIfEmpty(r.ID),
		Before:  r.Before,
		After:   r.After,
		First:   r.First,
		Last:    r.Last,
		Reasons: append([]change.Reason{}, r.Reasons...),
	}
	if len(o.Reasons) == 0 && r.Err != nil {
		o.Reasons = append(o.Reasons, change.Reason{Code: code(client.KindOf(r.Err)), Text: r.Err.Error()})
	}
	return o
}

// code is a kind of error as a reason's code: "no table" is NoTable.
func code(k client.Kind) string {
	var out strings.Builder
	for _, word := range strings.FieldsFunc(string(k), func(r rune) bool { return r == ' ' || r == '-' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

// undoes is the command that takes a change back; empty where nothing does, or where it cannot
// be shown as it would have to be typed.
func (s *invocation) undoes(r change.Receipt) string {
	if r.WhyNotUndone() != "" {
		return ""
	}
	return s.flags.commandLine([]string{"undo", r.ID, "--write"})
}

func writeOutcome(s *invocation, p *printer, r change.Receipt) {
	sign, now := words.Result(r)
	p.sign(sign, 0)
	p.line(kit.Strong, " · %s", now)
	var about []fact
	add := func(label, text string) { about = append(about, fact{label, text}) }
	for _, reason := range r.Reasons {
		if r.Outcome == change.Applied {
			add("mind", reason.Text)
			continue
		}
		add("because", reason.Text)
	}
	if r.Unmarked {
		add("marker", "removed; the lock is as it was")
	}
	for _, read := range r.Reads {
		add("looked at",
			fmt.Sprintf("%s in %s: %s (%s, %s)", read.What, read.Table, read.Found, read.How, words.Clock(read.At)))
	}
	if proof := r.Proof(); proof != "" {
		add("proven", proof)
	}
	if r.Outcome == change.Unknown {
		add("now", "run: "+s.flags.command("journal", "--resolve")+"; nothing is sent again unasked")
	}
	if r.NoSTS != "" {
		add("by", r.Who+", since "+r.NoSTS)
	}
	if r.ID != "" {
		add("receipt", r.ID)
		if undo := s.undoes(r); undo != "" {
			add("undo", undo)
		}
		add("paid", words.Paid(r.WriteUnits, r.ReadUnits))
	}
	p.facts(2, about...)
}
