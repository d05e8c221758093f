package item

import (
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// list is the lines as a list.
type list struct {
	lines []line
	width int
}

func (s list) Len() int { return len(s.lines) }
func (s list) Row(n int) (int, int, bool) {
	return s.lines[n].first, s.lines[n].last, true
}

// columnsOf: the name, the type, the value.
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

// protected is a value with the join to its lock's verdict.
func (s list) protected(l *kit.Line, row line, room int) {
	sign := words.Verdict(row.rel.Verdict, row.rel.Provisional)
	end := s.width - 2 - max(kit.Width(sign.Word)+2, 6)
	l.Fit(kit.Text, row.value.Display(), room-(s.width-1-end)-4)
	words.Join(l, row.rel.Verdict, end-1)
	l.To(end)
	sign.Draw(l)
}

// drawValue writes a value by its type.
func drawValue(l *kit.Line, v attr.Value, room int) {
	switch v.Kind {
	case attr.M:
		l.Put(kit.Muted, words.Plural(len(v.Map), "entry", "entries"))
	case attr.L:
		l.Put(kit.Muted, words.Plural(len(v.List), "entry", "entries"))
	case attr.SS, attr.NS:
		l.Fit(kit.Text, strings.Join(v.Set, ", "), room)
	case attr.BS:
		l.Put(kit.Muted, words.Plural(len(v.Set), "value", "values")+" of bytes")
	case attr.B:
		l.Put(kit.Muted, words.Plural(len(v.Text), "byte", "bytes")+"  ")
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

// fitDigits shows a number exactly as it is stored; only one that is longer than
// the room loses its middle, and says so.
func fitDigits(text string, room int) string {
	if kit.Width(text) <= room {
		return text
	}
	return words.FitNumber(text, room)
}
