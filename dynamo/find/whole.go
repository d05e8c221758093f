package find

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// accountSweep reads the whole accounts' table once, to find the claimants of the candidates of all searches.
type accountSweep struct {
	t         *dynamo.Table
	r         *client.Reader // reads the table; its units count for the limit
	searches  []*search
	all       *client.Sweep // nil before the sweep begins
	swept     bool          // the sweep reached the end
	denied    bool          // the permission to read the whole table is missing
	claimScan *holders.Search
	reader    *holders.Reader
	called    map[string]dynamo.ClaimedBy // the claimants of at most mostCalled locks, by lock
	dropped   bool                        // accounts claim more than mostCalled locks
	paged     func()                      // called before each page; may be nil
	apart     bool                        // the sweep has its own limit
	most      float64                     // the limit of a sweep that a person allowed; 0 for no limit
}

// undetermined reports whether every account must be read to answer the question.
func (f *finding) undetermined() bool {
	if len(f.scoped) > 0 || f.unlocked.open() {
		return true
	}
	return slices.ContainsFunc(f.candidates, f.open)
}

// open reports whether every account must be read to judge a candidate. No sweep is needed if a claimant is
// already known, or if the index alone decides (listed).
func (f *finding) open(c *candidate) bool {
	if (c.verbatim || c.variant) && !c.rel.Lock.Exists {
		return false
	}
	known := c.rel.Impossible != nil || c.rel.Busy || c.judged || len(c.claimants) > 0
	return !known && !f.listed(c)
}

// read sweeps the whole table, or continues the sweep of an earlier answer. If allowed is false, the limit
// is AutoReadUnits; otherwise the limit is most.
func (w *accountSweep) read(ctx context.Context, allowed bool) error {
	if !allowed && !dynamo.Affordable(w.t) {
		return nil
	}
	if w.all == nil {
		w.begin()
	}
	limit := w.t.Connection().AutoReadUnits()
	left := func() float64 { return limit - w.r.Units - w.owed() }
	before := w.r.Units
	switch {
	case allowed && w.most > 0: // the estimate may be too low: DynamoDB's count of the items may be hours old
		limit = w.most
		left = func() float64 { return before + limit - w.r.Units }
	case allowed:
		left = func() float64 { return math.Inf(1) }
	case w.apart:
		left = func() float64 { return limit - w.r.Units }
	}
	w.reader = w.claimScan.Reader()
	err := w.all.Run(ctx, func() float64 {
		if w.paged != nil {
			w.paged()
		}
		return left()
	}, w.visit)
	w.reader.Close()
	spent := w.r.Units - before
	if client.KindOf(err) == client.Denied {
		w.denied = true
		w.note("not allowed: dynamodb:Scan is denied", "not read", spent)
		return nil
	}
	if err != nil {
		return err
	}
	w.swept = w.all.Complete
	found := fmt.Sprintf("the whole table, %s", phrase.Count(int(w.all.Items), "item"))
	if !w.swept {
		found = fmt.Sprintf("%s; the rest might cost more than %s", phrase.Count(int(w.all.Items), "item"),
			phrase.Count(int(limit), "read unit"))
	}
	w.note(found, "consistent", spent)
	return nil
}

func (w *accountSweep) begin() {
	var rels []*verdict.Relation
	for _, s := range w.searches {
		rels = append(rels, relationsOf(s.candidates)...)
	}
	w.claimScan, w.called = w.t.Search(rels...), map[string]dynamo.ClaimedBy{}
	for _, s := range w.searches {
		for _, c := range s.scoped {
			w.claimScan.SearchAnyScope(c.rel)
		}
	}
	w.all = dynamo.SweepAccounts(w.t, w.r)
}

// note records the sweep among the reads of each search. If several searches share the sweep, its units belong to
// none of them.
func (w *accountSweep) note(found, how string, units float64) {
	if len(w.searches) > 1 {
		units = 0
	}
	for _, s := range w.searches {
		s.r.Note(w.t.Name, "every account", found, how, units)
		s.r.Reads[len(s.r.Reads)-1].Whole = w.swept
	}
}

// owed estimates the read units that the searches need after the sweep. The sweep must leave these units unused.
func (w *accountSweep) owed() (units float64) {
	for _, s := range w.searches {
		units += s.owed()
	}
	return units
}

