package dynamo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
)

// LockOf is the relation of a constraint's value, not read yet. A value as it
// was typed comes first where its lock exists; else as the layout normalises it. An
// empty value means a lock that keeps none, which comes from a mistake. scope
// gives what the lock's key needs besides the value; nil where it needs nothing.
func (t *Table) LockOf(ctx context.Context, constraint, v string, scope map[string]string) (*Relation, error) {
	op := fmt.Sprintf("looking for the lock of %s %q", constraint, v)
	if len(t.Layout.Accounts) == 0 {
		return nil, t.NoLayout(op)
	}
	c, err := lockedBy(t, op, constraint, v)
	if err != nil {
		return nil, err
	}
	if err := checkScope(t, op, scope); err != nil {
		return nil, err
	}
	for _, name := range c.Scope() {
		if scope[name] == "" {
			return nil, &client.Error{
				Kind: client.Usage, Op: op, Why: "its key, " + c.PK.String() + ", needs the {" + name + "}, too",
				Do: "add --scope " + name + "=" + strings.ToUpper(name),
			}
		}
	}
	table := t.LockTable(c)
	if v == "" {
		key, err := c.EmptyKey(t.SchemaOf(table), scope)
		if err != nil {
			return nil, &client.Error{Kind: client.Usage, Op: op, Why: err.Error(), Do: "give a value", Err: err}
		}
		return &Relation{Constraint: c, Lock: Lock{Table: table, Key: key}}, nil
	}
	normal := c.Normalised(v)
	var candidates []*Relation
	var keys []attr.Key
	for _, text := range []string{v, normal} {
		key, err := c.LockKey(t.SchemaOf(table), text, scope)
		if err != nil {
			if text == normal && len(candidates) == 0 {
				return nil, &client.Error{Kind: client.Usage, Op: op, Why: err.Error(), Do: "check the value", Err: err}
			}
			continue
		}
		candidates = append(candidates, &Relation{Constraint: c, Value: text, Typed: v, Lock: Lock{Table: table, Key: key}})
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

// lockedBy is a constraint by its name, if locks keep it.
func lockedBy(t *Table, op, constraint, v string) (*layout.Constraint, error) {
	kind, c := t.Layout.Constraint(constraint)
	if kind == nil && t.Layout.UnlockedNamed(constraint) != nil {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  "no locks keep the " + constraint + " of " + t.Name + ", as the layout " + t.Layout.Name + " says",
			Do:   "see who holds it with: " + t.Command([]string{"find", v}),
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

// LockAt is the relation of a lock item that was read or written down, without who
// claims it. It refuses what the table's layout does not take for a lock of the
// constraint, or of any where that is empty.
func (t *Table) LockAt(constraint, table string, item attr.Item) (*Relation, error) {
	role := t.Classify(table, item)
	key, ok := t.SchemaOf(table).KeyOf(item)
	if !ok || role.Constraint == nil || (constraint != "" && role.Constraint.Name != constraint) {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   "looking for the " + constraint + " of a lock in " + table,
			Why:  "the layout " + t.Layout.Name + " does not take it for one",
			Do:   "name the layout that it was made with, with --layout",
		}
	}
	return &Relation{
		Constraint: role.Constraint,
		Value:      role.Value,
		Lock:       lockOf(role.Constraint, table, key, item),
		Malformed:  role.Malformed,
	}, nil
}

// The limits of About: attributes, and characters of each.
const (
	mostAbout    = 6
	longestAbout = 40
)

// longestBrief is how many characters of an attribute Brief shows.
const longestBrief = 16

// Attributes returns the attributes of a lock besides its key.
func (l Lock) Attributes() attr.Item {
	rest := attr.Item{}
	for name, v := range l.Item {
		if name != l.Key.Hash.Name && name != l.Key.Range.Name {
			rest[name] = v
		}
	}
	return rest
}

// Written returns the earliest time of the past that an attribute of a lock holds; the zero time if
// none does.
func (l Lock) Written(now time.Time) (since time.Time) {
	for _, v := range l.Attributes() {
		if age, ok := layout.Age(v, now); ok && (since.IsZero() || now.Add(-age).Before(since)) {
			since = now.Add(-age)
		}
	}
	return since
}

// About lists the attributes of a lock besides its key and a mark; each time with its age. It is
// empty if there are none.
func (l Lock) About(now time.Time) string {
	attributes := l.Attributes()
	delete(attributes, MarkAttribute)
	var all []string
	for _, name := range attributes.Names() {
		one := name + " = " + cutText(attributes[name], longestAbout)
		if age, ok := layout.Age(attributes[name], now); ok {
			one += " (" + phrase.Age(age) + ")"
		}
		all = append(all, one)
	}
	if more := len(all) - mostAbout; more > 0 {
		all = append(all[:mostAbout], phrase.Count(more, "more attribute"))
	}
	return strings.Join(all, ", ")
}

// Brief is a shorter About: the age of the lock, and its attributes that are no times.
func (l Lock) Brief(now time.Time) string {
	var all []string
	if at := l.Written(now); !at.IsZero() {
		all = append(all, phrase.Age(now.Sub(at)))
	}
	attributes := l.Attributes()
	delete(attributes, MarkAttribute)
	for _, name := range attributes.Names() {
		if _, isTime := layout.Age(attributes[name], now); !isTime {
			all = append(all, name+" = "+cutText(attributes[name], longestBrief))
		}
	}
	return strings.Join(all, ", ")
}

// cutText returns the text of an attribute, cut after longest characters.
func cutText(v attr.Value, longest int) string {
	text := []rune(v.Display())
	if len(text) > longest {
		text = append(text[:longest], '…')
	}
	return string(text)
}
