package change

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/ui/kit"
)

// The keys that walk through the reasons given before, as in a shell: the arrows go from
// field to field here.
const olderReason, newerReason = "ctrl+p", "ctrl+n"

// keepReason remembers what is typed as the reason, and answers it.
func (f *form) keepReason() string { return f.Reasons.Keep(f.question, f.reason.Value()) }

// pastReason takes a reason given before into the field, from wherever the focus is, and
// reports whether the key asked for that.
func (f *form) pastReason(msg tea.Msg) bool {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false
	}
	text, given := "", false
	switch key.String() {
	case olderReason:
		text, given = f.Reasons.Given.Older(f.reason.Value())
	case newerReason:
		text, given = f.Reasons.Given.Newer()
	default:
		return false
	}
	if given {
		f.reason, f.focus = kit.NewField(text), stopReason
	}
	return true
}

// reasonGhost stands in the field while there is no reason.
func (f *form) reasonGhost() string {
	ghost := "why, for the journal"
	switch {
	case f.reasonNeeded():
		ghost = "why: there is no change without one"
	case f.conn.WhyReadOnly() != "":
		ghost = "why, for the plan"
	}
	if !f.Reasons.Given.Empty() {
		ghost += " · " + olderReason + " as before"
	}
	return ghost
}
