package adopt

import (
	"context"

	"tallylock/dynamo/adopt"
	"tallylock/ui/cli/exit"
)

// runBackfill puts the missing locks.
func (a *adopting) runBackfill(context.Context) error {
	if err := a.state.Allows(adopt.PhaseBackfill); err != nil {
		return err
	}
	return exit.Usage("putting the missing locks", "this build of tallylock has no backfill yet", "nothing was sent")
}

// runAbandon ends the adoption.
func (a *adopting) runAbandon(context.Context) error {
	return exit.Usage("abandoning the adoption", "this build of tallylock cannot abandon an adoption yet", "nothing was changed")
}
