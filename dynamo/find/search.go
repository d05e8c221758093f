package find

import (
	"context"
	"maps"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// candidate is a lock that could block a sign-up with the query.
type candidate struct {
	rel      *verdict.Relation
	indexed  bool       // an index was queried for claimants
	verbatim bool       // the value is the query as typed, not normalised
	variant  bool       // another spelling of the query
	hints    []attr.Key // accounts that an index lists or the caller names
	judged   bool       // the lock was judged, and has a claimant
	partial  bool       // an index lists more accounts than hints
	// claimants are the first accounts that were found to hold the value. claiming counts the accounts of the sweep that
	// hold it.
	claimants []attr.Key
	claiming  int
	// why is set if the method partition found no lock of the value. It says so in words.
	why  string
	kind *layout.Account // set only for a constraint without locks
	// elsewhere is true if a lock keeps the value in a scope other than the query's.
	elsewhere bool
}

// search has the locks that the query could mean, and the accounts that the search has found.
type search struct {
	t     *dynamo.Table
	r     *client.Reader
	query string // the question without white space around it
	typed string // the question as it was typed
	// known is true if the caller has named the locks. Then the search does not try the query as an account's id.
	known      bool
	scope      map[string]string // known variables of lock keys
	probable   []attr.Key        // accounts that probably hold the query
	candidates []*candidate
	scoped     []*candidate              // candidates whose lock keys need more than the value
	lockless   []*candidate              // values without locks
	accounts   map[string]schema.Account // found accounts (see add), by key
	byID       map[string]bool
	variants   int // number of candidates found as spelling variants in items
}

func newSearch(t *dynamo.Table, typed string) *search {
	return &search{
		t: t, r: t.Connection().Reader(), typed: typed, query: layout.TrimPasted(typed),
		accounts: map[string]schema.Account{}, byID: map[string]bool{},
	}
}

// begin adds the candidates: the locks that the query could mean.
func (s *search) begin() {
	s.unlockedOf()
	for _, kind := range s.t.Layout.Accounts {
		for _, c := range kind.Constraints {
			table := s.t.LockTable(c)
			add := func(v string, verbatim bool) {
				key, err := c.LockKey(s.t.SchemaOf(table), v, s.scope)
				rel := &verdict.Relation{Constraint: c, Value: v, Typed: s.query, Impossible: err}
				own := &candidate{rel: rel, verbatim: verbatim}
				if err != nil && c.Scoped() && v != "" {
					s.scoped = append(s.scoped, own)
					return
				}
				if err == nil {
					rel.Lock = schema.Lock{Table: table, Key: key}
				}
				s.candidates = append(s.candidates, own)
			}
			v := c.Normalised(s.query)
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

// add keeps an account if the query or a candidate's lock names the account, or if the account is one of
// the first claimants of a lock. claims are the account's claims.
func (s *search) add(a schema.Account, claims []layout.Claim) {
	id := a.Key.ID()
	relevant := s.byID[id]
	for _, c := range s.candidates {
		if c.rel.Impossible != nil {
			continue
		}
		if s.t.Names(c.rel.Constraint, c.rel.Lock, &a) {
			relevant = true
		}
		if !s.t.HasClaim(claims, c.rel.Lock) {
			continue
		}
		known := slices.ContainsFunc(c.claimants, a.Key.Equal)
		if !known && len(c.claimants) < holders.MostClaimants {
			c.claimants, known = append(c.claimants, a.Key), true
		}
		relevant = relevant || known
	}
	if relevant {
		s.accounts[id] = a
	}
}

// asTyped reports whether only the exact query can be meant, so that other spellings are near misses.
// Either the caller names the locks, or the query is already in its stored spelling.
func (s *search) asTyped() bool { return s.known || s.typed == layout.AsStored(s.typed) }

// found reports whether the query as typed is in use, as an id or as a value.
func (s *search) found() bool {
	return len(s.byID) > 0 ||
		slices.ContainsFunc(s.candidates, func(c *candidate) bool { return !c.variant && s.inUse(c) })
}

// inUse reports whether a candidate's lock exists, an account claims the lock, or an index lists the value.
func (s *search) inUse(c *candidate) bool {
	return c.rel.Impossible == nil && (c.rel.Lock.Exists || len(c.claimants) > 0 || len(c.hints) > 0)
}

// candidate returns the candidate of a lock; nil if there is none.
func (s *search) candidate(lock schema.Lock) *candidate {
	for _, c := range s.candidates {
		if c.rel.Impossible == nil && schema.SameLock(c.rel.Lock, lock) {
			return c
		}
	}
	return nil
}

// takeClaims adds the locks of an account's claims as candidates, if the query alone does not give the lock
// key. There are two cases: the lock key needs a scope, or the claim is a spelling variant of the query.
func (s *search) takeClaims(claims []layout.Claim) {
	for _, claim := range claims {
		if claim.Err != nil {
			continue
		}
		for _, c := range s.scoped {
			if s.t.SharesKeys(claim.Constraint, c.rel.Constraint) && claim.Value == c.rel.Value {
				s.addClaimed(claim, false)
			}
		}
		if s.variants < mostVariants && !s.asTyped() && layout.Fold(claim.Raw) == layout.Fold(s.query) && !s.found() &&
			s.addClaimed(claim, true) {
			s.variants++
		}
	}
}

// takeForms adds the lock of a claim if the lock has another form of the query, while the account itself
// stores the query. Some applications normalise an e-mail address only for the lock.
func (s *search) takeForms(item attr.Item, claims []layout.Claim) {
	form := layout.AppendForm(nil, s.query)
	for _, claim := range claims {
		if claim.Err != nil || s.variants == mostVariants || layout.Fold(claim.Raw) == layout.Fold(s.query) ||
			!layout.SameForm(string(form), string(layout.AppendForm(nil, claim.Raw))) {
			continue
		}
		holds := slices.ContainsFunc(slices.Collect(maps.Values(item)), func(v attr.Value) bool {
			return v.Kind == attr.S && layout.Fold(v.Text) == layout.Fold(s.query)
		})
		if holds && s.addClaimed(claim, true) {
			s.variants++
		}
	}
}

// addClaimed adds the lock of a claim as a candidate. It returns false if the lock already is a candidate.
func (s *search) addClaimed(claim layout.Claim, variant bool) bool {
	lock := schema.Lock{Table: s.t.LockTable(claim.Constraint), Key: claim.Key}
	if s.candidate(lock) != nil {
		return false
	}
	s.candidates = append(s.candidates,
		&candidate{variant: variant, rel: &verdict.Relation{Constraint: claim.Constraint, Value: claim.Value, Lock: lock}})
	return true
}

// NearMiss is a spelling that people confuse with the query, and that is in use.
type NearMiss struct {
	Relation *verdict.Relation
	// How names the difference: "a capital letter", "Cyrillic а, U+0430".
	How string
}

// mostVariants is the greatest number of spelling variants that become candidates because an item has them.
const mostVariants = 3

// spellingSearch looks for spelling variants of the query.
type spellingSearch struct {
	*search
	tried      int // number of variants that were looked up
	nearMisses []NearMiss
}

// look looks up the locks of other spellings of the query. There are two kinds:
//   - If the query as typed is not in use, a spelling of the same word becomes a candidate, provided that its
//     lock exists or an index lists an account with it.
//   - Every other spelling with a lock is a near miss. It is looked up only if near is true. If the query is in
//     use, spellings with more than one change are skipped, unless the caller named the lock.
//
// Eventually consistent reads are enough here, since candidates are read again later.
func (l *spellingSearch) look(ctx context.Context, near bool) error {
	typed := l.asTyped() || l.found()
	var tried []*NearMiss
	var variants []*candidate
	for _, kind := range l.t.Layout.Accounts {
		for _, c := range kind.Constraints {
			for _, s := range layout.Variants(l.query) {
				alike := s.SameWord && !typed
				if typed && s.Changes > 1 && !l.known {
					continue
				}
				v := c.Normalised(s.Text)
				rel := &verdict.Relation{Constraint: c, Value: v, Lock: schema.Lock{Table: l.t.LockTable(c)}}
				rel.Lock.Key, rel.Impossible = c.LockKey(l.t.SchemaOf(rel.Lock.Table), v, l.scope)
				if rel.Impossible != nil || !alike && !near || l.candidate(rel.Lock) != nil ||
					slices.ContainsFunc(tried, func(n *NearMiss) bool { return schema.SameLock(n.Relation.Lock, rel.Lock) }) {
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
	if err := l.askIndexes(ctx, variants, func(c *candidate) []string { return []string{c.rel.Text()} })(); err != nil {
		return err
	}
	for _, n := range tried {
		at := slices.IndexFunc(variants, func(c *candidate) bool { return c.rel == n.Relation })
		switch {
		case at >= 0 && (n.Relation.Lock.Exists || len(variants[at].hints) > 0):
			l.candidates = append(l.candidates, variants[at])
			l.tried-- // now a candidate, and no near miss
		case n.Relation.Lock.Exists && near:
			verdict.Unsought(n.Relation, "only the lock was read")
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
				*lock = schema.LockOf(n.Relation.Constraint, table, lock.Key, found[lock.Key.ID()])
			}
		}
		l.r.Note(table, phrase.Count(len(keys), "spelling"), phrase.Count(len(found), "lock")+" found", "eventual",
			l.r.Units-before)
	}
	return nil
}
