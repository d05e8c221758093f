package change

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// AskValue asks for a new value of an account. If there are several values it asks which.
func AskValue(s *session.Session, t *dynamo.Table, values ...*dynamo.Relation) tea.Cmd {
	var options []option
	for _, r := range values {
		has := fmt.Sprintf("%s has the %s \"%s\".", r.Account.Key.Hash.Value.Display(), r.Constraint.Name, r.Value)
		options = append(options, option{
			word: r.Constraint.Name, title: "Change a value",
			entry: &entry{
				label:       "to",
				placeholder: "the new " + r.Constraint.Name,
				input:       kit.NewField(""),
				whole:       true,
				about:       has,
				lacks: func(text string) string {
					switch text {
					case "":
						return has + " Type another."
					case r.Value:
						return fmt.Sprintf("This is already its %s.", r.Constraint.Name)
					}
					return ""
				},
			},
			plan: func(ctx context.Context, to string) (*change.Plan, error) { return change.PlanValue(ctx, t, r, to) },
		})
	}
	newAsk(s, s.Connection(), accountID(t, values[0].Account.Key), options...)
	return nil
}

// AskDelete asks whether to delete an account with all its locks.
func AskDelete(s *session.Session, t *dynamo.Table, r *dynamo.Relation) tea.Cmd {
	key := r.Account.Key
	return newAsk(
		s,
		s.Connection(),
		accountID(t, key),
		option{title: "Delete an account", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
			return change.PlanDeleteAccount(ctx, t, key)
		}},
	).plan()
}

// accountID identifies an account within a connection.
func accountID(t *dynamo.Table, key attr.Key) string { return t.Name + "\x00" + key.ID() }
