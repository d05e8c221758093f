package adopt

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// judged shows the result of verifying the writers. If a person can confirm the operations that are not verified, it
// asks for the name of the constraint.
type judged struct {
	*session.Session
	of         *adopt.Judgement
	constraint string
	typing     kit.Field
	dialog.Choice
	confirm func() tea.Cmd // nil if there is nothing to confirm
}

// mostCame is the greatest number of accounts that the dialog lists.
const mostCame = 5

// ShowJudgement shows the result of verifying the writers. If confirm is not nil, the dialog asks a person to confirm
// the operations that are not verified, and then calls confirm.
func ShowJudgement(s *session.Session, j *adopt.Judgement, constraint string, confirm func() tea.Cmd) tea.Cmd {
	d := &judged{Session: s, of: j, constraint: constraint, confirm: confirm, typing: kit.NewField("")}
	d.Choice = dialog.Choice{Buttons: []string{"Close"}, Leave: "close"}
	if d.confirm != nil {
		d.Choice = dialog.Choice{
			Field: &d.typing, On: dialog.InField, Buttons: []string{"Not now", "Confirm"}, Leave: "not now",
			Off: func(n int) bool { return n == yes && d.typing.Value() != constraint },
		}
	}
	return s.Send(message.Ask{Dialog: d})
}

// Draw implements dialog.Dialog.
func (d *judged) Draw() *kit.Box {
	frame := kit.Accent
	if d.of.Without > 0 {
		frame = kit.Bad
	}
	b := kit.NewBox(d.Styles, d.Size.Width, frame, kit.Heading.Of("The writers of the "+d.constraint))
	b.Width = min(max(kit.BoxWidth, d.Size.Width/2), d.Size.Width-2)
	b.Gap()
	for n, line := range say.Judgement(d.of, d.constraint) {
		style, weight := kit.Text, kit.Note
		if n == 0 {
			style, weight = kit.Strong, kit.Must
		}
		b.Para(weight, style, line)
	}
	for n, c := range d.of.Came {
		if n == mostCame {
			b.Fact(kit.Must, "", kit.Muted, phrase.Number(d.of.Without-int64(n))+" more: the command line lists them")
			break
		}
		b.Fact(kit.Must, "account", kit.Bad, c.Account.String()+", "+phrase.Quote(c.Value)+", "+phrase.UTC(c.At)+": "+say.CameWithout(c))
	}
	b.Gap()
	if d.confirm != nil {
		b.Para(kit.Must, kit.Strong, "Confirm that every writer of these operations uses the printed transactions: "+
			say.Operations(d.of.NotVerified)+".")
		b.InputRow("type", &d.typing, d.constraint, d.On == dialog.InField, 18, "the constraint, to confirm")
		b.Gap()
	}
	d.Choice.Draw(b, d.Session)
	return b
}

// Key implements dialog.Dialog.
func (d *judged) Key(msg tea.Msg) tea.Cmd {
	if action, _ := d.DialogAction(msg); action == keymap.Press && d.On == dialog.InField {
		return d.Press(dialog.InField)
	}
	return d.Choice.Key(d, d.Session, msg)
}

// Press implements dialog.Dialog.
func (d *judged) Press(n int) tea.Cmd {
	switch {
	case n == dialog.InField && d.typing.Value() == d.constraint:
		d.On = yes
		return nil
	case n == dialog.InField:
		d.On = no
		return nil
	case n == yes && d.typing.Value() == d.constraint:
		return tea.Batch(d.Send(message.Close{}), d.confirm())
	}
	return d.Leave()
}

// Leave implements dialog.Dialog.
func (d *judged) Leave() tea.Cmd { return d.Send(message.Close{}) }
