package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Commands implements screen.Screen.
func (s *accountsScreen) Commands() screen.Commands {
	a, rel := s.app, s.selected()
	none := screen.WhyIf(s.raw(), "no layout tells what is a problem here")
	next := screen.Command{Action: keymap.NextProblem, Why: none}
	if a.browse != nil && a.browse.rows.broken > 0 {
		next.Words = "next problem"
	}
	only := screen.Command{Action: keymap.OnlyProblems, Why: none, Run: s.problems}
	sort := screen.Command{Action: keymap.Sort, Full: "another order", Why: func() string { return a.whySort(s) }, Run: a.nextOrder}
	if rel != nil && a.Size.Wide() {
		only.Words, sort.Words = onlyHint(s.onlyProblems), "sort"
	}
	return a.untilOpen(slices.Concat(
		screen.Commands{{Action: keymap.Find, Words: "find", Full: "find a value or account", Why: screen.WhyIf(s.raw(), "no layout tells what accounts look like here")}},
		s.about(rel),
		screen.Commands{next, {Action: keymap.PreviousProblem, Why: none}},
		a.readingCommands(),
		screen.Commands{only, sort, {Action: keymap.Fold, Why: screen.WhyIf(true, "only locks are grouped")}},
		a.changes(rel),
	))
}

// about are what can be done with the selected value, or with an item of a table that
// keeps no accounts.
func (s *accountsScreen) about(rel *dynamo.Relation) screen.Commands {
	a := s.app
	out := a.aboutRelation(rel, screen.Command{
		Action: keymap.OtherSide, Full: "see its lock", Why: func() string { return whyLock(rel) },
		Run: func() tea.Cmd { return a.showLock(rel) },
	})
	row, ok := s.item()
	if !ok {
		return out
	}
	return append(screen.Commands{
		{Action: keymap.Open, Words: "open", Full: "open the item", Run: func() tea.Cmd { return a.openItem(a.Table.Name, row.key) }},
		{Action: keymap.Copy, Words: "copy", Full: "copy the key", Run: func() tea.Cmd { return a.Copy("the key", row.key.Hash.Value.Display()) }},
		{Action: keymap.CopyItem, Full: "copy the item as JSON", Run: func() tea.Cmd { return a.CopyJSON("the item", row.item) }},
	}, out...)
}

// whyLock says why the lock of a value is not gone to.
func whyLock(r *dynamo.Relation) string {
	switch {
	case r == nil:
		return noneSelected
	case r.Constraint.Lockless():
		return session.NoLocks(r)
	case !r.Lock.Exists:
		return "no lock keeps \"" + r.Value + "\""
	}
	return ""
}

// problems leaves only problems, or shows all again. The cursor stays on its value.
func (s *accountsScreen) problems() tea.Cmd {
	keep := s.selected()
	s.onlyProblems = !s.onlyProblems
	s.list.Put(0)
	s.to(keep)
	return nil
}

func (s *accountsScreen) youCan(d *kit.Block) {
	rel := s.selected()
	s.app.untilOpen(slices.Concat(s.about(rel), s.app.changes(rel))).YouCan(s.app.Session, d, 1)
}

func (s *accountsScreen) hints() []kit.Hint {
	return s.app.rowHints(s.rows(80).Len(), s.onlyProblems, s.Commands)
}

// rowHints are those of accounts and of locks: what the rows call for, or what can be done
// where there are none.
func (a *app) rowHints(rows int, onlyProblems bool, commands func() screen.Commands) []kit.Hint {
	switch {
	case a.browse == nil || !a.browse.read || a.Offline != nil:
		return a.unreadHints()
	case a.unjudged():
		return a.openingHints()
	case rows == 0:
		return a.emptyHints(onlyProblems)
	}
	return commands().Hints(a.Session)
}

// unreadHints are for a table that is not read yet, or cannot be now.
func (a *app) unreadHints() []kit.Hint {
	if a.Offline != nil {
		return []kit.Hint{a.Hint(keymap.Open, "try now"), a.Hint(keymap.Copy, "copy")}
	}
	if _, busy := a.Tasks.Since(task.Paging); busy {
		return []kit.Hint{a.Hint(keymap.Back, "cancel")}
	}
	return []kit.Hint{a.Hint(keymap.Reload, "try again"), a.Hint(keymap.Counters, "counters")}
}

// emptyHints are for a list without rows.
func (a *app) emptyHints(onlyProblems bool) []kit.Hint {
	var h []kit.Hint
	if onlyProblems {
		h = append(h, a.Hint(keymap.OnlyProblems, "show all"))
	}
	if len(a.Table.Layout.Accounts) > 0 && a.browse.view.Scanned > 0 {
		h = append(h, a.Hint(keymap.Find, "find"))
	}
	if _, busy := a.Tasks.Since(task.Paging); busy {
		h = append(h, a.Hint(keymap.Stop, "stop reading"))
	} else if !a.browse.view.Complete {
		h = append(h, a.Hint(keymap.Pause, "read on"))
	}
	return append(h, a.Hint(keymap.Reload, "read again"))
}

func (s *accountsScreen) About() string {
	if rel := s.selected(); rel != nil {
		return "accounts, " + words.Relation(rel)
	}
	return "accounts"
}
