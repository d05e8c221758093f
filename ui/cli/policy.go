package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo/client"
)

// policyCommand prints a minimal IAM policy for a role.
func policyCommand(s *invocation) *cobra.Command {
	var roles []string
	for _, r := range client.Roles() {
		roles = append(roles, string(r))
	}
	var exports []string
	cmd := &cobra.Command{
		Use:   "policy ROLE",
		Short: "Print a minimal IAM policy for a role",
		Long: `Print a minimal IAM policy as JSON, for the table of --table or for all tables.
A viewer asks about single values. An auditor also reads whole tables. An
operator also makes changes, in transactions only. --export adds what a check
of exports needs there.`,
		Example: `  tallylock policy viewer --table accounts > policy.json
  tallylock policy auditor --export s3://backups/AWSDynamoDB > policy.json     # all exports there`,
		Args:      takes(1, 1, "a ROLE ("+strings.Join(roles, ", ")+")"),
		ValidArgs: roles,
		RunE: func(cmd *cobra.Command, args []string) error {
			var tables []string
			if s.flags.table != "" {
				tables = []string{s.flags.table}
			}
			region, err := s.regionMeant(cmd.Context())
			if err != nil {
				return err
			}
			p, err := client.PolicyFor(client.Role(args[0]), region, tables)
			if err != nil {
				return err
			}
			for _, at := range exports {
				bucket, folder, remote, err := exportAddress(at)
				switch {
				case err != nil:
					return err
				case !remote:
					return usage("reading --export", at+" is not an S3 address, and a downloaded export needs no permission",
						"name a folder as s3://BUCKET/PREFIX/AWSDynamoDB")
				}
				p.ReadExport(bucket, folder)
			}
			if len(exports) > 0 {
				s.note("Where the exports are encrypted with a KMS key of yours, kms:Decrypt on that key is needed besides.")
			}
			if !p.Permits("Scan") {
				s.note("Without dynamodb:Scan a layout cannot be recognised: name it with --layout, or describe it in the config.")
			}
			return s.print(p)
		},
	}
	cmd.Flags().StringArrayVar(
		&exports,
		"export",
		nil,
		"let it read the export at `PLACE`, s3://BUCKET/PREFIX/AWSDynamoDB/ID, or all below s3://BUCKET/PREFIX/AWSDynamoDB; may be given several times",
	)
	return cmd
}

// regionMeant returns the Region that a command would use. It is empty if none is set.
func (s *invocation) regionMeant(ctx context.Context) (string, error) {
	c, err := s.flags.readConfig()
	if err != nil {
		return "", err
	}
	conn, err := c.connection(&s.flags)
	if err != nil {
		return "", err
	}
	s.flags.applyTo(&conn)
	return conn.RegionMeant(ctx), nil
}
