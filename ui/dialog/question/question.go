// Package question is the dialog that asks what keeps a verdict unknown. Start reading at Ask.
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

// question stores a decision in a file and changes no table, so it works on a read-only
// connection, too.
type question struct {
	*session.Session
	about  *dialog.Query
	choice dialog.Choice
	err    error // why it could not be kept
}

// Ask asks what a person has to decide before a relation can be judged.
func Ask(s *session.Session, about *dynamo.Question) tea.Cmd {
	d := &question{Session: s, about: dialog.NewQuery(about)}
	d.choice = dialog.Choice{Buttons: dialog.Words(), Leave: "not now", Hints: d.about.Hints()}
	return s.Send(message.Ask{Dialog: d})
}

func (d *question) Draw() *kit.Box {
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of("Your decision is needed"))
	b.Gap()
	b.Para(kit.Must, kit.Strong, words.Sentence(d.about.Question().Text))
	b.Gap()
	if d.err != nil {
		_, _, why, do := words.Explain(d.err)
		b.Para(kit.Must, kit.Warn, "! "+words.Sentence(why)+" "+words.Sentence(do))
		b.Gap()
	}
	d.about.WriteReplies(b)
	b.Gap()
	d.choice.Draw(b, d.Session)
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
	return task.Start(
		d.Tasks,
		task.Planning,
		func(context.Context) (struct{}, error) { return struct{}{}, d.about.Question().Answer(r.Answer) },
		func(_ struct{}, err error) tea.Cmd {
			if err != nil {
				d.err = err
				return nil
			}
			return d.Send(message.Told{Then: d.kept})
		},
	)
}

// kept closes the dialog, once all open layouts go by what was said.
func (d *question) kept(err error) tea.Cmd {
	if err != nil {
		d.err = err
		return nil
	}
	return tea.Batch(d.Send(message.Close{}), d.Send(message.Refresh{}), d.Say("Kept. It is not asked again."))
}

func (d *question) Leave() tea.Cmd {
	d.Tasks.Drop(task.Planning)
	return d.Send(message.Close{})
}
