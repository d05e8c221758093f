package reading

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
	"tallylock/ui/task"
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
		if r.pass != nil && r.pass.whole > 0 {
			on.Words, on.Full = "read all", "read all"
		}
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

// unasked is how far a pass has gone on by itself.
type unasked struct {
	small   bool    // the table is read to its end
	asked   float64 // the read units when rows were last ahead of the cursor, or when somebody had it read on
	paused  bool    // what was read since took what may be taken
	whole   float64 // what reading all would take, if further pages would take more; else 0
	all     bool    // somebody has asked for that
	refused bool    // judging the rows that are near would take too much
	spent   bool    // so would judging the others
	again   bool    // the second look was asked for
}

// ReadAhead goes on with the reading, where it should go on by itself: it judges what is
// not held on the screen or near it, reads a small table to its end and of others the next
// page when the cursor comes near the end of what was read, as long as pages bring rows
// within AutoReadUnits, and judges the rest. l is the screen that lists the table; nil
// where another is looked at. covered: one stands on top. moved: somebody moved its cursor,
// and at its end asks for more. A list that letters have made short asks for nothing.
func (r *Reading) ReadAhead(l Lister, covered, moved bool) tea.Cmd {
	b := r.pass
	if b == nil || r.Table == nil || !b.read || b.stopped || b.err != nil {
		return nil
	}
	if r.Table.Connection().SessionSpent() {
		return r.atLimit(l, moved)
	}
	for _, k := range []task.Kind{task.Paging, task.Confirming} {
		if _, busy := r.Tasks.Since(k); busy {
			return nil
		}
	}
	var list kit.List
	var rows kit.Source
	if l != nil {
		list, rows = l.List()
	}
	toEnd := nearEnd(list, rows, r.Size.Height) && (l == nil || !l.Narrowed())
	if !toEnd || moved && list.Cursor >= rows.Len()-1 {
		b.asked = b.view.Units
	}
	var near map[string]bool
	if !covered && b.counts.Open > 0 && !b.browser.ReadsAll() {
		near = unjudgedNear(list, rows, r.Size.Height)
	}
	switch {
	case len(near) > 0 && !b.refused:
		return r.judge(near)
	case b.browser.Owes(), b.browser.ReadOn() && !growing(r):
		return r.readPage()
	case !b.view.Complete && toEnd:
		rest := b.browser.RestCost()
		switch cheaper := b.browser.CheaperWhole(); {
		case cheaper && rest > b.browser.AskedUnits():
			b.whole, b.paused = rest, true
			return nil // a key reads all: pages would take more
		case cheaper && moved && list.Cursor >= rows.Len()-1:
			b.all = true
		case b.view.Units-b.asked > r.Table.Connection().AutoReadUnits():
			b.paused = true
			return nil // page after page brought hardly a row: no more is paid for unasked
		}
		return r.readPage()
	case b.counts.Open > len(near) && !b.spent && !growing(r):
		return r.judge(nil)
	case b.view.Complete && b.small && !b.again && len(b.view.Provisional()) > 0:
		return r.confirm()
	}
	return nil
}

// atLimit asks whether to read the next page for somebody who moves the cursor beyond the last row.
// Nothing else is read once the session has reached its limit.
func (r *Reading) atLimit(l Lister, moved bool) tea.Cmd {
	b := r.pass
	b.paused = !b.view.Complete
	if l == nil || !moved || !b.paused || l.Narrowed() {
		return nil
	}
	if list, rows := l.List(); list.Cursor < rows.Len()-1 {
		return nil
	}
	return r.readOn()
}

// growing reports whether a larger sample is being read, by which the table may be read
// anew: what nobody looks at waits for that, so that it is not paid for twice.
func growing(r *Reading) bool {
	_, comparing := r.Tasks.Since(task.Comparing)
	return comparing && r.Table.Sample.Unsure()
}

// nearEnd reports whether the cursor comes near the end of what was read.
func nearEnd(list kit.List, rows kit.Source, height int) bool {
	if rows == nil {
		return false
	}
	last := list.Cursor
	if list.Lost {
		last = max(last, list.At) // as far as it was read before
	}
	return last+3*height >= rows.Len()
}

// unjudgedNear are the rows on the screen, or not far from it, that are still to be read
// together with their locks, by what they are of.
func unjudgedNear(list kit.List, rows kit.Source, height int) map[string]bool {
	lines, ok := rows.(relation.Lines)
	if !ok {
		return nil
	}
	near := map[string]bool{}
	for n := list.Cursor - height; n <= list.Cursor+height; n++ {
		if r := lines.Relation(n); r != nil && r.Unjudged && !r.Constraint.Lockless() {
			near[r.Subject()] = true
		}
	}
	return near
}

// judge reads a few rows together with their locks: those that are near, then others.
func (r *Reading) judge(near map[string]bool) tea.Cmd {
	b := r.pass
	paged := r.lists.paging(b.small)
	return b.step(r.Tasks, task.Paging, func(ctx context.Context) (page, error) {
		v, judged, err := b.browser.JudgeTogether(ctx, func(rel *verdict.Relation) bool { return near[rel.Subject()] })
		if err != nil {
			return page{}, err
		}
		p := paged(v)
		p.judged = judged
		return p, nil
	}, func(p page, err error) tea.Cmd {
		if err == nil && p.judged == 0 {
			b.refused, b.spent = b.refused || len(near) > 0, b.spent || len(near) == 0
		}
		return r.done(b, p, err)
	})
}
