package dynamo

import (
	"context"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// RereadOptions say how far Reread searches for the accounts that claim a lock, beyond
// those that the lock or an index names.
type RereadOptions struct {
	// Accounts are read together with the locks.
	Accounts []attr.Key
	// OneClaimant: it is enough to know that somebody claims a lock that exists. Once one
	// claimant is found no other is searched for, and none for a lock that is gone.
	OneClaimant bool
	// Points: no whole table is read, however small.
	Points bool
}

// Reread reads relations again, each lock together with its claimants, and judges them.
// Where that costs no more than AutoReadUnits it reads the whole table for claimants;
// whole reports whether it did.
func (t *Table) Reread(
	ctx context.Context, o RereadOptions, rels ...*Relation,
) (fresh []*Relation, whole bool, err error) {
	t.RecallAnswers() // a change that is planned rests on what people have said by now
	f := newFinding(newSearch(t, ""))
	f.known = true
	for _, rel := range rels {
		again := &Relation{
			Constraint: rel.Constraint,
			Value:      rel.Value,
			Typed:      rel.Typed,
			Malformed:  rel.Malformed,
			Lock:       Lock{Table: rel.Lock.Table, Key: rel.Lock.Key},
		}
		f.candidates = append(f.candidates, &candidate{rel: again, hints: slices.Clone(o.Accounts)})
		fresh = append(fresh, again)
	}
	if err := f.readPoints(ctx); err != nil {
		return nil, false, err
	}
	everybody := !o.Points
	if o.OneClaimant {
		if err := f.hinted(ctx); err != nil {
			return nil, false, err
		}
		everybody = everybody &&
			slices.ContainsFunc(f.candidates, func(c *candidate) bool { return c.rel.Lock.Exists && f.open(c) })
	}
	if everybody {
		if err := f.whole.read(ctx, false); err != nil {
			return nil, false, err
		}
	}
	if err := f.judgeTogether(ctx); err != nil {
		return nil, false, err
	}
	return fresh, f.whole.swept, nil
}

// AccountAt reads one account, strongly consistent. Both are nil where there is no
// such account.
func AccountAt(ctx context.Context, t *Table, key attr.Key) (*layout.Account, *Account, error) {
	found, err := t.conn.Reader().Get(ctx, t.Name, []attr.Key{key}, true)
	if err != nil {
		return nil, nil, err
	}
	kind, a := t.Match.account(found[key.ID()])
	return kind, a, nil
}

// Near looks for spellings of a value that people mix up with it and that locks
// of the constraint keep, by eventually consistent point reads.
func Near(ctx context.Context, t *Table, c *layout.Constraint, v string) ([]NearMiss, error) {
	s := newSearch(t, v)
	s.query, s.known = v, true
	s.begin()
	variants := &spellingSearch{search: s}
	if err := variants.look(ctx, true); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(variants.nearMisses, func(n NearMiss) bool { return n.Relation.Constraint != c }), nil
}
