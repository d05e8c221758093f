// Package find finds the accounts and locks of a value or an id. It uses point reads and indexes, and if
// these are not enough, it reads the whole table. Start at Find.
package find

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Options limit a search.
type Options struct {
	// Scan allows reading the whole table. MaxUnits limits the read units of this sweep; 0 means no limit.
	Scan     bool
	MaxUnits float64
	// Near adds a search for look-alikes: spellings that people confuse with the query.
	Near bool
	// Scope has the values of variables in lock keys, such as tenant in TENANT#{tenant}#EMAIL#{v}. It does
	// not have v, which is the constraint's value.
	Scope map[string]string
	// Accounts are accounts that probably hold the query. Find reads them by their keys, so no sweep has to find them.
	Accounts []attr.Key
	// After is an earlier answer to the same question. Find continues the sweep of that answer, if the
	// answer's locks have not changed since.
	After *Answer
}

// Answer is the result of Find.
type Answer struct {
	Query string // without white space around it
	Typed string // the query before it was trimmed
	Table string
	At    time.Time
	Took  time.Duration
	// FoundAs are the other spellings under which the query was found.
	FoundAs []string
	// Dropped is true if accounts claim more locks than the search can remember (mostCalled). The answer
	// may then miss that two accounts hold the same value.
	Dropped bool
	// Complete is true if no verdict is Unknown. After a sweep of the whole table, a verdict that only a person's answer
	// can decide does not count. Complete is false if Dropped is true.
	Complete  bool
	ReadUnits float64
	// Locks has a relation for each lock that could block a sign-up with the query. Each constraint has one
	// relation for each way to read the query as a value. Relations of other spellings come first.
	Locks []*verdict.Relation
	// Unlocked has one relation for each constraint without locks. The relation's value is the normalised query.
	Unlocked []*verdict.Relation
	// Accounts are the accounts whose id is the query, and the accounts that claim the query as a value.
	// Each account has all its values.
	Accounts []Holder
	// Near are the look-alikes of the query that are in use. Tried is the number of look-alikes that the
	// search looked up.
	Near  []NearMiss
	Tried int
	Reads []client.Read
	// Whole is the cost of reading the whole table, or the rest of the table. It is nil if this reading
	// would not improve the answer.
	Whole *dynamo.Estimate
	// ScanDenied is true if the permission to read the whole table is missing.
	ScanDenied bool

	work  *finding
	alike map[*layout.Constraint]bool // the constraints whose values look like the query
}

// Note returns facts that a person must know: white space was left out, the query was found in other
// spellings, or other holders may have been missed. It is empty if there are no such facts.
func (a *Answer) Note() string {
	var notes []string
	if a.Typed != a.Query {
		notes = append(notes, "the white space around the query was left out")
	}
	if len(a.FoundAs) > 0 {
		notes = append(notes, "found as "+strings.Join(a.FoundAs, ", "))
	}
	if a.Dropped {
		notes = append(notes, fmt.Sprintf("the accounts need more than %s locks, so find compares only the value that "+
			"you asked for; a check compares all values of all accounts", phrase.Number(mostCalled)))
	}
	return strings.Join(notes, "; ")
}

// Holder is an account and its values.
type Holder struct {
	schema.Account
	ByID   bool // the query is the account's id
	Values []*verdict.Relation
}

// Find finds the accounts and locks of a value or an id. It uses point reads and indexes. If these are not
// enough, it reads the whole table, but only up to AutoReadUnits. With o.Scan, o.MaxUnits is the limit.
func Find(ctx context.Context, t *dynamo.Table, query string, o Options) (*Answer, error) {
	op := fmt.Sprintf("finding %q", query)
	if len(t.Layout.Accounts) == 0 {
		return nil, t.NoLayout(op)
	}
	if layout.TrimPasted(query) == "" {
		return nil, &client.Error{
			Kind: client.Usage,
			Why:  "find needs a value: an email, a username or an account id",
		}
	}
	if err := dynamo.CheckScope(t, op, o.Scope); err != nil {
		return nil, err
	}
	start := time.Now()
	f, err := resume(ctx, t, query, o)
	if err != nil {
		return nil, err
	}
	if f == nil {
		f = newFinding(newSearch(t, query))
		f.scope, f.probable = o.Scope, o.Accounts
		if err := f.ask(ctx, o.Near); err != nil {
			return nil, err
		}
		f.busy.Lock() // never waits: no other search knows this work yet
	}
	defer f.busy.Unlock()
	if f.needsSweep(o.Scan) {
		f.whole.most = o.MaxUnits
		if err := f.whole.read(ctx, o.Scan); err != nil {
			return nil, err
		}
	}
	return f.conclude(ctx, start)
}

