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

// finding is the work of one question.
type finding struct {
	t          *Table
	r          *client.Reader
	query      string // without the white space around it
	typed      string // as it was given
	candidates []*candidate
	accounts   []Account                     // in the order found
	claimants  map[string]map[string]Account // by lock, by account
	byID       map[string]bool
	called     map[string][]attr.Key // by lock: who calls for it, as far as a small table was read
	all        *sweep                // of the account table; nil before it is begun
	swept      bool
	denied     bool       // the whole table may not be read
	claimScan  *ClaimScan // of the sweep
	reader     *ClaimReader
	scope      map[string]string    // what is known of it
	scoped     []*Relation          // readings whose locks need more than the value
	scopeWhy   map[*Relation]string // what was found in the partitions of theirs
	only       bool                 // known locks, and no account by id
	points     bool                 // the whole table is not read, however small
	respelt    int                  // other spellings that only accounts told of
	tried      int                  // other spellings that were looked for
	nearMisses []NearMiss
}

// begin renders the locks that the query could mean.
func (f *finding) begin() {
	for _, kind := range f.t.Layout.Accounts {
		for _, c := range kind.Constraints {
			table := c.LockTable(f.t.Name)
			add := func(v string, verbatim bool) {
				key, err := c.LockKey(f.t.SchemaOf(table), v, f.scope)
				rel := &Relation{Constraint: c, Value: v, err: err}
				if err != nil && c.Scoped() && v != "" {
					f.scoped = append(f.scoped, rel)
					return
				}
				if err == nil {
					rel.Lock = Lock{Table: table, Key: key}
				}
				f.candidates = append(f.candidates, &candidate{rel: rel, verbatim: verbatim})
			}
			v := layout.Normalise(c.Normalise, f.query)
			add(v, false)
			if v != f.query {
				add(f.query, true)
			}
			if f.typed != f.query && f.typed != v {
				add(f.typed, true)
			}
		}
	}
}

// readPoints reads the locks and the accounts by id, and asks the indexes, at once:
// one round trip.
func (f *finding) readPoints(ctx context.Context) error {
	asked := slices.DeleteFunc(slices.Clone(f.candidates), func(c *candidate) bool { return c.verbatim })
	for _, s := range f.scoped {
		asked = append(asked, &candidate{rel: s})
	}
	indexes := f.askIndexes(ctx, asked, func(c *candidate) []string {
		return slices.Compact([]string{cmp.Or(f.query, c.rel.Value), c.rel.Value})
	})
	byTable := map[string][]attr.Key{}
	for _, c := range f.candidates {
		if c.rel.err == nil {
			byTable[c.rel.Lock.Table] = append(byTable[c.rel.Lock.Table], c.rel.Lock.Key)
		}
	}
	ids := f.ids()
	byTable[f.t.Name] = append(byTable[f.t.Name], ids...)
	found, err := f.r.GetTables(ctx, byTable)
	if unlisted := indexes(); err == nil {
		err = unlisted
	}
	if err != nil {
		return err
	}
	for _, c := range f.candidates {
		if c.rel.err != nil {
			continue
		}
		lock := &c.rel.Lock
		*lock = lockOf(c.rel.Constraint, lock.Table, lock.Key, found[lock.Table][lock.Key.ID()])
		f.r.Note(lock.Table, lock.Key.String(), lockFound(*lock), "consistent", 0)
	}
	for _, k := range ids {
		item := found[f.t.Name][k.ID()]
		if _, a := f.t.Match.account(item); a != nil {
			f.byID[k.ID()] = true
			f.add(*a)
			f.r.Note(f.t.Name, k.String(), "an account", "consistent", 0)
		} else {
			f.r.Note(f.t.Name, k.String(), "no such account", "consistent", 0)
		}
	}
	return f.scopes(ctx, asked)
}

// ids lists the keys of the accounts that the query could name.
func (f *finding) ids() []attr.Key {
	var keys []attr.Key
	for _, kind := range f.t.Layout.Accounts {
		if f.only {
			break
		}
		for _, id := range slices.Compact([]string{f.query, f.typed}) {
			for _, k := range kind.Keys(f.t.Schema, id, f.scope) {
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
func (f *finding) askIndexes(ctx context.Context, asked []*candidate, values func(*candidate) []string) (wait func() error) {
	type answer struct {
		c    *candidate
		keys []attr.Key
		r    *client.Reader
		err  error
	}
	answers := make(chan answer)
	queries := 0
	for _, c := range asked {
		if indexOf(f.t, c.rel.Constraint) == "" {
			continue
		}
		c.indexed = c.rel.Constraint.Index != ""
		for _, v := range values(c) {
			queries++
			go func() {
				r := f.t.conn.Reader()
				keys, err := indexClaimants(ctx, f.t, r, c.rel.Constraint, v)
				answers <- answer{c, keys, r, err}
			}()
		}
	}
	return func() (err error) {
		for range queries {
			a := <-answers
			f.r.Units += a.r.Units
			f.r.Reads = append(f.r.Reads, a.r.Reads...)
			if client.KindOf(a.err) == client.Denied {
				// Without the index the accounts themselves still tell.
				a.c.indexed = false
				f.r.Note(f.t.Name, indexOf(f.t, a.c.rel.Constraint), "not allowed: dynamodb:Query is denied", "index", 0)
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
func (f *finding) add(a Account) {
	id := a.Key.ID()
	if slices.ContainsFunc(f.accounts, func(have Account) bool { return have.Key.ID() == id }) {
		return
	}
	relevant := f.byID[id]
	for _, c := range f.candidates {
		if c.rel.err != nil {
			continue
		}
		if f.t.Match.names(c.rel.Constraint, c.rel.Lock, &a) {
			relevant = true
		}
		if f.t.Match.claims(a.Item, c.rel.Lock) {
			lock := c.rel.Lock.Key.ID()
			if f.claimants[lock] == nil {
				f.claimants[lock] = map[string]Account{}
			}
			f.claimants[lock][id] = a
			relevant = true
		}
	}
	if relevant {
		f.accounts = append(f.accounts, a)
	}
}
