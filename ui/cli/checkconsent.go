package cli

import (
	"context"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/ui/words"
)

// confirmCost says what the check will cost, and asks where that is more than a
// question may take by itself, or not known, and somebody is there to answer.
func (c *checking) confirmCost(ctx context.Context, t *dynamo.Table) error {
	cost, most := check.Estimate(t, c.o), t.Connection().AutoReadUnits()
	c.note("%s", words.BeforeCheck(t.Name, cost, c.o.Export != nil || c.o.Candidates != nil))
	if !terminal(c.Err) {
		return nil
	}
	if !cost.Uncounted && cost.Units() <= most {
		c.unasked = most // that it is no more was counted hours ago
		return nil
	}
	return c.confirm(ctx, t, "Check the table", "nothing was read")
}

// confirm asks whether to go on. Without anybody to ask it does: the command was
// explicit.
func (c *checking) confirm(ctx context.Context, t *dynamo.Table, question, otherwise string) error {
	d, ok := c.openPrompt()
	if !ok {
		return nil
	}
	defer d.close()
	yes, err := d.confirm(ctx, question)
	if err == nil && !yes {
		err = &client.Error{Kind: client.Cancelled, Op: "checking " + t.Name, Why: "the answer was no; " + otherwise}
	}
	return err
}

// outageNoteEvery is how often a log is told of an outage, one that comes and goes as well.
const outageNoteEvery = 5 * time.Minute

// onState takes in where the check stands: what speaks against the layout is said
// before the table is read, and a check that nobody was asked about is held where it
// takes more than was expected.
func (c *checking) onState(ctx context.Context, bar *progress, t *dynamo.Table, now check.State) {
	for _, note := range now.Early[c.noted:] {
		bar.clear()
		c.note("%s", words.Sentence(note))
	}
	c.noted = len(now.Early)
	if c.unasked > 0 && now.Units > c.unasked && ctx.Err() == nil {
		c.gate.Shut()
		defer c.gate.Open()
		bar.clear()
		c.note("It takes more than was expected: %s are used, and the count of the table may be hours old.",
			words.ReadUnits(now.Units))
		c.unasked = 0
		if c.declined = c.confirm(ctx, t, "Read on", "what was found stays"); c.declined != nil {
			c.stop()
		}
	}
	if words.Outage(now, time.Now()) && time.Since(c.silent) >= outageNoteEvery && !terminal(c.Err) {
		c.silent = time.Now()
		c.note("No answer since %s; asking again.", now.Silent.Format("15:04:05"))
	}
	doing, _ := words.CheckStage(now)
	bar.showStage(doing, words.CheckLine(now, time.Now()))
}
