// Package change is the dialog that asks for a change, shows its progress, and reports its outcome.
// A single change is a batch of one. For each subject (lock, account, counter, finding, undo) a file has the
// commands of screens, the refusals, and the functions Ask… that make the options. Start reading at ask.
package change

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/dialog/question"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// ask is the dialog. It shows a form first: the options, the chosen option's field, a reason, and the buttons. Then it
// shows the progress, then the result.
type ask struct {
	*session.Session
	conn    session.Connection
	options []option
	at      int // the index of the chosen option
	proposal
	// refused says why there is no plan for the text in the option's field.
	refused error
	// room is the largest number of rows that a plan has taken so far, or will take. So the fields below the plan do not
	// move.
	room int
	// moving is set if the application is using the counter now.
	moving bool
	reason reason
	typing kit.Field
	focus  int // see stops

	view         *request // the requests to be sent; nil unless they are shown
	*dialog.Work          // the change being applied; nil otherwise
	result       *result  // nil until the change has ended, or could not be planned
	decided      bool     // the person answered a question about the layout
}

var _ dialog.Worker = (*ask)(nil) // the program finds a Worker by a type assertion

// newAsk shows a dialog that asks for a change on a connection, by one of several options. "No" has the focus first. If
// entry.whole of the first option is set, its field has the focus first. of identifies the subject, so that an
// unfinished reason comes back when a person asks for the same change again.
func newAsk(s *session.Session, c session.Connection, of string, options ...option) *ask {
	q := session.Question{Connection: c.Name(), Asks: options[0].id(), Of: of}
	d := &ask{
		Session: s, conn: c, options: options, focus: stopNo, reason: newReason(&s.Reasons, q), typing: kit.NewField(""),
	}
	d.room = options[0].room
	if e := options[0].entry; e != nil && e.whole {
		d.focus = stopEntry
	}
	s.Send(message.Ask{Dialog: d})
	return d
}

// Draw implements dialog.Dialog.
func (d *ask) Draw() *kit.Box {
	switch {
	case d.view != nil:
		return d.view.draw()
	case d.result != nil:
		return d.result.draw()
	case d.Busy():
		return d.drawWork()
	}
	return d.drawForm()
}

// replan plans the chosen option, at the start and after each edit.
func (d *ask) replan() tea.Cmd {
	d.proposal, d.refused = proposal{}, nil
	if d.lacks() != "" {
		d.Tasks.Drop(task.Planning)
		return nil
	}
	o, typed := d.option(), d.typed()
	return task.Start(d.Tasks, task.Planning, func(ctx context.Context) (proposal, error) { return o.propose(ctx, typed) },
		d.planned)
}

// planned receives the plan, or the error. If the field's text is refused, the form stays open for
// another text.
func (d *ask) planned(p proposal, err error) tea.Cmd {
	switch {
	case err == nil:
		d.proposal = p
	case client.KindOf(err) == client.Cancelled:
		return tea.Batch(d.Send(message.Close{}), d.Say("Stopped. Nothing was sent."))
	case d.option().entry != nil && answerable(change.NotMade(nil, err)) == nil: // another text may be possible
		d.refused = err
	default:
		d.fail(err)
		if after := d.option().after; after != nil {
			switch {
			case p.batch != nil: // after gets the receipt of each refused change
				after(p.batch.Refused, err)
			case d.option().batch == nil:
				after(d.result.receipts, err)
			}
		}
	}
	return nil
}

// fail shows why nothing could be planned, as a result.
func (d *ask) fail(err error) {
	d.reason.keep()
	d.show([]change.Receipt{change.NotMade(nil, err)}, err)
	d.Shown = d.Now()
	if say.NothingToDo(d.result.first()) { // nothing is wrong, so the reason is not kept as a draft
		d.Reasons.Made(d.reason.question)
	}
}

// show shows the receipts as a result. err says why nothing could be planned.
func (d *ask) show(receipts []change.Receipt, err error) {
	d.Work, d.result = nil, &result{
		Session: d.Session, conn: d.conn, wording: d.option().wording, receipts: receipts, err: err,
	}
	if why := answerable(receipts...); why != nil && d.WhyViewer() == "" {
		d.result.query = question.NewQuery(why.Asks)
	}
	d.result.Buttons = d.result.buttons()
}

// apply applies the change.
func (d *ask) apply() tea.Cmd {
	if !d.open() {
		return nil
	}
	if d.onlyAsks() {
		return d.askOperator()
	}
	d.focus = stopYes
	plans, reason := d.batch.Plans, d.reason.keep()
	for _, one := range plans {
		one.Reason = reason
	}
	if run := d.option().run; run != nil {
		d.Reasons.Made(d.reason.question)
		return tea.Batch(d.Send(message.Close{}), run())
	}
	d.Work = &dialog.Work{Session: d.Session, Rows: 1}
	if marksFirst(plans) > 0 {
		d.Work.Rows = 4 // the stages: mark, wait, look, delete
	}
	queued := d.option().queued
	return d.Work.Apply(func(ctx context.Context, report func(change.Progress)) []change.Receipt {
		apply := func() []change.Receipt { return d.conn.Changer.ApplyAll(ctx, plans, report) }
		if queued != nil {
			return queued.apply(plans, d.batch.Refused, apply)
		}
		return apply()
	}, d.applied)
}

