package session

import (
	"strings"

	"tallylock/ui/kit"
)

// Question tells what is asked about a change from all else that is asked.
type Question struct {
	Connection string
	Asks       string // "Release a lock"
	Of         string // what it is about, told apart from all else of the connection
}

// Reasons are what people gave as their reasons. A reason comes back by itself only to the
// question that it was typed at: of another change it would be a false entry in the journal,
// one enter away.
type Reasons struct {
	Given  kit.History // for whatever change, to be taken with a key
	drafts map[Question]string
}

// Draft is what was typed at a question that was left; empty where it was not, or where the
// change was made since.
func (r *Reasons) Draft(q Question) string { return r.drafts[q] }

// Keep remembers the reason typed at a question, and answers it trimmed.
func (r *Reasons) Keep(q Question, typed string) string {
	reason := strings.TrimSpace(typed)
	if reason != "" {
		r.Given.Add(reason)
	}
	if r.drafts == nil {
		r.drafts = map[Question]string{}
	}
	r.drafts[q] = reason
	return reason
}

// Made forgets what was typed at a question: the change was made, and the next is another.
func (r *Reasons) Made(q Question) { delete(r.drafts, q) }
