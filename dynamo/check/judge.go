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
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// judgeWorkers is the number of groups of candidates that are read at the same time.
const judgeWorkers = 8

// judging judges the candidates of a followUp.
type judging struct {
	*followUp
	// many has a remark for each constraint with signs of a wrong layout. There are three signs: very many orphaned
	// locks, very many values without a lock, or values that the application seems to fold.
	many map[kindOf]string
	// digests marks constraints that have unclaimed locks with digests, and also accounts without a lock. A digest
	// hides the value, so one of these locks may be the lock of one of these accounts. Constraints with locks in the
	// same place share the mark.
	digests map[*layout.Constraint]bool
}

// all reads each candidate's lock together with its accounts, and reports the findings.
// Locks whose values differ only in spelling are judged together.
func (j *judging) all(ctx context.Context) error {
	groups := j.bySpelling()
	j.suspectLayout(groups)
	groups = slices.DeleteFunc(groups, func(group []*join.Candidate) bool {
		return group[0].Rule.Misfit // one note covers the whole constraint
	})
	total := 0
	for _, group := range groups {
		total += len(group)
	}
	j.run.progress.Enter(progress.Phase{Stage: progress.Confirming, Total: total})
	defer j.run.progress.Leave()
	for _, some := range rounds(groups) {
		err := forEach(ctx, some, func(ctx context.Context, group []*join.Candidate) error {
			for some := range readableTogether(group) {
				if err := j.judgeGroup(ctx, some); err != nil {
					return err
				}
				j.run.progress.Advance(len(some))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// forEach calls judge for each element of all, several at a time. It stops at the first error.
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

// judgeGroup reads and judges candidates whose values differ only in spelling.
func (j *judging) judgeGroup(ctx context.Context, group []*join.Candidate) error {
	all, err := j.read(ctx, group)
	if j.run.report.Conflicting(err, len(group)) {
		return nil
	}
	if err != nil {
		return err
	}
	rels := make([]*verdict.Relation, len(group))
	for n, c := range group {
		rels[n] = all[n].rel
		c.Mu.Lock()
		if c.ItemHash != 0 && c.ItemHash != join.HashItem(j.run.seed, all[n].rel.Lock.Item) {
			c.Absent = true // the lock was replaced or changed
		}
		j.judge(c, &all[n])
		c.Mu.Unlock()
	}
	verdict.PairSpellings(rels, true)
	j.judgeAgain(all)
	for n := range all {
		group[n].Forget()
		j.emit(group[n], &all[n])
	}
	return nil
}

// emit reports the finding of a candidate, if it has one. If a lock has the value of an account in another spelling,
// the lock and the value make one finding. If the TTL of an account differs from that of several locks, these locks
// make one finding, too.
func (j *judging) emit(c *join.Candidate, v *judged) {
	kind, rel := finding.KindOf(v.rel), v.rel
	switch {
	case rel.Pending && !rel.Until.IsZero():
		j.run.report.Reserved()
	case rel.Changed:
		j.run.report.UnsettledValue(rel.Constraint.Name, rel.Value)
	case kind == "", rel.Variant != nil && rel.Lock.Exists:
	case kind == finding.DuplicateValue && rel.Constraint.Compared(): // valueCheck reports these
	case kind == finding.ExpiringAccount && !j.run.expiry.firstMention(rel.Claimants[0].Key):
	default:
		j.run.report.Emit(j.finding(c, kind, v))
	}
}

// read reads candidates with their accounts. A candidate with more accounts than can be read at one moment is alone in
// its group. Its accounts are read in batches. Once two accounts hold the value at the same moment, the value is a
// duplicate, and the remaining batches stay unread.
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

// facts returns the facts about a lock that was read together with its accounts. If values kept changing owners, the
// pass may have missed the account that holds the value, and the facts say so.
func (j *judging) facts(rel *verdict.Relation, owner *schema.Account) verdict.Facts {
	e := j.run.t.Facts(rel, owner, verdict.OthersAbsent)
	switch {
	case j.followUp.unstable:
		e.OthersWhy = "some values were given up and taken again during the check, perhaps also this value"
	case j.followUp.settled:
		e.Others = verdict.OthersSettled
	}
	return e
}

// reportUnjudged reports provisional findings for the candidates that a stopped check has not judged. It skips a
// missing lock if no pass has found the accounts that claim it, since the finding could not name them.
func (f *followUp) reportUnjudged() {
	j := &judging{followUp: f}
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

// bySpelling groups the candidates whose values differ only in spelling. It also compares the folded keys: equal values
// in two scopes have different keys and stay apart.
func (j *judging) bySpelling() [][]*join.Candidate {
	groups := map[uint64][]*join.Candidate{}
	for _, c := range j.followUp.candidates {
		if c.Rule != nil { // the rule is nil if the lock and its accounts are gone
			b := append([]byte(strconv.Itoa(c.Rule.Number)), 0)
			b = append(append(b, c.Rule.Spelling(c.Value)...), 0)
			at := j.run.seed.Hash(j.run.codec.AppendFolded(b, c.Key))
			groups[at] = append(groups[at], c)
		}
	}
	return slices.Collect(maps.Values(groups))
}

// rounds divides the groups into rounds that are judged one after the other. If the TTL of an account differs from that
// of several locks, these locks make one finding, which names one of them. Each of these locks is in a different round,
// so that the finding names the same lock on every check.
func rounds(groups [][]*join.Candidate) [][][]*join.Candidate {
	turns := make([][][]*join.Candidate, 1)
	for _, group := range groups {
		at := 0
		for _, c := range group {
			c.Mu.Lock()
			if c.TTLMismatch && len(c.Holders) == 1 {
				at = max(at, int(c.ClaimIndex))
			}
			c.Mu.Unlock()
		}
		for len(turns) <= at {
			turns = append(turns, nil)
		}
		turns[at] = append(turns[at], group)
	}
	return turns
}

// readableTogether divides the candidates of one value into groups that can be read at one moment. The order of the
// groups is the same on every check. A spelling with many accounts comes last, in a group of its own.
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

// groupSize is the largest number of locks that are judged together: in practice, no value has more spellings. maxItems
// is the largest number of items that can be read at one moment. ownItems is the number of these items that one lock
// needs: the lock itself, and the accounts that it may name.
const (
	groupSize = 8
	maxItems  = 100
	ownItems  = 5
)

// judged holds the last reading of a candidate's lock and accounts, and the facts for the verdict.
type judged struct {
	rel   *verdict.Relation
	facts verdict.Facts
	// unread are accounts of a duplicate that were read only in a pass, and not again for the verdict. moreAccounts
	// counts further accounts, whose keys were not kept.
	unread       []schema.Account
	moreAccounts int
}

// scanned returns a candidate's lock and accounts as a pass has read them, one item at a time. owner is the
// account that the lock names, or nil if the pass has not read it.
func (j *judging) scanned(c *join.Candidate, owner *schema.Account) judged {
	rel := c.Relation(j.run.codec)
	if rel.Claimants = c.Accounts(j.run.sources[0]); len(rel.Claimants) > 0 {
		rel.Account = &rel.Claimants[0]
	}
	v := judged{rel: rel, facts: j.run.t.Facts(rel, owner, verdict.OthersAbsent), moreAccounts: int(c.MoreHolders)}
	v.facts.Scanned, v.facts.Now = true, asOf(j.run)
	return v
}

// judge judges a candidate by the last reading of its lock and accounts.
func (j *judging) judge(c *join.Candidate, v *judged) {
	v.facts.Changed = v.facts.Changed || c.Changed(v.rel)
	_, v.facts.ExpiresAlone = j.run.expiry.mismatch(v.rel)
	v.rel.Conclude(v.facts)
}

// judgeAgain judges the candidates of one value again, with the facts of the second reading. It judges existing locks
// first. If a lock has the value in another spelling, the verdict on the value depends on the verdict on that lock.
func (j *judging) judgeAgain(all []judged) {
	for _, exists := range []bool{true, false} {
		for n := range all {
			v := &all[n]
			guessed := j.run.rules.ByConstraint[v.rel.Constraint].Guessed() // a guessed layout confirms nothing
			if v.rel.Lock.Exists != exists || finding.KindOf(v.rel) == "" || guessed {
				continue
			}
			j.addFacts(v)
			v.rel.Conclude(v.facts)
		}
	}
	for _, v := range all {
		if v.rel.Variant != nil && v.rel.Verdict == verdict.Held { // undo the pair: another item holds the lock's value
			v.rel.Variant.Variant, v.rel.Variant = nil, nil
		}
	}
}

// addFacts adds the facts of the second reading about a lock without an account, or about an
// account without a lock.
func (j *judging) addFacts(v *judged) {
	e, rel, other := &v.facts, v.rel, v.rel.Variant
	part := !j.run.partition.All()
	switch {
	case len(rel.Claimants) == 0:
		var own []attr.Key
		if other == nil {
			e.Digests, e.Part = j.digests[rel.Constraint] && e.UnknownText, part
		} else {
			own = append(own, other.Claimants[0].Key)
		}
		e.FromSQL = j.run.o.Candidates != nil && !j.followUp.settled
		e.Holders = j.followUp.search.Of(rel).Holders(own...)
	case other != nil && !rel.Lock.Exists:
		e.OtherSpelling = &other.Judgement
	case rel.Verdict == verdict.Missing:
		e.Digests, e.Part = j.digests[rel.Constraint], part
		if lock, place := j.followUp.search.OtherForm(rel); place != nil {
			e.OtherForm, e.OtherLock = place, lock.Lock.Key
		}
	}
}
