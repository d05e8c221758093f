// Package adopt has the command adopt, which adopts a unique rule on a table that people already use. Each phase has a
// file of its name.
package adopt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/say"
)

// adopting is one run of `adopt`.
type adopting struct {
	*app.Run
	constraint string
	// The phases that the flags ask for.
	survey, writers, verifyWriters, backfill, verify, abandon bool

	language string // the language of --writers
	since    string // the time of --verify-writers
	times    times
	export   string // the place of an export for --survey
	temp     string
	settings setting.Config

	reason  string
	yes     bool
	dryRun  bool
	confirm []string

	// open sets the following fields.
	target app.Target
	conn   *dynamo.Connection
	table  *dynamo.Table
	rule   *adopt.Rule
	record *adopt.Record
	state  *adopt.State
}

// Command adopts a unique rule.
func Command(s *app.Run) *cobra.Command {
	a := &adopting{Run: s}
	cmd := &cobra.Command{
		Use:   "adopt CONSTRAINT",
		Short: "Adopt a unique rule on a table in use",
		Long: `Adopt a unique rule on a table that people already use. CONSTRAINT is a
constraint of the layout. The layout must say which attribute of a lock names
the account (owner). The locks themselves do not exist yet.

An adoption has four phases. You can stop, inspect and repeat each. A backfill
and its undo also resume where they stopped:
1. --survey reads the table, and lists what prevents the rule: values of several
   accounts, and values that cannot have a lock. It writes nothing.
2. --writers prints the transactions that the application has to use from now
   on. Then --verify-writers --since TIME judges the accounts that the
   application made or changed since that time. --created-at and --updated-at
   name the attributes with the times of creation and change. With --id-time,
   tallylock reads the time of the sign-up from the ids.
3. --backfill puts the missing locks. It needs --write.
4. --verify checks the rule. The rule holds only after this phase.

Without a flag, adopt runs the survey if there is no survey yet. Otherwise it
shows the state of the adoption, and the next command. --abandon ends an
adoption, and lists the locks and the backfills that stay.

The results of the phases are in a file beside the journal. adopt refuses a
phase until all earlier phases are satisfied; the survey only has to be
complete.

Exit status: 0 the phase is satisfied; 1 the survey found problems, or the rule
does not hold yet; 3 the phase is incomplete; 4 an earlier phase is not
satisfied, an old writer is in use, the backfill left out values, or items
changed while adopt worked on them; 5 a transaction was sent and its outcome is
unknown.

docs/adopt.md describes the phases, and what can go wrong until the rule is
verified.`,
		Example: `  tallylock adopt email --table accounts
  tallylock adopt email --table accounts --writers --language python
  tallylock adopt email --table accounts --verify-writers --since 2026-11-27T08:00:00Z --created-at createdAt
  tallylock adopt email --table accounts --backfill --write --reason 'ticket 48151'
  tallylock adopt email --table accounts --verify`,
		Args: app.Takes(1, 1, "a CONSTRAINT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.constraint = args[0]
			return a.run(cmd.Context(), cmd)
		},
	}
	a.addFlags(cmd)
	app.CompletesArgument(cmd, 0, s.Flags.Constraints)
	return cmd
}

func (a *adopting) addFlags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	set.BoolVar(&a.survey, "survey", false, "read the table, and list what prevents the rule")
	set.BoolVar(&a.writers, "writers", false, "print the transactions that the application has to use from now on")
	set.StringVar(&a.language, "language", "", "print only the transactions, in this `LANGUAGE`: json, go, python or javascript")
	set.BoolVar(&a.verifyWriters, "verify-writers", false, "judge the accounts that are new or changed since the time of --since")
	set.StringVar(&a.since, "since", "", "the `TIME` from which all writers use the transactions, such as 2026-11-27T08:00:00Z")
	a.times.addFlags(cmd)
	set.BoolVar(&a.backfill, "backfill", false, "put the missing locks, or resume a stopped backfill; needs --write")
	set.BoolVar(&a.verify, "verify", false, "check the rule, and record that it holds")
	set.BoolVar(&a.abandon, "abandon", false, "end the adoption, and list the locks and the backfills that stay")
	set.StringVar(&a.export, "export", "", "with --survey: read the export in the directory `DIR`, or at s3://BUCKET/PREFIX/AWSDynamoDB/ID, instead of the table")
	set.StringVar(&a.temp, "temp", "", "write temporary files to `DIR` if memory is too small for all values (default $TMPDIR, or /var/tmp)")
	set.Func("max-read-units", "use at most `N` read units a second; 0 means half of the table's capacity",
		app.Parsed(&a.settings.MaxReadUnits))
	app.WriteUnitsFlag(set, &a.settings)
	set.StringVar(&a.reason, "reason", "", "record the reason in the journal, in your own `WORDS`")
	set.BoolVar(&a.yes, "yes", false, "do not ask; required for --backfill and --abandon without a terminal")
	set.BoolVar(&a.dryRun, "dry-run", false, "with --backfill: put no locks, only print the plan")
	set.StringArrayVar(&a.confirm, "confirm", nil, "with --yes: the `CONSTRAINT`, instead of typing it at the question")
	app.Completes(cmd, "language", app.OneOf("json", "go", "python", "javascript"))
}

