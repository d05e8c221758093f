package check

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// judgeAtOnce is how many suspects are read at the same time.
const judgeAtOnce = 8

// judge reads each suspect's lock together with its accounts, and reports what
// is wrong with it. Locks of values that differ in spelling only are judged
// together.
func (l *look) judge(ctx context.Context) error {
	c := l.c
	c.enter(stage{what: "confirming", total: len(l.suspects)})
	defer c.leave()
	groups := map[spelling][]*suspect{}
	for _, s := range l.suspects {
		if s.rel == nil {
			continue // nothing of it is there any more
		}
		at := spelling{s.rel.Constraint, layout.Fold(s.rel.Value), layout.FoldKey(s.rel.Lock.Key)}
		groups[at] = append(groups[at], s)
	}
	l.weigh(groups)
	for _, some := range l.turns(groups) {
		if err := l.judgeAll(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// judgeAll judges groups, several at a time.
func (l *look) judgeAll(ctx context.Context, groups [][]*suspect) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan []*suspect)
	var wg sync.WaitGroup
	for range judgeAtOnce {
		wg.Go(func() {
			for group := range todo {
				for some := range atOnce(group) {
					if err := l.group(ctx, some); err != nil {
						cancel(err)
					}
					l.c.step(len(some))
				}
			}
		})
	}
	for _, group := range groups {
		if ctx.Err() != nil {
			break
		}
		todo <- group
	}
	close(todo)
	wg.Wait()
	return context.Cause(ctx)
}

// spelling is a value of a constraint, however it is spelt. Its key is folded, too: one
// value in two scopes is two.
type spelling struct {
	constraint  *layout.Constraint
	folded, key string
}

// tooMany is the share of a constraint's locks, in percent, above which its orphans are
// not mended together before their number has been typed; and the share of its values
// with capitals above which it is rather the application that folds them. fewLocks is
// how many there must be for a share to say anything.
const (
	tooMany  = 20
	fewLocks = 20
)

// weigh counts what the suspects look like before any of them is judged.
func (l *look) weigh(groups map[spelling][]*suspect) {
	c := l.c
	orphans, missing, misspelt := map[*layout.Constraint]int{}, map[*layout.Constraint]int{}, map[*layout.Constraint]int{}
	for at, group := range groups {
		held, nobodys := false, 0
		for _, s := range group {
			s.mu.Lock()
			switch {
			case len(s.claimants) > 0:
				held = true
				if !s.rel.Lock.Exists {
					missing[at.constraint]++
				}
			case s.rel.Lock.Exists && !s.gone:
				nobodys++
			}
			s.mu.Unlock()
		}
		if held && nobodys > 0 {
			misspelt[at.constraint]++
		} else {
			orphans[at.constraint] += nobodys
		}
	}
	l.bare = map[*layout.Constraint]string{}
	l.many, l.folds = map[*layout.Constraint]string{}, map[*layout.Constraint]string{}
	for _, r := range c.rules {
		of, con := c.count.of[r.at], r.Constraint
		if locks, nobodys := of.locks, int64(l.share.scaled(orphans[con])); locks >= fewLocks && 100*nobodys > tooMany*locks {
			l.many[con] = fmt.Sprintf("no account calls for %s%s of the %s %s locks", l.share.about(), phrase.Group(fmt.Sprint(nobodys)), phrase.Group(fmt.Sprint(locks)), con.Name)
		}
		if without := int64(l.share.scaled(missing[con])); of.calls >= fewLocks && 100*without > tooMany*of.calls {
			l.bare[con] = fmt.Sprintf("%s%s of the %s %s values have no lock", l.share.about(), phrase.Group(fmt.Sprint(without)), phrase.Group(fmt.Sprint(of.calls)), con.Name)
		}
		if folds, odd := of.folds, int64(l.share.scaled(misspelt[con])); 100*odd > tooMany*folds && folds > 0 {
			l.folds[con] = fmt.Sprintf("of the %s %s values with capitals and the like %s%s have their locks in another spelling: the application may fold them, and the layout %s be what is wrong", phrase.Group(fmt.Sprint(folds)), con.Name, l.share.about(), phrase.Group(fmt.Sprint(odd)), c.t.Layout.Name)
		}
	}
}

// group judges suspects of one value, however it is spelt.
func (l *look) group(ctx context.Context, group []*suspect) error {
	c := l.c
	fresh, unread, err := l.judged(ctx, group)
	if c.conflicting(err, len(group)) {
		return nil
	}
	if err != nil {
		return err
	}
	verdicts := make([]verdict, len(group))
	for n, s := range group {
		s.mu.Lock()
		if s.print != 0 && s.print != c.secret.item(fresh[n].Lock.Item) {
			s.gone = true // it is another
		}
		verdicts[n] = l.verdict(s, fresh[n])
		verdicts[n].unread, verdicts[n].more = unread, s.more
		s.mu.Unlock()
	}
	pairUp(verdicts)
	for n, v := range verdicts {
		if v.kind == "" {
			group[n].settled()
			continue
		}
		if err := l.doubt(ctx, &v); err != nil {
			return err
		}
		group[n].settled()
		l.report(group[n], v)
	}
	return nil
}

// report makes a finding of a verdict. The locks of an account that expire otherwise
// than it does make one together.
func (l *look) report(s *suspect, v verdict) {
	if v.kind == ExpiringAccount && !l.c.once(v.rel.Claimants[0].Key) {
		return
	}
	l.c.emit(l.finding(s, v))
}

// judged judges suspects by their locks and accounts. One that has more accounts than
// can be read at one moment is alone: two of them that hold its value at one moment
// make a duplicate, and unread are those that were not read by then. Where those that
// are read hold it no more, the next are.
func (l *look) judged(ctx context.Context, group []*suspect) (fresh []*dynamo.Relation, unread []dynamo.Account, err error) {
	var rels []*dynamo.Relation
	for _, s := range group {
		rels = append(rels, s.rel)
		if l.c.o.Confirm == ConfirmNone {
			fresh = append(fresh, l.c.t.Presume(s.rel, s.claimants, s.named(l.c.t)))
		}
		unread = append(unread, s.claimants...)
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
		if fresh, err = l.c.witness.Judge(ctx, keys, true, rels...); err != nil || len(unread) == 0 || fresh[0].Verdict == dynamo.Duplicate {
			return fresh, unread, err
		}
		keys = keys[:0]
		for _, a := range fresh[0].Claimants {
			keys = append(keys, a.Key)
		}
	}
}

// settled says that there is nothing more to learn of the suspect, and forgets
// what it was.
func (s *suspect) settled() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judged, s.rel, s.claimants, s.owners = true, nil, nil, nil
}

