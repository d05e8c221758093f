package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
)

// ReasonsOf returns the reasons of a record.
func ReasonsOf(r *journal.Record) []Reason {
	var out []Reason
	for _, k := range r.Reasons {
		out = append(out, Reason{Slot: k.Slot, Code: k.Code, Text: k.Text, Remedy: k.Remedy})
	}
	return out
}

// Entry is a journal entry with its plan. The plan can be read, undone and resolved, but not applied.
type Entry struct {
	journal.Entry
	Plan *Plan
}

// Load reads the newest journal entry of a change and decodes its plan. The entry was written just before a step
// was sent, so the plan has exactly the steps that were sent.
func Load(r *journal.Record) (*Entry, error) {
	e, err := r.Entry()
	if err != nil {
		return nil, err
	}
	p, err := InEntry(e)
	if err != nil {
		return nil, &client.Error{
			Kind:   client.Failed,
			Op:     "reading the plan of " + r.Receipt,
			Why:    err.Error(),
			Remedy: remedy.Of(remedy.ForgetLines),
		}
	}
	return &Entry{e, p}, nil
}

// InTables reports whether opens returns true for the table of a record, or for the accounts table of its plan. Several
// accounts tables may share a lock table. The record of a release names only the lock table; its plan names the
// accounts table.
func InTables(r *journal.Record, opens func(table string) bool) bool {
	if opens(r.Table) {
		return true
	}
	e, err := Load(r)
	return err == nil && opens(e.Plan.Accounts)
}

// InEntry returns the plan of an entry.
func InEntry(e journal.Entry) (p *Plan, err error) {
	if err := json.Unmarshal(e.Plan, &p); err == nil && p != nil {
		return p, nil
	}
	return nil, errors.New("the journal has no readable plan of this change")
}

// CheckTables returns an error if a change was made or planned in other tables than the connection has: another
// endpoint, Region or AWS account, or a table that was created again.
func CheckTables(ctx context.Context, conn *dynamo.Connection, e *Entry, op string) error {
	elsewhere := func(why string) error {
		return &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  why,
			Do:   "choose the connection of the change; nothing was sent",
		}
	}
	if e.Endpoint == "" {
		return elsewhere("the journal does not say where the change was made")
	}
	if e.Region != conn.Region() || e.Endpoint != conn.Endpoint() {
		return elsewhere(
			fmt.Sprintf("the change is for %s (%s), but this connection is %s (%s)", e.Endpoint, e.Region, conn.Endpoint(), conn.Region()),
		)
	}
	for name, id := range e.Plan.Tables {
		d, err := conn.Describe(ctx, name)
		switch {
		case err != nil:
			return err
		case e.Account != "" && d.Account != "" && e.Account != d.Account:
			return elsewhere(fmt.Sprintf("the change is for the AWS account %s, but this connection uses the account %s", e.Account, d.Account))
		case id == "" || d.Identity() == "":
			return elsewhere(UntoldTable(name))
		case id != d.Identity():
			return elsewhere(
				fmt.Sprintf("the table %s was deleted and created again (before: %s; now: %s)", name, id, d.Identity()),
			)
		}
	}
	return nil
}

// UntoldTable returns the reason to distrust a table without an identity: another table of the same name may
// have replaced it.
func UntoldTable(name string) string {
	return "tallylock does not know whether the table " + name +
		" is still the same: the endpoint gives it neither a TableId nor a time of creation"
}

// WhyNotUndone returns the reason why a change cannot be undone, from its record alone; empty if the record allows an
// undo. WhyNotUndoable also looks at the plan.
func WhyNotUndone(r *journal.Record) string {
	switch {
	case r.Said:
		return "this is an answer about a table: take it back on the layout screen, or with the layout command"
	case r.Open:
		return "the outcome is unknown: resolve the change first"
	case r.Outcome != journal.Applied:
		return NotApplied(r.Outcome)
	case r.Undone != "":
		return "the change is already undone, by " + r.Undone
	case r.Undoing != "":
		return "the change may already be undone: the outcome of " + r.Undoing + " is unknown"
	}
	return ""
}

// NotApplied returns the reason not to undo a change that was not applied, or whose outcome is unknown.
func NotApplied(o journal.Outcome) string {
	if o == journal.Unknown {
		return "unknown whether the change was applied"
	}
	return "the change was not applied"
}

// WhyNotUndoable returns the reason why a change cannot be undone, from its record and its plan; empty if an undo
// may be tried. Unlike Undo, it does not read the table.
func WhyNotUndoable(r *journal.Record, p *Plan) string {
	if why := WhyNotUndone(r); why != "" {
		return why
	}
	if why := p.WhyNeverUndone(); why != "" {
		return why
	}
	if p.Kind == KindBackfill {
		return "a backfill has many transactions: undo it separately, on the command line or on the screen of its adoption"
	}
	return p.Unsound()
}

// WhyNeverUndone returns the reason why the plan can never be undone; empty if an undo may be tried.
func (p *Plan) WhyNeverUndone() string {
	switch {
	case p.Kind.IsBackfill() && p.Kind != KindBackfill:
		return "this step of an adoption cannot be undone: adopt the constraint again"
	case operations[p.Kind].lasting:
		return "numbers that were handed out cannot be taken back"
	case p.NoImage:
		return NoImageWhy
	}
	return ""
}