// owed estimates the read units that are needed to read each lock with its claimants, and the locks of the accounts
// in the answer.
func (s *search) owed() (units float64) {
	size := func(item attr.Item) float64 { return math.Ceil(float64(max(item.Size(), 1)) / client.UnitBytes) }
	for _, c := range s.candidates {
		if c.rel.Impossible == nil {
			units += 2 * size(c.rel.Lock.Item) // a transactional read costs twice as much
		}
	}
	for _, u := range s.lockless {
		units += 2 * float64(len(u.claimants))
	}
	for _, a := range s.accounts {
		units += 2 * size(a.Item)
		if kind, _ := s.t.AccountOf(a.Item); kind != nil {
			units += float64(len(kind.Constraints)) * (1 + 2 + 2*size(a.Item))
		}
	}
	return units
}

// mostCalled is the greatest number of locks whose claimants a search remembers. Without a lock's
// claimants, the search cannot tell whether two accounts hold the same value.
const mostCalled = 200_000

func (w *accountSweep) visit(item attr.Item) {
	w.reader.See(w.t.Name, item)
	kind, a := w.t.AccountOf(item) // an item may be an account and a counter
	var claims []layout.Claim
	if a != nil {
		claims = w.t.ClaimsBy(kind, item)
	}
	for _, s := range w.searches {
		s.takeLocks(item)
		if a != nil {
			s.takeAccount(kind, a, claims)
		}
	}
	for _, claim := range claims {
		if claim.Err != nil {
			continue
		}
		for _, k := range claim.Keys() {
			id := schema.LockID(w.t.LockTable(claim.Constraint), k)
			by, have := w.called[id]
			if !have && len(w.called) == mostCalled {
				w.dropped = true
				continue
			}
			w.called[id] = by.Add(a.Key)
		}
	}
}

// takeAccount adds an account of the sweep to the values and locks that it claims.
func (s *search) takeAccount(kind *layout.Account, a *schema.Account, claims []layout.Claim) {
	s.meet(kind, a)
	s.takeClaims(claims)
	s.takeForms(a.Item, claims)
	s.add(*a, claims)
	for _, c := range s.candidates {
		if c.rel.Impossible == nil && s.t.HasClaim(claims, c.rel.Lock) {
			c.claiming++
		}
	}
}

