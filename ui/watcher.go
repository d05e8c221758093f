package ui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// watchFor is the time to watch a released value. A person who was told to sign up again usually does
// it within this time.
const watchFor = 10 * time.Minute

// watcher reads a released value repeatedly until an account or a lock has it.
type watcher struct {
	*screens

	value *watched // nil if no value is watched
}

// watched is a value that the watcher reads until a certain time.
type watched struct {
	message.Watch
	until time.Time
	spent float64 // read units
}

func (v *watched) quoted() string { return phrase.Quote(v.Relation.Shown()) }

// start watches a value, and stops watching the earlier value.
func (w *watcher) start(m message.Watch) tea.Cmd {
	w.value = &watched{Watch: m, until: w.Now().Add(watchFor)}
	return w.poll()
}

// line draws the row that names the watched value, the time left, the units used, and the key that stops watching.
func (w *watcher) line() string {
	v, end := w.value, ""
	if w.stops() {
		end = w.Keys.Key(keymap.Back) + " stops watching"
	}
	left := ": " + say.Roughly(max(v.until.Sub(w.Now()), 0)) + " left"
	if w.Size.Width >= kit.MinWidth+20 {
		left += ", " + say.ReadUnits(v.spent) + " so far"
	}
	l := kit.NewLine(w.Styles, w.Size.Width, kit.Raise)
	l.Put(kit.Strong, " Watching ")
	l.Fit(kit.Strong, v.quoted(), w.Size.Width-l.At-kit.Width(left)-kit.Width(end)-3)
	l.Put(kit.Text, left)
	l.Ends(kit.Muted, end, w.Size.Width-1)
	return l.Done()
}

// stops reports whether the key for back, if pressed now, stops watching before it does anything else.
func (w *watcher) stops() bool {
	_, typing := w.typing()
	return w.value != nil && !typing && !w.inDetail()
}

// hints removes the hint of the key for back if that key now stops watching.
func (w *watcher) hints(hints []kit.Hint) []kit.Hint {
	if !w.stops() {
		return hints
	}
	back := w.Keys.Key(keymap.Back)
	return slices.DeleteFunc(slices.Clone(hints), func(h kit.Hint) bool { return h.Key == back })
}

// end stops watching. It returns the watched value, or nil if there was none.
func (w *watcher) end() *watched {
	v := w.value
	w.value = nil
	w.Tasks.Drop(task.Watching)
	return v
}

// poll reads the watched value once, by its keys.
func (w *watcher) poll() tea.Cmd {
	v, conn := w.value, w.value.Table.Connection()
	before := conn.Units()
	return task.Start(w.Tasks, task.Watching, func(ctx context.Context) ([]*verdict.Relation, error) {
		fresh, _, err := find.Reread(ctx, v.Table, find.RereadOptions{PointsOnly: true}, v.Relation)
		return fresh, err
	}, func(fresh []*verdict.Relation, err error) tea.Cmd {
		if err != nil {
			return w.onFailed(v, err)
		}
		v.spent += conn.Units() - before
		return w.onRead(v, fresh[0], conn.AutoReadUnits())
	})
}

func (w *watcher) onFailed(v *watched, err error) tea.Cmd {
	if client.KindOf(err) == client.Cancelled {
		return nil
	}
	w.end()
	return w.Tell("Stopped watching " + v.quoted() + ": " + say.Explain(err).Why + ".")
}

// onRead says that the value was taken, if it was. Otherwise it reads the value again after a pause, until
// the time or the units are used up.
func (w *watcher) onRead(v *watched, now *verdict.Relation, most float64) tea.Cmd {
	taken, text := now.Lock.Exists || now.Lock.Other != nil || len(now.Claimants) > 0, ""
	switch {
	case taken:
		text = v.quoted() + " was taken again at " + phrase.Clock(w.Now()) + by(now) + "."
	case !w.Now().Before(v.until):
		text = fmt.Sprintf("Stopped watching %s: nobody took it in %s.", v.quoted(), say.Lasts(watchFor))
	case v.spent >= most:
		text = fmt.Sprintf("Stopped watching %s after %s, the limit. Nobody has taken it.",
			v.quoted(), say.ReadUnits(v.spent))
	default:
		return w.Tasks.After(2*w.Options.Refresh, func() tea.Cmd {
			if w.value != v {
				return nil
			}
			return w.poll()
		})
	}
	w.end()
	told := w.Tell(text)
	if top, ok := w.top().(screen.Asking); ok && taken && top.Asks(v.Relation.Constraint, v.Relation.Value) {
		return tea.Batch(told, top.Refresh())
	}
	return told
}

// by returns the end of the message that a value was taken: the first claimant, or the owner in the lock, or else
// advice.
func by(r *verdict.Relation) string {
	switch {
	case len(r.Claimants) > 0:
		return ", by " + r.Claimants[0].Key.Hash.Value.Display()
	case r.Lock.Owner != "":
		return ", by " + r.Lock.Owner
	}
	return "; find it again (/) to see the account"
}
