package item

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/say"
)

// line is one line of an item: an attribute, an entry of a map or a list, a row of a long value, or
// the meaning of a value.
type line struct {
	name  string
	tree  string // the branches before the name
	value attr.Value
	rel   *verdict.Relation // the lock of a protected value
	means string
	text  string // a row of a long value that is shown whole
	first int    // the index of the row's first line; last is that of its last line
	last  int
	path  string
}

// linesOf returns the lines of an item: first its key, then the other attributes by name. Entries
// of maps and lists follow their attribute. The rows of a long value follow it, too, if open has
// its path.
func linesOf(in *browse.Inspection, now time.Time, width int, open map[string]bool) []line {
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
		if means := say.Meaning(name, v, now); means != "" {
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

// cut reports whether the line is too short for its value.
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
		room -= max(kit.Width(say.Verdict(l.rel.Verdict, l.rel.Provisional).Word)+2, 6) + 5
	}
	return kit.ValueWidth(l.value.Display()) > room
}

// unfold adds the rows of a long value that is shown whole.
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

// hexed returns bytes as pairs of hexadecimal digits.
func hexed(s string) string { return fmt.Sprintf("% x", s) }

// deepest limits the depth of nested maps and lists; DynamoDB allows 32.
const deepest = 32

// nest adds the lines for the entries of a map or a list.
func nest(out []line, v attr.Value, tree, path string, in *browse.Inspection, width int, open map[string]bool) []line {
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

// list shows the lines.
type list struct {
	lines []line
	width int
}

func (s list) Len() int { return len(s.lines) }
func (s list) Row(n int) (int, int, bool) {
	return s.lines[n].first, s.lines[n].last, true
}

// columnsOf returns the columns in which the type and the value begin.
func columnsOf(width int) (kind, value int) {
	if width < 76 {
		return 16, 22
	}
	return min(19+(width-80)/6, 34), min(25+(width-80)/6, 40)
}

func (s list) Draw(l *kit.Line, n int, _ bool) {
	row := s.lines[n]
	kind, value := columnsOf(s.width)
	if row.means != "" {
		l.To(value)
		l.Put(kit.Faint, kit.TreeLast+" ")
		l.Words(kit.Muted, row.means, s.width-l.At-1)
		return
	}
	if row.text != "" {
		l.To(value)
		l.Put(kit.Faint, row.tree)
		l.Put(kit.Text, row.text)
		return
	}
	l.Put(kit.Faint, row.tree)
	l.Fit(kit.Strong, row.name, kind-l.At-1)
	l.To(kind)
	l.Put(kit.Other, string(row.value.Kind))
	l.To(value)
	room := s.width - value - 1
	if row.rel != nil {
		s.protected(l, row, room)
		return
	}
	drawValue(l, row.value, room)
}

// protected draws a value that a lock protects, and joins it to the verdict.
func (s list) protected(l *kit.Line, row line, room int) {
	sign := say.Verdict(row.rel.Verdict, row.rel.Provisional)
	end := s.width - 2 - max(kit.Width(sign.Word)+2, 6)
	l.Fit(kit.Text, row.value.Display(), room-(s.width-1-end)-4)
	say.Join(l, row.rel.Verdict, end-1)
	l.To(end)
	sign.Draw(l)
}

// drawValue draws a value according to its type.
func drawValue(l *kit.Line, v attr.Value, room int) {
	switch v.Kind {
	case attr.M:
		l.Put(kit.Muted, say.Plural(len(v.Map), "entry", "entries"))
	case attr.L:
		l.Put(kit.Muted, say.Plural(len(v.List), "entry", "entries"))
	case attr.SS, attr.NS:
		l.Fit(kit.Text, strings.Join(v.Set, ", "), room)
	case attr.BS:
		l.Put(kit.Muted, say.Plural(len(v.Set), "value", "values")+" of bytes")
	case attr.B:
		l.Put(kit.Muted, say.Plural(len(v.Text), "byte", "bytes")+"  ")
		show := min(len(v.Text), 8)
		l.Words(kit.Text, hexed(v.Text[:show]), room-14)
		if show < len(v.Text) {
			l.Put(kit.Text, " …")
		}
	case attr.N:
		l.Put(kit.Text, fitDigits(v.Text, room))
	default:
		l.Fit(kit.Text, v.Display(), room)
	}
}

// fitDigits returns a number exactly as stored. If it is longer than room, FitNumber shortens its
// middle and says so.
func fitDigits(text string, room int) string {
	if kit.Width(text) <= room {
		return text
	}
	return say.FitNumber(text, room)
}
