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

// question returns the reason that the person is asked about on the result; nil if there is
// none.
func (r *result) question() *change.Reason {
	if r.decided != "" {
		return nil
	}
	return answerable(r.receipts...)
}

// refusedWords is a reason as displayed. If it can be answered here, it leaves out the
// command.
func refusedWords(r change.Reason) string {
	if r.Asks != nil {
		return words.Sentence(r.Asks.Text)
	}
	return words.Sentence(r.Text)
}

// reply stores an answer, and plans the change again. The answer that the items are accounts
// settles a release that they kept from happening: the lock stays.
func (d *ask) reply(n int) tea.Cmd {
	why := d.result.question()
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
			d.result.decided = why.Asks.Items + " items hold the value in " + why.Asks.Attribute + ": the lock stays."
			return nil
		}
		return d.again()
	}
	return task.Start(
		d.Tasks,
		task.Planning,
		func(context.Context) (struct{}, error) { return struct{}{}, why.Asks.Answer(r.Answer) },
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