// conclude judges the items that were read, and returns the answer. start is the time when the search began.
func (f *finding) conclude(ctx context.Context, start time.Time) (*Answer, error) {
	if err := f.judgeTogether(ctx); err != nil {
		return nil, err
	}
	if err := f.judgeKeyed(ctx); err != nil {
		return nil, err
	}
	if f.whole.swept {
		if err := f.unlocked.read(ctx); err != nil {
			return nil, err
		}
	}
	a := f.answer(start)
	if err := f.holders(ctx, a); err != nil {
		return nil, err
	}
	a.pair()
	a.Reads, a.ReadUnits, a.Took, a.ScanDenied = slices.Clip(f.r.Reads), f.r.Units, time.Since(start), f.whole.denied
	return a, nil
}

// finding is the work on one question. It has the point reads, the search for spelling variants, the
// sweep of the whole table, and the search for values without locks.
type finding struct {
	*search
	busy      sync.Mutex // held by the search that works on it
	spellings *spellingSearch
	whole     *accountSweep
	unlocked  *unlockedSearch
}

func newFinding(s *search) *finding {
	whole := &accountSweep{t: s.t, r: s.r, searches: []*search{s}}
	return &finding{
		search:    s,
		spellings: &spellingSearch{search: s},
		whole:     whole,
		unlocked:  &unlockedSearch{search: s, whole: whole},
	}
}

// join lets the work share a sweep with other work.
func (f *finding) join(whole *accountSweep) {
	f.whole, f.unlocked.whole = whole, whole
	whole.searches = append(whole.searches, f.search)
}

// needsSweep reports whether the whole table must be read. scan is true if a person allowed a sweep.
func (f *finding) needsSweep(scan bool) bool {
	return f.undetermined() || scan && f.unlocked.heldOnce()
}

func (f *finding) ask(ctx context.Context, near bool) error {
	f.begin()
	if err := f.readPoints(ctx); err != nil {
		return err
	}
	if err := f.spellings.look(ctx, near); err != nil {
		return err
	}
	if err := f.hinted(ctx); err != nil {
		return err
	}
	return f.unlocked.read(ctx)
}

// stillGood is the greatest age of an answer whose sweep of the table a later question can continue.
const stillGood = 10 * time.Minute

// resume returns the work of the earlier answer o.After, so that Find can continue the sweep. The work's mutex is then
// locked. resume returns nil if Find must start from the beginning: for example, if another search works on it.
func resume(ctx context.Context, t *dynamo.Table, query string, o Options) (*finding, error) {
	if o.After == nil || o.After.work == nil || !o.After.work.busy.TryLock() {
		return nil, nil
	}
	f := o.After.work
	ok, err := f.continues(ctx, t, query, o)
	if !ok || err != nil {
		f.busy.Unlock()
		return nil, err
	}
	return f, nil
}

