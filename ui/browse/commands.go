package browse

import (
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/task"

	tea "charm.land/bubbletea/v2"
)

// Commands are what can be done with the reading of the table.
func Commands(r *Reading) screen.Commands {
	why := screen.WhyIf(r.pass != nil && r.pass.over(), "the whole table is read")
	stop := screen.Command{Action: keymap.Stop, Full: "stop reading", Why: why, Run: r.stop}
	on := screen.Command{Action: keymap.Pause, Full: "read on", Why: why, Run: r.readOn}
	if _, busy := r.Tasks.Since(task.Paging); busy {
		stop.Words = "stop reading"
	} else {
		on.Words = "read on"
	}
	again := r.Reread
	if r.Table == nil {
		again = func() tea.Cmd { return r.Send(message.OpenAgain{}) }
	}
	return screen.Commands{
		stop,
		on,
		{Action: keymap.Reload, Full: "read again", Run: func() tea.Cmd { return r.Reading(0, again) }},
		{Action: keymap.Bump, Why: screen.WhyIf(true, "counters are bumped on their own screen")},
	}
}

// Refused are what can be done where a missing permission stands in the list's place.
func Refused(r *Reading, rows int) screen.Commands {
	if rows > 0 {
		return nil
	}
	return screen.Policies(r.Session, failure(r))
}

// failure is why nothing can be listed; nil where that is not known to be so.
func failure(r *Reading) error {
	if err := r.Unreadable(); err != nil {
		return err
	}
	return r.Failed
}

// Hints are those of accounts and of locks: what the rows call for, or what can be done
// where there are none.
func Hints(n *Narrowing, rows int, commands func() screen.Commands) []kit.Hint {
	r := n.reading
	switch {
	case n.Typing():
		return n.Hints()
	case !r.Read() || r.Offline != nil:
		return unreadHints(r)
	case r.Unjudged():
		return openingHints(r)
	case rows == 0:
		return emptyHints(n)
	}
	h := commands().Hints(r.Session)
	if n.On() {
		h = append([]kit.Hint{r.Hint(keymap.Back, "show all")}, h...)
	}
	return h
}

// unreadHints are for a table that is not read yet, or cannot be now.
func unreadHints(r *Reading) []kit.Hint {
	if r.Offline != nil {
		again := []kit.Hint{r.Hint(keymap.Open, "try now")}
		if r.Begun() {
			again = append(again, r.Hint(keymap.Copy, "copy"))
		}
		return again
	}
	if _, busy := r.Tasks.Since(task.Paging); busy || r.Opening != "" {
		return []kit.Hint{r.Hint(keymap.Back, "cancel")}
	}
	return append(Refused(r, 0).Hints(r.Session), r.Hint(keymap.Reload, "try again"), r.Hint(keymap.Counters, "counters"))
}

// openingHints are for rows of a table that is not open yet.
func openingHints(r *Reading) []kit.Hint {
	if r.Opening != "" {
		return []kit.Hint{r.Hint(keymap.Copy, "copy"), r.Hint(keymap.Back, "cancel")}
	}
	return []kit.Hint{r.Hint(keymap.Reload, "go on"), r.Hint(keymap.Copy, "copy")}
}

// emptyHints are for a list without rows.
func emptyHints(n *Narrowing) []kit.Hint {
	r := n.reading
	var h []kit.Hint
	switch {
	case n.On():
		h = append(h, r.Hint(keymap.Back, "show all"))
	case n.OnlyProblems:
		h = append(h, r.Hint(keymap.OnlyProblems, "show all"))
	}
	if len(r.Table.Layout.Accounts) > 0 && r.pass.view.Scanned > 0 {
		h = append(h, r.Hint(keymap.Find, "find"))
	}
	if _, busy := r.Tasks.Since(task.Paging); busy {
		h = append(h, r.Hint(keymap.Stop, "stop reading"))
	} else if !r.pass.view.Complete {
		h = append(h, r.Hint(keymap.Pause, "read on"))
	}
	return append(h, r.Hint(keymap.Reload, "read again"))
}

// Filtering opens the filter of a list with so many rows.
func Filtering(n *Narrowing, rows int) screen.Command {
	return screen.Command{
		Action: keymap.Filter, Full: "only rows with letters", Run: n.Open,
		Why: screen.WhyIf(rows == 0 && !n.On(), "there is nothing to look through"),
	}
}

// Only leaves the problems of a list, or shows all of it again.
func Only(n *Narrowing, why func() string) screen.Command {
	out := screen.Command{
		Action: keymap.OnlyProblems, Full: "only problems", With: []keymap.Action{keymap.Filter},
		Both: "only problems, letters", Why: why, Run: n.Problems,
	}
	if n.OnlyProblems {
		out.Full, out.Both = "healthy too", "healthy too, letters"
	}
	return out
}
