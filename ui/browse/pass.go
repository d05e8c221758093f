package browse

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/task"
)

// pass is one reading of a table, from its beginning.
type pass struct {
	browser *dynamo.Browser
	view    dynamo.View
	rows    Rows
	err     error // why the last page did not come
	began   time.Time
	read    bool // a page has come
	old     bool // what is shown is of the reading before this one
	stopped bool // by the user: what was read stays
	paused  bool // what was read since rows were last ahead of the cursor took what may be taken unasked
	small   bool // read to its end unasked
	// refused: judging the rows that are near would take too much, and spent: that of the
	// others; again: the second look was asked for.
	refused, spent, again bool
	before                int     // problems that the reading before this one was sure of
	filled                int     // how often rows were put on the screen
	asked                 float64 // the read units then, or when somebody had it read on
	order                 order
	turn                  sync.Mutex // of its steps: one was cancelled, and has not ended yet
}

// step starts a step on. Steps take turns at the browser, which is one's alone.
func (b *pass) step(tasks *task.Tasks, k task.Kind, work func(context.Context) (page, error), done func(page, error) tea.Cmd) tea.Cmd {
	return task.Start(tasks, k, func(ctx context.Context) (page, error) {
		b.turn.Lock()
		defer b.turn.Unlock()
		if err := ctx.Err(); err != nil {
			return page{}, err
		}
		return work(ctx)
	}, done)
}

// awaited reports whether the first page is under way.
func (b *pass) awaited() bool { return !b.read && !b.stopped && b.err == nil }

// over reports whether nothing is left to read, and nothing to stop.
func (b *pass) over() bool {
	return b.view.Complete && !b.old && !(b.stopped && b.rows.Open > 0)
}

// Rows are the lists made of a View, off the screen's own goroutine.
type Rows struct {
	Accounts, Problems  []AccountRow
	Locks, ProblemLocks []LockGroup
	Items               []ItemRow
	Broken              int
	Open                int // values to be read together with their locks
	unsure              int
	judged, unjudged    int // values and locks
}

// Sure is how many problems there are whose verdict nothing that is not read yet can change.
func (r *Rows) Sure() int { return r.Broken - r.unsure }

// settled reports whether nothing is left to read that may make more problems sure.
func (b *pass) settled() bool { return b.view.Complete && !b.old && b.rows.unsure+b.rows.Open == 0 }

// page is what a Next, a JudgeTogether or a Confirm brings.
type page struct {
	view   dynamo.View
	rows   Rows
	judged int
}

// nextPage is what is known after a step on.
func nextPage(ctx context.Context, b *dynamo.Browser, sorted bool, by order) (page, error) {
	v, err := b.Next(ctx)
	if err != nil {
		return page{}, err
	}
	return newPage(v, sorted, by), nil
}

func newPage(v dynamo.View, sorted bool, by order) page {
	p := page{view: v}
	p.rows.Accounts = accountRows(v.Relations, false, by)
	p.rows.Problems = accountRows(v.Relations, true, by)
	p.rows.Locks = lockGroups(v.Locks, false, sorted)
	p.rows.ProblemLocks = lockGroups(v.Locks, true, sorted)
	if len(v.Relations) == 0 && len(v.Locks) == 0 {
		p.rows.Items = ItemRows(v.Items, v.Schema)
	}
	p.rows.unjudged = v.Unmatched
	seen := map[string]bool{}
	for _, r := range v.Relations {
		if r.Verdict == dynamo.Unknown {
			p.rows.unjudged++
		} else {
			p.rows.judged++
		}
		if r.Unjudged && !r.Constraint.Lockless() {
			p.rows.Open++
		}
		if !r.Verdict.Broken() {
			continue
		}
		if id := r.Subject(); id != "" {
			if seen[id] {
				continue // two accounts on one value are one problem
			}
			seen[id] = true
		}
		p.rows.Broken++
		if r.Provisional {
			p.rows.unsure++
		}
	}
	return p
}
