package find

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
	"tallylock/ui/say"
)

// mainOf returns the main relation of an answer: the first broken one, else the first unknown one
// with a lock, else the first one with a lock, else the first. It is nil if there is none.
func mainOf(a *find.Answer) *verdict.Relation {
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
	rank := func(r *verdict.Relation) int {
		switch {
		case r.Verdict.Broken():
			return 3
		case r.Verdict == verdict.Unknown && r.Lock.Exists:
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

// byID returns the account that has the query as its id, if no lock keeps the query as a value;
// else nil.
func byID(a *find.Answer) *find.Holder {
	for _, r := range a.Locks {
		if r.Verdict != verdict.Free {
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

// sentence returns the answer as a sentence about its main relation. If the value is free for
// several constraints, the sentence names them all.
func sentence(a *find.Answer) string {
	main := mainOf(a)
	if h := byID(a); h != nil {
		if main.Verdict != verdict.Held {
			return main.Sentence()
		}
		return fmt.Sprintf("%s is an account, and its locks keep what it holds.", h.Key.Hash.Value.Display())
	}
	var free []string
	for _, r := range a.Locks {
		if r.Verdict != verdict.Free || r.Value != main.Value {
			return main.Sentence()
		}
		free = append(free, r.Constraint.Name)
	}
	if len(free) < 2 {
		return main.Sentence()
	}
	return fmt.Sprintf("\"%s\" is free, as %s.", main.Value, say.AList(free, "and as"))
}

// inWords returns the answer as text for a ticket: a line for each value.
func inWords(a *find.Answer) string {
	values := slices.Concat(a.Locks, a.Unlocked)
	for _, h := range a.Accounts {
		if h.ByID {
			values = append(values, h.Values...)
		}
	}
	lines := []string{fmt.Sprintf("%q in %s, looked up %s:", a.Query, a.Table, a.At.Format("2006-01-02 15:04:05 MST"))}
	for _, r := range values {
		line := fmt.Sprintf("- %s: %s. %s %s", r.Constraint.Name, r.Verdict, r.Sentence(), say.Sentence(say.Consequence(r)))
		lines = append(lines, strings.TrimSpace(line))
	}
	if note := a.Note(); note != "" {
		lines = append(lines, say.Sentence(note))
	}
	if !a.Complete {
		lines = append(lines, "The answer is incomplete.")
	}
	return strings.Join(lines, "\n") + "\n"
}
