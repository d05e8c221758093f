package check

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Refuses is why a check would not begin, since nothing of the layout fits; nil where it
// would. It reads nothing.
func Refuses(t *dynamo.Table, o Options) error {
	o.fill()
	c := &checker{t: t, o: o, sources: sources(t)}
	c.rules, c.ruleOf = rulesOf(t, c.sources)
	return c.fit()
}

// fit asks how well the layout fits what was seen of the table when it was opened. It
// answers an error where nothing of it does: then the table need not be paid for.
func (c *checker) fit() error {
	if len(c.rules) == 0 || !c.ofLocks() {
		return nil
	}
	var unfit []*rule
	for _, r := range c.rules {
		fit := c.t.FitOf(r.Constraint)
		if fit.Unnamed > 0 && r.first.owned {
			c.unowned(r)
		}
		switch fit.Standing() {
		case layout.Contradicted:
			unfit = append(unfit, r)
		case layout.Thin:
			if fit.Values >= enoughToSay && len(fit.Rivals) == 0 { // which the reading tells of
				c.warn("nothing of %s is sure: %s", r.Name, fit.Why())
			}
		case layout.Supported:
			if against := fit.Against(); against != "" {
				c.warn("the layout %s is trusted about %s all the same: %s", c.t.Layout.Name, r.Name, against)
			}
		}
	}
	if len(unfit) == len(c.rules) {
		return c.t.Misfit("checking "+c.t.Name, nil)
	}
	for _, r := range unfit {
		c.misfit(r, c.warn)
	}
	return nil
}

// enoughToSay is how many values there have to be for a thin fit to be said at once.
const enoughToSay = 10

// misfit notes, once, that a constraint does not fit, which keeps the check from being
// complete.
func (c *checker) misfit(r *rule, say func(format string, args ...any)) {
	if !r.unfit {
		r.unfit = true
		c.lacks("the layout does not fit %s", r.Name)
		say("%s is not judged, since the layout does not fit it: %s", r.Name, c.t.FitOf(r.Constraint).Why())
	}
}

// learn judges the layout again by what a whole reading has met, and by what the look
// has found to hold the values of locks that no account calls for.
func (l *look) learn(rels []*dynamo.Relation) {
	c := l.c
	c.t.LearnShapes(l.search)
	if !l.share.all() {
		return // what a part of the keys says of all of them is no count
	}
	missing, twice, foreign := map[*layout.Constraint]int{}, map[*layout.Constraint]int{}, map[*layout.Constraint]int{}
	for _, s := range l.suspects {
		s.mu.Lock()
		if s.rel != nil && len(s.claimants) > 0 {
			if !s.rel.Lock.Exists {
				missing[s.rel.Constraint]++
			}
			twice[s.rel.Constraint] += len(s.claimants) - 1 + s.more
			if s.rel.Lock.Owner != "" && !slices.ContainsFunc(s.claimants, func(a dynamo.Account) bool { return c.t.Names(s.rel, &a) }) {
				foreign[s.rel.Constraint]++
			}
		}
		s.mu.Unlock()
	}
	for _, r := range c.rules {
		of, con := c.count.of[r.at], r.Constraint
		c.t.Learn(con, func(e *layout.Evidence) {
			e.Whole, e.Items, e.Accounts = true, int(c.summary.Items), int(c.count.accounts)
			e.Claims, e.Locks = int(of.calls), int(c.count.of[r.first.at].locks)
			e.Values = max(e.Claims-twice[con], 0)
			e.Locked = max(e.Values-missing[con], 0)
			if r.first.owned {
				e.Met, e.MetRight = e.Locked, max(e.Locked-foreign[con], 0)
			}
		})
	}
	c.t.LearnSightings(l.search, rels)
	for _, r := range c.rules {
		if c.t.FitOf(r.Constraint).Standing() == layout.Contradicted {
			c.misfit(r, c.remark)
		}
		if say := c.t.SayRival(r.Constraint); say != "" {
			c.remark("no finding of %s is confirmed: %s %s", r.Name, c.t.FitOf(r.Constraint).Why(), say)
		}
	}
}

// unowned says that not every lock of a constraint names an owner: then owners
// cannot be compared.
func (c *checker) unowned(r *rule) {
	r.first.owned = false
	c.warn("not every %s lock names an account: locks that name the wrong one are not looked for", r.Name)
}

// unfit says why a finding of a constraint is not to be confirmed; empty where the
// layout fits.
func (c *checker) unfit(con *layout.Constraint) string {
	fit := c.t.FitOf(con)
	switch fit.Standing() {
	case layout.Contradicted:
		return "the layout does not fit: " + fit.Why()
	case layout.Thin:
		return "whether the layout fits is not sure: " + fit.Why()
	}
	return ""
}

// denied reports whether single items may not be read, in a check that does
// without them.
func (c *checker) denied(err error) bool {
	return c.o.Confirm == ConfirmNone && client.KindOf(err) == client.Denied
}
