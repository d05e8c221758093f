package item

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/words"
)

// line is one line of an item: an attribute, an entry of a map or a list, or
// what a value means.
type line struct {
	name  string
	tree  string // the branches before the name
	value attr.Value
	rel   *dynamo.Relation // the lock of a protected value
	means string
	text  string // a row of what was cut
	first int    // the lines that are one row
	last  int
	path  string
}

// linesOf lays an item out: the key first, then by name; entries of maps and
// lists hang under them, and so does the whole of a value that was cut, where it
// is open.
func linesOf(in *dynamo.Inspection, now time.Time, width int, open map[string]bool) []line {
	var out []line
	names := []string{in.Key.Hash.Name}
	if in.Key.Range.Name != "" {
		names = append(names, in.Key.Range.Name)
	}
	for _, name := range in.Item.Names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		v := in.Item[name]
		if !v.Exists() {
			continue
		}
		at := len(out)
		l := line{name: name, value: v, first: at, path: name}
		for _, rel := range in.Values {
			if rel.Constraint.Attribute == name {
				l.rel = rel
			}
		}
		out = append(out, l)
		if means := words.Meaning(name, v, now); means != "" {
			out = append(out, line{means: means, first: at})
		}
		for n := at; n < len(out); n++ {
			out[n].last = len(out) - 1
		}
		out = unfold(out, l, width, open)
		out = nest(out, v, "", name, in, width, open)
	}
	return out
}

// cut reports whether a row does not show its whole value.
func (l line) cut(width int) bool {
	_, at := columnsOf(width)
	room := width - at - 1
	switch l.value.Kind {
	case attr.M, attr.L:
		return false
	case attr.BS:
		return true
	case attr.B:
		return len(l.value.Text) > 8
	case attr.SS, attr.NS:
		return kit.ValueWidth(strings.Join(l.value.Set, ", ")) > room
	}
	if l.rel != nil {
		room -= max(kit.Width(words.Verdict(l.rel.Verdict, l.rel.Provisional).Word)+2, 6) + 5
	}
	return kit.ValueWidth(l.value.Display()) > room
}

// unfold adds the whole of a value that was cut, in rows of its own.
func unfold(out []line, l line, width int, open map[string]bool) []line {
	if !open[l.path] || !l.cut(width) {
		return out
	}
	_, at := columnsOf(width)
	w := width - at - 3
	add := func(v attr.Value, branch, text string) {
		for n, row := range strings.Split(ansi.Hardwrap(safe.Text(text), w, true), "\n") {
			if n > 0 && branch != "" {
				branch = kit.Wall + " "
			}
			out = append(out,
				line{name: l.name, tree: branch, value: v, text: row, path: l.path, first: len(out), last: len(out)})
		}
	}
	switch l.value.Kind {
	case attr.SS, attr.NS, attr.BS:
		for n, e := range l.value.Set {
			v := attr.Value{Kind: attr.S, Text: e}
			if l.value.Kind == attr.BS {
				v.Kind = attr.B
				e = hexed(e)
			}
			branch := kit.TreeNext + " "
			if n == len(l.value.Set)-1 {
				branch = kit.TreeLast + " "
			}
			add(v, branch, e)
		}
	case attr.B:
		add(l.value, "", hexed(l.value.Text))
	default:
		add(l.value, "", l.value.Display())
	}
	return out
}

// hexed writes bytes as pairs of digits.
func hexed(s string) string { return fmt.Sprintf("% x", s) }

// deepest bounds how far maps in maps are followed; DynamoDB allows 32.
const deepest = 32

// nest adds the entries of a map or a list.
func nest(out []line, v attr.Value, tree, path string, in *dynamo.Inspection, width int, open map[string]bool) []line {
	type entry struct {
		name string
		v    attr.Value
	}
	var entries []entry
	switch v.Kind {
	case attr.M:
		for _, name := range attr.Item(v.Map).Names() {
			entries = append(entries, entry{name, v.Map[name]})
		}
	case attr.L:
		for n, e := range v.List {
			entries = append(entries, entry{fmt.Sprintf("%d", n), e})
		}
	}
	if len([]rune(tree)) > 2*deepest {
		return out
	}
	for n, e := range entries {
		at := len(out)
		branch, under := kit.TreeNext+" ", kit.Wall+" "
		if n == len(entries)-1 {
			branch, under = kit.TreeLast+" ", "  "
		}
		l := line{name: e.name, tree: tree + branch, value: e.v, first: at, last: at, path: path + "." + e.name}
		for _, rel := range in.Values {
			if rel.Constraint.Attribute == l.path {
				l.rel = rel
			}
		}
		out = append(out, l)
		out = unfold(out, l, width, open)
		out = nest(out, e.v, tree+under, l.path, in, width, open)
	}
	return out
}
