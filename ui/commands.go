package ui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/dialog/help"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// commands returns all commands of a screen: its own, and the program's commands for every screen. A
// screen may replace a command of the program, or give a reason why it does nothing there. If the selected
// row has disappeared, the commands for it refuse.
func (a *app) commands(s screen.Screen) screen.Commands {
	own, c := s.Commands(), s.Content()
	instead := map[keymap.Action]bool{} // actions whose key does another action on this screen
	for _, command := range own {
		if of := a.Keys.Instead(command.Action); of != "" && a.Keys.Key(of) == a.Keys.Key(command.Action) {
			instead[of] = true
		}
	}
	all := make(screen.Commands, 0, 64)
	for _, command := range slices.Concat(a.steps(c), a.goTo(), a.general(c), a.opens()) {
		here, ok := own.Of(command.Action)
		if here.Run != nil {
			continue
		}
		if ok {
			refuses := command.Refuses
			command.Full = cmp.Or(here.Full, command.Full)
			command.Why = func() string { return cmp.Or(refuses(), here.Refuses()) }
		}
		all = append(all, command)
	}
	all = slices.DeleteFunc(append(all, own...), func(c screen.Command) bool { return instead[c.Action] })
	if c.List != nil && c.List.Lost && c.EmptyState == nil {
		for n := range all {
			if a.Keys.Use(all[n].Action) == keymap.OfRow && !all[n].Marked {
				all[n].Why = screen.WhyIf(true, "nothing is selected: the row is gone")
			}
		}
	}
	return all
}

// steps returns the commands that move the cursor, or scroll the detail while the detail has the focus.
func (a *app) steps(c screen.Content) screen.Commands {
	const far = 1 << 30 // more lines than any list has
	none, height := "", a.pane.height
	if !a.inDetail() {
		if c.EmptyState != nil || c.List == nil || c.Rows == nil || c.Rows.Len() == 0 {
			none = "the list is empty"
		} else {
			height = c.List.Height
		}
	}
	half := max(height/2, 1)
	var out screen.Commands
	for _, step := range []struct {
		action keymap.Action
		full   string
		by     int
		back   keymap.Action
		both   string
	}{
		{keymap.Down, "down", 1, keymap.Up, "down, up"},
		{keymap.Up, "up", -1, "", ""},
		{keymap.First, "first", -far, keymap.Last, "first, last"},
		{keymap.Last, "last", far, "", ""},
		{keymap.HalfPageDown, "half a page down", half, keymap.HalfPageUp, "half a page down, up"},
		{keymap.HalfPageUp, "half a page up", -half, "", ""},
		{keymap.PageDown, "a page down", height, keymap.PageUp, "a page down, up"},
		{keymap.PageUp, "a page up", -height, "", ""},
	} {
		out = append(out, screen.Command{
			Action: step.action, Full: step.full, With: []keymap.Action{step.back}, Both: step.both,
			Why: screen.WhyIf(none != "", none), Run: func() tea.Cmd { return a.step(c, step.by) },
		})
	}
	return out
}

// step moves the cursor by a number of lines, or scrolls the detail while the detail has the focus.
func (a *app) step(c screen.Content, by int) tea.Cmd {
	switch {
	case a.inDetail():
		a.pane.scrollBy(by)
		return nil
	case by == 1 || by == -1:
		c.List.Move(c.Rows, by)
	default:
		c.List.Jump(c.Rows, by)
	}
	return a.moved()
}

// goTo returns the commands that switch between the tabs.
func (a *app) goTo() screen.Commands {
	var out screen.Commands
	for n, t := range a.tabs {
		info := t.Info()
		out = append(out, screen.Command{
			Action: info.Action, Full: info.Name, Both: "screens",
			Why: t.WhyNot, Run: func() tea.Cmd { return a.switchTo(t) },
		})
		if n > 0 {
			out[0].With = append(out[0].With, info.Action)
		}
	}
	return append(out,
		screen.Command{
			Action: keymap.PreviousTab, Full: "previous screen", With: []keymap.Action{keymap.NextTab},
			Both: "previous screen, next", Run: func() tea.Cmd { return a.switchBy(-1) },
		},
		screen.Command{Action: keymap.NextTab, Full: "next screen", Run: func() tea.Cmd { return a.switchBy(1) }})
}

