package findings

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// run is a check of one table: not begun, running or ended.
type run struct {
	*session.Session
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

// checked is the result of a check.
type checked struct {
	summary finding.Summary
	rows    []*row
}

// errCeiling ends a check that started by itself, at its limit of read units.
var errCeiling = errors.New("it has reached auto_read_units")

// start starts a new check of the open table. If no person asked for it, it reads at
// most AutoReadUnits.
func (s *Screen) start(asked bool) tea.Cmd {
	asked = asked && s.WhyViewer() == "" // a viewer's check stops at the limit
	if other := s.elsewhere(); other != nil {
		return s.Say(other.table.Name + " is being checked: stop that check first, or wait.")
	}
	t, o, most := s.Table, s.Options.Check, s.Table.Connection().AutoReadUnits()
	r := &run{Session: s.Session, found: newFound(t), options: o, cost: s.cost(), asked: asked, began: s.Now()}
	r.pace = r.cost.Pace
	if !asked { // DynamoDB's count of the items may be hours old, and the estimate too low
		o.MaxReadUnits = most
		if r.pace > 0 {
			o.MaxReadUnits = min(most, r.pace)
		}
		r.pace = o.MaxReadUnits
	}
	o.Gate, o.Say = &r.gate, say.Do
	if old := s.run(); !old.untouched() { // the new check may find the selected finding again
		old.list.Hold(old.lines())
		r.list = old.list
		r.list.Lost = true
	}
	s.runs[s.open()] = r
	return task.Stream(s.Tasks, task.Checking, func(ctx context.Context, report func(progress.State)) (checked, error) {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		sum, err := check.Run(ctx, t, o, r.inbox.put, func(now progress.State) {
			if !asked && now.Units > most {
				stop(errCeiling)
			}
			report(now)
		})
		if errors.Is(context.Cause(ctx), errCeiling) {
			err = errCeiling
		}
		return checked{sum, r.inbox.sorted()}, err
	}, r.news, r.over)
}

// news updates the progress of the check, and lists its new findings.
func (r *run) news(now progress.State) {
	was := r.state.Suspects
	r.state = now
	if !r.running { // a late report: the result has all findings already
		return
	}
	stays := !r.untouched() && !r.list.Lost
	if stays {
		r.list.Hold(r.lines())
	}
	found := r.inbox.from(len(r.all))
	for _, x := range found {
		r.all = append(r.all, x)
		r.add(x)
	}
	if stays {
		r.list.Follow(r.lines())
	}
	if slices.EqualFunc(was, now.Suspects, sameSuspect) {
		r.settle(found)
	} else {
		r.suspect(now.Suspects)
	}
}

// over stores the result of the check, and lists all findings in their order.
func (r *run) over(done checked, err error) tea.Cmd {
	r.running, r.ended, r.summary, r.err = false, r.Now(), done.summary, err
	r.all, r.inbox = done.rows, inbox{}
	chosen := r.selected()
	r.suspects = nil
	r.regroup()
	if chosen != nil && chosen.suspect {
		r.choose(chosen)
	}
	return nil
}

// inbox passes the findings of a check to the screen. Reports of progress may be
// dropped on the way, but no finding may be lost.
type inbox struct {
	mu  sync.Mutex
	all []*row
}

// mostWhole is the number of findings whose items are kept as the check read them. The items of
// further findings are read when a person opens the finding.
const mostWhole = 20_000

func (i *inbox) put(f finding.Finding) {
	r := newRow(f)
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.all) >= mostWhole {
		r.f.Relation = nil
	}
	i.all = append(i.all, r)
}

// from returns the findings from index n on.
func (i *inbox) from(n int) []*row {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.all[min(n, len(i.all)):]
}

// sorted returns all findings, sorted by kind, constraint and value.
func (i *inbox) sorted() []*row {
	all := slices.Clone(i.from(0))
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

func (r *run) begun() bool { return !r.began.IsZero() }

// stopped reports whether a person stopped the check.
func (r *run) stopped() bool {
	return r.err != nil && client.KindOf(r.err) == client.Cancelled
}

// failed reports whether the check ended with an error before it had read any item.
func (r *run) failed() bool {
	return r.err != nil && !errors.Is(r.err, errCeiling) && !r.stopped() && r.read() == 0
}

// read returns how many items the check has read.
func (r *run) read() int64 {
	if r.summary.Items == 0 { // the first reading was not finished
		return r.state.Items
	}
	return r.summary.Items
}

// offers reports whether the screen shows the price of a check: because there was no check yet,
// or because it was stopped before its first finding.
func (r *run) offers() bool {
	return !r.running && !r.summary.Complete && len(r.all) == 0 && !r.failed()
}

// A check that costs more than AutoReadUnits starts only after the screen has shown its price.

// cost returns the estimated price of a check of the open table.
func (s *Screen) cost() progress.Cost { return setting.Estimate(s.Table, s.Options.Check) }

// cheap reports whether a check of the open table costs no more than AutoReadUnits.
func (s *Screen) cheap() bool {
	cost := s.cost()
	return !cost.Uncounted && cost.Units() <= s.Table.Connection().AutoReadUnits()
}

// sayPrice says what another check costs, and which key starts it.
func (s *Screen) sayPrice() tea.Cmd {
	key, cost := s.Keys.Key(keymap.Reload), s.cost()
	s.run().priced = true
	if cost.Uncounted {
		return s.Say(key + " checks again. The price is unknown.")
	}
	return s.Say(key + " checks again, for " + say.Price(cost.Units()) + ".")
}

// check starts a check that a person asked for. If the session would exceed its limit of read units, it asks
// first.
func (s *Screen) check() tea.Cmd {
	if why := s.whyCheck(); why != "" {
		return s.Say(say.Sentence(why))
	}
	return s.Reading(s.cost().Units(), func() tea.Cmd { return s.start(true) })
}

// again starts a check, if it is cheap or its price was shown. Otherwise it says the price.
func (s *Screen) again() tea.Cmd {
	if r := s.run(); r.offers() || r.priced || s.cheap() {
		return s.check()
	}
	return s.sayPrice()
}

// whyCheck returns the reason why no check can start; empty if it can.
func (s *Screen) whyCheck() string {
	switch {
	case s.run().running:
		return "it is being checked"
	case s.Table != nil && !check.Checkable(s.Table):
		return "it has no known layout"
	case s.Table != nil && s.WhyViewer() != "" && !s.cheap():
		return s.WhyBudget(math.Inf(1))
	}
	return ""
}