// applied receives the receipts.
func (d *ask) applied(made []change.Receipt) tea.Cmd {
	d.noteDenied(made[0])
	o, receipts := d.option(), append(slices.Clip(made), d.batch.Refused...)
	d.show(receipts, nil)
	if !slices.ContainsFunc(made, func(r change.Receipt) bool { return r.Outcome != journal.Applied }) {
		d.Reasons.Made(d.reason.question)
	}
	if n := slices.IndexFunc(made, func(r change.Receipt) bool { return r.Outcome == journal.Applied }); n >= 0 {
		d.Last = session.LastChange{Connection: d.conn, Kind: made[n].Plan.Kind}
		if !o.wording.several() {
			d.Last.Made = made[n]
		}
	}
	if o.after != nil {
		o.after(receipts, nil)
	}
	return d.Send(message.Changed{Made: made})
}

// Press implements dialog.Dialog.
func (d *ask) Press(n int) tea.Cmd {
	switch {
	case d.result != nil:
		return d.pressResult(n)
	case d.Busy() || n == stopNo:
		return d.Leave()
	case n != stopYes:
		return d.move(1)
	}
	return d.apply()
}

// Leave closes the dialog. If a change is being applied, Leave only asks it to stop; the dialog
// stays open until the outcome is known.
func (d *ask) Leave() tea.Cmd {
	if d.Busy() {
		d.Stop()
		return nil
	}
	d.Tasks.Drop(task.Planning)
	d.Tasks.Drop(task.Saving)
	gone := d.Send(message.Close{})
	switch {
	case d.result == nil:
		d.reason.keep()
		return tea.Batch(gone, d.Say("Nothing was changed."))
	case d.result.err == nil || d.decided || outdates(d.result.receipts):
		return tea.Batch(gone, d.Send(message.Refresh{}))
	}
	return gone
}

// Key implements dialog.Dialog.
func (d *ask) Key(msg tea.Msg) tea.Cmd {
	action, leaves := d.DialogAction(msg)
	switch {
	case d.view != nil:
		key, _ := msg.(tea.KeyPressMsg)
		return d.viewKey(action, key.String())
	case d.result != nil:
		return d.resultKey(msg)
	case d.Busy():
		if action == keymap.Leave {
			return d.Leave()
		}
		return nil
	}
	return d.formKey(msg, action, leaves)
}

// answerable returns the first reason that has a question for a person; nil if there is none.
func answerable(receipts ...change.Receipt) *plan.Reason {
	for _, r := range receipts {
		for n := range r.Reasons {
			if r.Reasons[n].Asks != nil {
				return &r.Reasons[n]
			}
		}
	}
	return nil
}

// outdates reports whether a change was refused because the items now differ from the rows of the screen.
func outdates(receipts []change.Receipt) bool {
	for _, r := range receipts {
		for _, reason := range r.Reasons {
			switch reason.Code {
			case plan.Held, plan.Absent, plan.Changed, plan.InOrder:
				return true
			}
		}
	}
	return false
}

// reply stores an answer, and plans the change again. If the answer is that the items hold the
// value, the lock stays and nothing is planned.
func (d *ask) reply(n int) tea.Cmd {
	q, answer := d.result.query, question.AnswerOf(n)
	if answer == layout.NoAnswer {
		return d.Leave()
	}
	about := q.Question() // a person may widen the question while the answer is stored
	return q.Answer(d.Session, n, func(err error) tea.Cmd {
		if err != nil {
			d.fail(err)
			return nil
		}
		d.decided = true
		if answer == layout.Hold {
			d.result.query, d.result.On = nil, 0
			d.result.Buttons = d.result.buttons()
			d.result.decided = about.Items + " items hold the value in " + about.Attribute + ": the lock stays."
			return nil
		}
		d.result, d.Shown = nil, d.Now()
		d.focus, d.typing = stopNo, kit.NewField("")
		return d.replan()
	})
}

// drawWork draws the change that is being applied, and how to stop it.
func (d *ask) drawWork() *kit.Box {
	p, plans := d.plan, d.batch.Plans
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of(doing(p.Title)))
	b.Gap()
	b.Para(kit.Must, kit.Strong, p.Sentence)
	b.Gap()
	d.WriteStages(b)
	if len(p.Steps) > 1 {
		text := "Stopping removes the mark. The lock is not deleted."
		switch {
		case len(plans) > 1 && marksFirst(plans) < len(plans):
			text = "Finished changes stay."
		case len(plans) > 1:
			text = "Stopping removes all marks. No lock is deleted."
		}
		b.Para(kit.Must, kit.Muted, text)
	}
	b.Gap()
	b.Hints(d.Hint(keymap.Leave, "stop"))
	return b
}

// doing turns the verb of a title into a participle: "Release a lock" becomes "Releasing a lock".
func doing(title string) string {
	first, rest, _ := strings.Cut(title, " ")
	switch first {
	case "Release", "Reserve", "Raise", "Create", "Give", "Replace", "Change", "Delete", "Take":
		first = strings.TrimSuffix(first, "e") + "ing"
	case "Bump", "Lower", "Mend", "Undo", "Convert", "Turn":
		first += "ing"
	case "Put":
		first += "ting"
	}
	return first + " " + rest
}

// askOne asks for one change without a field. of identifies its subject within the connection. room is the number of
// rows that the plan usually takes.
func askOne(
	s *session.Session, c session.Connection, of, title string, room int,
	planned func(context.Context) (*plan.Plan, error),
) tea.Cmd {
	plan := func(ctx context.Context, _ string) (*plan.Plan, error) { return planned(ctx) }
	return newAsk(s, c, of, option{title: title, room: room, plan: plan}).replan()
}
