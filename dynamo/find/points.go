package find

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
)

// readPoints reads the locks, the accounts whose id may be the query and the probable accounts, and queries
// the indexes, all in one round trip. Then it looks for locks whose keys need more than the value.
func (s *search) readPoints(ctx context.Context) error {
	asked := slices.DeleteFunc(slices.Clone(s.candidates), func(c *candidate) bool { return c.verbatim })
	asked = append(asked, s.scoped...)
	indexes := s.askIndexes(ctx, slices.Concat(asked, s.lockless), func(c *candidate) []string {
		return slices.Compact([]string{cmp.Or(s.query, c.rel.Value), c.rel.Text()})
	})
	byTable := map[string][]attr.Key{}
	for _, c := range s.candidates {
		if c.rel.Impossible == nil {
			byTable[c.rel.Lock.Table] = append(byTable[c.rel.Lock.Table], c.rel.Constraint.Forms(c.rel.Lock.Key)...)
		}
	}
	ids := s.ids()
	byTable[s.t.Name] = slices.Concat(byTable[s.t.Name], ids, s.probable)
	found, err := s.r.GetTables(ctx, byTable, true)
	if unlisted := indexes(); err == nil {
		err = unlisted
	}
	if err != nil {
		return err
	}
	for _, c := range s.candidates {
		if c.rel.Impossible != nil {
			continue
		}
		lock := &c.rel.Lock
		forms := c.rel.Constraint.Forms(lock.Key)
		*lock = schema.LockOf(c.rel.Constraint, lock.Table, lock.Key, found[lock.Table][lock.Key.ID()])
		for _, k := range forms {
			lock.InForm(c.rel.Constraint, k, found[lock.Table][k.ID()])
		}
		s.r.Note(lock.Table, lock.Key.String(), dynamo.LockFound(*lock), "consistent", 0)
		for _, k := range forms {
			if !k.Equal(lock.Key) && found[lock.Table][k.ID()] == nil {
				s.r.Note(lock.Table, k.String(), "lock not found", "consistent", 0)
			}
		}
	}
	for _, k := range s.probable {
		item := found[s.t.Name][k.ID()]
		if _, a := s.t.AccountOf(item); a != nil {
			s.add(*a, s.t.ClaimsOf(item))
			s.r.Note(s.t.Name, k.String(), "an account", "consistent", 0)
		}
	}
	for _, k := range ids {
		item := found[s.t.Name][k.ID()]
		if _, a := s.t.AccountOf(item); a != nil {
			s.byID[k.ID()] = true
			s.add(*a, s.t.ClaimsOf(item))
			s.r.Note(s.t.Name, k.String(), "an account", "consistent", 0)
		} else {
			s.r.Note(s.t.Name, k.String(), "account not found", "consistent", 0)
		}
	}
	return s.scopes(ctx, asked)
}

// ids lists the keys of the accounts whose id may be the query.
func (s *search) ids() []attr.Key {
	var keys []attr.Key
	for _, kind := range s.t.Layout.Accounts {
		if s.known {
			break
		}
		for _, id := range slices.Compact([]string{s.query, s.typed}) {
			for _, k := range kind.Keys(s.t.Schema, id, s.scope) {
				if !slices.ContainsFunc(keys, k.Equal) {
					keys = append(keys, k)
				}
			}
		}
	}
	return keys
}

// askIndexes queries the index of each candidate's constraint for accounts that hold the candidate's
// values. It starts all queries at once. wait waits for the answers and stores them in the candidates.
func (s *search) askIndexes(
	ctx context.Context, asked []*candidate, values func(*candidate) []string,
) (wait func() error) {
	type answer struct {
		c    *candidate
		keys []attr.Key
		more bool
		r    *client.Reader
		err  error
	}
	var answers []*answer
	var queries sync.WaitGroup
	for _, c := range asked {
		if dynamo.IndexOf(s.t, c.rel.Constraint) == "" {
			continue
		}
		c.indexed = c.rel.Constraint.Index != ""
		for _, v := range values(c) {
			a := &answer{c: c, r: s.t.Connection().Reader()}
			answers = append(answers, a)
			queries.Go(func() { a.keys, a.more, a.err = indexClaimants(ctx, s.t, a.r, c.rel.Constraint, v) })
		}
	}
	return func() (err error) {
		queries.Wait()
		for _, a := range answers {
			s.r.Units += a.r.Units
			s.r.Reads = append(s.r.Reads, a.r.Reads...)
			if client.KindOf(a.err) == client.Denied {
				// This role lacks the permission to query the index. Reading the accounts can still find the claimants.
				a.c.indexed = false
				s.r.Note(s.t.Name, dynamo.IndexOf(s.t, a.c.rel.Constraint), "not allowed: dynamodb:Query is denied", "not read", 0)
			} else if err == nil {
				err = a.err
			}
			a.c.hints, a.c.partial = append(a.c.hints, a.keys...), a.c.partial || a.more
		}
		return err
	}
}

// hinted reads each lock together with the accounts that an index or the lock itself names, and judges the
// lock. If such an account claims the lock, no sweep is needed.
func (f *finding) hinted(ctx context.Context) error {
	for _, c := range f.candidates {
		if c.rel.Impossible != nil || len(c.hints)+len(f.t.OwnerKeys(c.rel.Constraint, c.rel.Lock)) == 0 {
			continue
		}
		if err := f.together(ctx, c); err != nil {
			return err
		}
		c.judged = len(c.rel.Claimants) > 0
	}
	return nil
}

// indexClaimants queries a global index for the accounts that hold a value. An index lags behind its table,
// so the caller must read the accounts again from the table. more is true if the index lists further
// accounts.
func indexClaimants(
	ctx context.Context, t *dynamo.Table, r *client.Reader, c *layout.Constraint, v string,
) (keys []attr.Key, more bool, err error) {
	index := dynamo.IndexOf(t, c)
	key := dynamo.IndexKey(t, index)
	asked := attr.Value{Kind: t.Kinds[key], Text: v}
	if _, number := attr.Integer(v); asked.Kind == attr.N && !number {
		return nil, false, nil // the index holds numbers, and v is not a number
	}
	if v == "" {
		return nil, false, nil // an index key is never empty
	}
	page, err := r.Query(ctx, t.Name, attr.Schema{HashName: key}, asked, "",
		client.PageInput{Index: index, Limit: client.MaxBatch})
	if err != nil {
		return nil, false, err
	}
	for _, item := range page.Items {
		if k, ok := t.Schema.KeyOf(item); ok {
			keys = append(keys, k)
		}
	}
	found := "no account"
	if len(keys) > 0 {
		found = phrase.Count(len(keys), "account")
	}
	r.Note(t.Name, fmt.Sprintf("%s = %s", index, phrase.Quote(v)), found+" with this value", "index", page.Units)
	return keys, page.Last != nil, nil
}
