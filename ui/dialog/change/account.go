package change

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Changes returns the other commands that change an account of table t: its selected value, or one of all its values.
// If no value is selected, at has the first value, and more has the others.
func Changes(s *session.Session, t *dynamo.Table, at screen.ValueRow, more ...*verdict.Relation) screen.Commands {
	hasLocks := func(r *verdict.Relation) bool { return !r.Constraint.Lockless() }
	return screen.Commands{
		{
			Action: keymap.ChangeValue, Words: "change value", Full: "change the value",
			Why: at.Why(func(r *verdict.Relation) string {
				if !hasLocks(r) && !slices.ContainsFunc(more, hasLocks) {
					return say.NoLocks(r) + ": only the application can change it"
				}
				return whyAccount(s, t.Name, r, client.Update, client.Put, client.Delete)
			}),
			Run: func() tea.Cmd { return AskValue(s, t, append([]*verdict.Relation{at.Relation}, more...)...) },
		},
		{
			Action: keymap.DeleteAccount, Full: "delete with its locks",
			Why: at.Why(func(r *verdict.Relation) string { return whyAccount(s, t.Name, r, client.Delete) }),
			Run: func() tea.Cmd { return AskDelete(s, t, at.Relation) },
		},
		UndoLast(s),
	}
}

// AskValue asks for a new value of an account, and begins with the current one. If there are several values, it asks
// which one to change.
func AskValue(s *session.Session, t *dynamo.Table, values ...*verdict.Relation) tea.Cmd {
	var options []option
	for _, r := range values {
		now := currentValue(r)
		has := fmt.Sprintf("%s has the %s \"%s\".", r.Account.Key.Hash.Value.Display(), r.Constraint.Name, r.Shown())
		options = append(options, option{
			word: r.Constraint.Name, title: "Change a value", room: valueRoom,
			entry: &entry{
				label:       "to",
				placeholder: "the new " + r.Constraint.Name,
				input:       kit.NewField(now),
				whole:       true,
				about:       has,
				lacks: func(text string) string {
					if text == "" || text == now {
						return has + " Type another."
					}
					return ""
				},
			},
			plan: func(ctx context.Context, to string) (*plan.Plan, error) { return planner.ChangeValue(ctx, t, r, to) },
		})
	}
	again := func(t *dynamo.Table) tea.Cmd { return AskValue(s, t, on(t, values)...) }
	return whenSure(s, unsure(t, values...), again, func() tea.Cmd {
		newAsk(s, s.Connection(), accountID(t, values[0].Account.Key), options...)
		return nil
	})
}

// currentValue returns the value of a relation, as the attribute of the account has it. It is empty if the text is
// unknown, or if a field cannot hold it.
func currentValue(r *verdict.Relation) string {
	text := r.Constraint.Original(r.Account.Item, r.Value)
	if in := kit.NewField(text); in.Value() != text {
		return ""
	}
	return text
}

// AskDelete asks whether to delete an account with all its locks.
func AskDelete(s *session.Session, t *dynamo.Table, r *verdict.Relation) tea.Cmd {
	key := r.Account.Key
	again := func(t *dynamo.Table) tea.Cmd { return AskDelete(s, t, r.On(t.Layout)) }
	return whenSure(s, unsureAccount(t, r), again, func() tea.Cmd {
		return askOne(s, s.Connection(), accountID(t, key), "Delete an account", valueRoom,
			func(ctx context.Context) (*plan.Plan, error) { return planner.DeleteAccount(ctx, t, key) })
	})
}

// accountID identifies an account within a connection.
func accountID(t *dynamo.Table, key attr.Key) string { return t.Name + "\x00" + key.ID() }

// unsureAccount returns the first constraint of a relation's account that a person must still accept; nil if there is
// none.
func unsureAccount(t *dynamo.Table, r *verdict.Relation) *dynamo.Unaccepted {
	constraints := []*layout.Constraint{r.Constraint}
	for _, a := range t.Layout.Accounts {
		if slices.Contains(a.Constraints, r.Constraint) {
			constraints = a.Constraints
		}
	}
	for _, c := range constraints {
		if u := dynamo.UnacceptedOf(t.CheckSure("", c)); u != nil {
			return u
		}
	}
	return nil
}

// whyAccount says why the account of a relation cannot be changed from here. table is the account's table.
func whyAccount(s *session.Session, table string, r *verdict.Relation, verbs ...client.Verb) string {
	switch {
	case r.Unjudged:
		return say.NotJudged(r)
	case r.Account == nil:
		return say.NoAccount(r)
	}
	return s.WhyPlan(table, verbs...)
}
