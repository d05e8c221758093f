package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// changeDialog asks for a change, shows it being made, and what became of it.
type changeDialog struct {
	app  *app
	conn session.Connection
	ways []way // what may be asked for here
	way  int
	plan *change.Plan
	// batch are the changes that plan stands for, where it is several.
	batch *change.Batch
	// refused is why what was typed into the way's field makes no plan.
	refused error
	// hot says that others move the counter at this moment.
	hot bool

	reason kit.Field
	typing kit.Field
	focus  stop
	view   *requestView // what would be sent, while that is looked at

	stage    stage
	progress change.Progress
	steps    []change.Stage // stages seen, in order
	stopping bool
	receipt  change.Receipt
	receipts []change.Receipt // of a batch, one a change
	top      int              // the first row shown of them
	err      error            // why there is no plan
	button   int              // of the result
	told     bool             // a person has said something of the layout
	kept     string           // what that means, where it settles the change
}

// way is one change that a dialog can ask for.
type way struct {
	word  string // what it is called where there are several
	title string // of the dialog
	entry *entry // what has to be typed before it can be planned; nil for nothing
	plan  func(ctx context.Context, typed string) (*change.Plan, error)
	// batch plans several changes that are made as one, in place of plan.
	batch   func(ctx context.Context) (*change.Batch, error)
	several several // how a batch is spoken of
	// after is told what became of it: of a batch first of its plans, then of what
	// was refused. Where no plan could be made it is told of none, and why.
	after func(receipts []change.Receipt, err error)
}

// entry is the field of a way.
type entry struct {
	label, ghost, remark string
	input                kit.Field
	// lacks says what a text still lacks; empty where it can be planned.
	lacks func(text string) string
	// whole: it is planned when the field is left, and not at each key.
	whole bool
}

// stage is how far a change has come.
type stage int

const (
	asking  stage = iota // the plan may still be on its way
	working              // being made
	over                 // refused before it was asked for, or made
)

// askChange opens a dialog that asks for a change, in one way or the other.
func (a *app) askChange(ways ...way) *changeDialog { return a.askOn(a.Connection(), ways...) }

// askOn is askChange for any connection.
func (a *app) askOn(c session.Connection, ways ...way) *changeDialog {
	d := &changeDialog{app: a, conn: c, ways: ways, focus: stopNo, reason: kit.NewField(a.LastReason), typing: kit.NewField("")}
	if e := ways[0].entry; e != nil && e.whole {
		d.focus = stopEntry
	}
	a.show(d)
	return d
}

func (d *changeDialog) current() way { return d.ways[d.way] }

// typed is what stands in the way's field.
func (d *changeDialog) typed() string {
	if e := d.current().entry; e != nil {
		return strings.TrimSpace(e.input.Value())
	}
	return ""
}

// lacks says what the way's field still lacks; empty where there is none, or
// nothing.
func (d *changeDialog) lacks() string {
	if e := d.current().entry; e != nil {
		return e.lacks(d.typed())
	}
	return ""
}

// replan makes the plan anew: at the start, and when what is asked for has
// changed.
func (d *changeDialog) replan() tea.Cmd {
	d.plan, d.batch, d.refused = nil, nil, nil
	if d.lacks() != "" {
		d.app.Tasks.Drop(task.Planning)
		return nil
	}
	w, typed := d.current(), d.typed()
	return task.Start(d.app.Tasks, task.Planning, func(ctx context.Context) (proposal, error) { return w.propose(ctx, typed) },
		func(p proposal, err error) tea.Cmd {
			if d.app.dialog != d || d.stage != asking {
				return nil
			}
			switch {
			case err == nil:
				d.plan, d.batch = p.plan, p.batch
			case client.KindOf(err) == client.Cancelled:
				d.app.hide()
				return d.app.Say("Stopped. Nothing was sent.")
			case w.entry != nil && askedBy(err) == nil: // something else may be typed
				d.refused = err
			default:
				d.err, d.stage, d.button = err, over, 0
				d.app.shown = d.app.Now()
				if w.after != nil {
					w.after(nil, err)
				}
			}
			return nil
		})
}