// continues reports whether the sweep can be continued for a question. It cannot after a change of a lock: an account
// that the sweep has already read may have changed together with the lock.
func (f *finding) continues(ctx context.Context, t *dynamo.Table, query string, o Options) (bool, error) {
	if f.whole.all == nil || f.whole.anew() || f.t != t || f.typed != query || !maps.Equal(f.scope, o.Scope) ||
		time.Since(o.After.At) > stillGood {
		return false, nil
	}
	byTable := map[string][]attr.Key{}
	for _, c := range f.candidates {
		if c.rel.Impossible == nil {
			byTable[c.rel.Lock.Table] = append(byTable[c.rel.Lock.Table], c.rel.Lock.Key)
		}
	}
	found, err := f.r.GetTables(ctx, byTable, true)
	if err != nil {
		return false, err
	}
	for _, c := range f.candidates {
		if c.rel.Impossible == nil && !found[c.rel.Lock.Table][c.rel.Lock.Key.ID()].Equal(c.rel.Lock.Item) {
			return false, nil
		}
		c.rel.Busy = false
	}
	return true, nil
}

func relationsOf(all []*candidate) (rels []*verdict.Relation) {
	for _, c := range all {
		rels = append(rels, c.rel)
	}
	return rels
}

// copies maps the relations of the work to their copies in an answer. A screen shows the answer while Find continues
// the work and judges its relations again, so the answer needs copies. A copy shares claimants, items and reads with
// the work. This is safe, because the work replaces them and never changes them.
type copies map[*verdict.Relation]*verdict.Relation

func (c copies) one(r *verdict.Relation) *verdict.Relation {
	if c[r] == nil {
		own := *r
		own.Reads = slices.Clip(own.Reads)
		c[r] = &own
	}
	return c[r]
}

func (c copies) of(rels []*verdict.Relation) (own []*verdict.Relation) {
	for _, r := range rels {
		own = append(own, c.one(r))
	}
	return own
}

func (f *finding) answer(at time.Time) *Answer {
	a := &Answer{
		Query: f.query, Typed: f.typed, Table: f.t.Name, At: at,
		Tried: f.spellings.tried, work: f, alike: alike(f.t, f.query), Whole: f.unlocked.cost(),
	}
	copied := copies{}
	a.Locks, a.Unlocked = copied.of(f.relations()), copied.of(relationsOf(f.lockless))
	for _, n := range f.spellings.nearMisses {
		a.Near = append(a.Near, NearMiss{Relation: copied.one(n.Relation), How: n.How})
	}
	a.Complete = !slices.ContainsFunc(a.Unlocked, func(u *verdict.Relation) bool { return u.Verdict == verdict.Unknown })
	for _, r := range a.Locks {
		if r.Verdict == verdict.Unknown {
			a.Complete = a.Complete && f.whole.swept && r.Asks != nil
			if cost := f.whole.rest(); !f.whole.swept && !r.Busy && r.Asks == nil && !r.Misfit {
				a.Whole = &cost // otherwise the sweep would not change the verdict
			}
		}
		if text, shows := r.Constraint.Text(r.Value); shows && (r.Lock.Exists || len(r.Claimants) > 0) && text != f.query &&
			text != f.typed &&
			!slices.Contains(a.FoundAs, text) {
			a.FoundAs = append(a.FoundAs, text)
		}
	}
	return a
}

// relations lists the relations to show. It leaves out candidates that cannot have a lock. If the layout
// normalises the query, the query as typed is shown only if a lock or an account has this text. Other
// spellings come first. They are shown only if they are in use, and the query itself is not in use.
func (f *finding) relations() []*verdict.Relation {
	var variants, out []*verdict.Relation
	for _, c := range f.candidates {
		switch {
		case c.rel.Impossible != nil || c.verbatim && !c.rel.Lock.Exists && len(c.rel.Claimants) == 0:
		case !c.variant:
			out = append(out, c.rel)
		case f.inUse(c) && !slices.ContainsFunc(f.candidates, func(own *candidate) bool {
			return !own.variant && own.rel.Constraint == c.rel.Constraint && f.inUse(own)
		}):
			variants = append(variants, c.rel)
		}
	}
	out = append(variants, out...)
	for _, c := range f.scoped {
		if f.shown(c) &&
			!slices.ContainsFunc(
				out, func(r *verdict.Relation) bool { return r.Constraint == c.rel.Constraint && r.Value == c.rel.Value },
			) {
			out = append(out, f.inAnyScope(c))
		}
	}
	return out
}

