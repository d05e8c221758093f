package change

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
)

// journalReasons converts reasons to the type that the journal stores.
func journalReasons(all []plan.Reason) []journal.Reason {
	var out []journal.Reason
	for _, r := range all {
		if r.ByOtherRelease {
			r.Code = plan.TakenOver // shows that the mark is gone
		}
		out = append(out, journal.Reason{Slot: r.Slot, Code: r.Code, Text: r.Text, Remedy: r.Remedy})
	}
	return out
}

// sendEntry returns the journal entry to write before a step is sent.
func (c *Changer) sendEntry(ctx context.Context, p *plan.Plan, s plan.Step) (journal.Entry, error) {
	conn := p.Live.Conn
	e := journal.Entry{
		Event: journal.EventSend, Receipt: p.ID, Step: s.Name, Token: s.Token, At: c.now(), Run: p.Live.Run, Undoes: p.Undoes,
		Change:  p.Live.FileChange,
		There:   endpointTime(conn),
		Profile: conn.Profile(), Account: p.Live.Account, Connection: conn.Name(), Region: conn.Region(),
		Endpoint: conn.Endpoint(),
		What:     p.String(), Table: p.Table, Reason: p.Reason, AskedBy: p.AskedBy,
		About: journal.About{
			Kind: string(p.Kind), Constraint: p.Constraint, Value: p.Value, Counter: p.Counter, Before: p.Before,
			After: p.After,
		},
	}
	c.sign(ctx, conn, &e)
	var err error
	e.Plan, err = attr.JSON(p.ForJournal())
	return e, err
}

// appendAnswer records the answer to a step, even if ctx is cancelled.
func (c *Changer) appendAnswer(ctx context.Context, q request, a plan.Answer) error {
	reasons := a.Reasons
	if q.step.Name == journal.StepUnmark && a.Outcome == journal.Applied {
		reasons = q.why // no other entry has the reasons to keep the lock
	}
	e := journal.Entry{
		Event:   journal.EventAnswer,
		Receipt: q.plan.ID,
		Step:    q.step.Name,
		Token:   q.step.Token,
		At:      c.now(),
		There:   endpointTime(q.plan.Live.Conn),
		Outcome: a.Outcome,
		Reasons: journalReasons(reasons),
	}
	for n, reason := range e.Reasons {
		if q.plan.NoImage && reason.Code == plan.ConditionFailed { // the text contains values of the account
			e.Reasons[n].Text = "an item changed since it was read"
		}
	}
	if !a.Lost {
		e.Sent = journal.Once
	}
	if a.Err != nil {
		e.Error, e.Remedy = a.Err.Error(), plan.RemedyOf(a.Err)
	}
	if a.Outcome == journal.Refused && client.KindOf(a.Err) == client.Cancelled {
		e.Reasons = append(e.Reasons, journal.Reason{Code: plan.Cancelled, Text: "stopped before anything was written"})
	}
	return c.Journal.Append(context.WithoutCancel(ctx), e)
}

// ItemHistory returns the changes that wrote one of the items, or tried to, newest first. The items are in the
// accounts table or in its lock tables. ItemHistory omits changes of an earlier table with the same name.
func ItemHistory(
	ctx context.Context, j *journal.Journal, t *dynamo.Table, items ...client.Address,
) ([]*journal.Record, error) {
	hashes, err := partitionKeys(items)
	if err != nil {
		return nil, err
	}
	receipts := map[string]bool{}
	err = j.VisitSends(ctx, hashes, func(e journal.Entry) {
		p, err := plan.InEntry(e)
		if err == nil && slices.ContainsFunc(items, func(a client.Address) bool { return wrote(p, e, t, a.Table, a.Key) }) {
			receipts[e.Receipt] = true
		}
	})
	if err != nil || len(receipts) == 0 {
		return nil, err
	}
	all, err := j.Records()
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r *journal.Record) bool { return !receipts[r.Receipt] })
	slices.Reverse(all)
	return all, nil
}

// partitionKeys returns the JSON of each item's partition key in two forms, because a line of the journal may have
// either. The JSON of a Key escapes some characters, such as &. The JSON of an item does not.
func partitionKeys(items []client.Address) (hashes [][]byte, err error) {
	for _, item := range items {
		hash, err := item.Key.Hash.Value.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("looking for %s in the journal: %w", item.Key, err)
		}
		var escaped bytes.Buffer
		json.HTMLEscape(&escaped, hash)
		hashes = append(hashes, hash, escaped.Bytes())
	}
	return hashes, nil
}

// BackfillOf returns the backfill that puts locks with this mark into a lock table of t. It returns nil if the journal
// has no such backfill.
func BackfillOf(
	ctx context.Context, j *journal.Journal, t *dynamo.Table, lockTable, mark string,
) (*journal.Record, error) {
	text, err := json.Marshal(mark)
	if err != nil {
		return nil, fmt.Errorf("looking for a backfill in the journal: %w", err)
	}
	receipt := ""
	err = j.VisitSends(ctx, [][]byte{text}, func(e journal.Entry) {
		p, err := plan.InEntry(e)
		if err == nil && p.Kind == plan.KindBackfill && p.Backfill.Mark == mark && p.Table == lockTable &&
			inTable(p, e, t, lockTable) {
			receipt = e.Receipt
		}
	})
	if err != nil || receipt == "" {
		return nil, err
	}
	return j.Record(receipt)
}

// inTable reports whether a sent plan is about the current table.
func inTable(p *plan.Plan, e journal.Entry, t *dynamo.Table, table string) bool {
	conn := t.Connection()
	if e.Region != conn.Region() || e.Endpoint != conn.Endpoint() {
		return false
	}
	was, is := p.Tables[table], t.DescriptionOf(table).Identity()
	return was == "" || is == "" || was == is
}

// wrote reports whether a sent plan writes an item of the current table.
func wrote(p *plan.Plan, e journal.Entry, t *dynamo.Table, table string, key attr.Key) bool {
	if !inTable(p, e, t, table) {
		return false
	}
	for _, s := range p.Steps {
		for _, w := range s.Writes {
			if w.Verb != client.Check && w.Table == table && w.Key.Equal(key) {
				return true
			}
		}
	}
	return false
}
