package check

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/layout"
)

// judgeWorkers is how many groups of candidates are read at the same time.
const judgeWorkers = 8

// judging judges the candidates of a followUp after a reading.
type judging struct {
	run      *run
	report   *report
	followUp *followUp
	// many says of a constraint that very many of its locks are orphaned, of its values have no lock,
	// or seem to be folded by the application: the layout may be wrong.
	many map[kindOf]string
	// digests are the constraints that have both locks which keep digests and that no account
	// claims, and accounts without a lock.
	digests map[*layout.Constraint]bool
}

func newJudging(f *followUp) *judging {
	return &judging{run: f.run, report: f.report, followUp: f}
}

// all reads each candidate's lock together with its accounts, and reports what is wrong.
// Locks whose values differ only in spelling are judged together.
func (j *judging) all(ctx context.Context) error {
	j.run.progress.Enter(progress.Phase{Stage: progress.Confirming, Total: len(j.followUp.candidates)})
	defer j.run.progress.Leave()
	groups := j.bySpelling()
	j.suspectLayout(groups)
	for _, some := range j.rounds(groups) {
		if err := j.judgeAll(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// judgeAll judges groups, several at a time.
func (j *judging) judgeAll(ctx context.Context, groups [][]*candidate) error {
	return forEach(ctx, groups, func(ctx context.Context, group []*candidate) error {
		for some := range readableTogether(group) {
			if err := j.judgeGroup(ctx, some); err != nil {
				return err
			}
			j.run.progress.Advance(len(some))
		}
		return nil
	})
}

// forEach calls judge for all, several at a time, until one returns an error.
func forEach[T any](ctx context.Context, all []T, judge func(context.Context, T) error) error {
	workers, within := errgroup.WithContext(ctx)
	workers.SetLimit(judgeWorkers)
	for _, one := range all {
		if within.Err() != nil {
			break
		}
		workers.Go(func() error { return judge(within, one) })
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// judgeGroup judges candidates of one value, in all its spellings.
func (j *judging) judgeGroup(ctx context.Context, group []*candidate) error {
	fresh, unread, err := j.readAndJudge(ctx, group)
	if j.report.conflicting(err, len(group)) {
		return nil
	}
	if err != nil {
		return err
	}
	verdicts := make([]verdict, len(group))
	for n, c := range group {
		c.mu.Lock()
		if c.itemHash != 0 && c.itemHash != hashItem(j.run.seed, fresh[n].Lock.Item) {
			c.absent = true // it is not the same lock any more
		}
		verdicts[n] = j.verdict(c, fresh[n])
		verdicts[n].unread, verdicts[n].moreAccounts = unread, int(c.moreHolders)
		c.mu.Unlock()
	}
	j.pairUp(verdicts)
	for n, v := range verdicts {
		if v.kind == "" {
			group[n].forget()
			continue
		}
		j.addDoubts(&v)
		group[n].forget()
		if v.kind == "" {
			continue
		}
		j.emit(group[n], v)
	}
	return nil
}

// emit reports a verdict as a finding. All locks of an account whose TTL differs make one
// finding together.
func (j *judging) emit(c *candidate, v verdict) {
	if v.kind == ExpiringAccount && !j.run.expiry.firstMention(v.rel.Claimants[0].Key) {
		return
	}
	j.report.emit(j.finding(c, v))
}

// readAndJudge reads and judges candidates with their accounts. A candidate with more
// accounts than can be read at one moment is alone in its group: its accounts are read in
// batches until two of a batch hold the value at that moment, which makes a duplicate. unread
// are the accounts of the batches after that one.
func (j *judging) readAndJudge(
	ctx context.Context, group []*candidate,
) (fresh []*dynamo.Relation, unread []dynamo.Account, err error) {
	var rels []*dynamo.Relation
	for _, c := range group {
		rel, accounts := c.relation(j.run.codec), c.accounts(j.run.sources[0])
		rels = append(rels, rel)
		if j.run.o.Confirm == ConfirmNone {
			fresh = append(fresh, j.run.t.JudgeFromScan(rel, accounts, c.namedBy(j.run.t, rel), asOf(j.run)))
		}
		unread = append(unread, accounts...)
	}
	if fresh != nil {
		return fresh, nil, nil
	}
	var keys []attr.Key
	for {
		most := len(unread)
		if len(group) == 1 {
			most = min(most, maxItems-ownItems-len(keys))
		}
		for _, a := range unread[:most] {
			keys = append(keys, a.Key)
		}
		unread = unread[most:]
		if fresh, err = j.run.consistent.Judge(ctx, keys, j.others(), rels...); err != nil || len(unread) == 0 ||
			fresh[0].Verdict == dynamo.Duplicate {
			return fresh, unread, err
		}
		keys = keys[:0]
		for _, a := range fresh[0].Claimants {
			keys = append(keys, a.Key)
		}
	}
}

// others is what is known of the accounts besides a lock's own. Where values kept changing
// owners, an account may have been read while another held the value.
func (j *judging) others() dynamo.Others {
	if j.followUp.settled && !j.followUp.unstable {
		return dynamo.OthersSettled
	}
	return dynamo.OthersAbsent
}

// addDoubts adds why a verdict may be wrong: the layout may not fit, or another item holds the
// value of a lock that no account claims. The finding's own accounts are no reason.
func (j *judging) addDoubts(v *verdict) {
	if j.run.rules.byConstraint[v.rel.Constraint].guessed() {
		return // it confirms nothing
	}
	v.doubt = cmp.Or(v.doubt, j.run.t.Fit.Of(v.rel.Constraint).Why())
	rel := v.rel
	if v.otherSpelling != nil {
		rel = v.otherSpelling
	}
	digest := rel.Constraint.KeepsDigest(rel.Value)
	switch {
	case j.digests[rel.Constraint] && (v.kind == MissingLock || v.kind.OnAbsence() && digest):
		v.digests = true
		v.doubt = "the constraint has locks that keep digests of unknown values, and accounts without locks: they may belong together"
	case digest && v.kind.OnAbsence() && !j.run.partition.all():
		v.digests = true
		v.doubt = "the lock keeps a digest of an unknown value, and whether each account has its lock was not followed up for all: " +
			"check again, with more --memory if that was too little"
	}
	if v.kind == MissingLock {
		j.addOtherForm(v)
	}
	if v.otherSpelling != nil || v.OnAbsence() {
		if j.run.o.Candidates != nil && !j.followUp.settled {
			v.doubt = cmp.Or(v.doubt, "no item of the table was read for it but its lock and the account that the lock names")
		}
		j.addHolders(v, rel)
	}
	v.confirmed = v.confirmed && v.doubt == ""
}

// addOtherForm adds the lock that may keep the value of an account without a lock in another form.
func (j *judging) addOtherForm(v *verdict) {
	lock, place := j.followUp.search.OtherForm(v.rel)
	if !j.run.partition.all() {
		v.doubt = cmp.Or(v.doubt, "a lock that keeps it in another form may be among those that were not followed up: "+
			"check again, with more --memory if that was too little")
	}
	switch {
	case place == nil || place.Answer == layout.HoldNot:
	case place.Answer == layout.Hold:
		v.kind = "" // the other lock is its own
	default:
		v.doubt, v.asks = cmp.Or(v.doubt, fmt.Sprintf("%s may keep it in another form", lock.Lock.Key)), place
	}
}

// addHolders adds what else holds the value of a lock that no account claims.
func (j *judging) addHolders(v *verdict, rel *dynamo.Relation) {
	var own []attr.Key
	for _, a := range v.rel.Claimants {
		own = append(own, a.Key)
	}
	held := j.followUp.search.Of(rel).Holders(own...)
	switch {
	case held.Keeps() == "":
		return
	case len(held.Known) > 0 && v.otherSpelling != nil: // the other lock is held
		v.kind, v.otherSpelling = MissingLock, nil
	case len(held.Known) > 0:
		v.kind = ""
	default:
		v.doubt, v.asks = held.Keeps(), held.Asks
		if v.otherSpelling == nil {
			v.rel = rel.Doubted(held)
		}
	}
}

// reportUnjudged reports what is known of the candidates that were not judged when the check
// was stopped: nothing, for a value that more accounts claim than there are locks, unless
// those accounts were met.
func (f *followUp) reportUnjudged() {
	j := newJudging(f)
	for _, c := range f.candidates {
		c.mu.Lock()
		if c.rule != nil && !c.judged && (c.count < 0 || len(c.holders) > 0) {
			v := j.verdict(c,
				f.run.t.JudgeFromScan(c.relation(f.run.codec), c.accounts(f.run.sources[0]), nil, asOf(f.run)))
			v.moreAccounts = int(c.moreHolders)
			v.confirmed, v.stopped, v.doubt = false, true, "the check was stopped before it was"
			if v.kind != "" {
				j.emit(c, v)
			}
		}
		c.mu.Unlock()
	}
}

// bySpelling groups the candidates whose values differ only in spelling. Their keys are
// folded, too, so that equal values in two scopes stay apart.
func (j *judging) bySpelling() [][]*candidate {
	groups := map[uint64][]*candidate{}
	for _, c := range j.followUp.candidates {
		if c.rule != nil { // nil if nothing of it exists any more
			b := append([]byte(strconv.Itoa(c.rule.index)), 0)
			b = append(append(b, c.rule.Spelling(c.value)...), 0)
			at := j.run.seed.Hash(j.run.codec.appendFolded(b, c.key))
			groups[at] = append(groups[at], c)
		}
	}
	return slices.Collect(maps.Values(groups))
}

// rounds returns the groups in the order in which they are judged: the locks of an account
// whose TTL differs are in one round each, since they make one finding, and which lock that
// names must not depend on timing.
func (j *judging) rounds(groups [][]*candidate) [][][]*candidate {
	turns := make([][][]*candidate, 1)
	for _, group := range groups {
		at := 0
		for _, c := range group {
			at = max(at, j.round(c))
		}
		for len(turns) <= at {
			turns = append(turns, nil)
		}
		turns[at] = append(turns[at], group)
	}
	return turns
}

// round returns the round of a lock with a TTL mismatch, by its place among its account's
// locks; 0 for all other candidates.
func (j *judging) round(c *candidate) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ttlMismatch || len(c.holders) != 1 {
		return 0
	}
	return int(c.claimIndex)
}

// readableTogether divides the candidates of one value into groups that can be read at one moment,
// in an order that is the same on every check. A spelling with many accounts comes last and
// alone.
func readableTogether(group []*candidate) iter.Seq[[]*candidate] {
	slices.SortFunc(group, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(len(a.holders), len(b.holders)), cmp.Compare(a.rule.lockTable.name, b.rule.lockTable.name),
			cmp.Compare(a.key, b.key))
	})
	return func(yield func([]*candidate) bool) {
		for len(group) > 0 {
			n, items := 0, 0
			for n < min(len(group), groupSize) && (n == 0 || items+ownItems+len(group[n].holders) <= maxItems) {
				items += ownItems + len(group[n].holders)
				n++
			}
			if !yield(group[:n]) {
				return
			}
			group = group[n:]
		}
	}
}

// groupSize is how many locks are judged together at most: nobody spells one value in so many
// ways. maxItems is how many items can be read at one moment, and ownItems how many of them a
// lock takes with those that it may name.
const (
	groupSize = 8
	maxItems  = 100
	ownItems  = 5
)
