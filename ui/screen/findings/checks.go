package findings

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// checks are the last ones of all tables. One of them at most is under way.
type checks struct {
	*session.Session
	runs map[target]*run
}

// target is the table that a check is of.
type target struct {
	conn  int
	table string
}

// open is the open table.
func (c *checks) open() target { return target{c.On, c.Table.Name} }

// run is the check of the open table; nil where there was none.
func (c *checks) run() *run {
	if c.Table == nil {
		return nil
	}
	return c.runs[c.open()]
}

// Opened forgets a check of the open table that was made by another layout than it is read by
// now: what it found is not what that would find.
func (c *checks) Opened() {
	if r := c.run(); r != nil && !r.running && r.table.Layout.Hash() != c.Table.Layout.Hash() {
		delete(c.runs, c.open())
	}
}

// elsewhere is the check of another table that is under way; nil for none.
func (c *checks) elsewhere() *run {
	for at, r := range c.runs {
		if r.running && at != c.open() {
			return r
		}
	}
	return nil
}

// Stop ends the check that is under way; what it found stays. It is nil where
// there is nothing to stop.
func (c *checks) Stop() tea.Cmd {
	for _, r := range c.runs {
		if r.running && !r.stopping {
			r.stopping = true
			c.Tasks.Cancel(task.Checking)
			return c.Say("Stopped. What was found stays.")
		}
	}
	return nil
}

// Confirmed is how many findings of the open table are confirmed, and not mended; older:
// something was changed elsewhere since.
func (c *checks) Confirmed() (n int, older bool) {
	if r := c.run(); r != nil {
		return r.sure, r.older
	}
	return 0, false
}

// Changed says that something was changed, and not from here.
func (c *checks) Changed() {
	for _, r := range c.runs {
		r.older = true
	}
}

// Checked reports whether a check of the open table has ended, having read all of it.
func (c *checks) Checked() bool {
	r := c.run()
	return r != nil && !r.running && r.summary.Complete
}

// Last is what the last check of a table of a connection, by its number, has summed up, and
// when it ended; nil where there was none, or it goes on.
func (c *checks) Last(on int, table string) (*check.Summary, time.Time) {
	r := c.runs[target{on, table}]
	if r == nil || r.running {
		return nil, time.Time{}
	}
	return &r.summary, r.ended
}

// Accepted has the findings of a table be mended by what a person has accepted of it.
func (c *checks) Accepted(was, t *dynamo.Table) {
	for _, r := range c.runs {
		if !r.running && r.table.Name == was.Name && r.table.Connection() == was.Connection() {
			r.table = t
		}
	}
}

// Tables are the tables that were checked.
func (c *checks) Tables() []*dynamo.Table {
	var all []*dynamo.Table
	for _, r := range c.runs {
		all = append(all, r.table)
	}
	return all
}
