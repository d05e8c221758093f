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
	page    // as far as it has got
	unasked
	err     error // why the last page did not come
	began   time.Time
	read    bool       // a page has come
	old     bool       // what is shown is of the reading before this one
	stopped bool       // by the user: what was read stays
	before  int        // problems that the reading before this one was sure of
	filled  int        // how often rows were put on the screen
	turn    sync.Mutex // of its steps: one was cancelled, and has not ended yet
}

// step starts a step on. Steps take turns at the browser, which is one's alone.
func (b *pass) step(
	tasks *task.Tasks, k task.Kind, work func(context.Context) (page, error), done func(page, error) tea.Cmd,
) tea.Cmd {
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
	return b.view.Complete && !b.old && !(b.stopped && b.counts.Open > 0)
}

// Counts are how many values of what is read are broken, and how far they are judged.
type Counts struct {
	Broken           int
	Open             int // values to be read together with their locks
	unsure           int
	judged, unjudged int // values and locks
}

// Sure is how many problems there are whose verdict nothing that is not read yet can change.
func (c Counts) Sure() int { return c.Broken - c.unsure }

// settled reports whether nothing is left to read that may make more problems sure.
func (b *pass) settled() bool { return b.view.Complete && !b.old && b.counts.unsure+b.counts.Open == 0 }

// page is what is known after a Next, a JudgeTogether or a Confirm.
type page struct {
	view   dynamo.View
	rows   map[Lister]Arranged
	counts Counts
	judged int
}

// nextPage is what is known after a step on.
func nextPage(ctx context.Context, b *dynamo.Browser, page func(dynamo.View) page) (p page, err error) {
	v, err := b.Next(ctx)
	if err != nil {
		return p, err
	}
	return page(v), nil
}

func count(v *dynamo.View) Counts {
	c := Counts{unjudged: v.Unmatched}
	seen := map[string]bool{}
	for _, r := range v.Relations {
		if r.Verdict == dynamo.Unknown {
			c.unjudged++
		} else {
			c.judged++
		}
		if r.Unjudged && !r.Constraint.Lockless() {
			c.Open++
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
		c.Broken++
		if r.Provisional {
			c.unsure++
		}
	}
	return c
}
