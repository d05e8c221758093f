package item

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/phrase"
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
	path  string // the names of the attribute and of the entries, which identify the value
}

// linesOf returns the lines of an item: first its key, then the other attributes by name. Entries
// of maps and lists follow their attribute. The rows of a long value follow it, too, if open has
// its path.
func linesOf(in *browse.Inspection, now time.Time, width int, open map[string]bool) []line {
	o := &outline{in: in, now: now, width: width, open: open}
	names := []string{in.Key.Hash.Name, in.Key.Range.Name}
	for _, name := range in.Item.Names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if v := in.Item[name]; v.Exists() {
			o.add(line{name: name, value: v, path: name}, name, "")
		}
	}
	return o.lines
}

// outline makes the lines of an item.
type outline struct {
	in    *browse.Inspection
	now   time.Time
	width int
	open  map[string]bool // the paths of the rows that show their whole value
	lines []line
}

// add adds the line of a value, and the lines of its meaning and its entries. attribute is the path of the value, as a
// layout writes it. The parameter under is the part of the tree that is drawn before each entry.
func (o *outline) add(l line, attribute, under string) {
	l.first, l.last = len(o.lines), len(o.lines)
	for _, rel := range o.in.Values {
		if rel.Constraint.Attribute == attribute && o.in.Item.At(attribute).Equal(l.value) {
			l.rel = rel
		}
	}
	if means := say.Meaning(l.name, l.value, o.now); means != "" && l.tree == "" {
		l.last++
		o.lines = append(o.lines, l, line{means: means, first: l.first, last: l.last})
	} else {
		o.lines = append(o.lines, l)
	}
	if o.open[l.path] && l.cut(o.width) {
		o.unfold(l)
	}
	o.nest(l, attribute, under)
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
func (o *outline) unfold(l line) {
	switch l.value.Kind {
	case attr.SS, attr.NS, attr.BS:
		for n, e := range l.value.Set {
			v := attr.Value{Kind: attr.S, Text: e}
			if l.value.Kind == attr.BS {
				v.Kind = attr.B
				e = hexed(e)
			}
			o.wrap(l, v, kit.TreeGlyph(n, len(l.value.Set))+" ", e)
		}
	case attr.B:
		o.wrap(l, l.value, "", hexed(l.value.Text))
	default:
		o.wrap(l, l.value, "", l.value.Display())
	}
}

// wrap adds the rows of a text: the long value of l, or an element of it.
func (o *outline) wrap(l line, v attr.Value, branch, text string) {
	_, at := columnsOf(o.width)
	for n, row := range strings.Split(ansi.Hardwrap(safe.Text(text), o.width-at-3, true), "\n") {
		if n > 0 && branch != "" {
			branch = kit.Wall + " "
		}
		o.lines = append(o.lines, line{
			name: l.name, tree: branch, value: v, text: row, path: l.path, first: len(o.lines), last: len(o.lines),
		})
	}
}

// hexed returns bytes as pairs of hexadecimal digits.
func hexed(s string) string { return fmt.Sprintf("% x", s) }

// nest adds the lines for the entries of a map or a list.
func (o *outline) nest(l line, attribute, under string) {
	var names []string
	values := l.value.Map
	switch l.value.Kind {
	case attr.M:
		names = attr.Item(values).Names()
	case attr.L:
		values = map[string]attr.Value{}
		for n, v := range l.value.List {
			names = append(names, strconv.Itoa(n))
			values[names[n]] = v
		}
	}
	for n, name := range names {
		below := kit.Wall + " "
		if n == len(names)-1 {
			below = "  "
		}
		entry := line{name: name, tree: under + kit.TreeGlyph(n, len(names)) + " ", value: values[name]}
		entry.path = l.path + "\x00" + name // a name may contain dots
		o.add(entry, attribute+"."+name, under+below)
	}
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
	case attr.M, attr.L:
		l.Put(kit.Muted, say.Plural(len(v.Map)+len(v.List), "entry", "entries"))
	case attr.SS, attr.NS:
		l.Fit(kit.Text, strings.Join(v.Set, ", "), room)
	case attr.BS:
		l.Put(kit.Muted, phrase.Count(len(v.Set), "value")+" of bytes")
	case attr.B:
		l.Put(kit.Muted, phrase.Count(len(v.Text), "byte")+"  ")
		show := min(len(v.Text), 8)
		l.Words(kit.Text, hexed(v.Text[:show]), room-14)
		if show < len(v.Text) {
			l.Put(kit.Text, " …")
		}
	case attr.N:
		text := v.Text
		if kit.Width(text) > room {
			text = say.FitNumber(text, room)
		}
		l.Put(kit.Text, text)
	default:
		l.Fit(kit.Text, v.Display(), room)
	}
}
