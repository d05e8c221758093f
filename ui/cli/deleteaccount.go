package cli

import (
	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
)

// deleteAccountCommand deletes an account with all its locks.
func deleteAccountCommand(s *invocation) *cobra.Command {
	w := &writing{invocation: s, op: "deleting an account"}
	var in scope
	cmd := &cobra.Command{
		Use:   "delete-account ACCOUNT",
		Short: "Delete an account with all its locks",
		Long: `Delete an account with all its locks in one transaction, if everything is still
as it was read. A lock that somebody else uses stays, and so do other items of
the account. ACCOUNT is its id, or its key as find prints it; if the key needs
more than the id, give that with --scope. Type the id, or give it by --confirm.
"tallylock undo" puts the account back while nobody has taken its values.`,
		Example: `  tallylock delete-account a1f9c3 --dry-run
  tallylock delete-account a1f9c3 --write --reason 'ticket 48151'`,
		Args: takes(1, 1, "an ACCOUNT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onAccount(cmd.Context(), w, args[0], in, func(t *dynamo.Table, a *dynamo.Account) (*change.Plan, error) {
				return change.PlanDeleteAccount(cmd.Context(), t, a.Key)
			})
		},
	}
	w.addFlags(cmd)
	in.addFlag(cmd.Flags(), "an account's key needs besides its id")
	return cmd
}
