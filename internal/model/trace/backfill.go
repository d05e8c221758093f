package trace

import (
	"fmt"
	"slices"

	"tallylock/internal/model"
)

// runLock is the lock of a value that a run of a backfill has sent.
type runLock struct{ run, value int }

// request is a request of a backfill, or of its undo.
type request struct {
	step model.Step // the step of its first sending
	done bool       // DynamoDB has executed it, and knows its token
}

// run returns the number of the run that writes a mark.
func (c *Checker) run(mark string) int {
	n := slices.Index(c.runs, mark)
	if n < 0 {
		n = len(c.runs)
		c.runs = append(c.runs, mark)
	}
	return n + 1
}

// OneRun is the rule that a transaction of a backfill has one mark.
const OneRun model.Rule = "all locks of a transaction have the mark of one run"

// backfill takes a request that puts locks of a run.
func (c *Checker) backfill(e Event, actions []Action, token string) error {
	claims, beyond, err := c.claims(actions)
	if err != nil || len(claims) == 0 || beyond && !e.Applied {
		return err // the request may have been refused because of a lock that is not in the model
	}
	run := c.run(actions[0].Item[AdoptAttribute].text())
	for _, a := range actions {
		if a.Verb == "Put" && c.run(a.Item[AdoptAttribute].text()) != run {
			return OneRun
		}
	}
	for _, w := range claims {
		c.owners[runLock{run, int(w.Version) - 1}] = w.Item
	}
	return c.send(e, token, model.Step{Kind: model.Backfill, Number: run, Writes: claims})
}

// undo takes a request that deletes locks of a run.
func (c *Checker) undo(e Event, actions []Action, token string) error {
	run, beyond := 0, false
	var locks []model.Write
	for _, a := range actions {
		value, isLock := c.Value(a.Key)
		mark := a.Equal[AdoptAttribute]
		if beyond = beyond || !isLock; !isLock {
			continue
		}
		if run == 0 && slices.Contains(c.runs, mark) {
			run = c.run(mark)
		}
		owner, known := c.owners[runLock{run, value}]
		if !known || len(a.Exists) == 0 || c.run(mark) != run {
			return fmt.Errorf("step %d, %s: the model forbids it: %w", len(c.steps)+1, model.Undo, model.UndoIsOwn)
		}
		locks = append(locks, model.Write{
			Item: model.LockItem(value), Version: model.Lock{Owner: owner + 1, Adopted: run}.Version(),
		})
	}
	if len(locks) == 0 || beyond && !e.Applied {
		return nil
	}
	return c.send(e, token, model.Step{Kind: model.Undo, Number: run, Writes: locks})
}

// send takes a request of a backfill or of its undo: for the first time, or once more with the same token.
func (c *Checker) send(e Event, token string, step model.Step) error {
	if e.Busy {
		return nil
	}
	step.Answer = e.fate()
	if r := c.requests[token]; r != nil {
		return c.again(e, r)
	}
	r := &request{step: step}
	c.requests[token] = r
	return c.executes(e, r, step)
}

// again takes a request that arrives again. As long as DynamoDB knows the token, it does not execute the request twice.
func (c *Checker) again(e Event, r *request) error {
	switch {
	case !e.Arrived:
		return nil
	case r.done && e.Answered && !e.Applied:
		return fmt.Errorf("step %d, %s once more: the answer differs from the model: applied %v", len(c.steps), r.step, e.Applied)
	case r.done:
		return nil
	}
	return c.copied(e, r)
}

// copied takes a copy of a request. DynamoDB executes the copy, because it does not know the token.
func (c *Checker) copied(e Event, r *request) error {
	late := c.model.RequestOf(r.step)
	at := slices.Index(c.state.Late, late)
	if at < 0 {
		return fmt.Errorf("step %d: a request arrived again after its answer: %s", len(c.steps)+1, r.step)
	}
	return c.executes(e, r, model.Step{Kind: model.LateCopy, Number: at})
}

// executes takes a step that may execute a request, and compares the result with the answer.
func (c *Checker) executes(e Event, r *request, step model.Step) error {
	before := c.state
	if err := c.do(step); err != nil {
		return err
	}
	executed := false
	for value, by := range c.model.RequestOf(r.step).Of {
		executed = executed || by > 0 && before.LockOf(value) != c.state.LockOf(value)
	}
	r.done = r.done || executed
	if e.Answered && executed != e.Applied {
		return c.differs(e)
	}
	return nil
}
