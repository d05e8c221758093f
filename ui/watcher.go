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
	findscreen "tallylock/ui/screen/find"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// watchFor is how long a released value is watched: who was told to sign up again does it
// now, or later.
const watchFor = 10 * time.Minute

// watcher reads a released value again and again, until somebody has it.
type watcher struct {
	*screens

	value *watched // nil while none is watched
}

// watched is a value that is watched.
type watched struct {
	message.Watch
	until time.Time
	spent float64 // read units
}

func (v *watched) quoted() string { return phrase.Quote(v.Relation.Value) }

// watching is one reading of a watched value.
type watching struct {
	now   *verdict.Relation
	units float64
}

// start begins to watch a value, in place of any other.
func (w *watcher) start(m message.Watch) tea.Cmd {
	w.value = &watched{Watch: m, until: w.Now().Add(watchFor)}
	return w.poll()
}

// line says what is watched, for as long as it is, and how to stop that.
func (w *watcher) line() string {
	v, end := w.value, ""
	if w.stops() {
		end = w.Keys.Key(keymap.Back) + " stops watching"
	}
	left := ": " + words.Roughly(max(v.until.Sub(w.Now()), 0)) + " left"
	if w.Size.Width >= kit.MinWidth+20 {
		left += ", " + words.ReadUnits(v.spent) + " so far"
	}
	l := kit.NewLine(w.Styles, w.Size.Width, kit.Raise)
	l.Put(kit.Strong, " Watching ")
	l.Fit(kit.Strong, v.quoted(), w.Size.Width-l.At-kit.Width(left)-kit.Width(end)-3)
	l.Put(kit.Text, left)
	l.Ends(kit.Muted, end, w.Size.Width-1)
	return l.Done()
}

// stops reports whether the key that goes back stops watching first.
func (w *watcher) stops() bool {
	_, typing := w.typing()
	return w.value != nil && !typing && !w.inDetail()
}

// hints leave the key that goes back out, where it stops watching.
func (w *watcher) hints(hints []kit.Hint) []kit.Hint {
	if !w.stops() {
		return hints
	}
	back := w.Keys.Key(keymap.Back)
	return slices.DeleteFunc(slices.Clone(hints), func(h kit.Hint) bool { return h.Key == back })
}

// end stops watching, and answers what was watched; nil for nothing.
func (w *watcher) end() *watched {
	v := w.value
	w.value = nil
	w.Tasks.Drop(task.Watching)
	return v
}

// poll reads the watched value once, by its keys.
func (w *watcher) poll() tea.Cmd {
	v := w.value
	return task.Start(w.Tasks, task.Watching, func(ctx context.Context) (watching, error) {
		conn := v.Table.Connection()
		before := conn.Units()
		fresh, _, err := find.Reread(ctx, v.Table, find.RereadOptions{Points: true}, v.Relation)
		if err != nil {
			return watching{}, err
		}
		return watching{fresh[0], conn.Units() - before}, nil
	}, func(s watching, err error) tea.Cmd { return w.onRead(v, s, err) })
}

// onRead tells that somebody has the value, or has it read again a little later.
func (w *watcher) onRead(v *watched, s watching, err error) tea.Cmd {
	v.spent += s.units
	most := v.Table.Connection().AutoReadUnits()
	switch {
	case client.KindOf(err) == client.Cancelled && err != nil:
		return nil
	case err != nil:
		w.end()
		_, _, why, _ := words.Explain(err)
		return w.Tell("Stopped watching " + v.quoted() + ": " + why + ".")
	case s.now.Lock.Exists || len(s.now.Claimants) > 0:
		w.end()
		told := w.Tell(v.quoted() + " was taken again at " + words.Clock(w.Now()) + by(s.now) + ".")
		if top, ok := w.top().(*findscreen.Screen); ok && top.Asks(v.Relation.Constraint, v.Relation.Value) {
			return tea.Batch(told, top.Refresh())
		}
		return told
	case !w.Now().Before(v.until):
		w.end()
		return w.Tell(fmt.Sprintf("Stopped watching %s: nobody took it in %s.", v.quoted(), words.Lasts(watchFor)))
	case v.spent >= most:
		w.end()
		return w.Tell(
			fmt.Sprintf("Stopped watching %s: that has read %s, and no more is read unasked. Nobody has taken it.",
				v.quoted(), words.ReadUnits(v.spent)),
		)
	}
	return w.Tasks.After(2*w.Options.Refresh, func() tea.Cmd {
		if w.value != v {
			return nil
		}
		return w.poll()
	})
}

// by names who has a value, as far as its lock or an account tells.
func by(r *verdict.Relation) string {
	switch {
	case len(r.Claimants) > 0:
		return ", by " + r.Claimants[0].Key.Hash.Value.Display()
	case r.Lock.Owner != "":
		return ", by " + r.Lock.Owner
	}
	return "; find it again (/) to see by whom"
}
