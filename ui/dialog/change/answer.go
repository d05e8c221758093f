package change

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// asked is the reason of a refusal that a person can do something about; nil where there
// is none.
func asked(receipts ...change.Receipt) *change.Reason {
	for _, r := range receipts {
		for n := range r.Reasons {
			if r.Reasons[n].Asks != nil {
				return &r.Reasons[n]
			}
		}
	}
	return nil
}

// asks is what the person is asked on the result; nil where nothing is.
func (r *result) asks() *change.Reason {
	if r.kept != "" {
		return nil
	}
	return asked(r.receipts...)
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
// resolves a change that they have just been met by: the lock stays.
func (d *ask) reply(n int) tea.Cmd {
	why := d.result.asks()
	r := dialog.Replies(why.Asks)[n]
	switch {
	case r.Sees:
		return tea.Batch(d.Leave(), d.Send(message.SeeLayout{}))
	case r.Tell == nil:
		return d.Leave()
	}
	kept := func(err error) tea.Cmd {
		if err != nil {
			d.fail(err)
			return nil
		}
		d.result.button = 0
		if why.Code == change.Held && r.Are == dynamo.HoldsAccount {
			d.result.kept = why.Asks.Items + " items hold values under " + why.Asks.Attribute + ", as accounts do: the lock stays."
			return nil
		}
		return d.again()
	}
	return task.Start(d.Tasks, task.Planning, func(context.Context) (struct{}, error) { return struct{}{}, r.Tell() }, func(_ struct{}, err error) tea.Cmd {
		if d.told = err == nil; !d.told {
			return kept(err)
		}
		return d.Send(message.Told{Then: kept})
	})
}

// again asks for the same change once more, from the start.
func (d *ask) again() tea.Cmd {
	d.result, d.Shown = nil, d.Now()
	d.form.focus, d.form.typing = stopNo, kit.NewField("")
	return d.plan()
}
