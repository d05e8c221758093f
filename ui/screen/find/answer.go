package find

import (
	"fmt"
	"strings"

	"tallylock/dynamo"
	"tallylock/ui/words"
)

// mainOf is the relation that an answer is about: the first that is broken, else
// one that stops somebody, else the first. It is nil where there is none.
func mainOf(a *dynamo.Answer) *dynamo.Relation {
	if a == nil {
		return nil
	}
	of := a.Locks
	if h := byID(a); h != nil {
		of = h.Values
	}
	if len(of) == 0 {
		return nil
	}
	best := of[0]
	rank := func(r *dynamo.Relation) int {
		switch {
		case r.Verdict.Broken():
			return 3
		case r.Verdict == dynamo.Unknown && r.Lock.Exists:
			return 2
		case r.Lock.Exists:
			return 1
		}
		return 0
	}
	for _, r := range of {
		if rank(r) > rank(best) {
			best = r
		}
	}
	return best
}

// byID is the account that an answer is about: one was found by its id, and
// nothing keeps the word as a value.
func byID(a *dynamo.Answer) *dynamo.Holder {
	for _, r := range a.Locks {
		if r.Verdict != dynamo.Free {
			return nil
		}
	}
	for n := range a.Accounts {
		if h := &a.Accounts[n]; h.ByID && len(h.Values) > 0 {
			return h
		}
	}
	return nil
}

// sentence says what an answer is: of its main relation or, where nobody uses the
// word in any way, of all.
func sentence(a *dynamo.Answer) string {
	main := mainOf(a)
	if h := byID(a); h != nil {
		if main.Verdict != dynamo.Held {
			return main.Sentence()
		}
		return fmt.Sprintf("%s is an account, and its locks keep what it holds.", h.Key.Hash.Value.Display())
	}
	var free []string
	for _, r := range a.Locks {
		if r.Verdict != dynamo.Free || r.Value != main.Value {
			return main.Sentence()
		}
		free = append(free, r.Constraint.Name)
	}
	if len(free) < 2 {
		return main.Sentence()
	}
	return fmt.Sprintf("\"%s\" is free, as %s.", main.Value, words.AList(free, "and as"))
}

// inWords is an answer as sentences for a ticket.
func inWords(a *dynamo.Answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q in %s, looked up %s:\n", a.Query, a.Table, a.At.Format("2006-01-02 15:04:05 MST"))
	for _, r := range a.Locks {
		fmt.Fprintf(&b, "- %s: %s. %s", r.Constraint.Name, r.Verdict, r.Sentence())
		if so := words.Consequence(r); so != "" {
			fmt.Fprintf(&b, " %s", words.Sentence(so))
		}
		b.WriteByte('\n')
	}
	for _, u := range a.Unlocked {
		fmt.Fprintf(&b, "- %s: %s. %s\n", u.Constraint.Name, u.Verdict, u.Sentence())
	}
	for _, h := range a.Accounts {
		if !h.ByID {
			continue
		}
		fmt.Fprintf(&b, "- account id: %s is an account.\n", h.Key.Hash.Value.Display())
		for _, r := range h.Values {
			fmt.Fprintf(&b, "  - %s: %s. %s\n", r.Constraint.Name, r.Verdict.OfValue(), r.Sentence())
		}
	}
	if note := a.Note(); note != "" {
		fmt.Fprintf(&b, "%s\n", words.Sentence(note))
	}
	if !a.Complete {
		b.WriteString("Not everything could be told.\n")
	}
	return b.String()
}
