package change

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// reason is the field for why a change is made.
type reason struct {
	kit.Field
	all *session.Reasons
	at  session.Question // what it belongs to
}

// newReason holds what was typed when the same was asked before.
func newReason(all *session.Reasons, at session.Question) reason {
	all.Given.Rest()
	return reason{kit.NewField(all.Draft(at)), all, at}
}

// The keys that walk through the reasons given before, as in a shell: the arrows go from
// field to field here.
const olderReason, newerReason = "ctrl+p", "ctrl+n"

// move has the reason belong to another option. What was typed for this one stays where it is
// changed by now; else what was typed at the other comes back.
func (r *reason) move(asks string) {
	untouched := r.Value() == r.all.Draft(r.at)
	r.at.Asks = asks
	if untouched {
		r.Field = kit.NewField(r.all.Draft(r.at))
	}
}

// keep remembers what is typed, and answers it.
func (r *reason) keep() string { return r.all.Keep(r.at, r.Value()) }

// past takes a reason given before into the field. It reports whether the key asks for that,
// and whether there was one.
func (r *reason) past(msg tea.Msg) (asked, taken bool) {
	key, _ := msg.(tea.KeyPressMsg)
	text := ""
	switch key.String() {
	case olderReason:
		text, taken = r.all.Given.Older(r.Value())
	case newerReason:
		text, taken = r.all.Given.Newer()
	default:
		return false, false
	}
	if taken {
		r.Field = kit.NewField(text)
	}
	return true, taken
}

// placeholder stands in the field while there is no reason: why one is asked for.
func (r *reason) placeholder(why string) string {
	if r.all.Given.Empty() {
		return why
	}
	return why + " · " + olderReason + " as before"
}
