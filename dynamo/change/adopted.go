package change

import (
	"context"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// RecordAdopted records in the journal that a check has verified an adopted rule: the rule holds since the given time.
// It writes to no table. It returns the receipt.
func (c *Changer) RecordAdopted(
	ctx context.Context, t *dynamo.Table, con *layout.Constraint, since time.Time, reason string,
) (string, error) {
	p := planner.Abandon(t, con)
	p.Kind, p.Reason, p.Live.Run = plan.KindAdopt, reason, p.ID
	if err := c.recordMany(ctx, p); err != nil {
		return "", err
	}
	return p.ID, c.answerMany(ctx, p, &BackfillResult{Outcome: journal.Applied}, "the rule holds since "+phrase.UTC(since))
}
