package dynamo

import (
	"cmp"
	"context"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// candidate is one lock that could be blocking the query.
type candidate struct {
	rel      *Relation
	indexed  bool       // an index was asked for claimants
	verbatim bool       // the query as it was typed, which the layout would normalise
	respelt  bool       // another spelling of the query
	hints    []attr.Key // accounts that an index names
	settled  bool       // judged, with a claimant
}

// search is the locks that a query could mean, the accounts found on the way, and which
// of them claim the locks.
type search struct {
	t     *Table
	r     *client.Reader
	query string // without the white space around it
	typed string // as it was given
	// known: the locks are given, and the query is not looked for as an account's id.
	known      bool
	scope      map[string]string // what is known of it
	candidates []*candidate
	scoped     []*Relation                   // candidates whose locks need more than the value
	scopeWhy   map[*Relation]string          // what was found in the partitions of theirs
	accounts   []Account                     // in the order found
	claimants  map[string]map[string]Account // by lock, by account
	byID       map[string]bool
	respelt    int // spelling variants that only accounts showed
}

func newSearch(t *Table, typed string) *search {
	return &search{
		t: t, r: t.conn.Reader(), typed: typed, query: trimPasted(typed),
		claimants: map[string]map[string]Account{}, byID: map[string]bool{}, scopeWhy: map[*Relation]string{},
	}
}

// begin renders the locks that the query could mean.
func (s *search) begin() {
	for _, kind := range s.t.Layout.Accounts {
		for _, c := range kind.Constraints {
			table := c.LockTable(s.t.Name)
			add := func(v string, verbatim bool) {
				key, err := c.LockKey(s.t.SchemaOf(table), v, s.scope)
				rel := &Relation{Constraint: c, Value: v, err: err}
				if err != nil && c.Scoped() && v != "" {
					s.scoped = append(s.scoped, rel)
					return
				}
				if err == nil {
					rel.Lock = Lock{Table: table, Key: key}
				}
				s.candidates = append(s.candidates, &candidate{rel: rel, verbatim: verbatim})
			}
			v := layout.Normalise(c.Normalise, s.query)
			add(v, false)
			if v != s.query {
				add(s.query, true)
			}
			if s.typed != s.query && s.typed != v {
				add(s.typed, true)
			}
		}
	}
}

// readPoints reads the locks and the accounts by id, and asks the indexes, at once:
// one round trip.
func (s *search) readPoints(ctx context.Context) error {
	asked := slices.DeleteFunc(slices.Clone(s.candidates), func(c *candidate) bool { return c.verbatim })
	for _, rel := range s.scoped {
		asked = append(asked, &candidate{rel: rel})
	}
	indexes := s.askIndexes(ctx, asked, func(c *candidate) []string {
		return slices.Compact([]string{cmp.Or(s.query, c.rel.Value), c.rel.Value})
	})
	byTable := map[string][]attr.Key{}
	for _, c := range s.candidates {
		if c.rel.err == nil {
			byTable[c.rel.Lock.Table] = append(byTable[c.rel.Lock.Table], c.rel.Lock.Key)
		}
	}
	ids := s.ids()
	byTable[s.t.Name] = append(byTable[s.t.Name], ids...)
	found, err := s.r.GetTables(ctx, byTable)
	if unlisted := indexes(); err == nil {
		err = unlisted
	}
	if err != nil {
		return err
	}
	for _, c := range s.candidates {
		if c.rel.err != nil {
			continue
		}
		lock := &c.rel.Lock
		*lock = lockOf(c.rel.Constraint, lock.Table, lock.Key, found[lock.Table][lock.Key.ID()])
		s.r.Note(lock.Table, lock.Key.String(), lockFound(*lock), "consistent", 0)
	}
	for _, k := range ids {
		item := found[s.t.Name][k.ID()]
		if _, a := s.t.Match.account(item); a != nil {
			s.byID[k.ID()] = true
			s.add(*a)
			s.r.Note(s.t.Name, k.String(), "an account", "consistent", 0)
		} else {
			s.r.Note(s.t.Name, k.String(), "no such account", "consistent", 0)
		}
	}
	return s.scopes(ctx, asked)
}

// ids lists the keys of the accounts that the query could name.
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

// askIndexes asks, for each candidate that an index can tell of, who holds its values.
// The questions are sent at once; what is returned waits for the answers.
func (s *search) askIndexes(ctx context.Context, asked []*candidate, values func(*candidate) []string) (wait func() error) {
	type answer struct {
		c    *candidate
		keys []attr.Key
		r    *client.Reader
		err  error
	}
	answers := make(chan answer)
	queries := 0
	for _, c := range asked {
		if indexOf(s.t, c.rel.Constraint) == "" {
			continue
		}
		c.indexed = c.rel.Constraint.Index != ""
		for _, v := range values(c) {
			queries++
			go func() {
				r := s.t.conn.Reader()
				keys, err := indexClaimants(ctx, s.t, r, c.rel.Constraint, v)
				answers <- answer{c, keys, r, err}
			}()
		}
	}
	return func() (err error) {
		for range queries {
			a := <-answers
			s.r.Units += a.r.Units
			s.r.Reads = append(s.r.Reads, a.r.Reads...)
			if client.KindOf(a.err) == client.Denied {
				// Without the index the accounts themselves still tell.
				a.c.indexed = false
				s.r.Note(s.t.Name, indexOf(s.t, a.c.rel.Constraint), "not allowed: dynamodb:Query is denied", "index", 0)
			} else if err == nil {
				err = a.err
			}
			a.c.hints = append(a.c.hints, a.keys...)
		}
		return err
	}
}

func lockFound(l Lock) string {
	switch {
	case !l.Exists:
		return "no such lock"
	case l.Owner != "":
		return "exists, names " + l.Owner
	}
	return "exists, names no owner"
}

// hinted reads each lock together with the accounts that an index or the lock
// itself names, so that what exists is known, and judged, in two round trips.
func (f *finding) hinted(ctx context.Context) error {
	for _, c := range f.candidates {
		if c.rel.err != nil || len(c.hints)+len(f.t.Match.ownerKeys(c.rel.Constraint, c.rel.Lock)) == 0 {
			continue
		}
		if err := f.together(ctx, c); err != nil {
			return err
		}
		c.settled = len(c.rel.Claimants) > 0
	}
	return nil
}

// add keeps an account, and what it claims of the candidates.
func (s *search) add(a Account) {
	id := a.Key.ID()
	if slices.ContainsFunc(s.accounts, func(have Account) bool { return have.Key.ID() == id }) {
		return
	}
	relevant := s.byID[id]
	for _, c := range s.candidates {
		if c.rel.err != nil {
			continue
		}
		if s.t.Match.names(c.rel.Constraint, c.rel.Lock, &a) {
			relevant = true
		}
		if s.t.Match.claims(a.Item, c.rel.Lock) {
			lock := c.rel.Lock.Key.ID()
			if s.claimants[lock] == nil {
				s.claimants[lock] = map[string]Account{}
			}
			s.claimants[lock][id] = a
			relevant = true
		}
	}
	if relevant {
		s.accounts = append(s.accounts, a)
	}
}
