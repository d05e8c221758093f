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

// PlanMends plans the repairs of a check's findings. c.MaxReadUnits limits the reads.
func (c *Changer) PlanMends(ctx context.Context, t *dynamo.Table, findings ...finding.Finding) ([]mend.Mend, error) {
	return mend.All(c.paced(ctx, t), t, findings...)
}

// PlanMend plans the repair of one finding, like mend.One. c.MaxReadUnits limits the reads.
func (c *Changer) PlanMend(ctx context.Context, t *dynamo.Table, f finding.Finding, to *big.Int) (*plan.Plan, error) {
	return mend.One(c.paced(ctx, t), t, f, to)
}

// paced returns a context that limits reads to c.MaxReadUnits per second.
func (c *Changer) paced(ctx context.Context, t *dynamo.Table) context.Context {
	pace := client.Pace{Rate: scan.RateOf(t.Description, c.MaxReadUnits)}
	return pace.Keep(ctx)
}
