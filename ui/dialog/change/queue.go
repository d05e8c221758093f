package change

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/queue"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// askOperator puts the plan into the queue of the server, for an operator.
func (d *ask) askOperator() tea.Cmd {
	guest := d.Options.Guest
	if why := guest.WhyNotAsked(); why != "" {
		return d.Say(say.Sentence(why))
	}
	if _, asking := d.Tasks.Since(task.Saving); asking {
		return nil
	}
	plans, shown, conn := d.batch.Plans, queue.ShownOf(d.plan), d.conn.Connection
	if len(plans) > 1 && plans[0].Undoes != "" {
		return d.Say("You can ask an operator for only one undo at a time.")
	}
	reason := d.reason.keep()
	if reason == "" {
		d.focus = stopReason
		return d.Say("Type the reason first: the operator reads it.")
	}
	return task.Start(d.Tasks, task.Saving, func(ctx context.Context) (*queue.Entry, error) {
		file := change.NewPlanFile(ctx, conn, guest.Name, reason)
		if err := file.Add(plans...); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil { // the person has left the dialog
			return nil, err
		}
		return guest.Queue.Add(guest.Person(), shown, file)
	}, func(e *queue.Entry, err error) tea.Cmd {
		if err != nil {
			return d.Fail(err)
		}
		d.Reasons.Made(d.reason.question)
		return tea.Batch(d.Send(message.Close{}), d.Send(message.Queued{}),
			d.Say("The plan is in the queue ("+d.Keys.Key(keymap.Queue)+"). An operator can apply it until "+
				say.When(e.Until, d.Now())+"."))
	})
}

// queued is the entry of the queue whose plan an option applies.
type queued struct {
	*queue.Queue
	by    queue.Person
	entry *queue.Entry
}

// AskQueued asks an operator whether to apply a plan of the queue. The plan is made again from the present items, and
// compared with the items that its author saw.
func AskQueued(s *session.Session, e *queue.Entry) tea.Cmd {
	guest, f := s.Options.Guest, e.Plan
	c := *s.ConnectionOf(placeOf(e))
	q := &queued{guest.Queue, guest.Person(), e}
	replan := func(ctx context.Context) (*change.Batch, error) {
		b, err := f.ReplanAll(ctx, c.Changer, c.Connection)
		if err == nil && len(b.Plans) == 0 {
			q.outdated(b.Refused)
		}
		return b, err
	}
	o := option{
		title: e.Shown.Title, room: max(usualRoom, len(e.Shown.Lines)+2), queued: q,
		plan: func(ctx context.Context, _ string) (*plan.Plan, error) {
			b, err := replan(ctx)
			switch {
			case err != nil:
				return nil, err
			case len(b.Plans) == 0:
				return nil, &plan.Refusal{Reasons: b.Refused[0].Reasons}
			}
			return b.Plans[0], nil
		},
	}
	if n := len(f.Changes); n > 1 {
		o.batch, o.wording = replan, queuedWording(f)
		o.title, o.room = o.wording.verb+" "+phrase.Count(n, o.wording.thing), batchRoom(n)
	}
	return s.Reading(0, func() tea.Cmd {
		d := newAsk(s, c, e.ID, o)
		if d.reason.Value() == "" {
			d.reason.Put(f.Reason)
		}
		return d.replan()
	})
}

// queuedWording returns the words for a plan of several changes.
func queuedWording(f *change.PlanFile) wording {
	if f.Mends() {
		return wording{
			thing: "finding", verb: "Mend", done: "mended",
			says: "Mends %s. tallylock has just read them again. It repairs a finding only if the items still have the fault.",
		}
	}
	return wording{
		thing: "lock", verb: "Release", done: "released",
		says: "Frees the values of %s. Anybody can sign up with them afterwards. No account is changed.",
	}
}

// placeOf returns a record with only the connection, the Region and the endpoint of a plan.
func placeOf(e *queue.Entry) *journal.Record {
	return &journal.Record{Connection: e.Plan.Connection, Region: e.Plan.Region, Endpoint: e.Plan.Endpoint}
}

