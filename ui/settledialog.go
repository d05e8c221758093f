package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// settleDialog says what became of an open change, as far as reads tell, and asks
// what to do about it. It starts on leaving it open.
type settleDialog struct {
	app  *app
	conn session.Connection
	rec  *journal.Record

	found    *change.Resolution // nil while it is read
	err      error              // why it could not be told
	broken   error              // why the journal itself is not to be trusted
	on       int                // the button with the focus: 0 leaves it open, −1 is the field
	typing   kit.Field
	stage    stage
	doing    change.Choice
	progress change.Progress
	stopping bool
	receipt  change.Receipt
}

// askSettle reads what became of an open change, and asks.
func (a *app) askSettle(r *journal.Record) tea.Cmd {
	d := &settleDialog{app: a, conn: *a.ConnectionOf(r), rec: r, typing: kit.NewField("")}
	a.show(d)
	return d.look()
}

// look reads what became of the change.
func (d *settleDialog) look() tea.Cmd {
	type known struct {
		found  *change.Resolution
		broken error
	}
	d.found, d.err, d.broken, d.on, d.stage = nil, nil, nil, 0, asking
	return task.Start(d.app.Tasks, task.Planning, func(ctx context.Context) (known, error) {
		s, err := d.conn.Changer.Examine(ctx, d.conn.Connection, d.rec)
		if err != nil {
			return known{}, err
		}
		return known{s, d.conn.Changer.Journal.Intact("settling " + d.rec.Receipt)}, nil
	}, func(k known, err error) tea.Cmd {
		if d.app.dialog == d {
			d.found, d.broken, d.err = k.found, k.broken, err
		}
		return nil
	})
}

// lookAgain is the choice where only time will tell.
const lookAgain change.Action = "look again"

// choices are what can be done besides leaving it open.
func (d *settleDialog) choices() []change.Choice {
	switch {
	case d.found == nil:
		return nil
	case !d.found.Later.IsZero():
		return append(slices.Clone(d.found.Choices), change.Choice{Do: lookAgain, Title: "Look again", Words: "Reads once more what is there; after " + words.Clock(d.found.Later) + " that tells more.", Safe: true})
	}
	return d.found.Choices
}

// typed is what has to be typed before a choice that changes more than a mark, or before
// any where the journal was edited; empty for nothing.
func (d *settleDialog) typed() string {
	if d.found == nil {
		return ""
	}
	if d.broken != nil {
		return d.rec.Receipt
	}
	for _, c := range d.found.Choices {
		if want := d.found.Typed(c.Do); want != "" && d.app.WhyWriteOn(d.conn, d.rec.Table) == "" {
			return want
		}
	}
	return ""
}

// shut says why a choice cannot be made here; empty where it can.
func (d *settleDialog) shut(c change.Choice) string {
	if d.broken != nil && c.Do != lookAgain {
		switch {
		case d.found.Typed(c.Do) != "":
			return "The journal was edited. Settle this with: tallylock journal --resolve --trust-journal"
		case d.typing.Value() != d.rec.Receipt:
			return c.Words + " The receipt has to be typed first, since the journal was edited."
		}
	}
	if !c.Sends {
		return ""
	}
	if why := d.app.WhyWriteOn(d.conn, d.rec.Table); why != "" {
		return why
	}
	if want := d.typed(); d.broken == nil && want != "" && !c.Safe && d.typing.Value() != want {
		return c.Words + " It has to be typed first."
	}
	return ""
}

// settle does what was chosen.
func (d *settleDialog) settle(c change.Choice) tea.Cmd {
	if c.Do == lookAgain {
		return d.look()
	}
	if why := d.shut(c); why != "" {
		return d.app.Say(words.Sentence(why))
	}
	d.stage, d.doing, d.progress = working, c, change.Progress{}
	found := d.found
	if d.broken != nil {
		found.Trust() // what has been typed says so
	}
	return task.Stream(d.app.Tasks, task.Changing, func(ctx context.Context, report func(change.Progress)) (change.Receipt, error) {
		r := d.conn.Changer.Resolve(ctx, found, c.Do, report)
		d.app.unseen.Store(&[]change.Receipt{r})
		return r, nil
	}, func(p change.Progress) { d.progress = p }, func(r change.Receipt, _ error) tea.Cmd {
		d.app.unseen.Store(nil)
		d.receipt, d.stage = r, over
		d.app.shown = d.app.Now() // a key meant for the wait does not answer the result
		return d.app.Send(message.Changed{})
	})
}

func (d *settleDialog) key(msg tea.Msg) tea.Cmd {
	action, leaves := d.app.DialogAction(msg)
	if d.on < 0 && d.stage == asking && !leaves {
		d.typing.Update(msg)
		return nil
	}
	switch action {
	case keymap.Leave:
		return d.leave()
	case keymap.NextField:
		d.move(1)
	case keymap.PreviousField:
		d.move(-1)
	case keymap.Press:
		if d.on < 0 {
			d.move(1)
			return nil
		}
		return d.press(d.on)
	}
	return nil
}

// move moves the focus: the field stands between leaving it open and the choices.
func (d *settleDialog) move(by int) {
	stops := []int{0}
	if d.typed() != "" {
		stops = append(stops, -1)
	}
	for n := range d.choices() {
		stops = append(stops, n+1)
	}
	d.on = along(stops, d.on, by)
}

func (d *settleDialog) press(n int) tea.Cmd {
	if d.stage == asking && n > 0 && n <= len(d.choices()) {
		d.on = n
		return d.settle(d.choices()[n-1])
	}
	return d.leave()
}

func (d *settleDialog) atWork() bool     { return d.stage == working }
func (d *settleDialog) toldToStop() bool { return d.stopping }

func (d *settleDialog) leave() tea.Cmd {
	switch d.stage {
	case working:
		d.stopping = true
		d.app.Tasks.Cancel(task.Changing)
		return nil
	case over:
		d.app.hide()
		return d.app.refresh()
	}
	d.app.Tasks.Drop(task.Planning)
	d.app.hide()
	return d.app.Say("It stays open.")
}
