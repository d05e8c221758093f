package kit

import (
	"slices"
	"strings"
)

// The sizes that decide the arrangement of a screen.
const (
	MinWidth   = 60
	MinHeight  = 16
	WideWidth  = 120 // from this width on, the detail is beside the list
	fullHeight = 20  // below this height, the detail is only its sentence
	topRows    = 3   // the header, the tabs and a rule
)

// Size is the size of a window.
type Size struct{ Width, Height int }

// TooSmall reports whether the window is too small to show anything.
func (s Size) TooSmall() bool { return s.Width < MinWidth || s.Height < MinHeight }

// Wide reports whether the detail is beside the list. Otherwise it is below the list.
func (s Size) Wide() bool { return s.Width >= WideWidth }

// Short reports whether a detail below the list is only its sentence.
func (s Size) Short() bool { return s.Height < fullHeight }

// BesideWidth returns the width of a detail beside the list. In a very wide window, the detail gets
// the width that the list cannot use, but its sentences must stay readable.
func (s Size) BesideWidth() int {
	const list, sentence = 180, 100
	if !s.Wide() {
		return 0
	}
	return max(min(47+max(s.Width-140, 0)/4, 64), min(s.Width-list-1, sentence))
}

// Body returns the number of rows between the rule under the tabs and the hints.
func (s Size) Body() int { return s.Height - topRows - 1 }

// Coverage is the line that shows the cursor's position, how much was read, and how certain it is.
type Coverage struct {
	Left  []Span
	Right []Span
	// Reach has possible texts for the beginning of the right side. The first text that leaves room for Left is drawn.
	Reach []string
	// Part is the share that was read, from 0 to 1. The line is thin if it is 1.
	Part float64
	// Working is the position of a moving stretch that shows activity; −1 if there is none.
	Working int
}

// ends is the number of cells of the line besides Left and Right.
const ends = 11

// Draw writes the line. wall is the column of the line between list and detail; −1 if there is
// none.
func (c Coverage) Draw(st *Styles, width, wall int, joint string, behind Ground) string {
	l := NewLine(st, width, behind)
	if c.Part < 1 && len(c.Left) > 0 { // if the rule is a progress bar, the words are at its end
		c.Right = slices.Concat(c.Left, []Span{{Muted, " · "}}, c.Right)
		c.Left = nil
	}
	left, right := spansWidth(c.Left), spansWidth(c.Right)
	for _, text := range c.Reach {
		reach := Muted.Of(text + " · ")
		if with := right + Width(reach.Text); left+with+ends <= width {
			c.Right, right = slices.Concat([]Span{reach}, c.Right), with
			break
		}
	}
	end := width - 3 - right - 1 // where the rule ends and the words begin
	if right == 0 {
		end = width
	}
	if left > 0 && left+right+ends > width { // not enough room: the right side matters more
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

// Slides reports whether a cell is inside the moving stretch of a line.
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

// Beside puts a detail beside a list, with a line between them.
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
