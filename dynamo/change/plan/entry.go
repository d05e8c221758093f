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
		out = append(out, Reason{Slot: k.Slot, Code: k.Code, Text: k.Text})
	}
	return out
}

// Entry is a journal entry with its plan. The plan can be read, undone and resolved, but not applied.
type Entry struct {
	journal.Entry
	Plan *Plan
}

// Load reads the entry that was recorded before a change was sent.
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

// InEntry returns the plan of an entry.
func InEntry(e journal.Entry) (p *Plan, err error) {
	if err := json.Unmarshal(e.Plan, &p); err == nil && p != nil {
		return p, nil
	}
	return nil, errors.New("the journal has no plan of it that can be read")
}

// CheckTables returns an error if the tables on the connection are not the tables in which a change was made.
func CheckTables(ctx context.Context, conn *dynamo.Connection, e *Entry, op string) error {
	elsewhere := func(why string) error {
		return &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  why,
			Do:   "choose the connection that it was made on; nothing was sent",
		}
	}
	if e.Endpoint == "" {
		return elsewhere("the journal does not say where it was made")
	}
	if e.Region != conn.Region() || e.Endpoint != conn.Endpoint() {
		return elsewhere(
			fmt.Sprintf("it was made on %s, %s, and this is %s, %s", e.Endpoint, e.Region, conn.Endpoint(), conn.Region()),
		)
	}
	for name, id := range e.Plan.Tables {
		d, err := conn.Describe(ctx, name)
		switch {
		case err != nil:
			return err
		case e.Account != "" && d.Account != "" && e.Account != d.Account:
			return elsewhere(fmt.Sprintf("it was made in the account %s, and this is %s", e.Account, d.Account))
		case id == "" || d.Identity() == "":
			return elsewhere(UntoldTable(name))
		case id != d.Identity():
			return elsewhere(
				fmt.Sprintf("the table %s was deleted and created again (it was %s, and is %s)", name, id, d.Identity()),
			)
		}
	}
	return nil
}

// UntoldTable returns the reason to distrust a table without an identity: another table of the same name may
// have replaced it.
func UntoldTable(name string) string {
	return "nothing tells whether the table " + name +
		" is still the same: the endpoint gives it neither a TableId nor a time of creation"
}
