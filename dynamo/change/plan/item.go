package plan

import (
	"maps"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// PathIn returns the path to an attribute of an item. A name with dots ("contact.email") is one attribute if the
// item has it. Otherwise the name is a path through maps.
func PathIn(item attr.Item, attribute string) []string {
	if _, whole := item[attribute]; whole {
		return []string{attribute}
	}
	return strings.Split(attribute, ".")
}

// ValueAt returns the value of an item at a path.
func ValueAt(item attr.Item, path []string) attr.Value {
	v := item[path[0]]
	for _, name := range path[1:] {
		v = v.Map[name]
	}
	return v
}

// assign returns a copy of an item in which the term's attribute has the term's value.
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

// WithAttribute returns a copy of an item in which one attribute, or one entry of a map ("contact.email"), has the
// value v.
func WithAttribute(item attr.Item, attribute string, v attr.Value) attr.Item {
	path := PathIn(item, attribute)
	if inner := item[path[0]]; len(path) > 1 && inner.Exists() && inner.Kind != attr.M {
		path = []string{attribute}
	}
	return assign(item, client.Term{Path: path, Value: v})
}

// ItemAfter returns the item after an action; nil if the action deletes it.
func ItemAfter(w client.Write, before attr.Item) attr.Item {
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

// CompareItem compares an item with its states before and after an action. done is set if the item is as the action
// leaves it. undone is set if the item is as it was before the action. For an update, CompareItem compares only the
// updated attributes: the application may change the others.
func CompareItem(w client.Write, before, now attr.Item) (done, undone bool) {
	if w.Verb != client.Update {
		return SameItem(now, ItemAfter(w, before)), SameItem(now, before)
	}
	done, undone = now != nil, now != nil
	for _, t := range w.Set {
		have := ValueAt(now, t.Path)
		done = done && have.Equal(t.Value)
		undone = undone && have.Equal(ValueAt(before, t.Path))
	}
	return done, undone
}

// SameItem reports whether two items are equal, or both absent.
func SameItem(a, b attr.Item) bool { return (a == nil) == (b == nil) && a.Equal(b) }
