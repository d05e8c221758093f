package ui

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// reply is what a person can say to a question about the layout; the first of them says
// nothing.
type reply struct {
	word string
	are  dynamo.Holding
	tell func() error
}

// replies are the buttons of a question. Nothing is said by default.
func replies(q *dynamo.Question) []reply {
	if q.Constraint != nil {
		return []reply{{word: "Not now"}, {"Accept the layout", "", q.Accept}}
	}
	copies, accounts := "Copies", "Accounts"
	if q.Lock {
		copies, accounts = "A lock", "An account"
	}
	tell := func(are dynamo.Holding) func() error { return func() error { return q.Tell(are) } }
	return []reply{
		{word: "Not now"},
		{copies, dynamo.HoldsCopy, tell(dynamo.HoldsCopy)},
		{accounts, dynamo.HoldsAccount, tell(dynamo.HoldsAccount)},
	}
}

// writeQuestion writes what is asked, what each reply means, and the replies.
func writeQuestion(b *kit.Box, q *dynamo.Question, on int) {
	switch {
	case q.Constraint != nil:
		b.Fact(kit.Must, "accept", kit.Text, "only if the layout is right and the table is broken: its "+q.Constraint.Name+" is believed then, and asked about again if it gets worse")
	case q.Lock:
		b.Fact(kit.Must, "a lock", kit.Text, "locks may have "+q.Attribute)
		b.Fact(kit.Must, "account", kit.Text, "such items hold their values, and stay")
	default:
		b.Fact(kit.Must, "copies", kit.Text, q.Items+" items only repeat what accounts hold, as orders do")
		b.Fact(kit.Must, "accounts", kit.Text, "they hold it themselves: the locks of their values stay")
	}
	b.Fact(kit.Note, "", kit.Muted, "asked once, and kept beside the config")
	b.Gap()
	var text []string
	for _, r := range replies(q) {
		text = append(text, r.word)
	}
	b.Buttons(text, on, nil)
}

// retold has the other open layouts of the connection's tables go by what was just said.
func (a *app) retold() error {
	var err error
	if a.Table != nil {
		err = a.Table.Fit.Decisions.Recall()
	}
	return cmp.Or(err, a.findings.Recall())
}

// questionDialog asks what keeps a verdict unknown. It changes nothing in a table: what is
// said is kept in a file, on a read-only connection, too.
type questionDialog struct {
	app *app
	q   *dynamo.Question
	on  int
	err error // why it could not be kept
}

// askQuestion asks what a person has to say before a relation can be judged.
func (a *app) askQuestion(q *dynamo.Question) tea.Cmd {
	a.show(&questionDialog{app: a, q: q})
	return nil
}

func (d *questionDialog) draw() *kit.Box {
	a := d.app
	b := kit.NewBox(a.Styles, a.Size.Width, kit.Accent, kit.Heading.Of("What only you can say"))
	b.Gap()
	b.Para(kit.Must, kit.Strong, words.Sentence(d.q.Text))
	b.Gap()
	if d.err != nil {
		_, _, why, do := words.Explain(d.err)
		b.Para(kit.Must, kit.Warn, "! "+words.Sentence(why)+" "+words.Sentence(do))
		b.Gap()
	}
	writeQuestion(b, d.q, d.on)
	b.Gap()
	b.Hints(kit.Hint{Key: a.Keys.Key(keymap.NextField), Words: "next"}, kit.Hint{Key: a.Keys.Key(keymap.Press), Words: "press"}, kit.Hint{Key: a.Keys.Key(keymap.Leave), Words: "not now"})
	return b
}

func (d *questionDialog) key(msg tea.Msg) tea.Cmd {
	n := len(replies(d.q))
	switch action, _ := d.app.DialogAction(msg); action {
	case keymap.Leave:
		return d.leave()
	case keymap.NextField:
		d.on = (d.on + 1) % n
	case keymap.PreviousField:
		d.on = (d.on + n - 1) % n
	case keymap.Press:
		return d.press(d.on)
	}
	return nil
}

func (d *questionDialog) press(n int) tea.Cmd {
	a, tell := d.app, replies(d.q)[n].tell
	if tell == nil {
		return d.leave()
	}
	return task.Start(a.Tasks, task.Planning, func(context.Context) (struct{}, error) { return struct{}{}, tell() }, func(_ struct{}, err error) tea.Cmd {
		if err = cmp.Or(err, a.retold()); err != nil {
			d.err = err
			return nil
		}
		if a.dialog == d {
			a.hide()
		}
		return tea.Batch(a.refresh(), a.Say("Kept. It is not asked again."))
	})
}

func (d *questionDialog) leave() tea.Cmd {
	d.app.Tasks.Drop(task.Planning)
	d.app.hide()
	return nil
}
