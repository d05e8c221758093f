package adopt

import (
	"context"

	"tallylock/dynamo/adopt"
	"tallylock/ui/cli/exit"
)

// runVerify checks the rule.
func (a *adopting) runVerify(context.Context) error {
	if err := a.state.Allows(adopt.PhaseVerify); err != nil {
		return err
	}
	return exit.Usage("verifying the rule", "this build of tallylock cannot verify a rule yet", "nothing was read")
}
