package change

import (
	"maps"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// assignment is what an update does to one attribute, or to one place in a map:
// it gives it a value, or takes it away.
type assignment struct {
	path  []string
	value attr.Value // none where it is taken away
}

// assignments reads an update expression as we write them: values assigned to
// places, and places taken away. It reports false for any other.
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

// at follows the assignment's path.
func (a assignment) at(item attr.Item) attr.Value {
	v := item[a.path[0]]
	for _, name := range a.path[1:] {
		v = v.Map[name]
	}
	return v
}

// in is the item with the assignment made.
func (a assignment) in(item attr.Item) attr.Item {
	out := maps.Clone(item)
	if out == nil {
		out = attr.Item{}
	}
	v := a.value
	if len(a.path) > 1 {
		inner := assignment{a.path[1:], a.value}.in(out[a.path[0]].Map)
		v = attr.Value{Kind: attr.M, Map: inner}
	}
	if out[a.path[0]] = v; !v.Exists() {
		delete(out, a.path[0])
	}
	return out
}

// after is what an item is once the action was applied to it.
func after(w client.Write, before attr.Item) attr.Item {
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
		before = a.in(before)
	}
	return before
}

// compare reports whether an item is as an action leaves it, and whether it is as it
// was before. Of an item that was updated only what the update is about counts:
// the rest is the application's.
func compare(w client.Write, before, now attr.Item) (done, undone bool) {
	if w.Verb != client.Update {
		return same(now, after(w, before)), same(now, before)
	}
	all, ok := assignments(w)
	if !ok || now == nil {
		return false, false
	}
	done, undone = true, true
	for _, a := range all {
		have := a.at(now)
		done = done && have.Equal(a.value)
		undone = undone && have.Equal(a.at(before))
	}
	return done, undone
}

// same reports whether two items are alike, or both not there.
func same(a, b attr.Item) bool { return (a == nil) == (b == nil) && a.Equal(b) }
