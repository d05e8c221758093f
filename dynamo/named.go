package dynamo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// LockOf returns the relation of a constraint's value. It takes the value as typed if a lock with that value
// exists, and otherwise the normalised value. The relation has the lock's key, but not the lock's item. An empty v
// means a lock without a value, which some applications write by mistake. scope has the other variables of the
// lock's key, and is nil if the key has none.
func (t *Table) LockOf(ctx context.Context, constraint, v string, scope map[string]string) (*verdict.Relation, error) {
	op := fmt.Sprintf("looking for the lock of %s %q", constraint, v)
	if len(t.Layout.Accounts) == 0 {
		return nil, t.NoLayout(op)
	}
	c, err := lockedBy(t, op, constraint, v)
	if err != nil {
		return nil, err
	}
	if err := CheckScope(t, op, scope); err != nil {
		return nil, err
	}
	for _, name := range c.Scope() {
		if scope[name] == "" {
			return nil, &client.Error{
				Kind: client.Usage, Op: op, Why: "the lock's key " + c.PK.String() + " also needs {" + name + "}",
				Remedy: remedy.Of(remedy.AddScope, name, strings.ToUpper(name)),
			}
		}
	}
	table := t.LockTable(c)
	if v == "" {
		key, err := c.EmptyKey(t.SchemaOf(table), scope)
		if err != nil {
			return nil, &client.Error{Kind: client.Usage, Op: op, Why: err.Error(), Do: "give a value", Err: err}
		}
		return &verdict.Relation{Constraint: c, Lock: schema.Lock{Table: table, Key: key}}, nil
	}
	normal := c.Normalised(v)
	var candidates []*verdict.Relation
	var keys []attr.Key
	for _, text := range []string{v, normal} {
		key, err := c.LockKey(t.SchemaOf(table), text, scope)
		if err != nil {
			if text == normal && len(candidates) == 0 {
				return nil, &client.Error{Kind: client.Usage, Op: op, Why: err.Error(), Do: "check the value", Err: err}
			}
			continue
		}
		lock := schema.Lock{Table: table, Key: key}
		candidates = append(candidates, &verdict.Relation{Constraint: c, Value: text, Typed: v, Lock: lock})
		keys = append(keys, key)
	}
	if v == normal || len(candidates) == 1 {
		return candidates[len(candidates)-1], nil
	}
	found, err := t.conn.Reader().Get(ctx, table, keys, true)
	if err != nil {
		return nil, err
	}
	if found[keys[0].ID()] != nil {
		return candidates[0], nil
	}
	return candidates[1], nil
}

// lockedBy returns the constraint with a name. It returns an error if there is none, or if the constraint has
// no locks.
func lockedBy(t *Table, op, constraint, v string) (*layout.Constraint, error) {
	kind, c := t.Layout.Constraint(constraint)
	if kind == nil && t.Layout.UnlockedNamed(constraint) != nil {
		return nil, &client.Error{
			Kind:   client.Usage,
			Op:     op,
			Why:    "in the layout " + t.Layout.Name + ", the " + constraint + " of " + t.Name + " has no locks",
			Remedy: t.Remedy(remedy.AskWho, v),
		}
	}
	if kind == nil {
		var names []string
		for _, c := range t.Layout.Constraints() {
			names = append(names, c.Name)
		}
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  fmt.Sprintf("the table %s has no constraint %q%s", t.Name, constraint, mistake.Meant(constraint, names...)),
			Do:   "use one of: " + strings.Join(names, ", "),
		}
	}
	return c, nil
}

// LockAt returns the relation of a lock whose item was read. It leaves the claimants of the relation empty. It
// returns an error if the layout does not classify the item as a lock of the constraint. An empty constraint
// means any constraint.
func (t *Table) LockAt(constraint, table string, item attr.Item) (*verdict.Relation, error) {
	role := t.Classify(table, item)
	key, ok := t.SchemaOf(table).KeyOf(item)
	if !ok || role.Constraint == nil || (constraint != "" && role.Constraint.Name != constraint) {
		return nil, &client.Error{
			Kind:   client.Usage,
			Op:     "looking for the " + constraint + " of a lock in " + table,
			Why:    "the layout " + t.Layout.Name + " does not recognise this item as a lock of this constraint",
			Remedy: remedy.Of(remedy.NameItsLayout),
		}
	}
	return &verdict.Relation{
		Constraint: role.Constraint,
		Value:      role.Value,
		Lock:       schema.LockOf(role.Constraint, table, key, item),
		Malformed:  role.Malformed,
	}, nil
}

