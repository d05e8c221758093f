package dynamo

import (
	"slices"

	"tallylock/dynamo/attr"
)

// takeLocks adds what is a lock of a value whose key needs more than the value: the sweep
// of the accounts' table meets all of them that are kept there.
func (w *accountSweep) takeLocks(item attr.Item) {
	for _, c := range w.scoped {
		if w.reaches(c) {
			w.takeLock(c, w.t.Name, item)
		}
	}
}

// reaches reports whether the sweep of the accounts' table meets a constraint's locks.
func (w *accountSweep) reaches(c *candidate) bool {
	return c.rel.Constraint.LockTable(w.t.Name) == w.t.Name
}

// anew reports whether a sweep that stopped is begun again rather than gone on with: a
// lock that is put meanwhile in what was read has a key that nobody can ask for.
func (w *accountSweep) anew() bool { return slices.ContainsFunc(w.scoped, w.reaches) }

// shown reports whether a value of which no lock was found in any scope is answered: not
// the query as it was typed, where the layout would normalise it and all locks were seen.
func (f *finding) shown(c *candidate) bool {
	return !c.verbatim || !f.whole.swept || !f.whole.reaches(c)
}

// inAnyScope judges a value whose lock's key needs more than the value, and of which no
// lock and no account was found that tells the rest. It is free where the whole table was
// read, and its locks are in it.
func (f *finding) inAnyScope(c *candidate) *Relation {
	c.rel.err = nil
	e := f.t.Match.evidence(c.rel, nil, OthersAbsent)
	e.Unsought = f.unsought(c)
	if e.Unsought == "" {
		e.Holders = f.whole.holdersOf(c.rel)
	}
	c.rel.conclude(e)
	return c.rel
}

// unsought is why it is not known of a value whether any scope has it; empty where it is
// known that none does.
func (f *finding) unsought(c *candidate) string {
	template := c.rel.Constraint.PK.String()
	switch {
	case f.whole.swept && f.whole.reaches(c) && c.elsewhere:
		return "a lock keeps it in another scope than the one that was asked for (" + template + ")"
	case f.whole.swept && f.whole.reaches(c) && slices.ContainsFunc(f.candidates, func(own *candidate) bool {
		return own.rel.Value == c.rel.Value && own.rel.Constraint.SamePlace(f.t.Name, c.rel.Constraint)
	}):
		return "another kind of account keeps its values in the same place, and there it is in use"
	case f.whole.swept && f.whole.reaches(c):
		return f.whole.claimScan.Of(c.rel).anyScopeDoubt()
	case c.why != "":
		return c.why
	}
	return "the layout keeps these locks by more than the value (" + template + "), and no account tells the rest"
}