// run runs the phase that the flags ask for.
func (a *adopting) run(ctx context.Context, cmd *cobra.Command) error {
	if err := a.checkFlags(cmd); err != nil {
		return err
	}
	if err := a.open(ctx); err != nil {
		return a.refused(err)
	}
	return a.refused(a.phase(ctx))
}

func (a *adopting) phase(ctx context.Context) error {
	switch {
	case a.survey:
		return a.runSurvey(ctx)
	case a.writers:
		return a.runWriters(ctx)
	case a.verifyWriters:
		return a.runVerifyWriters(ctx)
	case a.backfill:
		return a.runBackfill(ctx)
	case a.verify:
		return a.runVerify(ctx)
	case a.abandon:
		return a.runAbandon(ctx)
	case a.state.Survey == nil && !a.state.Begun() && a.state.AbandonedAt.IsZero():
		return a.runSurvey(ctx)
	}
	return a.standing()
}

// phases maps each flag of a phase to the flags that belong to it.
var phases = map[string][]string{
	"survey":         {"export", "temp", "max-read-units"},
	"writers":        {"language"},
	"verify-writers": append([]string{"since", "yes", "confirm", "max-read-units"}, timeFlags...),
	"backfill":       {"yes", "confirm", "reason", "dry-run", "temp", "max-read-units", "max-write-units"},
	"verify":         {"reason", "temp", "max-read-units"},
	"abandon":        {"yes", "reason"},
	"":               {"export", "temp", "max-read-units"},
}

// checkFlags refuses two phases at once, and flags of another phase.
func (a *adopting) checkFlags(cmd *cobra.Command) error {
	const op = "reading the command line"
	phase := ""
	for _, name := range []string{"survey", "writers", "verify-writers", "backfill", "verify", "abandon"} {
		if on, _ := cmd.Flags().GetBool(name); !on {
			continue
		}
		if phase != "" {
			return exit.Usage(op, fmt.Sprintf("--%s and --%s are two phases", phase, name), "run one phase after the other")
		}
		phase = name
	}
	for _, name := range append([]string{
		"language", "since", "export", "temp", "max-read-units", "max-write-units", "reason", "yes", "dry-run", "confirm",
	}, timeFlags...) {
		if cmd.Flags().Changed(name) && !slices.Contains(phases[phase], name) {
			why := "--" + name + " has no effect without a phase"
			if phase != "" {
				why = "--" + name + " has no effect with --" + phase
			}
			return exit.Usage(op, why, "leave --"+name+" out, or run: tallylock adopt --help")
		}
	}
	return nil
}

// open opens the table, the rule and the record.
func (a *adopting) open(ctx context.Context) (err error) {
	if a.target, err = a.ResolveTarget(ctx); err != nil {
		return err
	}
	if a.backfill && !a.dryRun && !a.target.Options.Write {
		return &client.Error{
			Kind: client.ReadOnly, Op: "putting the missing locks", Why: "this connection is read-only",
			Do: "add --write, or set write = true in the config; to see only the plan, add --dry-run. Nothing was sent",
		}
	}
	if a.conn, err = a.Connect(ctx, a.target); err != nil {
		return err
	}
	if a.table, err = a.AccountTable(ctx, a.target, a.conn, true); err != nil {
		return err
	}
	if a.rule, err = adopt.Open(ctx, a.table, a.constraint); err != nil {
		return err
	}
	a.record = adopt.OpenRecord(journal.OpenReadOnly(a.target.JournalPath).Path(), a.rule, app.Who())
	a.state, err = a.record.State()
	return err
}

// command writes a command of this adoption.
func (a *adopting) command(flags ...string) string {
	table := a.Flags.Table
	if a.table != nil {
		table = a.table.Name
	}
	words := append([]string{"adopt", a.constraint}, flags...)
	if table != "" {
		words = append(words, "--table", table)
	}
	return a.Flags.Command(words...)
}

// refused puts a refusal into words. A phase that cannot begin ends the command with the status Refused.
func (a *adopting) refused(err error) error {
	refusal, ok := errors.AsType[*adopt.Refusal](err)
	if !ok {
		return err
	}
	why, do := say.AdoptRefusal(refusal, a.command)
	said := &client.Error{
		Kind: client.Usage, Op: "adopting the constraint " + refusal.Constraint, Why: why, Do: do, Err: err,
	}
	if refusal.Phase == "" && refusal.Code != adopt.NotBegun {
		return said
	}
	a.printRefused(refusal.Code, why, do)
	return errors.Join(said, exit.Refused)
}

// printRefused prints the refusal of a phase. In the format text, the error says the same.
func (a *adopting) printRefused(code adopt.Code, why, do string) {
	if a.Flags.Output != app.Text {
		a.Print(Refused{Code: code, Constraint: a.constraint, Table: a.table.Name, Why: why, Do: do})
	}
}

// Refused is the output of a phase that cannot begin.
type Refused struct {
	// Code says why. It is the code of an adoption, or of a change that cannot be planned.
	Code       adopt.Code `json:"refused"`
	Table      string     `json:"table"`
	Constraint string     `json:"constraint"`
	Why        string     `json:"why"`
	Do         string     `json:"do"`
}
