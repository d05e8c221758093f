package ui

import (
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// tabs writes rows 1 and 2 of the screens that have tabs.
func (f *frame) tabs(behind kit.Ground, wall int) []string {
	l := kit.NewLine(f.Styles, f.Size.Width, behind)
	from, to := 0, 0
	l.Put(kit.Text, " ")
	for t := range session.Tabs {
		if t > 0 {
			l.Put(kit.Text, kit.Spaces(f.tabGap()))
		}
		start := l.At
		digit, word := kit.Muted, kit.Muted
		if f.Tab == t {
			digit, word = kit.Accent, kit.Heading
			from = start
		}
		if f.screens.tabDenied(t) {
			digit, word = kit.Faint, kit.Faint
		}
		l.Put(digit, f.Keys.Key(t.Action()))
		l.Put(word, " "+t.String())
		l.Put(kit.Warn|kit.Bold, f.screens.tabCount(t))
		if f.Tab == t {
			to = l.At
		}
	}
	return []string{l.Done(), rule(f.Styles, f.Size.Width, from, to, wall, behind)}
}

// tabGap is the room between two tabs.
func (f *frame) tabGap() int {
	need := 1
	for t := range session.Tabs {
		need += len(f.Keys.Key(t.Action())) + 1 + len(t.String()) + len(f.screens.tabCount(t)) + 3
	}
	if need-3 > f.Size.Width {
		return 1
	}
	return 3
}

// rule writes a thin rule across the screen, heavy under what is active.
func rule(st *kit.Styles, width, from, to, wall int, behind kit.Ground) string {
	l := kit.NewLine(st, width, behind)
	l.Run(kit.Faint, kit.RuleThin, from)
	l.Run(kit.Accent, kit.RuleHeavy, to-from)
	if wall >= 0 && wall > l.At {
		l.Run(kit.Faint, kit.RuleThin, wall-l.At)
		l.Run(kit.Faint, kit.WallDown, 1)
	}
	l.Run(kit.Faint, kit.RuleThin, width-l.At)
	return l.Done()
}
