package findings

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// cover returns the completeness line.
func (r *run) cover() *kit.Coverage {
	c := &kit.Coverage{Part: 1, Working: -1}
	at, of := r.lines().Number(r.list.Cursor)
	if r.list.Lost {
		at = 0
	}
	c.Left = []kit.Span{kit.Muted.Of(say.Position(at, of, r.running && of > 0))}
	if of < len(r.all) {
		c.Left = append(c.Left, kit.Muted.Of(", "+phrase.Count(len(r.all), "finding")+" in all"))
	}
	if n := len(r.marked); n > 0 {
		c.Left = append(c.Left, kit.Muted.Of(" · "), kit.Accent.Of(phrase.Number(n)+" marked"))
	}
	when := r.ended.Local().Format("15:04")
	switch {
	case r.running:
		c.Right = []kit.Span{kit.Muted.Of("nothing has been written")}
	case !r.summary.Complete:
		c.Right = []kit.Span{kit.Warn.Of("incomplete"), kit.Muted.Of(", as of " + when)}
	case r.summary.Unsettled > 0:
		c.Right = []kit.Span{
			kit.Muted.Of("whole table · "),
			kit.Warn.Of(phrase.Count(r.summary.Unsettled, "value") + " not judged"),
			kit.Muted.Of(", as of " + when),
		}
	case r.summary.Confirmed && r.summary.Reach() == finding.Nothing:
		c.Right = []kit.Span{kit.Muted.Of("whole table · "), kit.Good.Of(kit.GlyphYes), kit.Muted.Of(" confirmed " + when)}
	default:
		c.Right = []kit.Span{kit.Muted.Of("whole table · read " + when)}
	}
	return c
}

// run is a check of one table, running or ended.
type run struct {
	found
	options setting.Options
	cost    progress.Cost
	inbox   inbox

	gate         client.Gate // shut while the check is paused
	pace         float64     // the limit of read units per second; 0: no limit
	began, ended time.Time
	asked        bool // a person asked for the check
	priced       bool // the screen has said what the next check costs
	older        bool // a change was made elsewhere after the check
	stopping     bool // a person has stopped the check, and it has not ended yet
	state        progress.State
	summary      finding.Summary
	err          error
}

// inbox passes the findings of a check to the screen. Reports of progress may be
// dropped on the way, but no finding may be lost.
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

func (i *inbox) take() []*row {
	i.mu.Lock()
	defer i.mu.Unlock()
	out := i.new
	i.new = nil
	return out
}

// sorted returns all findings, sorted by kind, constraint and value.
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

// pause pauses the check, or continues it.
func (r *run) pause() tea.Cmd {
	if r.paused() {
		r.gate.Open()
	} else {
		r.gate.Shut()
	}
	return nil
}

func (r *run) paused() bool { return r.running && !r.gate.Since().IsZero() }

// took returns how long the check has been running, without its pauses.
func (r *run) took(now time.Time) time.Duration { return now.Sub(r.began) - r.gate.Held() }

// news updates the progress of the check, and lists its new findings.
func (r *run) news(now progress.State) {
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

// over stores the result of the check, and lists all findings in their order.
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

// stopped reports whether a person stopped the check.
func (r *run) stopped() bool {
	return r.err != nil && !errors.Is(r.err, errCeiling) && client.KindOf(r.err) == client.Cancelled
}

// failed reports whether the check ended with an error before it had read any item.
func (r *run) failed() bool {
	return !r.running && r.err != nil && !errors.Is(r.err, errCeiling) && !r.stopped() && r.read() == 0
}

// read returns how many items the check has read.
func (r *run) read() int64 {
	if r.summary.Items == 0 { // the first reading was not finished
		return r.state.Items
	}
	return r.summary.Items
}
