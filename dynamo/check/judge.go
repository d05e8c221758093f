package check

import (
	"context"
	"fmt"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// judgeAtOnce is how many candidates are read at the same time.
const judgeAtOnce = 8

// judging judges the candidates of a look.
type judging struct {
	*followUp
	// many says of a constraint that very many of its locks are orphaned, folds that its
	// values may be folded by the application, and bare that very many of its values
	// have no lock.
	many, folds, bare map[*layout.Constraint]string
}

// all reads each candidate's lock together with its accounts, and reports what is wrong
// with it. Locks of values that differ in spelling only are judged together.
func (j *judging) all(ctx context.Context) error {
	j.enter(stage{Stage: Confirming, total: len(j.candidates)})
	defer j.leave()
	groups := j.bySpelling()
	j.weigh(groups)
	for _, some := range j.turns(groups) {
		if err := j.judgeAll(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// judgeAll judges groups, several at a time.
func (j *judging) judgeAll(ctx context.Context, groups [][]*candidate) error {
	return atOnceEach(ctx, groups, func(ctx context.Context, group []*candidate) error {
		for some := range atOnce(group) {
			if err := j.group(ctx, some); err != nil {
				return err
			}
			j.step(len(some))
		}
		return nil
	})
}

// atOnceEach judges all, several at a time, until one cannot be.
func atOnceEach[T any](ctx context.Context, all []T, judge func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan T)
	var wg sync.WaitGroup
	for range judgeAtOnce {
		wg.Go(func() {
			for one := range todo {
				if err := judge(ctx, one); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, one := range all {
		if ctx.Err() != nil {
			break
		}
		todo <- one
	}
	close(todo)
	wg.Wait()
	return context.Cause(ctx)
}

// tooMany is the share of a constraint's locks, in percent, above which its orphans are
// not mended together before their number has been typed; and the share of its values
// with capitals above which it is rather the application that folds them. fewLocks is
// how many there must be for a share to say anything.
const (
	tooMany  = 20
	fewLocks = 20
)

// weigh counts what the candidates look like before any of them is judged.
func (j *judging) weigh(all *groups) {
	now := asOf(j.run)
	orphans, missing, misspelt := map[*layout.Constraint]int{}, map[*layout.Constraint]int{}, map[*layout.Constraint]int{}
	for group := range all.each {
		con := group[0].rule.Constraint
		held, unclaimed := false, 0
		for _, c := range group {
			c.mu.Lock()
			switch {
			case len(c.holders) > 0:
				held = true
				if !c.exists {
					missing[con]++
				}
			case c.exists && !c.absent && !c.reserved(now):
				unclaimed++
			}
			c.mu.Unlock()
		}
		if held && unclaimed > 0 {
			misspelt[con]++
		} else {
			orphans[con] += unclaimed
		}
	}
	j.many, j.folds, j.bare = map[*layout.Constraint]string{}, map[*layout.Constraint]string{}, map[*layout.Constraint]string{}
	for _, r := range j.rules.all {
		of, con, about := j.count.of[r.at], r.Constraint, j.part.about()
		if unclaimed := int64(j.part.scaled(orphans[con])); of.locks >= fewLocks && 100*unclaimed > tooMany*of.locks {
			j.many[con] = fmt.Sprintf("no account uses the values of %s%s of the %s %s locks", about, phrase.Number(unclaimed), phrase.Number(of.locks), con.Name)
		}
		if without := int64(j.part.scaled(missing[con])); of.calls >= fewLocks && 100*without > tooMany*of.calls {
			j.bare[con] = fmt.Sprintf("%s%s of the %s %s values have no lock", about, phrase.Number(without), phrase.Number(of.calls), con.Name)
		}
		if folds, odd := of.folds, int64(j.part.scaled(misspelt[con])); 100*odd > tooMany*folds && folds > 0 {
			j.folds[con] = fmt.Sprintf("of the %s %s values with capitals and the like %s%s have their locks in another spelling: the application may fold them, and the layout %s be what is wrong", phrase.Number(folds), con.Name, about, phrase.Number(odd), j.t.Layout.Name)
		}
	}
}

// group judges candidates of one value, however it is spelt.
func (j *judging) group(ctx context.Context, group []*candidate) error {
	fresh, unread, err := j.judged(ctx, group)
	if j.conflicting(err, len(group)) {
		return nil
	}
	if err != nil {
		return err
	}
	verdicts := make([]verdict, len(group))
	for n, c := range group {
		c.mu.Lock()
		if c.print != 0 && c.print != itemPrint(j.seed, fresh[n].Lock.Item) {
			c.absent = true // it is another
		}
		verdicts[n] = j.verdict(c, fresh[n])
		verdicts[n].unread, verdicts[n].more = unread, int(c.more)
		c.mu.Unlock()
	}
	pairUp(verdicts)
	for n, v := range verdicts {
		if v.kind == "" {
			group[n].done()
			continue
		}
		if err := j.doubt(ctx, &v); err != nil {
			return err
		}
		group[n].done()
		j.report(group[n], v)
	}
	return nil
}

// report makes a finding of a verdict. The locks of an account that expire otherwise
// than it does make one together.
func (j *judging) report(c *candidate, v verdict) {
	if v.kind == ExpiringAccount && !j.expiry.once(v.rel.Claimants[0].Key) {
		return
	}
	j.emit(j.finding(c, v))
}

// judged judges candidates by their locks and accounts. One that has more accounts than
// can be read at one moment is alone: two of them that hold its value at one moment
// make a duplicate, and unread are those that were not read by then. Where those that
// are read hold it no more, the next are.
func (j *judging) judged(ctx context.Context, group []*candidate) (fresh []*dynamo.Relation, unread []dynamo.Account, err error) {
	var rels []*dynamo.Relation
	for _, c := range group {
		rel, accounts := c.relation(j.codec), c.accounts(j.sources[0])
		rels = append(rels, rel)
		if j.o.Confirm == ConfirmNone {
			fresh = append(fresh, j.t.Match.JudgeFromScan(rel, accounts, c.namedBy(j.t, rel), asOf(j.run)))
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
			most = min(most, mostItems-ownItems-len(keys))
		}
		for _, a := range unread[:most] {
			keys = append(keys, a.Key)
		}
		unread = unread[most:]
		if fresh, err = j.consistent.Judge(ctx, keys, j.others(), rels...); err != nil || len(unread) == 0 || fresh[0].Verdict == dynamo.Duplicate {
			return fresh, unread, err
		}
		keys = keys[:0]
		for _, a := range fresh[0].Claimants {
			keys = append(keys, a.Key)
		}
	}
}

// others is what the look says of the accounts that are not among a lock's. Where values
// kept moving, it may have met each at a time when another held the value.
func (j *judging) others() dynamo.Others {
	if j.settled && !j.unstable {
		return dynamo.OthersSettled
	}
	return dynamo.OthersAbsent
}

// doubt asks whether the layout fits, and whether anything that holds the value speaks
// against what is said of a lock that no account claims. The accounts of the finding
// itself do not.
func (j *judging) doubt(ctx context.Context, v *verdict) error {
	if v.doubt == "" {
		v.doubt = j.unfit(v.rel.Constraint)
	}
	if j.o.Candidates != nil && !j.settled && v.doubt == "" && j.rivalled() {
		v.doubt = "whether other items hold what the layout's accounts hold, and may be the accounts, was not compared: --confirm full compares it"
	}
	v.confirmed = v.confirmed && v.doubt == ""
	rel := v.rel
	if v.other != nil {
		rel = v.other
	} else if !v.OnAbsence() {
		return nil
	}
	if j.o.Candidates != nil && !j.settled && v.doubt == "" {
		v.doubt, v.confirmed = "no item of the table was read for it but its lock and whom that names", false
	}
	var settled []attr.Key
	for _, a := range v.rel.Claimants {
		settled = append(settled, a.Key)
	}
	var doubt string
	var err error
	if j.o.Confirm == ConfirmNone {
		doubt = j.search.Of(rel).SeenDoubt()
	} else {
		doubt, err = j.consistent.Doubt(ctx, j.search.Of(rel), settled...)
	}
	if v.doubt == "" {
		v.doubt = doubt
	}
	if doubt != "" && v.other == nil {
		v.rel = rel.Doubted(doubt, dynamo.Undecided(j.search.Of(rel).Sightings()))
	}
	v.confirmed = v.confirmed && v.doubt == ""
	return err
}

// giveUp reports what is known of the candidates that were not judged any more. Of a
// value that more accounts claim than there are locks that is nothing, until
// those accounts were met.
func (f *followUp) giveUp() {
	j := &judging{followUp: f}
	for _, c := range f.candidates {
		c.mu.Lock()
		if c.rule != nil && !c.judged && (c.count < 0 || len(c.holders) > 0) {
			v := j.verdict(c, f.t.Match.JudgeFromScan(c.relation(f.codec), c.accounts(f.sources[0]), nil, asOf(f.run)))
			v.more = int(c.more)
			v.confirmed, v.cut, v.doubt = false, true, "the check was stopped before it was"
			if v.kind != "" {
				j.report(c, v)
			}
		}
		c.mu.Unlock()
	}
}
