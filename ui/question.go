package ui

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
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

// question writes what is asked, what each reply means, and the replies.
func (b *box) question(q *dynamo.Question, on int) {
	switch {
	case q.Constraint != nil:
		b.fact(must, "accept", asText, "only if the layout is right and the table is broken: its "+q.Constraint.Name+" is believed then, and asked about again if it gets worse")
	case q.Lock:
		b.fact(must, "a lock", asText, "locks may have "+q.Attribute)
		b.fact(must, "account", asText, "such items hold their values, and stay")
	default:
		b.fact(must, "copies", asText, q.Items+" items only repeat what accounts hold, as orders do")
		b.fact(must, "accounts", asText, "they hold it themselves: the locks of their values stay")
	}
	b.fact(note, "", asMuted, "asked once, and kept beside the config")
	b.gap()
	var words []string
	for _, r := range replies(q) {
		words = append(words, r.word)
	}
	b.choices(words, on, nil)
}

// retold has the other open layouts of the connection's tables go by what was just said.
func (a *app) retold() error {
	var err error
	if a.table != nil {
		err = a.table.Fit.Recall()
	}
	for _, r := range a.findings.runs {
		if r.table != nil {
			err = cmp.Or(err, r.table.Fit.Recall())
		}
	}
	return err
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

func (d *questionDialog) draw() *box {
	a := d.app
	b := newBox(a.st, a.size.w, asAccent, span{asBold, "What only you can say"})
	b.gap()
	b.para(must, asStrong, sentence(d.q.Text))
	b.gap()
	if d.err != nil {
		_, _, why, do := explain(d.err)
		b.para(must, asWarn, "! "+sentence(why)+" "+sentence(do))
		b.gap()
	}
	b.question(d.q, d.on)
	b.gap()
	b.hints(hint{a.keys.Key(keymap.NextField), "next"}, hint{a.keys.Key(keymap.Press), "press"}, hint{a.keys.Key(keymap.Leave), "not now"})
	return b
}

func (d *questionDialog) key(msg tea.Msg) tea.Cmd {
	n := len(replies(d.q))
	switch action, _ := d.app.dialogAction(msg); action {
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
	return send(a.flights, planning, func(context.Context) (struct{}, error) { return struct{}{}, tell() }, func(_ struct{}, err error) tea.Cmd {
		if err = cmp.Or(err, a.retold()); err != nil {
			d.err = err
			return nil
		}
		if a.dialog == d {
			a.hide()
		}
		return tea.Batch(a.refresh(), a.say("Kept. It is not asked again."))
	})
}

func (d *questionDialog) leave() tea.Cmd {
	d.app.flights.drop(planning)
	d.app.hide()
	return nil
}
