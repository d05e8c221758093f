package plan

import (
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// expression builds the conditions and the assignments of an action on an item that was read.
type expression struct {
	schema attr.Schema
	item   attr.Item
	terms  []client.Term
	sets   []client.Term
}

// newExpression begins a condition on an item that exists.
func newExpression(schema attr.Schema, item attr.Item) *expression {
	return &expression{schema: schema, item: item}
}

// pathIn returns the path of an attribute. If the item has no attribute of the whole name, it returns the path
// of an entry of maps ("contact.email").
func pathIn(item attr.Item, attribute string) []string {
	if _, whole := item[attribute]; whole {
		return []string{attribute}
	}
	return strings.Split(attribute, ".")
}

// tests reports whether a term tests an attribute.
func tests(terms []client.Term, attribute string) bool {
	return slices.ContainsFunc(terms, func(t client.Term) bool { return t.Attribute() == attribute })
}

// unchanged adds conditions that attributes are unchanged: equal, or still absent. It omits key attributes,
// which cannot change.
func (e *expression) unchanged(attributes ...string) *expression {
	for _, name := range attributes {
		if !e.schema.IsKey(name) && !tests(e.terms, name) {
			e.terms = append(e.terms, client.Term{Path: pathIn(e.item, name), Value: e.item.At(name)})
		}
	}
	return e
}

// allUnchanged adds conditions that every attribute of the item is unchanged. The attributes in absent must
// still be absent if they were.
func (e *expression) allUnchanged(absent ...string) *expression {
	names := e.item.Names()
	for _, name := range absent {
		if !e.item.At(name).Exists() {
			names = append(names, name)
		}
	}
	return e.unchanged(names...)
}

// absent adds conditions that the item still lacks attributes.
func (e *expression) absent(names []string) *expression {
	e.terms = WithAbsent(e.terms, names)
	return e
}

// WithAbsent returns terms with further conditions: the item lacks the named attributes.
func WithAbsent(terms []client.Term, names []string) []client.Term {
	terms = slices.Clip(terms)
	for _, name := range names {
		if !tests(terms, name) {
			terms = append(terms, client.Term{Path: []string{name}})
		}
	}
	return terms
}

// set assigns a value to an attribute. If v has no value, it removes the attribute.
func (e *expression) set(attribute string, v attr.Value) *expression {
	e.sets = append(e.sets, client.Term{Path: pathIn(e.item, attribute), Value: v})
	return e
}

// write returns the action.
func (e *expression) write(verb client.Verb, table string, key attr.Key) client.Write {
	return client.Write{Verb: verb, Table: table, Key: key, If: e.terms, Set: e.sets}
}

// ifAbsent returns an action with the condition that no item has the key. The action puts the given item; if
// that is nil, it only checks the condition.
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

// ValueAt returns the value of an item at a path.
func ValueAt(item attr.Item, path []string) attr.Value {
	v := item[path[0]]
	for _, name := range path[1:] {
		v = v.Map[name]
	}
	return v
}

// assign returns a copy of an item in which the attribute of a term has the term's value.
func assign(item attr.Item, t client.Term) attr.Item {
	out := maps.Clone(item)
	if out == nil {
		out = attr.Item{}
	}
	name, v := t.Path[0], t.Value
	if len(t.Path) > 1 {
		v = attr.Value{Kind: attr.M, Map: assign(out[name].Map, client.Term{Path: t.Path[1:], Value: v})}
	}
	if out[name] = v; !v.Exists() {
		delete(out, name)
	}
	return out
}

// withAttribute returns a copy of an item with one attribute, or one entry of its maps
// ("contact.email"), set to another value.
func withAttribute(item attr.Item, attribute string, v attr.Value) attr.Item {
	path := pathIn(item, attribute)
	if inner := item[path[0]]; len(path) > 1 && inner.Exists() && inner.Kind != attr.M {
		path = []string{attribute}
	}
	return assign(item, client.Term{Path: path, Value: v})
}

// itemAfter returns the item as an action leaves it; nil if the action deletes it.
func itemAfter(w client.Write, before attr.Item) attr.Item {
	switch w.Verb {
	case client.Put:
		return w.Item
	case client.Delete:
		return nil
	}
	for _, t := range w.Set {
		before = assign(before, t)
	}
	return before
}

// CompareItem reports whether an item is as an action leaves it, and whether it is as before the action. Of an
// updated item it compares only the updated attributes: the application may change the others.
func CompareItem(w client.Write, before, now attr.Item) (done, undone bool) {
	if w.Verb != client.Update {
		return sameItem(now, itemAfter(w, before)), sameItem(now, before)
	}
	done, undone = now != nil, now != nil
	for _, t := range w.Set {
		have := ValueAt(now, t.Path)
		done = done && have.Equal(t.Value)
		undone = undone && have.Equal(ValueAt(before, t.Path))
	}
	return done, undone
}

// sameItem reports whether two items are equal, or both absent.
func sameItem(a, b attr.Item) bool { return (a == nil) == (b == nil) && a.Equal(b) }
