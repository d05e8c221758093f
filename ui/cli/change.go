package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
)

// changeCommand changes a value of an account, with its lock.
func changeCommand(s *invocation) *cobra.Command {
	w := &writing{invocation: s, op: "changing a value"}
	from := ""
	cmd := &cobra.Command{
		Use:   "change ACCOUNT CONSTRAINT VALUE",
		Short: "Change a value of an account, with its lock",
		Long: `Change a value of an account, such as its e-mail: the new value's lock is put,
the old one's deleted and the account updated, in one transaction. It is refused
where somebody else has the new value. ACCOUNT is its id, or its key as find
prints it. Where the account has several values of the constraint, --from says
which is meant.`,
		Example: "  tallylock change a1f9c3 email ada@example.org --write --reason 'ticket 48151'\n  tallylock change a1f9c3 username ada --dry-run",
		Args:    takes(3, 3, "an ACCOUNT, a CONSTRAINT and the new VALUE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onAccount(cmd.Context(), w, args[0], func(t *dynamo.Table, h dynamo.Holder) (*change.Plan, error) {
				rel, err := valueOf(h, args[1], from)
				if err != nil {
					return nil, err
				}
				return change.PlanValue(cmd.Context(), t, rel, args[2])
			})
		},
	}
	w.take(cmd)
	cmd.Flags().StringVar(&from, "from", "", "the `VALUE` that is changed, where the account has several")
	s.flags.trusts(cmd.Flags())
	return cmd
}

// onAccount plans a change of an account, and carries it out.
func onAccount(ctx context.Context, w *writing, name string, plan func(*dynamo.Table, dynamo.Holder) (*change.Plan, error)) error {
	r, err := w.prepare(ctx)
	if err != nil {
		return err
	}
	t, h, err := accountNamed(ctx, w, r, name)
	if err != nil {
		return w.carryOut(ctx, r, nil, err)
	}
	p, err := plan(t, h)
	return w.carryOut(ctx, r, p, err)
}

// accountNamed finds the account of an id, or of a key as it is printed.
func accountNamed(ctx context.Context, w *writing, r ready, name string) (*dynamo.Table, dynamo.Holder, error) {
	t, err := accountTable(ctx, w.invocation, r.target, r.conn)
	if err != nil {
		return nil, dynamo.Holder{}, err
	}
	id, _, _ := strings.Cut(name, " / ") // the sort key of an account follows from the rest
	answer, err := t.Find(ctx, id, dynamo.FindOptions{})
	if err != nil {
		return nil, dynamo.Holder{}, err
	}
	var found []dynamo.Holder
	for _, h := range answer.Accounts {
		if h.ByID && (id == name || h.Key.String() == name) {
			found = append(found, h)
		}
	}
	switch len(found) {
	case 0:
		return nil, dynamo.Holder{}, &change.Refusal{Reasons: []change.Reason{{Code: change.Absent, Text: fmt.Sprintf("there is no account %s", name)}}}
	case 1:
		return t, found[0], nil
	}
	var keys []string
	for _, h := range found {
		keys = append(keys, phrase.ShellWord(h.Key.String()))
	}
	return nil, dynamo.Holder{}, usage("looking for the account "+name, "several accounts have that id", "name its key: "+strings.Join(keys, " or "))
}

// valueOf is the value of an account that a constraint keeps unique. from tells which of
// several is meant.
func valueOf(h dynamo.Holder, constraint, from string) (*dynamo.Relation, error) {
	var names, values []string
	var found []*dynamo.Relation
	for _, r := range h.Values {
		c := r.Constraint
		names = append(names, c.Name)
		if c.Name != constraint && c.Attribute != constraint {
			continue
		}
		values = append(values, phrase.ShellWord(r.Value))
		if from == "" || r.Value == c.Normalised(from) {
			found = append(found, r)
		}
	}
	op := "looking for the " + constraint + " of " + h.Key.String()
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(values) == 0:
		return nil, usage(op, "the account has none", "use one of: "+strings.Join(names, ", "))
	case len(found) == 0:
		return nil, usage(op, "it is not "+phrase.Quote(from), "use --from "+strings.Join(values, " or "))
	}
	return nil, usage(op, "it has several", "say which is meant: --from "+strings.Join(values, " or "))
}
