package change

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/layout"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// answerable returns the first reason of a refusal that a person can answer; nil if there is
// none.
func answerable(receipts ...change.Receipt) *change.Reason {
	for _, r := range receipts {
		for n := range r.Reasons {
			if r.Reasons[n].Asks != nil {
				return &r.Reasons[n]
			}
		}
	}
	return nil
}

// question returns the question that the result asks; nil if there is none.
func (r *result) question() *dialog.Query {
	why := answerable(r.receipts...)
	if why == nil || r.decided != "" {
		return nil
	}
	if r.asked == nil {
		r.asked = dialog.NewQuery(why.Asks)
	}
	return r.asked
}

// refusedWords is a reason as displayed. If it can be answered here, it leaves out the
// command.
func refusedWords(r change.Reason) string {
	if r.Asks != nil {
		return words.Sentence(r.Asks.Text)
	}
	return words.Sentence(r.Text)
}

// reply stores an answer, and plans the change again. If the items hold the value, that settles
// the release: the lock stays.
func (d *ask) reply(n int) tea.Cmd {
	about := d.result.question().Question()
	r := dialog.Replies()[n]
	if r.Answer == layout.NoAnswer {
		return d.Leave()
	}
	kept := func(err error) tea.Cmd {
		if err != nil {
			d.fail(err)
			return nil
		}
		d.result.button = 0
		if r.Answer == layout.Hold {
			d.result.decided = about.Items + " items hold the value in " + about.Attribute + ": the lock stays."
			return nil
		}
		return d.again()
	}
	return task.Start(
		d.Tasks,
		task.Planning,
		func(context.Context) (struct{}, error) { return struct{}{}, about.Answer(r.Answer) },
		func(_ struct{}, err error) tea.Cmd {
			if d.decided = err == nil; !d.decided {
				return kept(err)
			}
			return d.Send(message.Told{Then: kept})
		},
	)
}

// again plans the same change again, from the start.
func (d *ask) again() tea.Cmd {
	d.result, d.Shown = nil, d.Now()
	d.form.focus, d.form.typing = stopNo, kit.NewField("")
	return d.plan()
}
