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

// PlanMend plans the repair of one finding. The parameter to matters only for a counter whose value is not a whole
// number. It is the new number of the counter. If it is nil, the new number is derived from the counter's value.
// PlanMend returns a *plan.Refusal if the finding cannot be mended. The refusal's code is InOrder if nothing is left
// to mend. c.MaxReadUnits limits the reads.
func (c *Changer) PlanMend(ctx context.Context, t *dynamo.Table, f finding.Finding, to *big.Int) (*plan.Plan, error) {
	return mend.One(c.paced(ctx, t), t, f, to)
}

// paced returns a context that limits reads to c.MaxReadUnits per second.
func (c *Changer) paced(ctx context.Context, t *dynamo.Table) context.Context {
	pace := client.Pace{Rate: scan.RateOf(t.Description, c.MaxReadUnits)}
	return pace.Keep(ctx)
}
