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
	"tallylock/ui/words"
)

// cover is the completeness line.
func (r *run) cover() *kit.Coverage {
	c := &kit.Coverage{Part: 1, Working: -1}
	at, of := r.lines().Number(r.list.Cursor)
	if r.list.Lost {
		at = 0
	}
	c.Left = []kit.Span{kit.Muted.Of(words.Position(at, of, r.running && of > 0))}
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

// run is a check of one table: under way, or over.
type run struct {
	found
	options setting.Options
	cost    progress.Cost
	inbox   inbox

	gate         client.Gate // shut while it is paused
	pace         float64     // read units a second that it is held to; 0: none
	began, ended time.Time
	asked        bool // it did not begin by itself
	priced       bool // what the next one costs was said
	older        bool // something was changed elsewhere since
	stopping     bool // by the person
	state        progress.State
	summary      finding.Summary
	err          error
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
