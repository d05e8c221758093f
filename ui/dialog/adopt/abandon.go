package adopt

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// abandon asks whether to end an adoption, and lists the locks that stay.
type abandon struct {
	*session.Session
	constraint string
	left       change.BackfillLeft
	reason     kit.Field
	dialog.Choice
	then func(reason string) tea.Cmd
}

// AskAbandon asks whether to end the adoption of a constraint. The callback then gets the reason, and ends the
// adoption.
func AskAbandon(
	s *session.Session, constraint string, left change.BackfillLeft, then func(reason string) tea.Cmd,
) tea.Cmd {
	d := &abandon{Session: s, constraint: constraint, left: left, reason: kit.NewField(""), then: then}
	d.Choice = dialog.Choice{
		Field: &d.reason, Buttons: []string{"No, go on with it", "Abandon the adoption"}, On: no, Leave: "go on with it",
	}
	return s.Send(message.Ask{Dialog: d})
}

// Draw implements dialog.Dialog.
func (d *abandon) Draw() *kit.Box {
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of("Abandon the adoption of the "+d.constraint))
	b.Gap()
	b.Para(kit.Must, kit.Strong, "Ends the adoption. It deletes no lock.")
	b.Gap()
	for _, line := range say.Abandoned(d.constraint, d.left) {
		b.Para(kit.Must, kit.Text, line)
	}
	b.Gap()
	b.InputRow("reason", &d.reason, "the reason, for the journal", d.On == dialog.InField, 48, "")
	b.Gap()
	d.Choice.Draw(b, d.Session)
	return b
}

// Key implements dialog.Dialog.
func (d *abandon) Key(msg tea.Msg) tea.Cmd { return d.Choice.Key(d, d.Session, msg) }

// Press implements dialog.Dialog.
func (d *abandon) Press(n int) tea.Cmd {
	switch n {
	case dialog.InField:
		d.On = no
		return nil
	case yes:
		return tea.Batch(d.Send(message.Close{}), d.then(d.reason.Value()))
	}
	return d.Leave()
}

// Leave implements dialog.Dialog.
func (d *abandon) Leave() tea.Cmd { return d.Send(message.Close{}) }
