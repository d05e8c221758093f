package layout

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// acceptance has the table be read by the draft, and keeps it. It asks first where what was
// seen contradicts the draft, and starts on No; not of a layout that was accepted before and
// is only kept, since the screen has said already how it differs.
type acceptance struct {
	*Screen
	choice dialog.Choice
}

func (d *acceptance) why() string {
	switch {
	case d.empty():
		return "there is no layout yet"
	case d.Corrected():
		return ""
	case d.table.Kept != nil && len(d.differs.of(d.table)) == 0:
		return "it is accepted already"
	case d.table.Kept == nil && d.table.Layout.Configured:
		return "the config describes it already"
	}
	return ""
}

func (d *acceptance) ask() tea.Cmd {
	if kept := d.table.Kept != nil && !d.Corrected(); kept || d.against() == "" {
		return d.accept()
	}
	d.choice = dialog.Choice{Buttons: []string{"No, leave it", "Accept it"}, Leave: "leave it"}
	return d.Send(message.Ask{Dialog: d})
}

// accept keeps the layout, and has the table be read by it.
func (d *acceptance) accept() tea.Cmd {
	t := d.table
	if d.configured() { // which goes before what is kept
		return tea.Batch(
			d.Send(message.ReadBy{Table: t}),
			d.Say(
				"Used until you leave. The config goes before: "+d.Keys.Key(
					keymap.CopyItem,
				)+" on the layout copies what to put there.",
			),
		)
	}
	return task.Start(
		d.Tasks,
		task.Describing,
		func(context.Context) (*dynamo.Kept, error) { return dynamo.Keep(t) },
		func(kept *dynamo.Kept, err error) tea.Cmd {
			if err != nil {
				return d.Fail(err)
			}
			t.Kept = kept
			d.differs = difference{}
			return tea.Batch(d.Send(message.ReadBy{Table: t}), d.Say("Accepted, and kept for this table."))
		},
	)
}

// Draw implements dialog.Dialog.
func (d *acceptance) Draw() *kit.Box {
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Warn, kit.Heading.Of("Accept a layout that does not fit"))
	b.Gap()
	b.Para(kit.Must, kit.Strong, words.Sentence(d.against()))
	b.Gap()
	b.Fact(kit.Must, "so", kit.Text, "the table is read by it, and verdicts stay unknown where it does not fit")
	b.Gap()
	d.choice.Draw(b, d.Session)
	return b
}

// Key implements dialog.Dialog.
func (d *acceptance) Key(msg tea.Msg) tea.Cmd { return d.choice.Key(d, d.Session, msg) }

// Press implements dialog.Dialog.
func (d *acceptance) Press(n int) tea.Cmd {
	if n == 0 {
		return d.Leave()
	}
	return tea.Batch(d.Send(message.Close{}), d.accept())
}

// Leave implements dialog.Dialog.
func (d *acceptance) Leave() tea.Cmd { return d.Send(message.Close{}) }