// ReleaseRemedy returns the command that releases a relation's lock. The command names the lock by its value
// and scope, if these two give the lock's key. Otherwise the command names the whole key.
func ReleaseRemedy(t *Table, r *verdict.Relation) (remedy.Remedy, error) {
	if text, ok := namesLock(t, r); ok {
		return t.Remedy(remedy.ReleaseByValue, append([]string{r.Constraint.Name, text}, r.ScopeTerms()...)...), nil
	}
	key, err := attr.Line(r.Lock.Key, "")
	if err != nil {
		return remedy.Remedy{}, err
	}
	return t.Remedy(remedy.ReleaseByKey, r.Constraint.Name, strings.TrimSpace(string(key))), nil
}

// namesLock returns the text that a person can type to name the lock of r by its value. It returns false if the
// text and the scope of r do not give the lock's key.
func namesLock(t *Table, r *verdict.Relation) (string, bool) {
	c, scope, schema := r.Constraint, r.Scope(), t.SchemaOf(r.Lock.Table)
	text, ok := c.Text(r.Value)
	if !ok || slices.ContainsFunc(c.Scope(), func(name string) bool { return scope[name] == "" }) {
		return "", false
	}
	if text == "" {
		key, err := c.EmptyKey(schema, scope)
		return text, err == nil && key.Equal(r.Lock.Key)
	}
	return text, slices.ContainsFunc([]string{text, c.Normalised(text)}, func(v string) bool {
		key, err := c.LockKey(schema, v, scope)
		return err == nil && key.Equal(r.Lock.Key)
	})
}

// CheckScope returns an error if the scope has a variable that the layout does not use: neither for the key of
// a lock, nor for a constraint without locks.
func CheckScope(t *Table, op string, scope map[string]string) error {
	var known []string
	for _, c := range t.Layout.Constraints() {
		known = append(known, c.Scope()...)
	}
	for _, c := range t.Layout.Unlocked() {
		known = append(known, c.Within...)
	}
	return onlyKnown(op, scope, known, "the lock keys of "+t.Name+" have no", "a lock's key needs only the value")
}

// onlyKnown returns an error if the scope has a variable that is not in the list known. The error's text begins
// with the given words (none). If the list is empty, the remedy contains the given explanation (alone).
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
		return &client.Error{Kind: client.Usage, Op: op, Why: none + " {" + name + "}", Remedy: do}
	}
	return nil
}

// AccountsOf reads the accounts that a name may mean, strongly consistent. The name is an id, a whole partition
// key, or a key as it is printed. scope has the other variables of the accounts' keys. AccountsOf reads only
// items with these keys. If it finds no account, and the scope lacks a variable of some keys, it returns an
// error: the account may exist under one of these keys.
func (t *Table) AccountsOf(ctx context.Context, name string, scope map[string]string) ([]schema.Account, error) {
	op := fmt.Sprintf("looking for the account %q", name)
	if len(t.Layout.Accounts) == 0 {
		return nil, t.NoLayout(op)
	}
	if strings.TrimSpace(name) == "" {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  "the search text is empty",
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
			Kind: client.Usage, Op: op,
			Why:    "this is not a whole key: besides the id, an account's key needs {" + missing + "}",
			Remedy: remedy.Of(remedy.AddScopeOrKey, missing, strings.ToUpper(missing)),
		}
	}
	return found, nil
}

// lacks returns a variable that the keys of a kind of account contain, and for which the scope has no value. It
// is empty if the scope has values for all variables.
func lacks(kind *layout.Account, scope map[string]string) string {
	for _, name := range kind.Scope() {
		if scope[name] == "" {
			return name
		}
	}
	return ""
}

// checkAccountScope returns an error if the scope has a variable that no account's key contains.
func checkAccountScope(t *Table, op string, scope map[string]string) error {
	var known []string
	for _, kind := range t.Layout.Accounts {
		known = append(known, kind.Scope()...)
	}
	return onlyKnown(op, scope, known, "the account keys of "+t.Name+" have no", "an account's key needs only the id")
}
