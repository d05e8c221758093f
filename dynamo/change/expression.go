package change

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// expression builds an action on an item that was read: the terms of its condition, the
// assignments of an update, and the names and values of both.
type expression struct {
	schema  attr.Schema
	item    attr.Item
	terms   []string
	tested  []string // the attributes in terms
	sets    []string
	removes []string
	names   map[string]string
	values  map[string]attr.Value
}

// newExpression begins a condition on an item that exists.
func newExpression(schema attr.Schema, item attr.Item) *expression {
	return &expression{
		schema: schema, item: item, terms: []string{"attribute_exists(#pk)"},
		names: map[string]string{"#pk": schema.HashName}, values: map[string]attr.Value{},
	}
}

// path renders an attribute, or a path of map keys ("contact.email") if no attribute has that
// whole name.
func (e *expression) path(attribute string) string {
	parts := []string{attribute}
	if _, whole := e.item[attribute]; !whole {
		parts = strings.Split(attribute, ".")
	}
	for n, part := range parts {
		parts[n] = e.name(part)
	}
	return strings.Join(parts, ".")
}

func (e *expression) name(attribute string) string {
	for alias, known := range e.names {
		if known == attribute && alias != "#pk" {
			return alias
		}
	}
	alias := fmt.Sprintf("#n%d", len(e.names))
	e.names[alias] = attribute
	return alias
}

func (e *expression) value(v attr.Value) string {
	alias := fmt.Sprintf(":v%d", len(e.values))
	e.values[alias] = v
	return alias
}

// unchanged adds that attributes are as they were seen: equal, or still absent. Key
// attributes cannot change and are left out.
func (e *expression) unchanged(attributes ...string) *expression {
	for _, attribute := range attributes {
		if e.schema.IsKey(attribute) || slices.Contains(e.tested, attribute) {
			continue
		}
		e.tested = append(e.tested, attribute)
		if v := e.item.At(attribute); v.Exists() {
			e.terms = append(e.terms, e.path(attribute)+" = "+e.value(v))
		} else {
			e.terms = append(e.terms, "attribute_not_exists("+e.path(attribute)+")")
		}
	}
	return e
}

// allUnchanged adds that every attribute is as it was seen, and that those named in absent,
// if they were absent, still are.
func (e *expression) allUnchanged(absent ...string) *expression {
	names := e.item.Names()
	for _, name := range absent {
		if !e.item.At(name).Exists() {
			names = append(names, name)
		}
	}
	return e.unchanged(names...)
}

// absent adds that an item still lacks attributes.
func (e *expression) absent(names []string) *expression {
	for _, name := range names {
		if !e.schema.IsKey(name) && !slices.Contains(e.tested, name) {
			e.tested = append(e.tested, name)
			e.terms = append(e.terms, "attribute_not_exists("+e.name(name)+")")
		}
	}
	return e
}

// withAbsent returns an action that also requires that its item lacks attributes. It returns
// false if DynamoDB does not take so long a condition.
func withAbsent(w client.Write, names []string) (client.Write, bool) {
	terms := strings.Split(w.Condition, " AND ")
	tested := map[string]bool{}
	for _, term := range terms {
		attribute, _ := parseTerm(w, term)
		tested[attribute] = true
	}
	w.Names = maps.Clone(w.Names)
	for _, name := range names {
		if tested[name] {
			continue
		}
		alias := fmt.Sprintf("#a%d", len(w.Names))
		w.Names[alias] = name
		terms = append(terms, "attribute_not_exists("+alias+")")
	}
	w.Condition = strings.Join(terms, " AND ")
	return w, len(w.Condition) <= maxExpression && operators(w.Condition) <= maxOperators
}

// set assigns a value to an attribute.
func (e *expression) set(attribute string, v attr.Value) {
	e.sets = append(e.sets, e.path(attribute)+" = "+e.value(v))
}

// remove removes an attribute.
func (e *expression) remove(attribute string) {
	e.removes = append(e.removes, e.path(attribute))
}

// withMark defines the placeholders #mark and :mark of a release's mark.
func (e *expression) withMark(mark attr.Value) *expression {
	e.names["#mark"], e.values[":mark"] = dynamo.MarkAttribute, mark
	return e
}

// write returns the action.
func (e *expression) write(verb client.Verb, table string, key attr.Key) client.Write {
	w := client.Write{
		Verb:      verb,
		Table:     table,
		Key:       key.Item(),
		Condition: strings.Join(e.terms, " AND "),
		Names:     e.names,
		Values:    e.values,
	}
	if len(e.sets) > 0 {
		w.Update = "SET " + strings.Join(e.sets, ", ")
	}
	if len(e.removes) > 0 {
		w.Update = strings.TrimSpace(w.Update + " REMOVE " + strings.Join(e.removes, ", "))
	}
	return w
}

// ifAbsent returns the action that puts an item if there is none, or, without an item, checks
// that there is none.
func ifAbsent(schema attr.Schema, table string, key attr.Key, item attr.Item) client.Write {
	w := client.Write{
		Verb:      client.Check,
		Table:     table,
		Key:       key.Item(),
		Condition: "attribute_not_exists(#pk)",
		Names:     map[string]string{"#pk": schema.HashName},
	}
	if item != nil {
		w.Verb, w.Key, w.Item = client.Put, nil, item
	}
	return w
}
