package write

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
)

// Change changes a value of an account together with its lock.
func Change(s *app.Run) *cobra.Command {
	w := &writing{Run: s, op: "changing a value"}
	from := ""
	var in app.Scope
	cmd := &cobra.Command{
		Use:   "change ACCOUNT CONSTRAINT VALUE",
		Short: "Change an account's value and its lock",
		Long: `Change a value of an account, such as its email. One transaction updates the
account, puts the lock of the new value, and deletes the lock of the old value.
tallylock refuses the change if another account holds the new value.

ACCOUNT is the account's id, or its key as find prints it. If the key has other
parts besides the id, add --scope for each part. If the account has several
values of the constraint, name the old value with --from.`,
		Example: `  tallylock change a1f9c3 email ada@example.org --write --reason 'ticket 48151'
  tallylock change a1f9c3 username ada --dry-run`,
		Args: app.Takes(3, 3, "an ACCOUNT, a CONSTRAINT and the new VALUE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.onAccount(cmd.Context(), args[0], in, func(t *dynamo.Table, a *schema.Account) (*plan.Plan, error) {
				rel, err := valueOf(t, a, args[1], from)
				if err != nil {
					return nil, err
				}
				if err := w.allowedOn(t.Name, t.CheckSure(w.op, rel.Constraint)); err != nil {
					return nil, err
				}
				return planner.ChangeValue(cmd.Context(), t, rel, args[2])
			})
		},
	}
	w.addFlags(cmd)
	app.CompletesArgument(cmd, 1, s.Flags.Constraints)
	in.AddFlag(cmd.Flags(), "the account's key besides its id")
	cmd.Flags().StringVar(&from, "from", "", "change this `VALUE`, if the account has several values")
	return cmd
}

// onAccount finds the account called name, plans a change of it, and carries the change out.
func (w *writing) onAccount(
	ctx context.Context, name string, in app.Scope,
	planned func(*dynamo.Table, *schema.Account) (*plan.Plan, error),
) error {
	if err := w.prepare(ctx); err != nil {
		return err
	}
	t, a, err := w.accountNamed(ctx, name, in)
	if err != nil {
		return w.carryOut(ctx, nil, err)
	}
	p, err := planned(t, a)
	return w.carryOut(ctx, p, err)
}

// accountNamed finds an account by its id, or by its key as `find` prints it.
func (w *writing) accountNamed(ctx context.Context, name string, in app.Scope) (*dynamo.Table, *schema.Account, error) {
	t, err := w.AccountTable(ctx, w.target, w.conn, !w.yes)
	if err != nil {
		return nil, nil, err
	}
	found, err := t.AccountsOf(ctx, name, in)
	if err != nil {
		return nil, nil, err
	}
	switch len(found) {
	case 0:
		return nil, nil, absent("there is no account %s", name)
	case 1:
		return t, &found[0], nil
	}
	var keys []string
	for _, a := range found {
		keys = append(keys, phrase.ShellWord(a.Key.String()))
	}
	return nil, nil, exit.Usage("looking for the account "+name, "several accounts have this id",
		"name the account by its key: "+strings.Join(keys, " or "))
}

// valueOf returns the account's value of a constraint. If the account has several values, from is
// the one to change.
func valueOf(t *dynamo.Table, a *schema.Account, constraint, from string) (*verdict.Relation, error) {
	kind := t.Layout.KindOf(t.Schema, a.Item)
	c, err := constraintOf(kind, constraint)
	if err != nil {
		return nil, err
	}
	var values []string
	var found []*verdict.Relation
	for _, r := range t.Relations(kind, a) {
		if r.Constraint != c {
			continue
		}
		values = append(values, phrase.ShellWord(r.Value))
		if from == "" || r.Value == c.Normalised(from) {
			found = append(found, r)
		}
	}
	op := "looking for the " + constraint + " of " + a.Key.String()
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(values) == 0:
		return nil, absent("%s has no %s", a.Key, constraint)
	case len(found) == 0:
		return nil, exit.Usage(op, "the account has no "+phrase.Quote(from), "use --from "+strings.Join(values, " or "))
	}
	return nil, exit.Usage(op, "the account has several values", "choose one: --from "+strings.Join(values, " or "))
}

// constraintOf returns the constraint with this name. If there is none, it returns the constraint
// with this attribute.
func constraintOf(kind *layout.Account, name string) (*layout.Constraint, error) {
	var names []string
	var about *layout.Constraint
	for _, c := range kind.Constraints {
		if c.Name == name {
			return c, nil
		}
		if c.Attribute == name && about == nil {
			about = c
		}
		names = append(names, c.Name)
	}
	if about != nil {
		return about, nil
	}
	for _, c := range kind.Unlocked {
		if c.Name == name || c.Attribute == name {
			return nil, exit.Usage("changing the "+name, "the constraint has no locks, so tallylock cannot change the value safely",
				"change the value in your application")
		}
	}
	why := fmt.Sprintf("these accounts have no constraint %q%s", name, mistake.Meant(name, names...))
	return nil, exit.Usage("looking for the constraint", why, "use one of: "+strings.Join(names, ", "))
}

// absent returns a refusal: the account, value or counter does not exist.
func absent(why string, args ...any) error {
	return &plan.Refusal{Reasons: []plan.Reason{{Code: plan.Absent, Text: fmt.Sprintf(why, args...)}}}
}

// DeleteAccount deletes an account with all its locks.
func DeleteAccount(s *app.Run) *cobra.Command {
	w := &writing{Run: s, op: "deleting an account"}
	var in app.Scope
	cmd := &cobra.Command{
		Use:   "delete-account ACCOUNT",
		Short: "Delete an account with all its locks",
		Long: `Delete an account and all its locks in one transaction. If one of these items
has changed since tallylock read it, nothing is deleted. tallylock does not
delete locks that another account uses, nor other items of the account.

ACCOUNT is the account's id, or its key as find prints it. If the key has other
parts besides the id, add --scope for each part. You must type the id, or give
it with --yes --confirm.

"tallylock undo" puts the account back if nobody has taken its values. With
journal_images = false in the config, you cannot undo a deletion.

--dry-run prints the whole account, with attributes such as a password hash.`,
		Example: `  tallylock delete-account a1f9c3 --dry-run
  tallylock delete-account a1f9c3 --write --reason 'ticket 48151'`,
		Args:              app.Takes(1, 1, "an ACCOUNT"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.onAccount(cmd.Context(), args[0], in, func(t *dynamo.Table, a *schema.Account) (*plan.Plan, error) {
				return planner.DeleteAccount(cmd.Context(), t, a.Key)
			})
		},
	}
	w.addFlags(cmd)
	in.AddFlag(cmd.Flags(), "the account's key besides its id")
	return cmd
}
