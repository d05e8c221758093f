package ui

import (
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// tabs writes rows 1 and 2 of the screens that have tabs.
func (a *app) tabs(behind kit.Ground, wall int) []string {
	l := kit.NewLine(a.Styles, a.Size.Width, behind)
	from, to := 0, 0
	l.Put(kit.Text, " ")
	for t := range session.Tabs {
		if t > 0 {
			l.Put(kit.Text, kit.Spaces(a.tabGap()))
		}
		start := l.At
		digit, word := kit.Muted, kit.Muted
		if a.Tab == t {
			digit, word = kit.Accent, kit.Heading
			from = start
		}
		if a.tabDenied(t) {
			digit, word = kit.Faint, kit.Faint
		}
		l.Put(digit, a.Keys.Key(t.Action()))
		l.Put(word, " "+t.String())
		l.Put(kit.Warn|kit.Bold, a.tabCount(t))
		if a.Tab == t {
			to = l.At
		}
	}
	return []string{l.Done(), a.rule(from, to, wall, behind)}
}

// tabGap is the room between two tabs.
func (a *app) tabGap() int {
	need := 1
	for t := range session.Tabs {
		need += len(a.Keys.Key(t.Action())) + 1 + len(t.String()) + len(a.tabCount(t)) + 3
	}
	if need-3 > a.Size.Width {
		return 1
	}
	return 3
}

// tabCount is what a tab's name ends in: how many findings are confirmed, how many
// changes are open.
func (a *app) tabCount(t session.Tab) string {
	n := 0
	switch t {
	case session.FindingsTab:
		n = a.findings.Confirmed()
	case session.JournalTab:
		n = a.journal.Open()
	}
	if n == 0 {
		return ""
	}
	return " (" + words.Number(n) + ")"
}

// rule writes a thin rule across the screen, heavy under what is active.
func (a *app) rule(from, to, wall int, behind kit.Ground) string {
	l := kit.NewLine(a.Styles, a.Size.Width, behind)
	l.Run(kit.Faint, kit.RuleThin, from)
	l.Run(kit.Accent, kit.RuleHeavy, to-from)
	if wall >= 0 && wall > l.At {
		l.Run(kit.Faint, kit.RuleThin, wall-l.At)
		l.Run(kit.Faint, kit.WallDown, 1)
	}
	l.Run(kit.Faint, kit.RuleThin, a.Size.Width-l.At)
	return l.Done()
}
