package change

import (
	"context"
	"math/big"

	"tallylock/dynamo"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
)

// PlanMends plans to mend what a check found. Its reads keep to MaxReadUnits.
func (c *Changer) PlanMends(ctx context.Context, t *dynamo.Table, findings ...finding.Finding) ([]mend.Mend, error) {
	return mend.All(c.paced(ctx, t), t, findings...)
}

// PlanMend plans to mend one finding. A counter that holds no number gets the number to, or, if to is nil, the
// one derived from its value. It returns a *Refusal if the finding cannot be mended, with the code InOrder if
// there is nothing left to mend. Its reads keep to MaxReadUnits.
func (c *Changer) PlanMend(ctx context.Context, t *dynamo.Table, f finding.Finding, to *big.Int) (*plan.Plan, error) {
	return mend.One(c.paced(ctx, t), t, f, to)
}

// paced returns a context whose reads keep to MaxReadUnits.
func (c *Changer) paced(ctx context.Context, t *dynamo.Table) context.Context {
	pace := client.Pace{Rate: scan.RateOf(t.Description, c.MaxReadUnits)}
	return pace.Keep(ctx)
}
