package findings

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/ui/task"
)

// run is a check of one table: under way, or over.
type run struct {
	found
	options check.Options
	cost    check.Cost
	inbox   inbox

	gate         client.Gate // shut while it is paused
	pace         float64     // read units a second that it is held to; 0: none
	began, ended time.Time
	asked        bool // it did not begin by itself
	priced       bool // what the next one costs was said
	older        bool // something was changed elsewhere since
	stopping     bool // by the person
	state        check.State
	summary      check.Summary
	err          error
}

func newRun(t *dynamo.Table, o check.Options, now time.Time) *run {
	return &run{found: newFound(t), options: o, cost: check.Estimate(t, o), began: now}
}

// inbox hands what a check finds over to the screen: reports may be dropped on
// the way, findings must not be.
type inbox struct {
	mu  sync.Mutex
	new []*row
	all []*row
}

func (i *inbox) put(r *row) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.all) >= mostWhole {
		r.f.Relation = nil
	}
	i.new, i.all = append(i.new, r), append(i.all, r)
}

// mostWhole is of how many findings the items are kept as the check has read them: of
// the others they are read when they are opened.
const mostWhole = 20_000

func (i *inbox) take() []*row {
	i.mu.Lock()
	defer i.mu.Unlock()
	out := i.new
	i.new = nil
	return out
}

// sorted are all findings, by kind, constraint and value.
func (i *inbox) sorted() []*row {
	i.mu.Lock()
	all := slices.Clone(i.all)
	i.mu.Unlock()
	slices.SortStableFunc(all, func(a, b *row) int {
		if a.order != b.order {
			return a.order - b.order
		}
		return strings.Compare(a.sort, b.sort)
	})
	return all
}

// checked is what a check ends in.
type checked struct {
	summary check.Summary
	rows    []*row
	ceiling bool // it began by itself, and has read all that it may
}

// errCeiling ends a check that began by itself.
var errCeiling = errors.New("it has read what may be read unasked")

// start begins a check of the table, anew. One that nobody asked for reads no
// more than a question may by itself.
func (c *checks) start(asked bool) tea.Cmd {
	t := c.Table
	if other := c.elsewhere(); other != nil {
		return c.Say(other.table.Name + " is being checked: stop that first, or wait for it.")
	}
	o, most := c.Options.Check, t.Connection().AutoReadUnits()
	r := newRun(t, o, c.Now())
	r.pace, r.asked = r.cost.Pace, asked
	if !asked { // the size that it was let in by may be hours old
		o.MaxReadUnits = most
		if r.pace > 0 {
			o.MaxReadUnits = min(most, r.pace)
		}
		r.pace = o.MaxReadUnits
	}
	o.Gate = &r.gate
	if old := c.run(); old != nil {
		if at := old.spot(); at.row != nil || !at.top { // it is found again in the end, or gone
			r.kept, r.list.Lost = at, true
		}
	}
	c.runs[c.open()] = r
	return task.Stream(c.Tasks, task.Checking, func(ctx context.Context, report func(check.State)) (checked, error) {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		sum, err := check.Run(ctx, t, o, func(f check.Finding) { r.inbox.put(newRow(f)) }, func(now check.State) {
			if !asked && now.Units > most {
				stop(errCeiling)
			}
			report(now)
		})
		return checked{sum, r.inbox.sorted(), errors.Is(err, errCeiling) || errors.Is(context.Cause(ctx), errCeiling)}, err
	}, r.news, func(done checked, err error) tea.Cmd {
		r.over(done, err, c.Now())
		return nil
	})
}

// pause holds the check back, or lets it read on.
func (r *run) pause() tea.Cmd {
	if r.paused() {
		r.gate.Open()
	} else {
		r.gate.Shut()
	}
	return nil
}

func (r *run) paused() bool { return r.running && !r.gate.Since().IsZero() }

// took is how long the check has been at work; a pause is none.
func (r *run) took(now time.Time) time.Duration { return now.Sub(r.began) - r.gate.Held() }

// news takes in where the check stands, and what it has found.
func (r *run) news(now check.State) {
	r.state = now
	keep := r.spot()
	for _, x := range r.inbox.take() {
		r.note(x)
		r.add(x)
	}
	if !keep.top && !r.list.Lost {
		r.back(keep)
	}
}

// over takes in the end of the check.
func (r *run) over(done checked, err error, now time.Time) {
	r.running, r.ended, r.summary, r.err = false, now, done.summary, err
	r.inbox = inbox{}
	if done.ceiling {
		r.err = errCeiling
	}
	r.all, r.sure, r.suspicious = nil, 0, nil
	for _, x := range done.rows {
		r.note(x)
	}
	r.regroup()
}

// stopped reports whether the person ended the check.
func (r *run) stopped() bool {
	return r.err != nil && !errors.Is(r.err, errCeiling) && client.KindOf(r.err) == client.Cancelled
}

// failed reports whether the check came to nothing at all.
func (r *run) failed() bool {
	return !r.running && r.err != nil && !errors.Is(r.err, errCeiling) && !r.stopped() && r.read() == 0
}

// read is how many items the check has read.
func (r *run) read() int64 {
	if r.summary.Items == 0 { // its first reading was not finished
		return r.state.Items
	}
	return r.summary.Items
}
