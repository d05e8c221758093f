package kit

import (
	"slices"
	"strings"
)

// The sizes that decide what is shown where.
const (
	MinWidth   = 60
	MinHeight  = 16
	WideWidth  = 120 // the detail stands beside the list from here on
	fullHeight = 20  // below it the detail is its sentence only
	topRows    = 3   // header, tabs, rule
)

// Size is a window's size and what follows from it.
type Size struct{ Width, Height int }

// TooSmall reports whether nothing can be shown.
func (s Size) TooSmall() bool { return s.Width < MinWidth || s.Height < MinHeight }

// Wide reports whether the detail stands beside the list, and not beneath it.
func (s Size) Wide() bool { return s.Width >= WideWidth }

// Short reports whether a detail beneath the list is its sentence only.
func (s Size) Short() bool { return s.Height < fullHeight }

// BesideWidth is the width of a detail that stands beside the list. Of a very wide window it
// gets what a list has no use for, as far as its sentences can still be read.
func (s Size) BesideWidth() int {
	const list, sentence = 180, 100
	if !s.Wide() {
		return 0
	}
	return max(min(47+max(s.Width-140, 0)/4, 64), min(s.Width-list-1, sentence))
}

// Body is how many rows there are between the rule under the tabs and the hints.
func (s Size) Body() int { return s.Height - topRows - 1 }

// Coverage is the completeness line: where one is, how much was read, and how
// sure that is.
type Coverage struct {
	Left  []Span
	Right []Span
	// Part is how much was read, from 0 to 1. The line is thin when it is all.
	Part float64
	// Working is the phase of the stretch that shows life; −1 for none.
	Working int
}

// Draw writes the completeness line. wall is the column of the line between list
// and detail, or −1.
func (c Coverage) Draw(st *Styles, width, wall int, joint string, behind Ground) string {
	l := NewLine(st, width, behind)
	if c.Part < 1 && len(c.Left) > 0 { // the rule itself says something: the words stand at its end
		c.Right = slices.Concat(c.Left, []Span{{Muted, " · "}}, c.Right)
		c.Left = nil
	}
	left, right := spansWidth(c.Left), spansWidth(c.Right)
	end := width - 3 - right - 1 // where the rule ends before the words
	if right == 0 {
		end = width
	}
	if left > 0 && end-left < 8 { // no room for both: what was read matters more
		left = 0
	}
	rule := func(to int) {
		for l.At < to {
			glyph, look := RuleThin, Faint
			switch done := int(c.Part * float64(end)); {
			case c.Part < 1 && c.Working < 0 && l.At < done:
				glyph, look = RuleHeavy, Accent
			case c.Part < 1 && c.Working < 0 && l.At == done:
				glyph, look = ruleTip, Accent
			case l.At == wall:
				glyph = joint
			}
			if c.Working >= 0 && Slides(l.At, c.Working, end) {
				glyph, look = RuleHeavy, Accent
			}
			l.Run(look, glyph, 1)
		}
	}
	if left > 0 {
		rule(2)
		l.Put(Text, " ")
		for _, s := range c.Left {
			l.Put(s.Style, s.Text)
		}
		l.Put(Text, " ")
	}
	rule(end)
	if right > 0 {
		l.Put(Text, " ")
		for _, s := range c.Right {
			l.Put(s.Style, s.Text)
		}
		l.Put(Text, " ")
		l.Run(Faint, RuleThin, width-l.At)
	}
	return l.Done()
}

// Slides reports whether a cell is in the stretch that slides along a rule.
func Slides(cell, phase, end int) bool {
	const stretch = 8
	if end <= stretch {
		return false
	}
	at := phase % (2 * (end - stretch))
	if at > end-stretch {
		at = 2*(end-stretch) - at
	}
	return cell >= at && cell < at+stretch
}

func spansWidth(s []Span) int {
	w := 0
	for _, p := range s {
		w += Width(p.Text)
	}
	return w
}

// Beside puts a detail next to a list, behind one line.
func Beside(st *Styles, left, right []string, line Style, behind Ground) []string {
	l := NewLine(st, 1, behind)
	l.Run(line, Wall, 1)
	bar := l.Done()
	out := make([]string, len(left))
	for n := range left {
		var b strings.Builder
		b.WriteString(left[n])
		b.WriteString(bar)
		if n < len(right) {
			b.WriteString(right[n])
		}
		out[n] = b.String()
	}
	return out
}
