// Package refuse is the dialog in which an operator refuses a plan of the queue, for a reason that its author sees.
// Start reading at Ask.
package refuse

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change/queue"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

type refuse struct {
	*session.Session
	entry  *queue.Entry
	reason kit.Field
	dialog.Choice
}

// The buttons.
const (
	no = iota
	yes
)

// Ask asks for the reason to refuse a plan.
func Ask(s *session.Session, e *queue.Entry) tea.Cmd {
	d := &refuse{Session: s, entry: e, reason: kit.NewField("")}
	d.Choice = dialog.Choice{
		Field: &d.reason, Buttons: []string{"No, leave it", "Refuse the plan"}, On: dialog.InField, Leave: "leave it",
		Off: func(n int) bool { return n == yes && strings.TrimSpace(d.reason.Value()) == "" },
	}
	return s.Send(message.Ask{Dialog: d})
}

// Draw implements dialog.Dialog.
func (d *refuse) Draw() *kit.Box {
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of("Refuse the plan of "+d.entry.AskedBy+"?"))
	b.Gap()
	b.Para(kit.Must, kit.Strong, d.entry.Shown.Sentence)
	b.Gap()
	b.Fact(kit.Must, "asks", kit.Text, d.entry.Plan.Reason)
	b.InputRow("reason", &d.reason, d.entry.AskedBy+" sees this reason", d.On == dialog.InField, 48, "")
	dialog.WriteFailure(b, d.Err)
	b.Gap()
	d.Choice.Draw(b, d.Session)
	return b
}

// Key implements dialog.Dialog.
func (d *refuse) Key(msg tea.Msg) tea.Cmd { return d.Choice.Key(d, d.Session, msg) }

// Press implements dialog.Dialog.
func (d *refuse) Press(n int) tea.Cmd {
	switch {
	case n == no:
		return d.Leave()
	case strings.TrimSpace(d.reason.Value()) == "":
		d.On = dialog.InField
		return nil
	case n == dialog.InField:
		d.On = yes
		return nil
	}
	guest, id, why := d.Options.Guest, d.entry.ID, d.reason.Value()
	return task.Start(d.Tasks, task.Deciding, func(context.Context) (struct{}, error) {
		return struct{}{}, guest.Queue.Refuse(guest.Person(), id, why)
	}, func(_ struct{}, err error) tea.Cmd {
		if d.Err = err; err != nil {
			return nil
		}
		return tea.Batch(d.Send(message.Close{}), d.Send(message.Queued{}),
			d.Say("Refused. "+d.entry.AskedBy+" sees the reason in the queue."))
	})
}

// Leave implements dialog.Dialog.
func (d *refuse) Leave() tea.Cmd {
	d.Tasks.Drop(task.Deciding)
	return d.Send(message.Close{})
}
