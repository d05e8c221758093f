package scan

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
)

// Row is one item: the values of the wanted attributes, in the order of Options.Attributes. If the item
// lacks an attribute, its value is the zero Value.
//
// A Row and its texts share the page's memory, and are valid only until the visitor returns. The method
// Item copies them.
type Row []attr.Value

// Item returns a copy of the row as an item. names are Options.Attributes.
func (r Row) Item(names []string) attr.Item {
	item := make(attr.Item, len(r))
	for n, v := range r {
		if v.Exists() {
			item[names[n]] = clone(v)
		}
	}
	return item
}

// WholeItem returns a copy of an item with all its attributes. names are the names of the row's values.
func WholeItem(r Row, names []string, rest Rest) attr.Item {
	item := r.Item(names)
	for n := range rest.Len() {
		name, v := rest.At(n)
		item[strings.Clone(name)] = clone(v)
	}
	return item
}

// WholeRow is an item with all its attributes. Like a Row it is valid only until the visitor returns.
type WholeRow struct {
	Names []string // the names of the row's values
	Row   Row
	Rest  Rest
}

// At returns the value at a path, as attr.Item.At does.
func (w *WholeRow) At(path string) attr.Value {
	f := Fields{w.Names, w.Row}
	if v := f.At(path); v.Exists() {
		return v
	}
	head, rest, nested := strings.Cut(path, ".")
	for n := range w.Rest.Len() {
		name, v := w.Rest.At(n)
		if name == path {
			return v
		}
		if nested && name == head && v.Kind == attr.M {
			return attr.Item(v.Map).At(rest)
		}
	}
	return attr.Value{}
}

// All iterates over the item's attributes.
func (w *WholeRow) All(yield func(string, attr.Value) bool) {
	for n, v := range w.Row {
		if v.Exists() && !yield(w.Names[n], v) {
			return
		}
	}
	for n := range w.Rest.Len() {
		if !yield(w.Rest.At(n)) {
			return
		}
	}
}

// Item returns a copy of the item.
func (w *WholeRow) Item() attr.Item { return WholeItem(w.Row, w.Names, w.Rest) }

func clone(v attr.Value) attr.Value {
	v.Text = strings.Clone(v.Text)
	if v.Set != nil {
		set := make([]string, len(v.Set))
		for n, s := range v.Set {
			set[n] = strings.Clone(s)
		}
		v.Set = set
	}
	if v.List != nil {
		list := make([]attr.Value, len(v.List))
		for n, e := range v.List {
			list[n] = clone(e)
		}
		v.List = list
	}
	if v.Map != nil {
		v.Map = CloneMap(v.Map)
	}
	return v
}

// CloneMap returns a deep copy of a map of values.
func CloneMap(m map[string]attr.Value) map[string]attr.Value {
	out := make(map[string]attr.Value, len(m))
	for name, v := range m {
		out[strings.Clone(name)] = clone(v)
	}
	return out
}

// Fields is a row with the names of its values.
type Fields struct {
	Names []string
	Row   Row
}

// At returns the value at a path, as attr.Item.At does.
func (f *Fields) At(path string) attr.Value {
	for n, name := range f.Names {
		if name == path && f.Row[n].Exists() {
			return f.Row[n]
		}
	}
	for n := range len(path) {
		if path[n] != '.' {
			continue
		}
		if at := slices.Index(f.Names, path[:n]); at >= 0 && f.Row[at].Kind == attr.M {
			if v := attr.Item(f.Row[at].Map).At(path[n+1:]); v.Exists() {
				return v
			}
		}
	}
	return attr.Value{}
}
