package ui

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/ui/kit"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// asked is the reason of a refusal that a person can do something about; nil where there
// is none.
func asked(reasons []change.Reason) *change.Reason {
	for n := range reasons {
		if reasons[n].Asks != nil {
			return &reasons[n]
		}
	}
	return nil
}

// askedBy is the same of a change that was not even planned.
func askedBy(err error) *change.Reason {
	if r := refusalOf(err); r != nil {
		return asked(r.Reasons)
	}
	return nil
}

// asks is what the person is asked on the result of the change; nil where nothing is.
func (d *changeDialog) asks() *change.Reason {
	switch {
	case d.stage != over || d.kept != "":
		return nil
	case d.err != nil:
		return askedBy(d.err)
	case d.batch == nil:
		return asked(d.receipt.Reasons)
	}
	for _, r := range d.receipts {
		if a := asked(r.Reasons); a != nil {
			return a
		}
	}
	return nil
}

// refusedWords is a reason as the dialog says it: what can be answered here needs no
// command.
func refusedWords(r change.Reason) string {
	if r.Asks != nil && r.Asks.Constraint == nil {
		return words.Sentence(r.Asks.Text)
	}
	return words.Sentence(r.Text)
}

// reply takes an answer, keeps it, and plans the change again. That items are accounts
// settles a change that they have just been met by: the lock stays.
func (d *changeDialog) reply(n int) tea.Cmd {
	why := d.asks()
	r := replies(why.Asks)[n]
	if r.tell == nil {
		return d.leave()
	}
	stays := why.Code == change.Held && r.are == dynamo.HoldsAccount
	return task.Start(d.app.Tasks, task.Planning, func(context.Context) (struct{}, error) { return struct{}{}, r.tell() }, func(_ struct{}, err error) tea.Cmd {
		d.told = err == nil
		if err = cmp.Or(err, d.app.retold()); err != nil {
			d.err, d.kept = err, ""
			return nil
		}
		d.button = 0
		if stays {
			d.kept = why.Asks.Items + " items hold values under " + why.Asks.Attribute + ", as accounts do: the lock stays."
			return nil
		}
		return d.again()
	})
}

// again asks for the same change once more, from the start.
func (d *changeDialog) again() tea.Cmd {
	d.stage, d.err, d.focus = asking, nil, stopNo
	d.receipt, d.receipts, d.batch, d.steps = change.Receipt{}, nil, nil, nil
	d.typing, d.app.shown = kit.NewField(""), d.app.Now()
	return d.replan()
}
