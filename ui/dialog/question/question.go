// Package question holds the dialogs that ask a person about a layout: what keeps a verdict unknown,
// and whether a release needs a look. Start reading at Ask.
package question

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// decision stores what a person decides in a file, and changes no table. So it works on a read-only
// connection, too.
type decision struct {
	*session.Session
	choice dialog.Choice
	err    error // why it could not be stored
}

// question asks what a person has to decide before a relation can be judged.
type question struct {
	decision
	about *dialog.Query
}

// Ask asks what a person has to decide before a relation can be judged.
func Ask(s *session.Session, about *dynamo.Question) tea.Cmd {
	d := &question{decision{Session: s}, dialog.NewQuery(about)}
	d.choice = dialog.Choice{Buttons: dialog.Words(), Leave: "not now", Hints: d.about.Hints()}
	return s.Send(message.Ask{Dialog: d})
}

func (d *question) Draw() *kit.Box {
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of("Your decision is needed"))
	b.Gap()
	b.Para(kit.Must, kit.Strong, words.Sentence(d.about.Question().Text))
	b.Gap()
	d.about.WriteReplies(b)
	d.end(b)
	return b
}

func (d *question) Key(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == dialog.WidenKey {
		d.about.Widen()
		return nil
	}
	return d.choice.Key(d, d.Session, msg)
}

func (d *question) Press(n int) tea.Cmd {
	r := dialog.Replies()[n]
	if r.Answer == layout.NoAnswer {
		return d.Leave()
	}
	return d.store(func() error { return d.about.Question().Answer(r.Answer) }, "Kept. It is not asked again.")
}

// end draws why the decision could not be stored, and the buttons.
func (d *decision) end(b *kit.Box) {
	dialog.WriteFailure(b, d.err)
	b.Gap()
	d.choice.Draw(b, d.Session)
}

// store stores the decision. Once all open layouts go by it, it closes the dialog and says so.
func (d *decision) store(decide func() error, said string) tea.Cmd {
	failed := func(err error) bool {
		d.err = err
		return err != nil
	}
	return task.Start(
		d.Tasks,
		task.Planning,
		func(context.Context) (struct{}, error) { return struct{}{}, decide() },
		func(_ struct{}, err error) tea.Cmd {
			if failed(err) {
				return nil
			}
			return d.Send(message.Told{Then: func(err error) tea.Cmd {
				if failed(err) {
					return nil
				}
				return tea.Batch(d.Send(message.Close{}), d.Send(message.Refresh{}), d.Say(said))
			}})
		},
	)
}

func (d *decision) Leave() tea.Cmd {
	d.Tasks.Drop(task.Planning)
	return d.Send(message.Close{})
}
