package change

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// reason is the field for the reason of a change.
type reason struct {
	kit.Field
	reasons  *session.Reasons
	question session.Question // the question it belongs to
}

// newReason returns a field with what was typed when the same was asked before.
func newReason(all *session.Reasons, at session.Question) reason {
	all.Given.Rest()
	return reason{kit.NewField(all.Draft(at)), all, at}
}

// The keys that recall earlier reasons, as in a shell. The arrows move between fields here.
const olderReason, newerReason = "ctrl+p", "ctrl+n"

// move assigns the reason to another option. Text that was edited for this one stays;
// otherwise the other option's draft comes back.
func (r *reason) move(asks string) {
	untouched := r.Value() == r.reasons.Draft(r.question)
	r.question.Asks = asks
	if untouched {
		r.Field = kit.NewField(r.reasons.Draft(r.question))
	}
}

// keep stores the text, and returns it.
func (r *reason) keep() string { return r.reasons.Keep(r.question, r.Value()) }

// recall puts an earlier reason into the field. It reports whether the key asks for that, and
// whether there was one.
func (r *reason) recall(msg tea.Msg) (asked, taken bool) {
	key, _ := msg.(tea.KeyPressMsg)
	text := ""
	switch key.String() {
	case olderReason:
		text, taken = r.reasons.Given.Older(r.Value())
	case newerReason:
		text, taken = r.reasons.Given.Newer()
	default:
		return false, false
	}
	if taken {
		r.Field = kit.NewField(text)
	}
	return true, taken
}

// placeholder is shown while the field is empty: why a reason is asked for.
func (r *reason) placeholder(why string) string {
	if r.reasons.Given.Empty() {
		return why
	}
	return why + " · " + olderReason + " as before"
}
