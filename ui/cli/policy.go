package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo/client"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/check"
	"tallylock/ui/cli/exit"
)

// policyCommand prints a minimal IAM policy for a role.
func policyCommand(s *app.Run) *cobra.Command {
	var roles []string
	for _, r := range client.Roles() {
		roles = append(roles, string(r))
	}
	var exports []string
	cmd := &cobra.Command{
		Use:   "policy ROLE",
		Short: "Print a minimal IAM policy for a role",
		Long: `Print a minimal IAM policy as JSON, for the table of --table or for all tables.
A viewer can look up single values. An auditor can also read whole tables. An
operator can also make changes, but only in transactions. --export adds the
permissions to check an export.`,
		Example: `  tallylock policy viewer --table accounts > policy.json
  tallylock policy auditor --export s3://backups/AWSDynamoDB > policy.json     # all exports there`,
		Args:      app.Takes(1, 1, "a ROLE ("+strings.Join(roles, ", ")+")"),
		ValidArgs: roles,
		RunE: func(cmd *cobra.Command, args []string) error {
			var tables []string
			if s.Flags.Table != "" {
				tables = []string{s.Flags.Table}
			}
			region, err := regionMeant(cmd.Context(), s)
			if err != nil {
				return err
			}
			p, err := client.PolicyFor(client.Role(args[0]), region, tables)
			if err != nil {
				return err
			}
			for _, at := range exports {
				bucket, folder, remote, err := check.ExportAddress(at)
				switch {
				case err != nil:
					return err
				case !remote:
					return exit.Usage("reading --export", at+" is not an S3 address; a downloaded export needs no permission",
						"leave --export out, or name a folder as s3://BUCKET/PREFIX/AWSDynamoDB")
				}
				p.ReadExport(bucket, folder)
			}
			if len(exports) > 0 {
				s.Note("If your own KMS key encrypts the exports, the role also needs kms:Decrypt on that key.")
			}
			if !p.Permits("Scan") {
				s.Note("Without dynamodb:Scan tallylock cannot recognise the layout of a table: name the layout with --layout, or describe it in the config.")
			}
			s.Print(p)
			return nil
		},
	}
	cmd.Flags().StringArrayVar(
		&exports,
		"export",
		nil,
		"also permit to read the export at `PLACE`, s3://BUCKET/PREFIX/AWSDynamoDB/ID, or all exports below s3://BUCKET/PREFIX/AWSDynamoDB; can be repeated",
	)
	return cmd
}

// regionMeant returns the Region that a command would use. It is empty if none is set.
func regionMeant(ctx context.Context, s *app.Run) (string, error) {
	c, err := s.Flags.Config.Read()
	if err != nil {
		return "", err
	}
	conn, err := s.Flags.ConnectionOf(c)
	return conn.RegionMeant(ctx), err
}
