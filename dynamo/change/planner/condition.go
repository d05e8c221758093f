package planner

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
)

// expression builds the conditions and the assignments of an action on an item that was read.
type expression struct {
	schema attr.Schema
	item   attr.Item
	terms  []client.Term
	sets   []client.Term
}

// unchanged adds the condition that each named attribute is unchanged: it has the same value, or is still missing. It
// omits key attributes, which cannot change.
func (e *expression) unchanged(attributes ...string) *expression {
	for _, name := range attributes {
		if !e.schema.IsKey(name) && !tests(e.terms, name) {
			e.terms = append(e.terms, client.Term{Path: plan.PathIn(e.item, name), Value: e.item.At(name)})
		}
	}
	return e
}

// allUnchanged adds the condition that every attribute of the item is unchanged. The arguments are names of further
// attributes: if the item lacks one of them, that attribute must still be missing.
func (e *expression) allUnchanged(absent ...string) *expression {
	names := e.item.Names()
	for _, name := range absent {
		if !e.item.At(name).Exists() {
			names = append(names, name)
		}
	}
	return e.unchanged(names...)
}

// absent adds the condition that the item still lacks the named attributes.
func (e *expression) absent(names []string) *expression {
	e.terms = WithAbsent(e.terms, names)
	return e
}

// set assigns a value to an attribute. If v has no value, it removes the attribute.
func (e *expression) set(attribute string, v attr.Value) *expression {
	e.sets = append(e.sets, client.Term{Path: plan.PathIn(e.item, attribute), Value: v})
	return e
}

// write returns an action with the conditions and assignments of the expression.
func (e *expression) write(verb client.Verb, table string, key attr.Key) client.Write {
	return client.Write{Verb: verb, Table: table, Key: key, If: e.terms, Set: e.sets}
}

// newExpression begins a condition on an item that exists.
func newExpression(schema attr.Schema, item attr.Item) *expression {
	return &expression{schema: schema, item: item}
}

// ifAbsent returns an action with the condition that no item has the key. The action puts the given item. If item is
// nil, the action only checks the condition.
func ifAbsent(table string, key attr.Key, item attr.Item) client.Write {
	w := client.Write{Verb: client.Check, Table: table, Key: key, Absent: true}
	if item != nil {
		w.Verb, w.Item = client.Put, item
	}
	return w
}

// DynamoDB's limits for one expression: its bytes, and its operators and functions (Developer Guide, "Service,
// account and table quotas").
const (
	maxExpression = 4096
	maxOperators  = 300
)

// TooLong reports whether the expressions of an action exceed DynamoDB's limits. A condition has one operator
// or function in each term, and one between two terms.
func TooLong(w client.Write) bool {
	e := w.Expressions()
	return len(e.Condition) > maxExpression || len(e.Update) > maxExpression || 2*len(w.If)+1 > maxOperators
}

// WithAbsent returns the given terms with more conditions: the item lacks the named attributes.
func WithAbsent(terms []client.Term, names []string) []client.Term {
	terms = slices.Clip(terms)
	for _, name := range names {
		if !tests(terms, name) {
			terms = append(terms, client.Term{Path: []string{name}})
		}
	}
	return terms
}

// tests reports whether one of the terms is about the attribute.
func tests(terms []client.Term, attribute string) bool {
	return slices.ContainsFunc(terms, func(t client.Term) bool { return t.Attribute() == attribute })
}
