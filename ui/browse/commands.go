package browse

import (
	"tallylock/dynamo/attr"
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
	stop := screen.Command{Action: keymap.Stop, Full: "stop, keep what was read", Why: why, Run: r.stop}
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
	return screen.Commands{stop, on, {Action: keymap.Reload, Full: "read again", Run: again}, {Action: keymap.Bump, Why: screen.WhyIf(true, "counters are bumped on their own screen")}}
}

// Refused are what can be done where a missing permission stands in the list's place.
func Refused(r *Reading, rows int) screen.Commands {
	switch {
	case rows > 0:
		return nil
	case r.pass != nil && r.pass.err != nil:
		return screen.Policies(r.Session, r.pass.err)
	}
	return screen.Policies(r.Session, r.Failed)
}

// UntilOpen refuses commands that need an open table, while rows are shown before the table is open.
func UntilOpen(r *Reading, all screen.Commands) screen.Commands {
	if !r.Unjudged() {
		return all
	}
	for n := range all {
		all[n].Why = r.NoTable
	}
	return all
}

// Hints are those of accounts and of locks: what the rows call for, or what can be done
// where there are none.
func Hints(r *Reading, rows int, n *Narrowing, commands func() screen.Commands) []kit.Hint {
	switch {
	case n.Typing():
		return n.Hints()
	case !r.Read() || r.Offline != nil:
		return unreadHints(r)
	case r.Unjudged():
		return openingHints(r)
	case rows == 0:
		return emptyHints(r, n)
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
		return []kit.Hint{r.Hint(keymap.Open, "try now"), r.Hint(keymap.Copy, "copy")}
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
func emptyHints(r *Reading, n *Narrowing) []kit.Hint {
	var h []kit.Hint
	if n.On() {
		h = append(h, r.Hint(keymap.Back, "show all"))
	}
	if n.OnlyProblems {
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

// Selected is an item that is selected, by the name that it is copied under.
func (r ItemRow) Selected(name string) screen.Selected {
	return screen.Selected{
		Cell:  screen.Form{Hint: "copy", Words: "the key's value", Text: screen.Plain(r.Key.Hash.Value.Display())},
		Whole: screen.JSON(name, r.Item),
		Key:   func() (attr.Key, string) { return r.Key, "" },
	}
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
		Action: keymap.OnlyProblems, Full: "only problems", With: []keymap.Action{keymap.Filter}, Both: "only problems, letters", Why: why, Run: n.Problems,
	}
	if n.OnlyProblems {
		out.Full, out.Both = "show all", "show all, letters"
	}
	return out
}
