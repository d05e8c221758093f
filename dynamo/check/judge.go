package check

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// judgeWorkers is how many groups of candidates are read at the same time.
const judgeWorkers = 8

// judging judges the candidates of a followUp after a reading.
type judging struct {
	run      *run
	report   *report.Report
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
	groups := j.bySpelling()
	j.suspectLayout(groups)
	groups = slices.DeleteFunc(groups, func(group []*join.Candidate) bool {
		return group[0].Rule.Misfit // a note says so of the whole constraint
	})
	total := 0
	for _, group := range groups {
		total += len(group)
	}
	j.run.progress.Enter(progress.Phase{Stage: progress.Confirming, Total: total})
	defer j.run.progress.Leave()
	for _, some := range j.rounds(groups) {
		if err := j.judgeAll(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// judgeAll judges groups, several at a time.
func (j *judging) judgeAll(ctx context.Context, groups [][]*join.Candidate) error {
	return forEach(ctx, groups, func(ctx context.Context, group []*join.Candidate) error {
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
func (j *judging) judgeGroup(ctx context.Context, group []*join.Candidate) error {
	all, err := j.read(ctx, group)
	if j.report.Conflicting(err, len(group)) {
		return nil
	}
	if err != nil {
		return err
	}
	for n, c := range group {
		c.Mu.Lock()
		if c.ItemHash != 0 && c.ItemHash != join.HashItem(j.run.seed, all[n].rel.Lock.Item) {
			c.Absent = true // it is not the same lock any more
		}
		j.judge(c, &all[n])
		c.Mu.Unlock()
	}
	j.pairUp(all)
	j.judgeAgain(all)
	for n := range all {
		group[n].Forget()
		j.emit(group[n], &all[n])
	}
	return nil
}

// emit reports what is wrong with a candidate, if anything is. A lock that keeps the value of an
// account in another spelling is one finding with that value. All locks of an account whose TTL
// differs make one finding together.
func (j *judging) emit(c *join.Candidate, v *judged) {
	kind, rel := finding.KindOf(v.rel), v.rel
	switch {
	case rel.Pending && !rel.Until.IsZero():
		j.report.Reserved()
	case rel.Changed:
		j.report.Unsettled()
	case kind == "", rel.Spelt != nil && rel.Lock.Exists:
	case kind == finding.DuplicateValue && rel.Constraint.Compared(): // valueCheck finds all of these
	case kind == finding.ExpiringAccount && !j.run.expiry.firstMention(rel.Claimants[0].Key):
	default:
		j.report.Emit(j.finding(c, kind, v))
	}
}

// read reads candidates with their accounts. A candidate with more accounts than can be read at
// one moment is alone in its group: its accounts are read in batches until two of a batch hold the
// value at that moment, which makes a duplicate. The accounts of the batches after that one stay
// unread.
func (j *judging) read(ctx context.Context, group []*join.Candidate) (all []judged, err error) {
	var rels []*verdict.Relation
	var unread []schema.Account
	for _, c := range group {
		if j.run.o.Confirm == setting.ConfirmNone {
			rel := c.Relation(j.run.codec)
			all = append(all, j.scanned(c, c.NamedBy(j.run.t, rel)))
			continue
		}
		rels = append(rels, c.Relation(j.run.codec))
		unread = append(unread, c.Accounts(j.run.sources[0])...)
	}
	if len(rels) == 0 {
		return all, nil
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
		fresh, owners, err := j.run.consistent.Together(ctx, keys, rels...)
		if err != nil {
			return nil, err
		}
		if len(unread) == 0 || len(fresh[0].Claimants) > 1 {
			for n, rel := range fresh {
				v := judged{rel: rel, facts: j.facts(rel, owners[n]), unread: unread, moreAccounts: int(group[n].MoreHolders)}
				all = append(all, v)
			}
			return all, nil
		}
		keys = keys[:0]
		for _, a := range fresh[0].Claimants {
			keys = append(keys, a.Key)
		}
	}
}

// facts are those of a lock that was read together with its accounts. If values kept changing
// owners, an account may have been read while another held the value.
func (j *judging) facts(rel *verdict.Relation, owner *schema.Account) verdict.Facts {
	e := j.run.t.Facts(rel, owner, verdict.OthersAbsent)
	switch {
	case j.followUp.unstable:
		e.OthersWhy = "values were given up and taken again all the while, and this may be one of them"
	case j.followUp.settled:
		e.Others = verdict.OthersSettled
	}
	return e
}

// reportUnjudged reports what is known of the candidates that were not judged when the check
// was stopped: nothing, for a value that more accounts claim than there are locks, unless
// those accounts were met.
func (f *followUp) reportUnjudged() {
	j := newJudging(f)
	for _, c := range f.candidates {
		c.Mu.Lock()
		if c.Rule != nil && !c.Judged && (c.Count < 0 || len(c.Holders) > 0) {
			v := j.scanned(c, nil)
			v.facts.Stopped = true
			j.judge(c, &v)
			j.emit(c, &v)
		}
		c.Mu.Unlock()
	}
}

// bySpelling groups the candidates whose values differ only in spelling. Their keys are
// folded, too, so that equal values in two scopes stay apart.
func (j *judging) bySpelling() [][]*join.Candidate {
	groups := map[uint64][]*join.Candidate{}
	for _, c := range j.followUp.candidates {
		if c.Rule != nil { // nil if nothing of it exists any more
			b := append([]byte(strconv.Itoa(c.Rule.Number)), 0)
			b = append(append(b, c.Rule.Spelling(c.Value)...), 0)
			at := j.run.seed.Hash(j.run.codec.AppendFolded(b, c.Key))
			groups[at] = append(groups[at], c)
		}
	}
	return slices.Collect(maps.Values(groups))
}

// rounds returns the groups in the order in which they are judged: the locks of an account
// whose TTL differs are in one round each, since they make one finding, and which lock that
// names must not depend on timing.
func (j *judging) rounds(groups [][]*join.Candidate) [][][]*join.Candidate {
	turns := make([][][]*join.Candidate, 1)
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
func (j *judging) round(c *join.Candidate) int {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if !c.TTLMismatch || len(c.Holders) != 1 {
		return 0
	}
	return int(c.ClaimIndex)
}

// readableTogether divides the candidates of one value into groups that can be read at one moment,
// in an order that is the same on every check. A spelling with many accounts comes last and
// alone.
func readableTogether(group []*join.Candidate) iter.Seq[[]*join.Candidate] {
	slices.SortFunc(group, func(a, b *join.Candidate) int {
		return cmp.Or(cmp.Compare(len(a.Holders), len(b.Holders)), cmp.Compare(a.Rule.LocksIn.Name, b.Rule.LocksIn.Name),
			cmp.Compare(a.Key, b.Key))
	})
	return func(yield func([]*join.Candidate) bool) {
		for len(group) > 0 {
			n, items := 0, 0
			for n < min(len(group), groupSize) && (n == 0 || items+ownItems+len(group[n].Holders) <= maxItems) {
				items += ownItems + len(group[n].Holders)
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
