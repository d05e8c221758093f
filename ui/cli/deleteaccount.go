package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tallylock/dynamo/change"
)

// deleteAccountCommand deletes an account with all its locks.
func deleteAccountCommand(s *invocation) *cobra.Command {
	w := &writing{invocation: s, op: "deleting an account"}
	cmd := &cobra.Command{
		Use:   "delete-account ACCOUNT",
		Short: "Delete an account with all its locks",
		Long: `Delete an account with all its locks, in one transaction, if everything is as it
was seen. A lock that somebody else is behind stays, and so do other items that
belong to the account. ACCOUNT is its id, or its key as find prints it; the id
has to be typed, or given by --confirm. "tallylock undo" puts the account back
as long as nobody has taken its values.`,
		Example: "  tallylock delete-account a1f9c3 --dry-run\n  tallylock delete-account a1f9c3 --write --reason 'ticket 48151'",
		Args:    takes(1, 1, "an ACCOUNT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDeleteAccount(cmd.Context(), w, args[0])
		},
	}
	w.take(cmd)
	s.flags.trusts(cmd.Flags())
	return cmd
}

func runDeleteAccount(ctx context.Context, w *writing, account string) error {
	r, err := w.prepare(ctx)
	if err != nil {
		return err
	}
	t, h, err := accountNamed(ctx, w, r, account)
	if err != nil {
		return w.carryOut(ctx, r, nil, err)
	}
	p, err := change.PlanDeleteAccount(ctx, t, h.Key)
	return w.carryOut(ctx, r, p, err)
}
