package reading

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// Commands returns the commands that read the table.
func Commands(r *Reading) screen.Commands {
	why := screen.WhyIf(r.tableRead != nil && r.tableRead.over(), "the whole table is read")
	stop := screen.Command{Action: keymap.Stop, Full: "stop reading", Why: why, Run: r.stop}
	on := screen.Command{Action: keymap.Pause, Full: "read on", Why: why, Run: r.readOn}
	if _, busy := r.Tasks.Since(task.Paging); busy {
		stop.Words = "stop reading"
	} else {
		on.Words = "read on"
		if r.tableRead != nil && r.tableRead.whole > 0 {
			on.Words, on.Full = "read all", "read all"
			if refused := r.WhyBudget(r.tableRead.whole); refused != "" {
				on.Why = func() string { return refused }
			}
		}
	}
	again := r.Reread
	if r.Table == nil {
		again = r.Retry
	}
	return screen.Commands{
		stop,
		on,
		{Action: keymap.Reload, Full: "read again", Run: func() tea.Cmd { return r.Reading(0, again) }},
		{Action: keymap.Bump, Why: screen.WhyIf(true, "counters are bumped on their own screen")},
	}
}

// Refused returns the commands for a missing permission, if the list has no rows because of it.
func Refused(r *Reading, rows int) screen.Commands {
	if rows > 0 {
		return nil
	}
	return screen.Policies(r.Session, failure(r))
}

// failure says why the list has no rows; nil if nothing failed.
func failure(r *Reading) error {
	if err := r.Unreadable(); err != nil {
		return err
	}
	return r.failed
}

