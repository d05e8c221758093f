package client

import (
	"fmt"
	"strings"

	"tallylock/dynamo/attr"
)

// Expressions are the condition and the update of an action as DynamoDB takes them, and what
// their placeholders stand for.
type Expressions struct {
	Condition, Update string
	Names             map[string]string
	Values            map[string]attr.Value
}

// Expressions returns the expressions of the action.
func (w Write) Expressions() Expressions {
	e := Expressions{
		Condition: "attribute_exists(#pk)",
		Names:     map[string]string{"#pk": w.Key.Hash.Name},
		Values:    map[string]attr.Value{},
	}
	if w.Absent {
		e.Condition = "attribute_not_exists(#pk)"
	}
	for _, t := range w.If {
		if t.Value.Exists() {
			e.Condition += " AND " + e.assign(t)
		} else {
			e.Condition += " AND attribute_not_exists(" + e.path(t) + ")"
		}
	}
	var sets, removes []string
	for _, t := range w.Set {
		if t.Value.Exists() {
			sets = append(sets, e.assign(t))
		} else {
			removes = append(removes, e.path(t))
		}
	}
	if len(sets) > 0 {
		e.Update = "SET " + strings.Join(sets, ", ")
	}
	if len(removes) > 0 {
		e.Update = strings.TrimSpace(e.Update + " REMOVE " + strings.Join(removes, ", "))
	}
	return e
}

// assign writes that an attribute equals, or gets, its value.
func (e *Expressions) assign(t Term) string {
	path, alias := e.path(t), fmt.Sprintf(":v%d", len(e.Values))
	e.Values[alias] = t.Value
	return path + " = " + alias
}

// path writes the path of a term.
func (e *Expressions) path(t Term) string {
	parts := make([]string, len(t.Path))
	for n, name := range t.Path {
		parts[n] = e.name(name)
	}
	return strings.Join(parts, ".")
}

func (e *Expressions) name(attribute string) string {
	for alias, known := range e.Names {
		if known == attribute && alias != "#pk" {
			return alias
		}
	}
	alias := fmt.Sprintf("#n%d", len(e.Names))
	e.Names[alias] = attribute
	return alias
}
