package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo/client"
)

// policyCommand prints the least IAM policy for a role.
func policyCommand(s *invocation) *cobra.Command {
	var roles []string
	for _, r := range client.Roles() {
		roles = append(roles, string(r))
	}
	return &cobra.Command{
		Use:   "policy ROLE",
		Short: "Print a minimal IAM policy for a role",
		Long: `The least IAM policy for a role, as JSON, for the table that --table names or
for all tables. A viewer asks point questions, an auditor reads whole tables,
too, and an operator makes changes, in transactions only.`,
		Example:   "  tallylock policy viewer --table accounts > policy.json",
		Args:      takes(1, 1, "a ROLE ("+strings.Join(roles, ", ")+")"),
		ValidArgs: roles,
		RunE: func(_ *cobra.Command, args []string) error {
			var tables []string
			if s.flags.table != "" {
				tables = []string{s.flags.table}
			}
			p, err := client.PolicyFor(client.Role(args[0]), tables)
			if err != nil {
				return err
			}
			if !p.Permits("Scan") {
				s.note("Without dynamodb:Scan a layout cannot be recognised: name it with --layout, or describe it in the config.")
			}
			return s.print(p)
		},
	}
}
