package dynamo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
)

// CheckScope refuses a scope that names what no lock's key is made of.
func CheckScope(t *Table, op string, scope map[string]string) error {
	var known []string
	for _, c := range t.Layout.Constraints() {
		known = append(known, c.Scope()...)
	}
	for _, c := range t.Layout.Unlocked() {
		known = append(known, c.Within...)
	}
	return onlyKnown(op, scope, known, "no lock of "+t.Name+" is kept by", "the value alone makes the keys")
}

// onlyKnown refuses a scope that names anything but what is known. none begins the
// sentence that says so, alone says what makes the keys where nothing is known.
func onlyKnown(op string, scope map[string]string, known []string, none, alone string) error {
	slices.Sort(known)
	known = slices.Compact(known)
	for name := range scope {
		if slices.Contains(known, name) {
			continue
		}
		do := remedy.Of(remedy.Text, "use one of: "+strings.Join(known, ", "))
		if len(known) == 0 {
			do = remedy.Of(remedy.LeaveScope, alone)
		}
		return &client.Error{Kind: client.Usage, Op: op, Why: none + " a {" + name + "}", Remedy: do}
	}
	return nil
}

// AccountsOf reads the accounts that a name may mean, strongly consistent: it is an id, a
// whole partition key, or a key as it is printed. scope gives what their keys are made of
// besides the id. It reads no other items, and refuses where a key is not known whole, so
// that none is said to be absent that was never looked for.
func (t *Table) AccountsOf(ctx context.Context, name string, scope map[string]string) ([]schema.Account, error) {
	op := fmt.Sprintf("looking for the account %q", name)
	if len(t.Layout.Accounts) == 0 {
		return nil, t.NoLayout(op)
	}
	if strings.TrimSpace(name) == "" {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  "there is nothing to look for",
			Do:   "give the account's id or its key",
		}
	}
	if err := checkAccountScope(t, op, scope); err != nil {
		return nil, err
	}
	keys := t.Schema.Printed(name)
	var missing string
	for _, kind := range t.Layout.Accounts {
		named := kind.Keys(t.Schema, name, scope)
		if len(named) == 0 {
			missing = lacks(kind, scope)
		}
		keys = append(keys, named...)
	}
	if len(keys) == 0 && missing == "" {
		return nil, nil
	}
	read, err := t.conn.Reader().Get(ctx, t.Name, keys, true)
	if err != nil {
		return nil, err
	}
	var found []schema.Account
	for _, k := range keys {
		_, a := t.AccountOf(read[k.ID()])
		if a != nil && !slices.ContainsFunc(found, func(have schema.Account) bool { return have.Key.Equal(a.Key) }) {
			found = append(found, *a)
		}
	}
	if len(found) == 0 && missing != "" {
		return nil, &client.Error{
			Kind: client.Usage, Op: op, Why: "it is no whole key, and keys of accounts need the {" + missing + "}, too",
			Remedy: remedy.Of(remedy.AddScopeOrKey, missing, strings.ToUpper(missing)),
		}
	}
	return found, nil
}

// lacks is what a scope does not say of the keys of such accounts; empty where it says all.
func lacks(kind *layout.Account, scope map[string]string) string {
	for _, name := range kind.Scope() {
		if scope[name] == "" {
			return name
		}
	}
	return ""
}

// checkAccountScope refuses a scope that names what no account's key is made of.
func checkAccountScope(t *Table, op string, scope map[string]string) error {
	var known []string
	for _, kind := range t.Layout.Accounts {
		known = append(known, kind.Scope()...)
	}
	return onlyKnown(op, scope, known, "no account of "+t.Name+" is kept by", "the id alone makes the keys")
}
