package adopt

import (
	"context"

	"tallylock/dynamo/adopt"
	"tallylock/ui/cli/exit"
)

// runWriters prints the transactions that the application has to use.
func (a *adopting) runWriters(context.Context) error {
	if err := a.state.Allows(adopt.PhaseWriters); err != nil {
		return err
	}
	return exit.Usage("printing the transactions", "this build of tallylock has no transactions yet", "nothing was changed")
}

// runVerifyWriters judges the accounts that are new or changed.
func (a *adopting) runVerifyWriters(context.Context) error {
	if err := a.state.Allows(adopt.PhaseWriters); err != nil {
		return err
	}
	return exit.Usage("verifying the writers", "this build of tallylock cannot verify writers yet", "nothing was changed")
}