// holders adds each account that the query finds, with all its values and their locks.
func (f *finding) holders(ctx context.Context, a *Answer) error {
	for _, account := range f.accounts {
		id := account.Key.ID()
		claims := f.byID[id]
		for _, rel := range a.Locks {
			if slices.ContainsFunc(rel.Claimants, func(c schema.Account) bool { return c.Key.ID() == id }) {
				claims = true
			}
		}
		if !claims {
			continue
		}
		values, err := dynamo.NewLockReader(f.t, f.r).Values(ctx, account, a.Locks, f.whole.called)
		if err != nil {
			return err
		}
		for _, v := range values {
			dropped := f.whole.dropped && v.ClaimantCount() < 2 && !slices.Contains(a.Locks, v)
			a.Dropped = a.Dropped || dropped
			a.Complete = a.Complete && !v.Busy && !dropped
		}
		a.Accounts = append(a.Accounts, Holder{Account: account, ByID: f.byID[id], Values: values})
	}
	slices.SortFunc(a.Accounts, func(x, y Holder) int { return strings.Compare(x.Key.ID(), y.Key.ID()) })
	return nil
}

// RereadOptions limit the search of Reread for accounts that claim a lock. They do not limit the point reads: Reread
// always reads the accounts that the lock or an index names.
type RereadOptions struct {
	// Accounts are further accounts to read together with the locks.
	Accounts []attr.Key
	// OneClaimant avoids the sweep if each existing lock has a known claimant. It is for callers that do
	// not need the other claimants.
	OneClaimant bool
	// PointsOnly forbids a sweep of the whole table, even of a small one.
	PointsOnly bool
}

// Reread reads relations again, each lock together with its claimants, and judges the relations. It sweeps
// the whole table for claimants if the sweep costs no more than AutoReadUnits. whole is true if the sweep
// reached the end of the table.
func Reread(
	ctx context.Context, t *dynamo.Table, o RereadOptions, rels ...*verdict.Relation,
) (fresh []*verdict.Relation, whole bool, err error) {
	t.Answers.Recall() // a planned change must not rely on outdated answers
	f := newFinding(newSearch(t, ""))
	f.known = true
	for _, rel := range rels {
		again := &verdict.Relation{
			Constraint: rel.Constraint,
			Value:      rel.Value,
			Typed:      rel.Typed,
			Malformed:  rel.Malformed,
			Lock:       schema.Lock{Table: rel.Lock.Table, Key: rel.Lock.Key},
		}
		f.candidates = append(f.candidates, &candidate{rel: again, hints: slices.Clone(o.Accounts)})
		fresh = append(fresh, again)
	}
	if err := f.readPoints(ctx); err != nil {
		return nil, false, err
	}
	everybody := !o.PointsOnly
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

// AccountAt reads one account, strongly consistent. Both results are nil if there is no such account.
func AccountAt(ctx context.Context, t *dynamo.Table, key attr.Key) (*layout.Account, *schema.Account, error) {
	found, err := t.Connection().Reader().Get(ctx, t.Name, []attr.Key{key}, true)
	if err != nil {
		return nil, nil, err
	}
	kind, a := t.AccountOf(found[key.ID()])
	return kind, a, nil
}

// Near looks for locks of the constraint with values that people confuse with v. It uses eventually
// consistent point reads.
func Near(ctx context.Context, t *dynamo.Table, c *layout.Constraint, v string) ([]NearMiss, error) {
	s := newSearch(t, v)
	s.query, s.known = v, true
	s.begin()
	variants := &spellingSearch{search: s}
	if err := variants.look(ctx, true); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(variants.nearMisses, func(n NearMiss) bool { return n.Relation.Constraint != c }), nil
}

// pair links account values whose locks are missing with unclaimed locks of another spelling. It looks
// among the answer's locks and look-alikes.
func (a *Answer) pair() {
	rows := slices.Clone(a.Locks)
	for _, n := range a.Near {
		rows = append(rows, n.Relation)
	}
	verdict.PairSpellings(rows, false)
}
