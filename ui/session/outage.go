package session

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
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

// Unreached takes an error of a background task in: what is Passing is tried again, longer
// apart each time.
func (o *Outages) Unreached(err error, retry func() tea.Cmd) tea.Cmd {
	if !Passing(err) {
		return nil
	}
	if o.Offline == nil {
		o.Offline = &outage{}
	}
	now := o.Offline
	now.Err, now.retry, now.Began = err, retry, o.work.Now()
	now.Tries++
	pause := min(time.Duration(1)<<min(now.Tries, 5)*time.Second, 30*time.Second)
	now.Next = now.Began.Add(pause)
	return o.work.Tasks.After(pause, func() tea.Cmd {
		if o.Offline != now || o.work.Now().Before(now.Next) {
			return nil
		}
		return now.retry()
	})
}

// Reached notes that the endpoint answers.
func (o *Outages) Reached() { o.Offline = nil }

// TryNow does not wait for the next try.
func (o *Outages) TryNow() tea.Cmd {
	if o.Offline == nil {
		return nil
	}
	return o.Offline.retry()
}

// LoggedOut reports whether it is the log-in that is over.
func (o *outage) LoggedOut() bool { return client.KindOf(o.Err) == client.Expired }

// outage is an endpoint that does not answer, or not without another log-in: what is shown
// stays, and is tried again.
type outage struct {
	Err   error
	Tries int
	Next  time.Time
	Began time.Time
	retry func() tea.Cmd
}
