package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen/find"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// watchFor is how long a released value is watched: who was told to sign up again does it
// now, or later.
const watchFor = 10 * time.Minute

// watched is a released value that is read again and again, until somebody has it.
type watched struct {
	message.Watch
	until time.Time
	spent float64 // read units
}

func (w *watched) value() string { return phrase.Quote(w.Relation.Value) }

// seen is one reading of a watched value.
type seen struct {
	now   *dynamo.Relation
	units float64
}

// watch begins to watch a value, in place of any other.
func (a *app) watch(m message.Watch) tea.Cmd {
	a.watched = &watched{Watch: m, until: a.Now().Add(watchFor)}
	return tea.Batch(a.lookAtWatched(), a.Say(fmt.Sprintf("%s is watched for %s; %s stops that.", a.watched.value(), words.Lasts(watchFor), a.Keys.Key(keymap.Back))))
}

// unwatch stops watching, and answers what was watched; nil for nothing.
func (a *app) unwatch() *watched {
	w := a.watched
	a.watched = nil
	a.Tasks.Drop(task.Watching)
	return w
}

// lookAtWatched reads the watched value once, by its keys.
func (a *app) lookAtWatched() tea.Cmd {
	w := a.watched
	return task.Start(a.Tasks, task.Watching, func(ctx context.Context) (seen, error) {
		conn := w.Table.Connection()
		before := conn.Units()
		fresh, _, err := w.Table.Reread(ctx, dynamo.RereadOptions{Points: true}, w.Relation)
		if err != nil {
			return seen{}, err
		}
		return seen{fresh[0], conn.Units() - before}, nil
	}, func(s seen, err error) tea.Cmd { return a.sawWatched(w, s, err) })
}

// sawWatched tells that somebody has the value, or has it read again a little later.
func (a *app) sawWatched(w *watched, s seen, err error) tea.Cmd {
	w.spent += s.units
	most := w.Table.Connection().AutoReadUnits()
	switch {
	case client.KindOf(err) == client.Cancelled && err != nil:
		return nil
	case err != nil:
		a.unwatch()
		_, _, why, _ := words.Explain(err)
		return a.Tell(w.value() + " is no longer watched: " + why + ".")
	case s.now.Lock.Exists || len(s.now.Claimants) > 0:
		a.unwatch()
		told := a.Tell(w.value() + " was taken again at " + words.Clock(a.Now()) + by(s.now) + ".")
		if top, ok := a.top().(*find.Screen); ok && top.Asks(w.Relation.Constraint, w.Relation.Value) {
			return tea.Batch(told, top.Refresh())
		}
		return told
	case !a.Now().Before(w.until):
		a.unwatch()
		return a.Tell(fmt.Sprintf("%s is no longer watched: nobody took it in %s.", w.value(), words.Lasts(watchFor)))
	case w.spent >= most:
		a.unwatch()
		return a.Tell(fmt.Sprintf("%s is no longer watched: that has read %s, and no more is read unasked. Nobody has taken it.", w.value(), words.ReadUnits(w.spent)))
	}
	return a.Tasks.After(2*a.Options.Refresh, func() tea.Cmd {
		if a.watched != w {
			return nil
		}
		return a.lookAtWatched()
	})
}

// by names who has a value, as far as its lock or an account tells.
func by(r *dynamo.Relation) string {
	switch {
	case len(r.Claimants) > 0:
		return ", by " + r.Claimants[0].Key.Hash.Value.Display()
	case r.Lock.Owner != "":
		return ", by " + r.Lock.Owner
	}
	return "; its lock does not say by whom"
}
