package change

import (
	"maps"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// assignment is what an update does to one attribute, or one entry of a map: it sets or
// removes it.
type assignment struct {
	path  []string
	value attr.Value // no value: it is removed
}

// assignments parses an update expression as this package writes it: SET of values and
// REMOVE. It reports false for any other.
func assignments(w client.Write) (out []assignment, ok bool) {
	set, remove, _ := strings.Cut(w.Update, "REMOVE ")
	set, sets := strings.CutPrefix(set, "SET ")
	if !sets && strings.TrimSpace(set) != "" {
		return nil, false
	}
	add := func(place string, v attr.Value) bool {
		var path []string
		for _, alias := range strings.Split(strings.TrimSpace(place), ".") {
			name, known := w.Names[alias]
			if !known {
				return false
			}
			path = append(path, name)
		}
		out = append(out, assignment{path, v})
		return true
	}
	if sets {
		for _, term := range strings.Split(set, ",") {
			place, alias, _ := strings.Cut(term, "=")
			v, known := w.Values[strings.TrimSpace(alias)]
			if !known || !add(place, v) {
				return nil, false
			}
		}
	}
	if remove != "" {
		for _, place := range strings.Split(remove, ",") {
			if !add(place, attr.Value{}) {
				return nil, false
			}
		}
	}
	return out, len(out) > 0
}

// valueIn returns the value at the assignment's path.
func (a assignment) valueIn(item attr.Item) attr.Value {
	v := item[a.path[0]]
	for _, name := range a.path[1:] {
		v = v.Map[name]
	}
	return v
}

// applyTo returns the item with the assignment made.
func (a assignment) applyTo(item attr.Item) attr.Item {
	out := maps.Clone(item)
	if out == nil {
		out = attr.Item{}
	}
	v := a.value
	if len(a.path) > 1 {
		inner := assignment{a.path[1:], a.value}.applyTo(out[a.path[0]].Map)
		v = attr.Value{Kind: attr.M, Map: inner}
	}
	if out[a.path[0]] = v; !v.Exists() {
		delete(out, a.path[0])
	}
	return out
}

// itemAfter returns what an item is after an action.
func itemAfter(w client.Write, before attr.Item) attr.Item {
	switch w.Verb {
	case client.Put:
		return w.Item
	case client.Delete:
		return nil
	case client.Check:
		return before
	}
	all, _ := assignments(w)
	for _, a := range all {
		before = a.applyTo(before)
	}
	return before
}

// compareItem reports whether an item is as an action leaves it, and whether it is as it was
// before. Of an updated item, only the updated attributes count: the rest is the
// application's.
func compareItem(w client.Write, before, now attr.Item) (done, undone bool) {
	if w.Verb != client.Update {
		return sameItem(now, itemAfter(w, before)), sameItem(now, before)
	}
	all, ok := assignments(w)
	if !ok || now == nil {
		return false, false
	}
	done, undone = true, true
	for _, a := range all {
		have := a.valueIn(now)
		done = done && have.Equal(a.value)
		undone = undone && have.Equal(a.valueIn(before))
	}
	return done, undone
}

// sameItem reports whether two items are equal, or both absent.
func sameItem(a, b attr.Item) bool { return (a == nil) == (b == nil) && a.Equal(b) }
