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
	plans, shown, conn := d.batch.Plans, queue.ShownOf(d.plan), d.conn.Connection
	if len(plans) > 1 && plans[0].Undoes != "" {
		return d.Say("An operator is asked for one undo at a time.")
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
		return guest.Queue.Add(guest.Person(), shown, file)
	}, func(e *queue.Entry, err error) tea.Cmd {
		if err != nil {
			return d.Fail(err)
		}
		d.Reasons.Made(d.reason.question)
		return tea.Batch(d.Send(message.Close{}), d.Send(message.Queued{}),
			d.Say("An operator is asked. "+d.Keys.Key(keymap.Queue)+" shows the queue; the plan waits until "+say.When(e.Until, d.Now())+"."))
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
	replan := func(ctx context.Context) (*change.Batch, error) { return f.ReplanAll(ctx, c.Changer, c.Connection) }
	o := option{
		title: e.Shown.Title, room: max(usualRoom, len(e.Shown.Lines)+2),
		queued: &queued{guest.Queue, guest.Person(), e},
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
			says: "Mends %s. Each was read again just now. A finding is repaired only if it still holds.",
		}
	}
	return wording{
		thing: "lock", verb: "Release", done: "released",
		says: "Frees the values of %s. Anybody can sign up with them afterwards. No account is changed.",
	}
}

// placeOf returns a record with the place of a plan.
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
		return "choose its connection " + e.Plan.Connection + " first, " + s.Keys.Key(keymap.Tables)
	}
	return "no connection here is " + e.Plan.Connection
}

// apply takes the plan from the queue, and applies it with do. Another operator may have it already.
func (q *queued) apply(plans []*plan.Plan, do func() []change.Receipt) []change.Receipt {
	taken, err := q.Take(q.by, q.entry.ID)
	if err != nil {
		made := make([]change.Receipt, len(plans))
		for n, p := range plans {
			made[n] = change.NotMade(p, err)
		}
		return made
	}
	for _, p := range plans {
		p.AskedBy = q.entry.AskedBy
	}
	made := do()
	state, why, receipts := becameOf(made)
	if state == queue.Waiting {
		_ = taken.Return()
	} else {
		_ = taken.Done(state, why, receipts...) // if that fails, the queue reads the outcome from the journal
	}
	return made
}

// becameOf returns the state of a plan of the queue after its changes. If nothing was sent, or a person stopped it, the
// plan waits again.
func becameOf(made []change.Receipt) (state queue.State, why string, receipts []string) {
	state = queue.Waiting
	var reasons []string
	for _, r := range made {
		if r.ID != "" {
			receipts = append(receipts, r.ID)
		}
		switch {
		case r.Outcome == journal.Unknown:
			state = queue.Unknown
		case r.Outcome == journal.Applied && state != queue.Unknown:
			state = queue.Applied
		case r.Outcome == journal.Refused && r.Err == nil:
			reasons = append(reasons, say.WhyReceipt(r)...)
			if state == queue.Waiting {
				state = queue.Refused
			}
		}
	}
	return state, strings.Join(reasons, " "), receipts
}