// Hints returns the key hints of accounts and of locks, for the selected row or for the state
// without rows.
func Hints(n *Narrowing, rows int, commands func() screen.Commands) []kit.Hint {
	r := n.reading
	switch {
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

// unreadHints returns the hints for a table that is not read yet, or cannot be read now.
func unreadHints(r *Reading) []kit.Hint {
	if r.Offline != nil {
		again := []kit.Hint{r.Hint(keymap.Open, "try now")}
		if r.Begun() {
			again = append(again, r.Hint(keymap.Copy, "copy"))
		}
		return again
	}
	if _, busy := r.Tasks.Since(task.Paging); busy || r.opening != "" {
		return []kit.Hint{r.Hint(keymap.Back, "cancel")}
	}
	return append(Refused(r, 0).Hints(r.Session), r.Hint(keymap.Reload, "try again"), r.Hint(keymap.Counters, "counters"))
}

// openingHints returns the hints for rows of a table that is not open yet.
func openingHints(r *Reading) []kit.Hint {
	if r.opening != "" {
		return []kit.Hint{r.Hint(keymap.Copy, "copy"), r.Hint(keymap.Back, "cancel")}
	}
	return []kit.Hint{r.Hint(keymap.Reload, "go on"), r.Hint(keymap.Copy, "copy")}
}

// emptyHints returns the hints for a list without rows.
func emptyHints(n *Narrowing) []kit.Hint {
	r := n.reading
	var h []kit.Hint
	switch {
	case n.On():
		h = append(h, r.Hint(keymap.Back, "show all"))
	case n.OnlyProblems:
		h = append(h, r.Hint(keymap.OnlyProblems, "show all"))
	}
	if len(r.Table.Layout.Accounts) > 0 && r.tableRead.view.Scanned > 0 {
		h = append(h, r.Hint(keymap.Find, "find"))
	}
	if _, busy := r.Tasks.Since(task.Paging); busy {
		h = append(h, r.Hint(keymap.Stop, "stop reading"))
	} else if !r.tableRead.view.Complete {
		h = append(h, r.Hint(keymap.Pause, "read on"))
	}
	return append(h, r.Hint(keymap.Reload, "read again"))
}

// Filtering returns the command that filters a list by text. rows is the number of listed rows.
func Filtering(n *Narrowing, rows int) screen.Command {
	return screen.Command{
		Action: keymap.Filter, Full: "filter rows", Run: n.Open,
		Why: screen.WhyIf(rows == 0 && !n.On(), "there are no rows to filter"),
	}
}

// Only returns the command that shows only problems, or all rows again.
func Only(n *Narrowing, why func() string) screen.Command {
	out := screen.Command{
		Action: keymap.OnlyProblems, Full: "only problems", With: []keymap.Action{keymap.Filter},
		Both: "only problems, filter", Why: why, Run: n.Problems,
	}
	if n.OnlyProblems {
		out.Full, out.Both = "healthy too", "healthy too, filter"
	}
	return out
}

// unasked is the state of the automatic reading of a table.
type unasked struct {
	small   bool    // the table is read to its end automatically
	asked   float64 // the read units when the cursor was last far from the end, or when a person last asked for more
	paused  bool    // the automatic pages have reached their limit
	whole   float64 // the read units for the rest of the table, if further pages would take more; else 0
	all     bool    // a person asked for the rest of the table
	refused bool    // judging the rows near the cursor would exceed the limit
	spent   bool    // judging the other rows would exceed the limit
	again   bool    // confirm has started
}

// ReadAhead starts the next automatic step, if there is one. It judges the rows on the screen and
// near it first. It reads a small table to its end. Of a larger table it reads the next page when
// the cursor is near the end of the rows, as long as the pages bring new rows within AutoReadUnits.
// Then it judges the other rows.
//
// l is the screen that lists the table; nil if another screen is shown. covered is set if another
// screen is on top of l. moved is set if a person moved the cursor of l; at the last row this asks
// for more rows. A list shortened by the filter asks for nothing.
func (r *Reading) ReadAhead(l Lister, covered, moved bool) tea.Cmd {
	b := r.tableRead
	if b == nil || r.Table == nil || !b.read || b.stopped || b.err != nil {
		return nil
	}
	if r.Table.Connection().UnitsSpent() {
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
	near, narrowed := nearEnd(list, rows, r.Size.Height), l != nil && l.Narrowed()
	b.stays = b.stays && !moved
	if l != nil && !narrowed && !b.browser.ReadsAll() && (!near || moved && list.Cursor >= rows.Len()-1) {
		b.asked = b.view.Units
	}
	// Rows that were read before their pages may be far below the next page. A cursor that stays on such a row asks for
	// nothing.
	toEnd := near && !narrowed && !(b.stays && b.view.Ahead > 0)
	var unjudged map[string]bool
	if !covered && b.counts.Open > 0 && !b.browser.ReadsAll() {
		unjudged = unjudgedNear(list, rows, r.Size.Height)
	}
	switch {
	case b.browser.ReadsAll() && r.WhyBudget(b.view.Units-b.asked) != "": // the price was an estimate
		b.paused = true
		return nil
	case len(unjudged) > 0 && !b.refused:
		return r.judge(unjudged)
	case b.browser.Owes(), b.browser.ReadOn() && !growing(r):
		return r.readPage()
	case !b.view.Complete && toEnd:
		rest := b.browser.RestCost()
		switch cheaper := b.browser.CheaperWhole(); {
		case cheaper && rest > b.browser.AskedUnits():
			b.whole, b.paused = rest, true
			return nil // a key reads the whole table, which costs less than further pages
		case cheaper && moved && list.Cursor >= rows.Len()-1:
			b.all = true
		case b.view.Units-b.asked > r.Table.Connection().AutoReadUnits():
			b.paused = true
			return nil // the pages brought almost no rows, so no more is paid for automatically
		}
		return r.readPage()
	case b.counts.Open > len(unjudged) && !b.spent && !growing(r):
		return r.judge(nil)
	case b.view.Complete && b.small && !b.again && len(b.view.Provisional()) > 0:
		return r.confirm()
	}
	return nil
}

// atLimit asks whether to read the next page, if a person moves the cursor past the last row. After
// the session's limit is reached, nothing else is read automatically.
func (r *Reading) atLimit(l Lister, moved bool) tea.Cmd {
	b := r.tableRead
	b.paused = !b.view.Complete
	if l == nil || !moved || !b.paused || l.Narrowed() {
		return nil
	}
	if list, rows := l.List(); list.Cursor < rows.Len()-1 {
		return nil
	}
	return r.readOn()
}

// growing reports whether a larger sample is being read. After that, the table may be read again. Automatic reads wait
// for the sample, because otherwise they might be paid for twice.
func growing(r *Reading) bool {
	_, comparing := r.Tasks.Since(task.Comparing)
	return comparing && r.Table.Sample.Unsure()
}

// nearEnd reports whether the cursor is near the end of the rows.
func nearEnd(list kit.List, rows kit.Source, height int) bool {
	if rows == nil {
		return false
	}
	last := list.Cursor
	if list.Lost {
		last = max(last, list.At) // the row's line before rows were read again
	}
	return last+3*height >= rows.Len()
}

// Values is a list whose rows are values with their locks.
type Values interface {
	kit.Source
	// Relation returns the value at a line; nil for a heading, or if there is no such line.
	Relation(n int) *verdict.Relation
}

// unjudgedNear returns the subjects of the unjudged rows on the screen or near it. These rows must
// still be read together with their locks.
func unjudgedNear(list kit.List, rows kit.Source, height int) map[string]bool {
	lines, ok := rows.(Values)
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

// judge reads a few rows together with their locks: the rows in near first, then others.
func (r *Reading) judge(near map[string]bool) tea.Cmd {
	b := r.tableRead
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
