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

// PlanMends plans the repairs of a check's findings. Its reads keep to MaxReadUnits.
func (c *Changer) PlanMends(ctx context.Context, t *dynamo.Table, findings ...finding.Finding) ([]mend.Mend, error) {
	return mend.All(c.paced(ctx, t), t, findings...)
}

// PlanMend plans the repair of one finding. A counter that holds no number gets the number to; if to is nil, it
// gets the number derived from its value. PlanMend returns a *Refusal if the finding cannot be mended. The
// refusal's code is InOrder if nothing is left to mend. Its reads keep to MaxReadUnits.
func (c *Changer) PlanMend(ctx context.Context, t *dynamo.Table, f finding.Finding, to *big.Int) (*plan.Plan, error) {
	return mend.One(c.paced(ctx, t), t, f, to)
}

// paced returns a context whose reads keep to MaxReadUnits.
func (c *Changer) paced(ctx context.Context, t *dynamo.Table) context.Context {
	pace := client.Pace{Rate: scan.RateOf(t.Description, c.MaxReadUnits)}
	return pace.Keep(ctx)
}