// shut says why the change cannot be made yet; empty where it can.
func (d *changeDialog) shut() string {
	switch {
	case d.plan == nil:
		return "there is no plan yet"
	case d.plan.Typed != "" && d.typing.Value() != d.plan.Typed:
		return "it has to be typed first"
	case d.reasonNeeded() && strings.TrimSpace(d.reason.Value()) == "":
		return "a reason is needed here"
	}
	return d.whyPlanDenied()
}

func (d *changeDialog) open() bool { return d.shut() == "" }

// press presses the button at an index, for the mouse.
func (d *changeDialog) press(n int) tea.Cmd {
	switch d.stage {
	case asking:
		if n == 0 {
			return d.leave()
		}
		if d.open() {
			d.focus = stopYes
			return d.apply()
		}
	case working:
		return d.leave()
	case over:
		d.button = n
		return d.pressResult()
	}
	return nil
}

// leave closes the dialog. A change that is being made is asked to stop, and
// closes it when it is known what became of it.
func (d *changeDialog) leave() tea.Cmd {
	switch d.stage {
	case working:
		d.stopping = true
		d.app.Tasks.Cancel(task.Changing)
		return nil
	case over:
		d.app.hide()
		if d.err == nil || d.told {
			return d.app.refresh()
		}
		return nil
	}
	d.app.Tasks.Drop(task.Planning)
	d.app.hide()
	return d.app.Say("Nothing was changed.")
}

// apply makes the change.
func (d *changeDialog) apply() tea.Cmd {
	if !d.open() {
		return nil
	}
	p := d.plan
	p.Reason = strings.TrimSpace(d.reason.Value())
	d.app.LastReason = p.Reason
	d.stage, d.steps, d.progress = working, nil, change.Progress{}
	changer, plans := d.conn.Changer, []*change.Plan{p}
	if d.batch != nil {
		plans = d.batch.Plans
		for _, one := range plans {
			one.Reason = p.Reason
		}
	}
	return task.Stream(d.app.Tasks, task.Changing, func(ctx context.Context, report func(change.Progress)) ([]change.Receipt, error) {
		made := changer.ApplyAll(ctx, plans, report)
		d.app.unseen.Store(&made)
		return made, nil
	}, d.took, func(made []change.Receipt, _ error) tea.Cmd {
		d.app.unseen.Store(nil)
		d.receipt, d.stage, d.button = made[0], over, 0
		d.app.shown = d.app.Now() // a key meant for the wait does not answer the result
		d.learnt()
		if d.batch != nil {
			d.batchDone(made)
		} else if d.receipt.Outcome == change.Applied {
			d.app.Last = session.LastChange{Connection: d.conn, Receipt: d.receipt.ID, Kind: d.receipt.Plan.Kind}
		}
		if after := d.current().after; after != nil && d.batch != nil {
			after(d.receipts, nil)
		} else if after != nil {
			after(made, nil)
		}
		return d.app.Send(message.Changed{})
	})
}

// took takes in how far the change has come.
func (d *changeDialog) took(p change.Progress) {
	if d.stage != working {
		return
	}
	if len(d.steps) == 0 || d.steps[len(d.steps)-1] != p.Stage {
		d.steps = append(d.steps, p.Stage)
	}
	d.progress = p
}

// refusalOf is why nothing was planned, where the table said so.
func refusalOf(err error) *change.Refusal {
	var r *change.Refusal
	if errors.As(err, &r) {
		return r
	}
	return nil
}

// reasonNeeded reports whether the change is not made without a reason.
func (d *changeDialog) reasonNeeded() bool {
	return d.plan != nil && slices.ContainsFunc(d.plan.Steps.Written(), d.conn.RequiresReason)
}
