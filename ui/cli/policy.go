package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo/client"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
)

// policyCommand prints a minimal IAM policy for a role.
func policyCommand(s *app.Run) *cobra.Command {
	var roles []string
	for _, r := range client.Roles() {
		roles = append(roles, string(r))
	}
	roles = append(roles, athenaRole)
	var exports []string
	var athena athenaPolicy
	cmd := &cobra.Command{
		Use:   "policy ROLE",
		Short: "Print a minimal IAM policy for a role",
		Long: `Print a minimal IAM policy as JSON, for the table of --table or for all tables.
A viewer can look up single values. An auditor can also read whole tables. An
operator can also make changes, but only in transactions. athena is an auditor
who also runs the SQL of checks on Amazon Athena. --export adds the permissions
to check an export.`,
		Example: `  tallylock policy viewer --table accounts > policy.json
  tallylock policy auditor --export s3://backups/AWSDynamoDB > policy.json     # all exports there
  tallylock policy athena --export s3://backups/AWSDynamoDB --output-location s3://scratch/tallylock`,
		Args:      app.Takes(1, 1, "a ROLE ("+strings.Join(roles, ", ")+")"),
		ValidArgs: roles,
		RunE: func(cmd *cobra.Command, args []string) error {
			athena.given = cmd.Flags()
			return printPolicy(cmd.Context(), s, args[0], exports, &athena)
		},
	}
	cmd.Flags().StringArrayVar(
		&exports,
		"export",
		nil,
		"also allow reading the export at `PLACE`, s3://BUCKET/PREFIX/AWSDynamoDB/ID, or all exports below s3://BUCKET/PREFIX/AWSDynamoDB; repeatable",
	)
	cmd.Flags().StringVar(&athena.output, "output-location", "", "for athena: the folder for results and tables, `s3://BUCKET/PREFIX`")
	cmd.Flags().StringVar(&athena.database, "schema", "default", "for athena: the `DATABASE` of the tables that the SQL makes")
	cmd.Flags().StringVar(&athena.workgroup, "workgroup", "primary", "for athena: the `WORKGROUP`")
	return cmd
}

// printPolicy prints the policy for a role, with the permissions for exports.
func printPolicy(ctx context.Context, s *app.Run, name string, exports []string, athena *athenaPolicy) error {
	var tables []string
	if s.Flags.Table != "" {
		tables = []string{s.Flags.Table}
	}
	region, err := regionMeant(ctx, s)
	if err != nil {
		return err
	}
	role := client.Role(name)
	if name == athenaRole {
		role = client.Auditor // the auditor's policy, to which this function adds Athena
	}
	p, err := client.PolicyFor(role, region, tables)
	if err != nil {
		return err
	}
	if err := athena.check(name, exports); err != nil {
		return err
	}
	for _, at := range exports {
		bucket, folder, remote, err := app.ExportAddress(at)
		switch {
		case err != nil:
			return err
		case !remote:
			return exit.Usage("reading --export", at+" is not an S3 address; a downloaded export needs no permission",
				"leave --export out, or name a folder as s3://BUCKET/PREFIX/AWSDynamoDB")
		}
		p.ReadExport(bucket, folder)
	}
	if name == athenaRole {
		athena.add(&p)
	}
	if len(exports) > 0 {
		s.Note("If your own KMS key encrypts the exports, the role also needs kms:Decrypt on that key.")
	}
	if !p.Permits("Scan") {
		s.Note("Without dynamodb:Scan tallylock cannot recognise the layout of a table: name the layout with --layout, or describe it in the config.")
	}
	s.Print(p)
	return nil
}

// athenaRole is the argument for the policy of an auditor who also runs the SQL of checks on Athena.
const athenaRole = "athena"

// athenaPolicy has the flags for the policy of athenaRole.
type athenaPolicy struct {
	output, database, workgroup, bucket, prefix string

	given *pflag.FlagSet
}

// check checks the flags for a role.
func (a *athenaPolicy) check(role string, exports []string) (err error) {
	for _, name := range []string{"output-location", "schema", "workgroup"} {
		if role != athenaRole && a.given.Changed(name) {
			return exit.Usage("reading the command line", "--"+name+" is for the role athena", "leave it out, or write: tallylock policy athena")
		}
	}
	switch {
	case role != athenaRole:
		return nil
	case a.output == "":
		return exit.Usage("reading the command line", "the role athena needs --output-location", "add --output-location s3://BUCKET/PREFIX")
	case len(exports) == 0:
		return exit.Usage("reading the command line", "the role athena needs the exports", "add --export s3://BUCKET/PREFIX/AWSDynamoDB")
	}
	if a.bucket, a.prefix, err = client.SplitS3(a.output); err != nil {
		return exit.Usage("reading --output-location", err.Error(), "write it as s3://BUCKET/PREFIX")
	}
	return nil
}

func (a *athenaPolicy) add(p *client.Policy) {
	p.RunAthena(a.workgroup, a.database, a.bucket, a.prefix)
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
