package check

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// guess follows the values and ids of guessed constraints and counters. A guess confirms
// nothing, so nothing is read again for it: the first reading keeps all locks, claims, values
// and ids, as many as memory has room for.
type guess struct {
	run    *run // a copy, whose options confirm nothing
	locks  bool // whether locks are compared with accounts
	owners bool // whether locks name accounts
	shards [64]guessShard
	room   atomic.Int64
	lost   atomic.Int64 // entries without room
}

// guessShard is a part of what is kept, so that workers rarely wait for each other.
type guessShard struct {
	mu       sync.Mutex
	locks    map[uint64]*candidate
	values   map[uint64]*sameValue
	ids      map[uint64]*guessedID
	accounts map[string][]dynamo.Account // by partition key
}

// guessedID is an id with the items that carry it. The name is its counter's series, empty as
// long as one item carries the id.
type guessedID struct {
	name string
	sameID
}

// guesses reports whether nothing of the layout's locks, values and ids is sure: a check then
// reads the table once.
func guesses(t *dynamo.Table) bool {
	return !slices.ContainsFunc(t.Layout.Rules(), func(con *layout.Constraint) bool { return con.State.Sure() }) &&
		!slices.ContainsFunc(t.Layout.Counters, sureIDs)
}

// sureIDs reports whether a person has said where the ids of a counter are. Accepting a counter
// accepts what its number means, not where its ids are.
func sureIDs(c *layout.Counter) bool { return len(c.IDs) > 0 && c.State == layout.Described }

// followedIDs reports whether ids of a counter are followed up, instead of kept from one reading.
func (o *Options) followedIDs(c *layout.Counter) bool {
	return sureIDs(c) || len(c.IDs) > 0 && o.Candidates != nil
}

// newGuess returns a guess for the first reading, nil if nothing is guessed.
func newGuess(r *run) *guess {
	if r.o.Candidates != nil {
		return nil // SQL has read the table
	}
	as, o := *r, *r.o
	o.Confirm, as.o = ConfirmNone, &o
	g := &guess{run: &as, locks: r.o.wantsLocks() && slices.ContainsFunc(r.rules.all, (*rule).guessed)}
	g.owners = g.locks && slices.ContainsFunc(r.rules.all, func(of *rule) bool {
		return of.guessed() && (of.Owner != "" || of.OwnedByKey())
	})
	if !g.locks && !r.values.guessed() && !r.ids.guessed() {
		return nil
	}
	g.room.Store(int64(maxKeys(r.o.Memory)))
	for n := range g.shards {
		g.shards[n] = guessShard{
			locks: map[uint64]*candidate{}, values: map[uint64]*sameValue{}, ids: map[uint64]*guessedID{},
			accounts: map[string][]dynamo.Account{},
		}
	}
	return g
}

// entry returns the entry of a map that a shard has, a new one if there is room, else nil. The
// caller has locked the shard.
func entry[K comparable, E any](g *guess, all map[K]*E, at K) *E {
	e := all[at]
	if e == nil {
		if g.room.Add(-1) < 0 {
			g.lost.Add(1)
			return nil
		}
		e = new(E)
		all[at] = e
	}
	return e
}

func (g *guess) shard(print uint64) *guessShard { return &g.shards[print%uint64(len(g.shards))] }

// lock returns the candidate of a lock's key, nil if memory has no room for it.
func (g *guess) lock(print uint64) *candidate {
	s := g.shard(print)
	s.mu.Lock()
	defer s.mu.Unlock()
	return entry(g, s.locks, print)
}

// addLock takes in a lock of a guessed constraint: its key, and the first form of that.
func (g *guess) addLock(of *rule, first, key []byte, role layout.Role, facts lockFacts) {
	if c := g.lock(g.run.seed.Fingerprint(first)); c != nil {
		c.sawLock(of, key, role, facts)
	}
}

// addClaim takes in that the visited account claims a lock of a guessed constraint, whose key is
// in v.key.
func (g *guess) addClaim(v *visitor, of *rule, value string) {
	print := g.run.seed.Fingerprint(v.key)
	if slices.Contains(v.claimed, print) {
		return // claimed by two constraints, it counts once
	}
	v.claimed = append(v.claimed, print)
	if c := g.lock(print); c != nil {
		c.addHolder(v.pass.room, of, v.key, value, v.holder(), v.claimIndex)
	}
}

// addAccount keeps an account that locks may name.
func (g *guess) addAccount(a dynamo.Account) {
	hash := keyText(a.Key.Hash.Value)
	s := g.shard(g.run.seed.Hash([]byte(hash)))
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.room.Add(-1) < 0 {
		g.lost.Add(1)
		return
	}
	hash = strings.Clone(hash)
	s.accounts[hash] = append(s.accounts[hash], a)
}