// switchBy switches to the next tab in a direction, and continues at the other end. It skips tabs that cannot be shown.
func (a *app) switchBy(by int) tea.Cmd {
	to := dialog.Cycle(a.tabs, a.tab(), by)
	for to != a.tab() && to.WhyNot() != "" {
		to = dialog.Cycle(a.tabs, to, by)
	}
	return a.switchTo(to)
}

// opens returns the commands that open a screen on top of every other one.
func (a *app) opens() screen.Commands {
	var out screen.Commands
	for _, o := range a.openers {
		if o.Command != nil {
			out = append(out, o.Command())
		}
	}
	return out
}

// general returns the other commands that work on every screen.
func (a *app) general(c screen.Content) screen.Commands {
	_, some := c.Rows.(kit.Problems)
	none := screen.WhyIf(!some, "there are no problems")
	return screen.Commands{
		{
			Action: keymap.NextProblem, Full: "next problem", With: []keymap.Action{keymap.PreviousProblem},
			Both: "next problem, previous",
			Why:  none, Run: func() tea.Cmd { return a.problem(c, 1) },
		},
		{
			Action: keymap.PreviousProblem,
			Full:   "previous problem",
			Why:    none,
			Run:    func() tea.Cmd { return a.problem(c, -1) },
		},
		{Action: keymap.Back, Full: "back, cancel", Run: a.back},
		{Action: keymap.Quit, Full: "quit", Run: a.quit},
		{
			Action: keymap.Detail,
			Full:   "the whole detail",
			Why:    func() string { return whyDetail(c, a.Size) },
			Run:    a.readDetail,
		},
		{Action: keymap.Tables, Full: "tables, commands", Run: a.showTables},
		{Action: keymap.Help, Full: "help", Run: a.showKeys},
	}
}

// problem moves the cursor to the next problem: down if dir is 1, up if dir is −1. Past the last problem it
// continues from the other end. It stops instead if some rows are not judged yet, or, on the way down, not read.
func (a *app) problem(c screen.Content, dir int) tea.Cmd {
	rows, ok := c.Rows.(kit.Problems)
	if !ok {
		return nil
	}
	if a.Table == nil && len(a.stack) == 0 && a.Tab.Lists {
		return a.Say(say.Sentence(a.browse.NoTable()))
	}
	more := a.browse.Begun() && !a.browse.View().Complete && a.Tab.Lists && len(a.stack) == 0
	switch {
	case c.List.Seek(rows, dir):
		a.pane.top = 0
		return nil
	case more && dir > 0:
		return a.Say("No further problem among the rows read so far.")
	case a.browse.Counts().Open > 0 && a.Tab.Lists && len(a.stack) == 0:
		return a.Say("No further problem among the rows checked so far.")
	case !c.List.SeekAround(rows, dir):
		return a.Say("There is no other problem.")
	}
	a.pane.top = 0
	if dir > 0 {
		return a.Say("Continued from the top.")
	}
	return a.Say("Continued from the end.")
}

// showKeys shows the help: the commands of the screen on top.
func (a *app) showKeys() tea.Cmd {
	ask := help.Ask(a.Session, func() string { return a.top().About() },
		func() screen.Commands { return a.commands(a.top()) })
	a.Shown = a.Shown.Add(-a.grace) // no grace time: a key may close the help at once, since help changes nothing
	return ask
}

// quit ends the program. If a screen has unsaved input, the first attempt only warns.
func (a *app) quit() tea.Cmd {
	if ask := a.unaccepted(keymap.Quit); ask != nil {
		return ask
	}
	return tea.Quit
}

// refuses returns the reason why an action does nothing; empty if it does something. For an action of the
// counters, the reason names the key that shows them.
func refuses(s *session.Session, all screen.Commands, action keymap.Action) string {
	why := all.Why(action)
	switch action {
	case keymap.Queue:
		if why == screen.Elsewhere {
			return "only an SSH session has a queue of plans"
		}
	case keymap.Everywhere, keymap.Bump, keymap.Pause:
		if why == screen.Elsewhere {
			return s.Keys.Key(action) + " works on the counters: press " + s.Keys.Key(keymap.Counters) + " first"
		}
	}
	return why
}
