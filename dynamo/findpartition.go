package dynamo

import (
	"context"
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// scopes looks for locks whose key needs more than the value: in their partition, where
// that is known, and by the accounts that an index lists.
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
			kind, a := s.t.Match.account(found[key.ID()])
			if a == nil {
				continue
			}
			claims := kind.Claims(s.t.Name, s.t.SchemaOf, a.Item)
			s.takeClaims(claims)
			s.add(*a, claims)
		}
	}
	return nil
}

// partition asks for the locks of a value whose partition key is known, and whose sort
// keys are not. scoped says in the end why nothing was found.
func (s *search) partition(ctx context.Context, scoped *candidate) error {
	c := scoped.rel.Constraint
	table := c.LockTable(s.t.Name)
	schema := s.t.SchemaOf(table)
	hash, prefix, ok := c.Partition(schema, scoped.rel.Value, s.scope)
	if !ok {
		return nil
	}
	before, locks := s.r.Units, 0
	all := &client.Sweep{Page: func(ctx context.Context, in client.PageInput) (client.Page, error) {
		return s.r.Query(ctx, table, schema, hash, prefix, in)
	}}
	err := all.Run(ctx, func() float64 { return s.t.conn.AutoReadUnits() - s.r.Units }, func(item attr.Item) {
		if s.takeLock(scoped, table, item) {
			locks++
		}
	})
	found, what := phrase.Count(locks, "lock")+" of it", fmt.Sprintf("%s, %s…", hash.Display(), prefix)
	if client.KindOf(err) == client.Denied {
		s.r.Note(table, what, "not allowed: dynamodb:Query is denied", "not read", 0)
		return nil
	}
	if err != nil {
		return err
	}
	if !all.Complete {
		found = fmt.Sprintf("%s among %s; there are more", found, phrase.Count(int(all.Items), "item"))
	} else if locks == 0 {
		scoped.why = fmt.Sprintf("no lock of %s begins with %s and keeps it; whether an account has it is not known", hash.Display(), prefix)
	}
	s.r.Note(table, what, found, "consistent", s.r.Units-before)
	return nil
}

// takeLock adds a lock as a candidate that keeps the value of a scoped one, and reports
// whether it is new.
func (s *search) takeLock(scoped *candidate, table string, item attr.Item) bool {
	c, asked := scoped.rel.Constraint, scoped.rel.Value
	schema := s.t.SchemaOf(table)
	key, _ := schema.KeyOf(item)
	v, vars, ok := c.ParseLock(schema, key)
	if !ok || !c.Is.Holds(item) || c.Spelling(v) != c.Spelling(asked) {
		return false
	}
	if !agrees(vars, s.scope) {
		scoped.elsewhere = scoped.elsewhere || v == asked
		return false
	}
	lock := lockOf(c, table, key, item)
	if s.candidate(lock) != nil || v != asked && s.variants >= mostVariants {
		return false
	}
	variant := v != asked &&
		!slices.ContainsFunc(s.scoped, func(own *candidate) bool { return own.rel.Constraint == c && own.rel.Value == v })
	s.candidates = append(s.candidates, &candidate{variant: variant, rel: &Relation{Constraint: c, Value: v, Lock: lock}})
	if variant {
		s.variants++
	}
	return true
}

// agrees reports whether what a key says does not contradict what is known.
func agrees(vars, known map[string]string) bool {
	for name, v := range known {
		if have, ok := vars[name]; ok && have != v {
			return false
		}
	}
	return true
}
