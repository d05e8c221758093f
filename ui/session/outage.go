package session

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/ui/task"
)

// Passing reports whether an error is of what ends without the program: an endpoint that is
// out of reach, or a log-in that is over. What failed is tried again by itself.
func Passing(err error) bool {
	k := client.KindOf(err)
	return k == client.Unreachable || k == client.Expired
}

// Outages are endpoints that do not answer, and log-ins that are over.
type Outages struct {
	Offline *outage // nil while the endpoint answers
	work    *Work
}

// Unreached takes an error of a task in: what is Passing is tried again, longer apart each
// time, and as soon as another task has an answer.
func (o *Outages) Unreached(k task.Kind, err error, retry func() tea.Cmd) tea.Cmd {
	if !Passing(err) {
		return nil
	}
	if o.Offline == nil {
		o.Offline = &outage{retries: map[task.Kind]func() tea.Cmd{}}
	}
	now, at := o.Offline, o.work.Now()
	now.Err, now.retries[k] = err, retry
	if at.Before(now.Next) {
		return nil // another task waits for that moment already
	}
	now.Tries++
	now.Began, now.Next = at, at.Add(now.pause())
	return o.await(now)
}

// await tries again after a pause, and goes on doing so: a try may end without an answer,
// since nobody wants it any more.
func (o *Outages) await(now *outage) tea.Cmd {
	next := now.Next
	return o.work.Tasks.After(now.pause(), func() tea.Cmd {
		if o.Offline != now || now.Next != next {
			return nil // over, or awaited anew
		}
		return tea.Batch(o.try(now), o.await(now))
	})
}

// try does again what failed, unless it is at it.
func (o *Outages) try(of *outage) tea.Cmd {
	var cmds []tea.Cmd
	for k, retry := range of.retries {
		if _, busy := o.work.Tasks.Since(k); !busy {
			cmds = append(cmds, retry())
		}
	}
	return tea.Batch(cmds...)
}

// Reached notes that the endpoint has answered a task: the others that failed go on.
func (o *Outages) Reached(k task.Kind) tea.Cmd {
	over := o.Offline
	if over == nil {
		return nil
	}
	o.Offline = nil
	delete(over.retries, k)
	return o.try(over)
}

// TryNow does not wait for the next try.
func (o *Outages) TryNow() tea.Cmd {
	if o.Offline == nil {
		return nil
	}
	now := o.Offline
	now.Next = o.work.Now()
	return tea.Batch(o.try(now), o.await(now))
}

// LoggedOut reports whether it is the log-in that is over.
func (o *outage) LoggedOut() bool { return client.KindOf(o.Err) == client.Expired }

// outage is an endpoint that does not answer, or not without another log-in: what is shown
// stays, and is tried again.
type outage struct {
	Err     error
	Tries   int
	Next    time.Time
	Began   time.Time
	retries map[task.Kind]func() tea.Cmd // what failed, and is done again
}

// pause is how long the next try is waited for.
func (o *outage) pause() time.Duration {
	return min(time.Duration(1)<<min(o.Tries, 5)*time.Second, 30*time.Second)
}
