package find

import (
	"context"
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// scopes looks for locks whose keys need more than the value. If the partition key is known, it queries the
// locks' partition. It also reads the accounts that an index lists, since their claims show the full lock
// keys.
func (s *search) scopes(ctx context.Context, asked []*candidate) error {
	for _, c := range asked {
		if !slices.Contains(s.scoped, c) {
			continue
		}
		if err := s.partition(ctx, c); err != nil {
			return err
		}
		found, err := s.r.Get(ctx, s.t.Name, c.hints, true)
		if err != nil {
			return err
		}
		for _, key := range c.hints {
			kind, a := s.t.AccountOf(found[key.ID()])
			if a == nil {
				continue
			}
			claims := s.t.ClaimsBy(kind, a.Item)
			s.takeClaims(claims)
			s.add(*a, claims)
		}
	}
	return nil
}

// partition queries the partition of a value's locks, if only the sort keys of the locks are unknown. If it
// finds no lock of the value, scoped.why says so.
func (s *search) partition(ctx context.Context, scoped *candidate) error {
	c := scoped.rel.Constraint
	table := s.t.LockTable(c)
	schema := s.t.SchemaOf(table)
	hash, prefix, ok := c.Partition(schema, scoped.rel.Value, s.scope)
	if !ok {
		return nil
	}
	before, locks := s.r.Units, 0
	all := &client.Sweep{Page: func(ctx context.Context, in client.PageInput) (client.Page, error) {
		return s.r.Query(ctx, table, schema, hash, prefix, in)
	}}
	err := all.Run(ctx, func() float64 { return s.t.Connection().AutoReadUnits() - s.r.Units }, func(item attr.Item) {
		if s.takeLock(scoped, table, item) {
			locks++
		}
	})
	found, what := phrase.Count(locks, "lock")+" of the value", fmt.Sprintf("%s, %s…", hash.Display(), prefix)
	if client.KindOf(err) == client.Denied {
		s.r.Note(table, what, "not allowed: dynamodb:Query is denied", "not read", 0)
		return nil
	}
	if err != nil {
		return err
	}
	if !all.Complete {
		found = fmt.Sprintf("%s in the first %s; the rest was not read", found, phrase.Count(int(all.Items), "item"))
	} else if locks == 0 {
		scoped.why = fmt.Sprintf("no item at %s, %s… is a lock of the value; an account may still have the value",
			hash.Display(), prefix)
	}
	s.r.Note(table, what, found, "consistent", s.r.Units-before)
	return nil
}

// takeLock adds a lock as a candidate if the lock keeps the value of the given candidate, or another
// spelling of this value. It returns true if it has added the lock.
func (s *search) takeLock(scoped *candidate, table string, item attr.Item) bool {
	c, asked := scoped.rel.Constraint, scoped.rel.Value
	keys := s.t.SchemaOf(table)
	key, _ := keys.KeyOf(item)
	v, vars, ok := c.ParseLock(keys, key)
	if !ok || !c.Is.Holds(item) || c.Spelling(v) != c.Spelling(asked) {
		return false
	}
	if !agrees(vars, s.scope) {
		scoped.elsewhere = scoped.elsewhere || v == asked
		return false
	}
	lock := schema.LockOf(c, table, key, item)
	if s.candidate(lock) != nil || v != asked && s.variants >= mostVariants {
		return false
	}
	variant := v != asked &&
		!slices.ContainsFunc(s.scoped, func(own *candidate) bool { return own.rel.Constraint == c && own.rel.Value == v })
	rel := &verdict.Relation{Constraint: c, Value: v, Lock: lock}
	s.candidates = append(s.candidates, &candidate{variant: variant, rel: rel})
	if variant {
		s.variants++
	}
	return true
}

// agrees reports whether a key fits the scope of the question: each variable of the key either has the known
// value or is unknown.
func agrees(vars, known map[string]string) bool {
	for name, v := range known {
		if have, ok := vars[name]; ok && have != v {
			return false
		}
	}
	return true
}

// takeLocks adds an item of the sweep as a candidate if the item is a lock of a value whose lock key is
// unknown. So the sweep finds all such locks in the accounts' table. The sweep reads no other table.
func (s *search) takeLocks(item attr.Item) {
	for _, c := range s.scoped {
		if s.reaches(c) {
			s.takeLock(c, s.t.Name, item)
		}
	}
}

// reaches reports whether a sweep reads the locks of a candidate: they are in the accounts' table.
func (s *search) reaches(c *candidate) bool {
	return s.t.LockTable(c.rel.Constraint) == s.t.Name
}

// anew reports whether an interrupted sweep has to start again, because the keys of some locks are unknown.
// Only the sweep can find such a lock, and the application may have put one into the part that was already
// read.
func (w *accountSweep) anew() bool {
	return slices.ContainsFunc(w.searches, func(s *search) bool { return slices.ContainsFunc(s.scoped, s.reaches) })
}

// shown reports whether the answer lists c, a candidate of f.scoped without a known lock. It leaves out the
// query as typed if the layout would normalise the query and the sweep has shown that there is no such
// lock.
func (f *finding) shown(c *candidate) bool {
	return !c.verbatim || !f.whole.swept || !f.reaches(c)
}

// inAnyScope judges a value whose lock key is unknown: the key needs more than the value, and no lock or
// account provided the rest. The verdict can be free only if the sweep read the whole table and the locks
// are in this table.
func (f *finding) inAnyScope(c *candidate) *verdict.Relation {
	c.rel.Impossible = nil
	e := f.t.Facts(c.rel, nil, verdict.OthersAbsent)
	e.Unsought = f.unsought(c)
	if e.Unsought == "" {
		e.Holders = f.holdersOf(c.rel)
	}
	c.rel.Conclude(e)
	return c.rel
}

// unsought returns the reason why an account may hold the value in some scope. It is empty if the value is
// free in every scope.
func (f *finding) unsought(c *candidate) string {
	template := c.rel.Constraint.PK.String()
	switch {
	case f.whole.swept && f.reaches(c) && c.elsewhere:
		return "a lock keeps the value in another scope than yours (" + template + ")"
	case f.whole.swept && f.reaches(c) && slices.ContainsFunc(f.candidates, func(own *candidate) bool {
		return own.rel.Value == c.rel.Value && f.t.SharesKeys(own.rel.Constraint, c.rel.Constraint)
	}):
		return "another kind of account uses the same lock keys, and one such account has the value"
	case f.whole.swept && f.reaches(c):
		return f.whole.claimScan.Of(c.rel).AnyScopeDoubt()
	case c.why != "":
		return c.why
	}
	return "the lock's key needs more than the value (" + template + "), and no account shows the other parts"
}