// judgeTogether reads each lock together with its claimants and its owner, at one moment, and judges the
// lock.
func (f *finding) judgeTogether(ctx context.Context) error {
	for _, c := range f.candidates {
		if c.rel.Impossible != nil {
			continue
		}
		if c.rel.Busy || (c.judged && !f.whole.swept) {
			continue
		}
		if err := f.together(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (f *finding) together(ctx context.Context, c *candidate) error {
	lock := &c.rel.Lock
	others := slices.Clone(c.claimants[:min(len(c.claimants), claimantLimit)])
	c.rel.MoreClaimants, c.rel.More = c.unread(len(others), f.whole)
	for _, k := range slices.Concat(f.t.OwnerKeys(c.rel.Constraint, *lock), c.hints,
		f.whole.claimScan.Callers(*lock)) {
		itself := lock.Table == f.t.Name && lock.Key.Equal(k) // an index may list locks, too
		if !itself && !slices.ContainsFunc(others, k.Equal) {
			others = append(others, k)
		}
	}
	slices.SortFunc(others, func(a, b attr.Key) int { return strings.Compare(a.ID(), b.ID()) })
	how := "consistent"
	var owner *schema.Account
	c.rel.Claimants = nil
	if len(others) > 0 || (lock.Exists && f.whole.swept) {
		// The lock was read before the accounts. So Snapshot reads all of them again, together.
		var err error
		if owner, err = dynamo.NewLockReader(f.t, f.r).Snapshot(ctx, c.rel, others); err != nil {
			return f.leaveOpen(c, err)
		}
		how = dynamo.HowTogether(c.rel.Apart)
	}
	if len(c.rel.Claimants) > 0 {
		c.rel.Account = &c.rel.Claimants[0]
	}
	for _, a := range c.rel.Claimants {
		f.add(a, f.t.ClaimsOf(a.Item))
	}
	f.judge(c, owner)
	c.rel.Reads = append(slices.Clone(f.r.Reads),
		client.Read{At: time.Now(), Table: lock.Table, What: lock.Key.String(), Found: dynamo.LockFound(*lock), How: how})
	return nil
}

// claimantLimit is the greatest number of claimants to read together with their lock and its owner.
const claimantLimit = dynamo.SnapshotLimit - 5

// unread returns the number of accounts that hold the value but were not read together with the lock.
// The parameter together is the number of accounts that were read together with the lock. open is true if there may be
// further accounts.
func (c *candidate) unread(together int, w *accountSweep) (n int, open bool) {
	return max(0, c.claiming-together), !w.swept && (c.partial || len(c.hints) > claimantLimit)
}

// leaveOpen leaves the verdict open if other programs kept writing to the lock or its accounts. The person
// still gets the rest of the answer. A planned change must know the verdict, so leaveOpen returns the error
// to a change.
func (f *finding) leaveOpen(c *candidate, err error) error {
	if f.known || !dynamo.NewLockReader(f.t, nil).Contended(c.rel, err) {
		return err
	}
	f.r.Note(c.rel.Lock.Table, c.rel.Lock.Key.String(), "changing all the time", "transaction", 0)
	c.rel.Reads = slices.Clone(f.r.Reads)
	return nil
}

// listed reports whether the index alone decides, without a sweep. Two conditions must be true. First, the
// lock does not exist, so nothing refuses a sign-up. Second, the layout stores values unchanged, so the
// index lists every account with the value.
func (s *search) listed(c *candidate) bool {
	return c.indexed && !c.rel.Lock.Exists && len(c.rel.Constraint.Normalise) == 0 && !c.rel.Constraint.Encodes()
}

// judge judges a candidate by the items that were read together. After a sweep of the whole table, it also
// knows that no other account claims the lock.
func (f *finding) judge(c *candidate, owner *schema.Account) {
	others := verdict.OthersUnknown
	switch {
	case f.whole.swept:
		others = verdict.OthersAbsent
	case f.listed(c):
		others = verdict.OthersIndexed
	}
	e := f.t.Facts(c.rel, owner, others)
	if !f.whole.swept {
		e.OthersWhy = f.why(c)
	} else {
		e.Unsearched = f.t.Tables()[1:]
		c.rel.OtherLocks = f.whole.claimScan.OtherLocks(c.rel.Constraint)
	}
	if len(e.Claimants) == 0 {
		e.Digests = f.whole.swept && c.rel.UnknownText() && !f.whole.claimScan.Of(c.rel).Balanced()
		e.Holders = f.holdersOf(c.rel)
		if e.NowhereElse && !f.whole.swept && owner != nil { // only the owner's account was read
			scan := f.t.Search(c.rel)
			reader := scan.Reader()
			reader.See(f.t.Name, owner.Item)
			reader.Close()
			e.Holders = scan.Of(c.rel).Holders()
		}
	}
	c.rel.Conclude(e)
}

// holdersOf returns the other items that hold a value, among the items that the sweep has read. If the
// value has no lock, the result has no accounts or locks of the layout: they do not refuse a sign-up. If,
// in addition, the query is an account's id, the result is empty: items with this id only refer to the
// account.
func (f *finding) holdersOf(rel *verdict.Relation) verdict.Holders {
	held := f.whole.claimScan.Of(rel).Holders()
	switch {
	case rel.Lock.Exists:
		return held
	case len(f.byID) > 0:
		return verdict.Holders{}
	}
	return held.OutsideLayout()
}

// why explains an open verdict, and names the cost of the reading that would decide the verdict.
func (f *finding) why(c *candidate) string {
	cost := f.whole.rest()
	subject := "no index lists the values of accounts"
	if c.rel.Lock.Owner != "" {
		return fmt.Sprintf("only a scan of the whole table can answer: about %s",
			phrase.Count(int(math.Round(cost.Units)), "read unit"))
	}
	if c.indexed {
		subject = "an index cannot prove that no account holds the value"
	} else if c.rel.Lock.Exists {
		subject = "the lock names no owner, and " + subject
	}
	return fmt.Sprintf("%s; only a scan of the whole table can answer: about %s", subject,
		phrase.Count(int(math.Round(cost.Units)), "read unit"))
}

// rest estimates the cost of reading the table to its end.
func (w *accountSweep) rest() dynamo.Estimate {
	if w.all == nil || w.anew() {
		return dynamo.AccountsCost(w.t)
	}
	return dynamo.RestCost(w.t, w.all.Bytes)
}
