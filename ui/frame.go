package ui

import (
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo/phrase"
)

// The sizes that decide what is shown where.
const (
	minWidth, minHeight = 60, 16
	wideWidth           = 120 // the detail stands beside the list from here on
	fullHeight          = 20  // below it the detail is its sentence only
	topRows             = 3   // header, tabs, rule
)

// extent is a window's size and what follows from it.
type extent struct{ w, h int }

func (s extent) tooSmall() bool { return s.w < minWidth || s.h < minHeight }
func (s extent) wide() bool     { return s.w >= wideWidth }
func (s extent) short() bool    { return s.h < fullHeight }

// besideWidth is the width of a detail that stands beside the list.
func (s extent) besideWidth() int {
	if !s.wide() {
		return 0
	}
	return min(47+max(s.w-140, 0)/4, 64)
}

// body is how many rows there are between the rule under the tabs and the hints.
func (s extent) body() int { return s.h - topRows - 1 }

// coverage is the completeness line: where one is, how much was read, and how
// sure that is.
type coverage struct {
	left  []span
	right []span
	// part is how much was read, from 0 to 1. The line is thin when it is all.
	part float64
	// working is the phase of the stretch that shows life; −1 for none.
	working int
}

// draw writes the completeness line. wall is the column of the line between list
// and detail, or −1.
func (c coverage) draw(st *styles, width, wall int, joint string, behind ground) string {
	l := newLine(st, width, behind)
	if c.part < 1 && len(c.left) > 0 { // the rule itself says something: the words stand at its end
		c.right = slices.Concat(c.left, []span{{asMuted, " · "}}, c.right)
		c.left = nil
	}
	left, right := spansWidth(c.left), spansWidth(c.right)
	end := width - 3 - right - 1 // where the rule ends before the words
	if right == 0 {
		end = width
	}
	if left > 0 && end-left < 8 { // no room for both: what was read matters more
		left = 0
	}
	rule := func(to int) {
		for l.at < to {
			glyph, look := ruleThin, asFaint
			switch done := int(c.part * float64(end)); {
			case c.part < 1 && c.working < 0 && l.at < done:
				glyph, look = ruleHeavy, asAccent
			case c.part < 1 && c.working < 0 && l.at == done:
				glyph, look = ruleTip, asAccent
			case l.at == wall:
				glyph = joint
			}
			if c.working >= 0 && slides(l.at, c.working, end) {
				glyph, look = ruleHeavy, asAccent
			}
			l.run(look, glyph, 1)
		}
	}
	if left > 0 {
		rule(2)
		l.put(asText, " ")
		for _, s := range c.left {
			l.put(s.look, s.text)
		}
		l.put(asText, " ")
	}
	rule(end)
	if right > 0 {
		l.put(asText, " ")
		for _, s := range c.right {
			l.put(s.look, s.text)
		}
		l.put(asText, " ")
		l.run(asFaint, ruleThin, width-l.at)
	}
	return l.done()
}

// slides reports whether a cell is in the stretch that slides along a rule.
func slides(cell, phase, end int) bool {
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

func spansWidth(s []span) int {
	w := 0
	for _, p := range s {
		w += cells(p.text)
	}
	return w
}

// tabs writes rows 1 and 2 of the screens that have tabs.
func (a *app) tabs(behind ground, wall int) []string {
	l := newLine(a.st, a.size.w, behind)
	from, to := 0, 0
	l.put(asText, " ")
	for t := range tabs {
		if t > 0 {
			l.put(asText, spaces(a.tabGap()))
		}
		start := l.at
		digit, word := asMuted, asMuted
		if a.tab == t {
			digit, word = asAccent, asBold
			from = start
		}
		if a.tabDenied(t) {
			digit, word = asFaint, asFaint
		}
		l.put(digit, a.keys.Key(t.action()))
		l.put(word, " "+t.String())
		l.put(asWarn|bold, a.tabCount(t))
		if a.tab == t {
			to = l.at
		}
	}
	return []string{l.done(), a.rule(from, to, wall, behind)}
}

// tabGap is the room between two tabs.
func (a *app) tabGap() int {
	need := 1
	for t := range tabs {
		need += len(a.keys.Key(t.action())) + 1 + len(t.String()) + len(a.tabCount(t)) + 3
	}
	if need-3 > a.size.w {
		return 1
	}
	return 3
}

// tabCount is what a tab's name ends in: how many findings are confirmed, how many
// changes are open.
func (a *app) tabCount(t tab) string {
	if t == findingsTab {
		return a.findings.confirmed()
	}
	if t != journalTab || a.receipts.open == 0 {
		return ""
	}
	return " (" + phrase.Group(strconv.Itoa(a.receipts.open)) + ")"
}

// rule writes a thin rule across the screen, heavy under what is active.
func (a *app) rule(from, to, wall int, behind ground) string {
	l := newLine(a.st, a.size.w, behind)
	l.run(asFaint, ruleThin, from)
	l.run(asAccent, ruleHeavy, to-from)
	if wall >= 0 && wall > l.at {
		l.run(asFaint, ruleThin, wall-l.at)
		l.run(asFaint, wallDown, 1)
	}
	l.run(asFaint, ruleThin, a.size.w-l.at)
	return l.done()
}

// beside puts a detail next to a list, behind one line.
func beside(st *styles, left, right []string, line look, behind ground) []string {
	l := newLine(st, 1, behind)
	l.run(line, wall, 1)
	bar := l.done()
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

// position writes "5 of 8,311".
func position(at, of int, sofar bool) string {
	if of == 0 {
		return "none"
	}
	s := phrase.Group(strconv.Itoa(at)) + " of " + phrase.Group(strconv.Itoa(of))
	if sofar {
		s += " so far"
	}
	return s
}