// WhyNotQueued says why the person cannot apply a plan of the queue here; empty if the person can.
func WhyNotQueued(s *session.Session, e *queue.Entry) string {
	if why := s.Options.Guest.Person().WhyNotDecided(e); why != "" {
		return why
	}
	c := s.ConnectionOf(placeOf(e))
	switch {
	case c != nil:
		return s.WhyWriteOn(*c, e.Plan.Changes[0].Table)
	case slices.ContainsFunc(s.Connections, func(c session.Connection) bool { return c.Name() == e.Plan.Connection }):
		return "choose the connection " + e.Plan.Connection + " first: press " + s.Keys.Key(keymap.Tables)
	}
	return "this session has no connection " + e.Plan.Connection
}

// outdated refuses a plan of the queue if no later reading can make any of its changes possible: their items have
// changed or are gone, or the change was applied before.
func (q *queued) outdated(refused []change.Receipt) {
	final := func(w plan.Reason) bool {
		return w.Code == plan.Changed || w.Code == plan.Absent || w.Code == plan.AppliedBefore
	}
	var why []string
	for _, r := range refused {
		if !slices.ContainsFunc(r.Reasons, final) {
			return // another reading may lead to a plan
		}
		if !slices.ContainsFunc(r.Reasons, func(w plan.Reason) bool { return w.Code == plan.AppliedBefore }) {
			why = append(why, say.WhyReceipt(r)...)
		}
	}
	// This fails if another operator has decided the plan, or if its outcome is unknown. The dialog shows the reasons
	// anyway.
	_ = q.Refuse(q.by, q.entry.ID, "The plan is outdated. "+strings.Join(why, " "))
}

// apply takes the plan from the queue, and applies it with do. If another operator has taken it already, it applies
// nothing. refused are the changes that could not be planned again.
func (q *queued) apply(plans []*plan.Plan, refused []change.Receipt, do func() []change.Receipt) []change.Receipt {
	taken, err := q.Take(q.by, q.entry.ID)
	if err != nil {
		made := make([]change.Receipt, len(plans))
		for n, p := range plans {
			made[n] = change.NotMade(p, err)
		}
		return made
	}
	for _, p := range plans {
		p.AskedBy, p.Reason = q.entry.AskedBy, q.reason(p.Reason)
	}
	made := do()
	state, why, receipts := becameOf(made, refused)
	if state == queue.Waiting {
		_ = taken.Return(receipts...)
	} else {
		_ = taken.Done(state, why, receipts...) // if that fails, the queue reads the outcome from the journal
	}
	return made
}

// reason returns the reason of a change: the author's reason, followed by the operator's if it differs.
func (q *queued) reason(typed string) string {
	if asked := q.entry.Plan.Reason; typed != "" && typed != asked {
		return asked + " (" + q.by.Name + ": " + typed + ")"
	}
	return q.entry.Plan.Reason
}

// becameOf returns the state of a plan of the queue after its changes. The plan waits again if nothing was sent, if a
// person stopped it, or if another attempt may succeed: after an answer to a question, or after another reading. In
// this case, receipts has only the applied changes. refused are the changes that could not be planned again.
func becameOf(made, refused []change.Receipt) (state queue.State, why string, receipts []string) {
	has := func(r change.Receipt, code string) bool {
		return slices.ContainsFunc(r.Reasons, func(w plan.Reason) bool { return w.Code == code })
	}
	again := func(r change.Receipt) bool { // another attempt may succeed
		return answerable(r) != nil || has(r, plan.NoAnswer) || has(r, plan.Incomplete) || has(r, plan.Moving)
	}
	state = queue.Waiting
	stopped := false
	var reasons, applied []string
	for _, r := range made {
		if r.ID != "" {
			receipts = append(receipts, r.ID)
		}
		if r.ID != "" && r.Outcome == journal.Applied {
			applied = append(applied, r.ID)
		}
		switch {
		case r.Outcome == journal.Unknown, has(r, plan.MarkLeft):
			state = queue.Unknown
		case r.Outcome == journal.Applied && state != queue.Unknown:
			state = queue.Applied
		case r.Outcome != journal.Refused:
		case r.Err != nil, r.ID == "", again(r):
			stopped = true
		default:
			reasons = append(reasons, say.WhyReceipt(r)...)
			if state == queue.Waiting {
				state = queue.Refused
			}
		}
	}
	for _, r := range refused {
		if again(r) { // an operator can apply the rest later
			stopped = true
		}
		if !has(r, plan.AppliedBefore) {
			reasons = append(reasons, say.WhyReceipt(r)...)
		}
	}
	if stopped && state != queue.Unknown { // the finished changes are not made again
		return queue.Waiting, "", applied
	}
	return state, strings.Join(reasons, " "), receipts
}