// doubt asks whether the layout fits, and whether anything that holds the value speaks
// against what is said of a lock that no account calls for. The accounts of the finding
// itself do not.
func (l *look) doubt(ctx context.Context, v *verdict) error {
	if v.doubt == "" {
		v.doubt = l.c.unfit(v.rel.Constraint)
	}
	v.confirmed = v.confirmed && v.doubt == ""
	rel := v.rel
	if v.other != nil {
		rel = v.other
	} else if !v.nobodys() {
		return nil
	}
	var settled []attr.Key
	for _, a := range v.rel.Claimants {
		settled = append(settled, a.Key)
	}
	var doubt string
	var err error
	if l.c.o.Confirm == ConfirmNone {
		doubt = l.search.SeenDoubt(rel)
	} else {
		doubt, err = l.c.witness.Doubt(ctx, l.search, rel, settled...)
	}
	if v.doubt == "" {
		v.doubt = doubt
	}
	v.confirmed = v.confirmed && v.doubt == ""
	return err
}

// atOnce divides suspects of one value into those that can be read at one moment.
// Its order does not depend on chance: what is found together is the same on every
// check. Many accounts on one spelling come last, by themselves.
func atOnce(group []*suspect) iter.Seq[[]*suspect] {
	slices.SortFunc(group, func(a, b *suspect) int {
		return cmp.Or(cmp.Compare(len(a.claimants), len(b.claimants)), cmp.Compare(a.rel.Lock.Table, b.rel.Lock.Table), cmp.Compare(a.key.ID(), b.key.ID()))
	})
	return func(yield func([]*suspect) bool) {
		for len(group) > 0 {
			n, items := 0, 0
			for n < min(len(group), groupSize) && (n == 0 || items+ownItems+len(group[n].claimants) <= mostItems) {
				items += ownItems + len(group[n].claimants)
				n++
			}
			if !yield(group[:n]) {
				return
			}
			group = group[n:]
		}
	}
}

// groupSize is how many locks are judged together at most: no person spells one
// value in so many ways. mostItems is how many items can be read at one moment, and
// ownItems how many of them a lock takes by itself, with those that it may name.
const (
	groupSize = 8
	mostItems = 100
	ownItems  = 5
)

func (c *checker) unsettled(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.summary.Unsettled += n
}

// conflicting reports whether values could not be read together since others kept
// writing to them, and counts them: nothing says that they have changed.
func (c *checker) conflicting(err error, values int) bool {
	if client.KindOf(err) != client.Conflict {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conflicts += values
	return true
}

// giveUp reports what is known of the suspects that were not judged any more. Of a
// value that more accounts call for than there are locks that is nothing, until
// those accounts were met.
func (l *look) giveUp() {
	for _, s := range l.suspects {
		s.mu.Lock()
		if s.rel != nil && !s.judged && (s.count < 0 || len(s.claimants) > 0) {
			v := l.verdict(s, l.c.t.Presume(s.rel, s.claimants, nil))
			v.more = s.more
			v.confirmed, v.cut, v.doubt = false, true, "the check was stopped before it was"
			if v.kind != "" {
				l.report(s, v)
			}
		}
		s.mu.Unlock()
	}
}
