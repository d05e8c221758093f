package dynamo

import (
	"context"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/spelling"
)

// NearMiss is a spelling that people mix up with the query, and that is in use.
type NearMiss struct {
	Relation *Relation
	// How says in what it differs: "a capital letter", "Cyrillic а, U+0430".
	How string
}

// mostVariants bounds how many spelling variants of the query are shown that only
// accounts were seen to hold.
const mostVariants = 3

// spellingSearch looks for spelling variants of the query.
type spellingSearch struct {
	*search
	tried      int // variants that were looked for
	nearMisses []NearMiss
}

// look looks for the query in other spellings. Where nothing is found as it was
// typed, the same word spelt otherwise is what the question was about: its locks, and
// the accounts that an index lists under it, become readings of the query. The others
// are near misses, which are looked for where near is set; of a word that is in use only
// those that differ in one way, unless the question is about a given lock. Locks are read eventually
// consistent, since seeing one proves that it existed; readings are read again.
func (l *spellingSearch) look(ctx context.Context, near bool) error {
	typed := l.asTyped() || l.found()
	var tried []*NearMiss
	var variants []*candidate
	for _, kind := range l.t.Layout.Accounts {
		for _, c := range kind.Constraints {
			for _, s := range spelling.Variants(l.query) {
				alike := s.SameWord && !typed
				if typed && s.Changes > 1 && !l.known {
					continue
				}
				v := c.Normalised(s.Text)
				rel := &Relation{Constraint: c, Value: v, Lock: Lock{Table: c.LockTable(l.t.Name)}}
				rel.Lock.Key, rel.err = c.LockKey(l.t.SchemaOf(rel.Lock.Table), v, l.scope)
				if rel.err != nil || !alike && !near || l.candidate(rel.Lock) != nil ||
					slices.ContainsFunc(tried, func(n *NearMiss) bool { return samePlace(n.Relation.Lock, rel.Lock) }) {
					continue
				}
				tried = append(tried, &NearMiss{How: s.How, Relation: rel})
				if alike {
					variants = append(variants, &candidate{rel: rel, variant: true})
				}
			}
		}
	}
	l.tried = len(tried)
	if err := l.readLocks(ctx, tried); err != nil {
		return err
	}
	if err := l.askIndexes(ctx, variants, func(c *candidate) []string { return []string{c.rel.text()} })(); err != nil {
		return err
	}
	for _, n := range tried {
		at := slices.IndexFunc(variants, func(c *candidate) bool { return c.rel == n.Relation })
		switch {
		case at >= 0 && (n.Relation.Lock.Exists || len(variants[at].hints) > 0):
			l.candidates = append(l.candidates, variants[at])
			l.tried-- // it is no other word any more
		case n.Relation.Lock.Exists && near:
			unsought(n.Relation, "only its lock was looked at")
			l.nearMisses = append(l.nearMisses, *n)
		}
	}
	return nil
}

func (l *spellingSearch) readLocks(ctx context.Context, tried []*NearMiss) error {
	byTable := map[string][]attr.Key{}
	for _, n := range tried {
		byTable[n.Relation.Lock.Table] = append(byTable[n.Relation.Lock.Table], n.Relation.Lock.Key)
	}
	for table, keys := range byTable {
		before := l.r.Units
		found, err := l.r.Get(ctx, table, keys, false)
		if err != nil {
			return err
		}
		for _, n := range tried {
			if lock := &n.Relation.Lock; lock.Table == table {
				*lock = lockOf(n.Relation.Constraint, table, lock.Key, found[lock.Key.ID()])
			}
		}
		l.r.Note(table, phrase.Count(len(keys), "spelling"), phrase.Count(len(found), "lock")+" of them", "eventual",
			l.r.Units-before)
	}
	return nil
}