// addValue takes in that an account holds a value of a guessed constraint whose values are compared.
func (g *guess) addValue(r *room, print uint64, value sameValue, key attr.Key) {
	s := g.shard(print)
	s.mu.Lock()
	defer s.mu.Unlock()
	of := entry(g, s.values, print)
	switch {
	case of == nil:
		return
	case of.con == nil:
		*of = value
		of.value, of.scope = strings.Clone(value.value), strings.Clone(value.scope)
	case slices.ContainsFunc(of.keys, key.Equal):
		return // it holds the value under two constraints
	case !r.take(len(of.keys)):
		of.more++
		return
	}
	of.keys = append(of.keys, cloneKey(key))
}

// addID takes in an id of a guessed counter.
func (g *guess) addID(name, id string, from *source, key attr.Key) {
	print := g.run.seed.Fingerprint([]byte(name + "\x00" + id))
	s := g.shard(print)
	s.mu.Lock()
	defer s.mu.Unlock()
	of := entry(g, s.ids, print)
	switch {
	case of == nil:
		return
	case len(of.items) == maxIDHolders:
		of.more++
		return
	case len(of.items) == 1:
		of.name = name
	}
	of.items = append(of.items, idHolder{strings.Clone(id), from, cloneKey(key)})
}

// report reports everything that the reading has found wrong. A nil guess has nothing.
func (g *guess) report(ctx context.Context, of *run) error {
	if g == nil {
		return nil
	}
	g.run.count, g.run.ids = of.count, of.ids
	if n := g.lost.Load(); n > 0 {
		most := maxKeys(g.run.o.Memory)
		g.run.report.incomplete(
			"a guessed layout is compared in memory, which had room for %s entries and not for about %s more: "+
				"accept the layout, or give the check --memory %s",
			phrase.Number(most), phrase.Number(n), size(memoryFor((most+int(n))*5/4)),
		)
	}
	g.reportLocks()
	values := &valueCheck{run: g.run, report: g.run.report}
	ids := &idCheck{run: g.run, report: g.run.report, series: g.run.ids.series}
	sameValues, sameIDs := map[string]*sameValue{}, map[string]*sameID{}
	for n := range g.shards {
		for _, of := range g.shards[n].values {
			if len(of.keys) > 1 {
				sameValues[string(values.appendKey(nil, of.con, of.value, of.scope))] = of
			}
		}
		for _, of := range g.shards[n].ids {
			if len(of.items) > 1 {
				sameIDs[of.name+"\x00"+of.items[0].id] = &of.sameID
			}
		}
	}
	if err := values.duplicates(ctx, &valueCollector{values: sameValues}); err != nil {
		return err
	}
	return ids.duplicates(ctx, &idCollector{items: sameIDs})
}

// reportLocks judges the locks and values that do not fit together, as far as one reading
// tells.
func (g *guess) reportLocks() {
	f := &followUp{run: g.run, report: g.run.report, candidates: g.suspects(), accounts: g.run.count.accounts}
	j := newJudging(f)
	groups := j.bySpelling()
	j.suspectLayout(groups)
	for _, round := range j.rounds(groups) {
		for _, group := range round {
			for some := range readableTogether(group) {
				g.judge(j, some)
			}
		}
	}
}

// judge judges candidates of one value, in all its spellings.
func (g *guess) judge(j *judging, group []*candidate) {
	match, verdicts := g.run.t.Match, make([]verdict, len(group))
	for n, c := range group {
		rel := c.relation(g.run.codec)
		rel = match.JudgeFromScan(rel, c.accounts(g.run.sources[0]), c.namedBy(g.run.t, rel), asOf(g.run))
		verdicts[n] = j.verdict(c, rel)
		verdicts[n].moreAccounts = int(c.moreHolders)
	}
	pairUp(verdicts)
	for n, v := range verdicts {
		if v.kind != "" {
			j.emit(group[n], v)
		}
	}
}

// suspects returns the locks that do not have exactly one account, or may not fit it.
func (g *guess) suspects() map[uint64]*candidate {
	all := map[uint64]*candidate{}
	for n := range g.shards {
		for print, c := range g.shards[n].locks {
			if c.rule == nil || c.inOrder() {
				continue
			}
			c.count = int64(len(c.holders)) + int64(c.moreHolders)
			if c.exists {
				c.count--
			}
			if of := c.lock; of != nil && of.owner != "" {
				_, key := g.run.codec.key(c.key)
				of.ownerPartition, _ = c.rule.partition(of.owner, func() attr.Key { return key })
				for _, a := range g.shard(g.run.seed.Hash([]byte(of.ownerPartition))).accounts[of.ownerPartition] {
					c.addNamed(a)
				}
			}
			all[print] = c
		}
	}
	return all
}

// inOrder reports whether the lock has one account, names nobody, and expires with it.
func (c *candidate) inOrder() bool {
	if !c.exists || len(c.holders) != 1 || c.malformed {
		return false
	}
	return c.owner() == "" && (c.lock != nil && c.lock.expires.Exists()) == (c.holders[0].expires != "")
}
