package plan

import (
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// expression builds an action on an item that was read: its conditions, and what an update sets.
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

// pathIn is the path of an attribute: of an entry of maps ("contact.email") if the item has no
// attribute of that whole name.
func pathIn(item attr.Item, attribute string) []string {
	if _, whole := item[attribute]; whole {
		return []string{attribute}
	}
	return strings.Split(attribute, ".")
}

// tests reports whether terms are about an attribute.
func tests(terms []client.Term, attribute string) bool {
	return slices.ContainsFunc(terms, func(t client.Term) bool { return t.Attribute() == attribute })
}

// unchanged adds that attributes are as they were seen: equal, or still absent. Key
// attributes cannot change and are left out.
func (e *expression) unchanged(attributes ...string) *expression {
	for _, name := range attributes {
		if !e.schema.IsKey(name) && !tests(e.terms, name) {
			e.terms = append(e.terms, client.Term{Path: pathIn(e.item, name), Value: e.item.At(name)})
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
	e.terms = WithAbsent(e.terms, names)
	return e
}

// WithAbsent adds to terms that an item lacks attributes.
func WithAbsent(terms []client.Term, names []string) []client.Term {
	terms = slices.Clip(terms)
	for _, name := range names {
		if !tests(terms, name) {
			terms = append(terms, client.Term{Path: []string{name}})
		}
	}
	return terms
}

// set assigns a value to an attribute; without a value it removes it.
func (e *expression) set(attribute string, v attr.Value) *expression {
	e.sets = append(e.sets, client.Term{Path: pathIn(e.item, attribute), Value: v})
	return e
}

// write returns the action.
func (e *expression) write(verb client.Verb, table string, key attr.Key) client.Write {
	return client.Write{Verb: verb, Table: table, Key: key, If: e.terms, Set: e.sets}
}

// ifAbsent returns the action that puts an item if there is none, or, without an item, checks
// that there is none.
func ifAbsent(table string, key attr.Key, item attr.Item) client.Write {
	w := client.Write{Verb: client.Check, Table: table, Key: key, Absent: true}
	if item != nil {
		w.Verb, w.Item = client.Put, item
	}
	return w
}

// The most bytes of an expression, and the most operators and functions in it
// (Developer Guide, "Service, account and table quotas").
const (
	maxExpression = 4096
	maxOperators  = 300
)

// TooLong reports whether DynamoDB does not take the expressions of an action. A condition has
// an operator or function in each term, and one between two.
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

// assign returns a copy of an item with a term made true.
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

// itemAfter returns what an item is after an action.
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

// CompareItem reports whether an item is as an action leaves it, and whether it is as it was
// before. Of an updated item, only the updated attributes count: the rest is the
// application's.
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
